"""The treebanks of a training run: reading them, the tag column and lemmas that are learned from,
and describing them in the model's header.

The readers themselves are in `treebanks`; text for language models is read in
`training/language_model.py`.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from syntagma.best_first.settings import BestFirstSettings
from syntagma.errors import FormatError, SyntagmaWarning, TrainingError, counted
from syntagma.files.reading import source_name
from syntagma.formats.auto import HeadSource, auto_line
from syntagma.formats.conllu import Block
from syntagma.formats.problems import guess_format
from syntagma.models.loading import load_model, model_path
from syntagma.models.model import Model
from syntagma.neural.settings import AdaptedSettings, NeuralSettings
from syntagma.problem.word import TagColumn
from syntagma.treebanks.corpus import is_ccgbank, read_ccgbank
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import (
    Sentence,
    as_annotated,
    as_treebank,
    read_treebank,
    retag,
    tag_pairs,
    treebank_blocks,
    warn_of_untagged,
)

HELD_OUT = 10  # one sentence in ten
MOST_HELD_OUT = 500

NEARLY_ALL = 0.9  # share of tagged words from which on the usual column is taken
MIN_TAGGED = 0.5  # share of tagged words below which a treebank is refused
MIN_KNOWN = 0.8  # share of tagged words of DEV that must have a tag of TRAIN
# A tag seen less often is rare, and a column with so large a share of rare tags is not learned
# from: UPOS tags, which say less, are learned better.
RARE = 10
MOST_RARE = 0.1

MIN_LEMMAS = 0.05  # share of words with a lemma below which the treebank counts as without

Pairs = Counter[tuple[str, str]]  # of an XPOS and a UPOS tag


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The treebanks of a run: lifted trees to learn from, the development set as annotated."""

    sentences: list[Sentence]
    dev: list[Sentence]
    further: list[list[Sentence]]  # for pre-training
    described: list[dict[str, Any]]  # in the header of the model
    names: tuple[str, str]  # of the treebank and of the development set, in messages
    held_out: bool  # whether the development set was taken from the treebank


def read_training_data(
    train: Sequence[Path],
    dev: Sequence[Path],
    pretrain: Sequence[str | Path],
    settings: Settings,
    start: Model | None,
    on_faults: Callable[[Sequence[FormatError]], None],
) -> tuple[TrainingData, Settings]:
    """Read each file once; the settings returned have the tag column, or the source of heads, that
    the treebank decides."""
    names = name_files(train), name_files(dev) if dev else "the development set"
    if isinstance(settings, BestFirstSettings) and settings.grammar == "ccg":
        for path in (*train, *dev):
            if guess_format(path) == "conllu":
                raise TrainingError(
                    f"{path} is a treebank, but CCG models learn from derivations: use a CCGbank "
                    "(.auto), or the grammar dependency (--grammar dependency)"
                )
        parts, dev_parts = (
            [[each.sentence for each in read_ccgbank(path, settings.heads)] for path in paths]
            for paths in (train, dev)
        )
        heads = settings.heads or choose_heads(chain.from_iterable(parts))
        settings = replace(settings, tag_column=settings.tag_column or "xpos", heads=heads)
    else:
        for path in (*train, *dev):
            if is_ccgbank(path):
                raise TrainingError(
                    f"{path} is a CCGbank, from which only CCG models learn: use the grammar ccg "
                    "(--search best-first --grammar ccg), or a treebank in CoNLL-U"
                )
        column = settings.tag_column or ("xpos" if start is None else start.header["tag_column"])
        treebank, dev_set = Tagged(train, column, lift=True), Tagged(dev, column, lift=False)
        settings = choose_tag_column(names[0], treebank.counts, dev_set.counts, settings, start)
        parts, dev_parts = (
            each.parts(settings.tag_column or column) for each in (treebank, dev_set)
        )
    annotated = [*chain.from_iterable(dev_parts)] if dev else hold_out(parts, train[0])
    described = [*map(describe_data, train, parts)]
    if not dev:
        described[0]["held_out"] = len(annotated)
    further = []
    for each in pretrain:
        faults: list[FormatError] = []
        column = settings.tag_column or "xpos"
        further.append(read_treebank(each, column, lift=True, faults=faults))
        if faults:
            on_faults(faults)
        use = {"use": "pre-training", "left_out": len(faults)}
        described.append({**describe_data(each, further[-1]), **use})
    sentences = [*chain.from_iterable(parts)]
    return TrainingData(sentences, annotated, further, described, names, not dev), settings


class Tagged:
    """A treebank that has been read before it is decided which column its tags are from."""

    def __init__(self, paths: Sequence[Path], column: TagColumn, *, lift: bool) -> None:
        self.paths, self.column = paths, column
        self.pairs: list[list[tuple[str, str]]] = []  # of XPOS and UPOS tags, by sentence
        self.counts: Pairs = Counter()
        self._parts = [
            as_treebank(self._counted(path), source_name(path), column, lift=lift) for path in paths
        ]

    def _counted(self, path: Path) -> Iterator[Block | FormatError]:
        shared: dict[tuple[str, str], tuple[str, str]] = {}
        for block in treebank_blocks(path):
            if isinstance(block, Block):
                self.pairs.append([shared.setdefault(pair, pair) for pair in tag_pairs(block)])
                self.counts.update(self.pairs[-1])
            yield block

    def parts(self, column: TagColumn) -> list[list[Sentence]]:
        """The sentences of each file, with the tags of this column."""
        if column != self.column:
            pairs = iter(self.pairs)
            self._parts = [
                [retag(sentence, next(pairs), column) for sentence in part] for part in self._parts
            ]
        for path, part in zip(self.paths, self._parts, strict=True):
            warn_of_untagged(part, column, source_name(path))
        return self._parts


def choose_tag_column(
    name: str, train: Pairs, dev: Pairs, settings: Settings, start: Model | None = None
) -> Settings:
    """The settings with the tag column of a treebank, given its pairs of tags and its name.

    If the settings leave it open, it is that of the model to start from, or XPOS, as long as nearly
    all words have such a tag; else the column in which more words have one. A new network learns
    from UPOS tags, too, where XPOS tags add nothing to them, are too rare, or differ in `dev`.
    Raise if too few words have a tag.
    """
    usual: TagColumn = "xpos" if start is None else start.header["tag_column"]
    column = settings.tag_column or usual
    if not train:  # an empty treebank, which its reader reports
        return replace(settings, tag_column=column)
    shares: dict[TagColumn, float] = {
        each: 1 - _tags(train, each)[""] / train.total() for each in ("upos", "xpos")
    }
    if settings.tag_column is None and shares[column] < NEARLY_ALL:
        column = max(shares, key=lambda each: (shares[each], each == usual))
    if max(shares.values()) == 0:
        raise TrainingError(
            f"{name} has no tags, neither XPOS nor UPOS, and a model needs them to learn from: "
            "tag the treebank first"
        )
    if shares[column] < MIN_TAGGED:
        other: TagColumn = "upos" if column == "xpos" else "xpos"
        raise TrainingError(
            f"{name}: {_share(shares[column])} {column.upper()} tags, and a model needs them for "
            f"at least {MIN_TAGGED:.0%}; {shares[other]:.1%} have {other.upper()} tags"
            + (f": use those (--tag-column {other})" if shares[other] >= MIN_TAGGED else "")
        )
    if settings.tag_column is not None:
        return settings
    reason = ""
    if column != usual:
        reason = f"{_share(shares[usual])} {usual.upper()} tags"
    elif start is None and isinstance(settings, NeuralSettings) and shares["upos"] >= NEARLY_ALL:
        # Where a UPOS tag never has two XPOS tags, nothing is lost, and no warning is due.
        redundant = len(train) == len(_tags(train, "upos"))
        if not redundant:
            reason = _reason_for_upos(train, dev)
        if reason or redundant:
            column = "upos"
    if reason:
        warnings.warn(
            f"{name}: {reason}, so the model learns from {column.upper()} tags "
            f"({shares[column]:.1%} of the words have one)",
            SyntagmaWarning,
            stacklevel=3,
        )
    return replace(settings, tag_column=column)


def _reason_for_upos(train: Pairs, dev: Pairs) -> str:
    """Why XPOS tags are not learned from; empty if they are."""
    xpos, in_dev = _tags(train, "xpos"), _tags(dev, "xpos")
    rare = _rare(xpos)
    if rare > MOST_RARE and rare > 2 * _rare(_tags(train, "upos")):
        return f"{rare:.0%} of the words have an XPOS tag seen less than {RARE} times"
    unknown = sum(count for tag, count in in_dev.items() if tag and tag not in xpos)
    if unknown > (1 - MIN_KNOWN) * (dev.total() - in_dev[""]):
        return f"{unknown / dev.total():.0%} of the words of DEV have an XPOS tag that TRAIN lacks"
    return ""


def _rare(tags: Counter[str]) -> float:
    """The share of words with a rare tag."""
    return sum(count for count in tags.values() if count < RARE) / tags.total()


def _tags(pairs: Pairs, column: TagColumn) -> Counter[str]:
    tags: Counter[str] = Counter()
    for (xpos, upos), count in pairs.items():
        tags[xpos if column == "xpos" else upos] += count
    return tags


def _share(share: float) -> str:
    return f"only {share:.1%} of the words have" if share else "no word has"


def lemma_share(sentences: Sequence[Sentence]) -> float:
    """The share of words with a lemma."""
    lemmas = sum(bool(lemma) for sentence in sentences for lemma in sentence.lemmas)
    return lemmas / max(sum(map(len, sentences)), 1)


def fill_lemmas(sentences: Sequence[Sentence], treebank: Sequence[Sentence]) -> list[Sentence]:
    """The sentences with forms as the lemmas that they lack: a model that learns from them orders
    and spells words as they are given, but does not inflect.

    First words are in lower case, unless they keep their capital elsewhere in the treebank.
    """
    within = Counter(form for each in treebank for form in each.forms[_first(each) + 1 :])

    def lemmas(sentence: Sentence) -> tuple[str, ...]:
        stand_ins = list(sentence.forms)
        first = _first(sentence)
        if first < len(stand_ins):
            form = stand_ins[first]
            lower = form[:1].lower() + form[1:]
            if within[lower] > within[form]:
                stand_ins[first] = lower
        given = sentence.lemmas or ("",) * len(sentence)
        return tuple(lemma or form for lemma, form in zip(given, stand_ins, strict=True))

    return [replace(sentence, lemmas=lemmas(sentence)) for sentence in sentences]


def _first(sentence: Sentence) -> int:
    """The index of the first word that is not punctuation; the length if there is none."""
    words = (at for at, form in enumerate(sentence.forms) if any(map(str.isalnum, form)))
    return next(words, len(sentence))


def hold_out(parts: list[list[Sentence]], name: object) -> list[Sentence]:
    """Take a development set out of the parts of a treebank: one sentence in ten, evenly spaced."""
    count = sum(map(len, parts))
    if count < 2:
        raise TrainingError(
            f"{name}: a treebank of one sentence has none to hold out: give a development set"
        )
    size = min(max(count // HELD_OUT, 1), MOST_HELD_OUT)
    held = {(2 * i + 1) * count // (2 * size) for i in range(size)}
    annotated: list[Sentence] = []
    first = 0
    for number, part in enumerate(parts):
        places = range(first, first + len(part))
        annotated += (as_annotated(part[at - first]) for at in places if at in held)
        parts[number] = [part[at - first] for at in places if at not in held]
        first += len(part)
    return annotated


def choose_heads(sentences: Iterable[Sentence]) -> HeadSource:
    """The source of heads that derivations were read with."""
    derivations = filter(None, (sentence.derivation for sentence in sentences))
    return "file" if any(each.has_given_heads for each in derivations) else "rule"


def name_files(paths: Sequence[str | Path]) -> str:
    """The files of a treebank, for messages."""
    more = len(paths) - 1
    return f"{paths[0]} and {counted(more, 'more file')}" if more else str(paths[0])


def sample_evenly(sentences: Sequence[Sentence], count: int) -> Sequence[Sentence]:
    """At most `count` sentences, evenly spaced: treebanks are sorted by genre."""
    if len(sentences) <= count:
        return sentences
    return [sentences[i * len(sentences) // count] for i in range(count)]


def load_start(start: str | Path, settings: Settings) -> Model:
    """Load the model to start from; raise if these settings cannot continue its training."""
    model = load_model(model_path(start))
    if model.header.get("scorer") != settings.SCORER:
        raise TrainingError(f"{start} (--start) has no {settings.SCORER} scorer to start from")
    return model


def describe_data(path: str | Path, sentences: Sequence[Sentence]) -> dict[str, Any]:
    """Describe a treebank: file name, size, and a checksum of what was learned from it."""
    digest = hashlib.sha256()
    for sentence in sentences:
        described: dict[str, Any] = {
            "forms": sentence.forms,
            "tags": sentence.tags,
            "heads": sentence.heads,
            "deprels": sentence.deprels,
            "id": sentence.id,
        }
        if sentence.derivation is not None:
            described["derivation"] = auto_line(sentence.derivation)
        digest.update(json.dumps(described).encode())
    return {
        "name": Path(path).name,
        "sha256": digest.hexdigest(),
        "sentences": len(sentences),
        "words": sum(len(sentence.forms) for sentence in sentences),
    }


def describe_start(path: str | Path, model: Model) -> dict[str, Any]:
    """Describe the model that training started from; its data are also data of the new model."""
    kept = ("name", "licence", "attribution", "data", "start", "settings", "created_with")
    digest = hashlib.sha256(model_path(path).read_bytes()).hexdigest()
    header: dict[str, Any] = {**model.header}
    described = {field: header[field] for field in kept if field in header}
    return {**described, "sha256": digest}


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The settings of a run, none of them open, and the size of its treebank."""

    settings: Settings
    sentences: int
    words: int
    dev_sentences: int
    held_out: bool  # whether the development set was taken from the treebank

    @classmethod
    def of(cls, settings: Settings, data: TrainingData) -> TrainingPlan:
        sizes = len(data.sentences), sum(map(len, data.sentences)), len(data.dev)
        return cls(settings, *sizes, data.held_out)

    def lines(self) -> list[str]:
        """The plan as lines to show; the second one says what the treebank decided."""
        settings = self.settings
        measured = min(self.dev_sentences, settings.dev_sentences)
        data = (
            f"{counted(self.sentences, 'sentence')}, {counted(self.words, 'word')}; development "
            f"set: {counted(self.dev_sentences, 'held-out ' * self.held_out + 'sentence')}"
        )
        if measured < self.dev_sentences:
            data += f" ({measured:,} measured)"
        tags = f"{(settings.tag_column or 'xpos').upper()} tags"
        choices = [counted(settings.epochs or 0, "epoch"), tags]
        if isinstance(settings, AdaptedSettings):
            choices[1:1] = [f"width {settings.width}", f"dropout {settings.dropout:g}"]
            choices.append(f"min count {settings.min_count}")
            choices.append(f"suffix length {settings.suffix_length}")
        learns = "; learns to order" + " and to realize" * settings.realizes
        return [data, ", ".join(choices) + learns]
