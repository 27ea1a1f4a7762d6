"""Trains language models and adds them to models: what `train-lm` and `add-lm` do.

`formats.tokenization` splits text into words, `language_model.kneser_ney` estimates. `add-lm` fits
the language model weight (`language_model.balance`) to BLEU on a development set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma import __version__
from syntagma.errors import (
    FormatError,
    ModelError,
    SyntagmaWarning,
    TrainingError,
    shown,
    warn,
)
from syntagma.evaluation.evaluate import evaluate
from syntagma.files.locking import locked
from syntagma.files.paths import as_paths, check_path
from syntagma.files.reading import fingerprint, open_regular, open_text, source_name
from syntagma.files.writing import check_output
from syntagma.formats.conllu import read_blocks
from syntagma.formats.text import split_bag
from syntagma.formats.tokenization import sentences as split
from syntagma.language_model.arpa import read_arpa, write_arpa
from syntagma.language_model.balance import Balance
from syntagma.language_model.kneser_ney import Progress, estimate
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.language_model.pruning import prune_to
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.container import MAGIC, read_container, write_container
from syntagma.models.header import LANGUAGE_MODEL, Header
from syntagma.models.loading import load_model, model_path
from syntagma.models.model import MARGIN, add_language_model
from syntagma.training.margin import describe_margin, learn_margin
from syntagma.transition.strategy import WeightedLanguageModel
from syntagma.treebanks.conditions import MAIN_CONDITIONS, Condition
from syntagma.treebanks.treebank import Sentence, as_sentences

_COMPRESSED = (".xz", ".gz")

# Weights at which BLEU is measured.
WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
_LEAST = 0.01  # practically zero; a balance cannot express zero itself
_FAR_FEWER = 10  # a language model of so many times fewer words hardly makes up for another
_CHOICES = 47  # weights that are compared, from the least to the largest, at equal ratios

Curves = Mapping[str, Sequence[float]]  # of BLEU, by condition and weight


@dataclass(frozen=True, slots=True)
class LanguageModelReport:
    """Sentences and words read, n-grams by order, and where the model was written."""

    path: Path
    sentences: int
    words: int
    ngrams: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BalanceReport:
    """The fitted balance, and BLEU by condition and weight."""

    balance: Balance
    curves: dict[str, list[float]] = field(repr=False)


def read_sentence_words(path: str | Path, *, tokenized: bool = False) -> Iterator[list[str]]:
    """The sentences of a file, as words: CoNLL-U, plain text with one paragraph per line, or, if
    `tokenized`, one sentence per line, words separated by spaces. Gzip and xz are decompressed."""
    source = source_name(path)
    name = Path(source.lower())
    if (Path(name.stem) if name.suffix in _COMPRESSED else name).suffix == ".conllu":
        for block in read_blocks(open_text(path), source):
            if isinstance(block, FormatError):
                raise block
            block.check_forms()
            yield _words(row[1] for row in block.rows)
        return
    for line in open_text(path):
        if isinstance(line, FormatError):
            raise line
        if tokenized:
            if words := _words(split_bag(line)):
                yield words
        else:
            yield from split(line)


def _words(units: Iterable[str]) -> list[str]:
    """The words of units, some of which may be phrases."""
    return [word for unit in units for word in unit.split(" ") if word]


def train_lm(
    sources: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    settings: LanguageModelSettings | None = None,
    on_sentence: Callable[[], None] = lambda: None,
    on_progress: Progress = lambda stage, done: None,
) -> LanguageModelReport:
    """Estimate a language model from a text, or several, and write it; as ARPA if the output ends
    in `.arpa`."""
    settings = LanguageModelSettings() if settings is None else settings
    if not isinstance(settings, LanguageModelSettings):
        raise TrainingError(f"settings must be LanguageModelSettings, not {shown(settings)}")
    sources = as_paths(sources, "sources")
    check_path(output, "output")
    output = Path(output)
    if output.suffix.lower() in _COMPRESSED:
        raise TrainingError(
            f"{output}: a language model cannot be written compressed; leave out {output.suffix}"
        )
    check_output(output, sources)
    for source in sources:
        check_readable(source)
    count = {"sentences": 0, "words": 0}

    def counted(sentences: Iterable[list[str]]) -> Iterator[list[str]]:
        for sentence in sentences:
            count["sentences"] += 1
            count["words"] += len(sentence)
            on_sentence()
            yield sentence

    with locked(output):
        texts = (read_sentence_words(source, tokenized=settings.tokenized) for source in sources)
        sentences = counted(chain.from_iterable(texts))
        first = next(sentences, None)
        if first is None:
            named = ", ".join(map(source_name, sources))
            raise TrainingError(f"nothing to learn from: no sentence in {named}")
        model = estimate(
            chain([first], sentences),
            order=settings.order,
            word_class=word_class,
            prune=settings.thresholds,
            min_count=settings.min_count,
            progress=on_progress,
        )
        if settings.max_ngrams is not None:
            model = prune_to(model, settings.max_ngrams)
        if output.suffix.lower() == ".arpa":
            write_arpa(model, output)
        else:
            packed = LanguageModel.of(model)
            about = {
                "data": [_describe(source) for source in sources],
                **count,
                "settings": asdict(settings),
                "created_with": __version__,
            }
            header = {LANGUAGE_MODEL: {**about, **packed.describe()}}
            write_container(output, header, packed.to_arrays())
    return LanguageModelReport(output, **count, ngrams=tuple(map(len, model.orders)))


def _describe(source: str | Path) -> dict[str, str]:
    """The name and checksum of a file; a pipe has no checksum, since it cannot be read twice."""
    if not Path(source).is_file():
        return {"name": source_name(source)}
    return {"name": Path(source).name, "sha256": fingerprint(source)}


def check_readable(path: str | Path) -> None:
    """Raise `FormatError` for a missing file, before any work is done."""
    if str(path) != "-" and not Path(path).exists():
        raise FormatError("cannot read the file: No such file or directory", source_name(path))


def read_lm(path: str | Path) -> tuple[LanguageModel, dict[str, Any]]:
    """A language model and its header: from a file of `train_lm`, from a model with a language
    model, or from an ARPA file, such as those of KenLM and SRILM."""
    try:
        with open_regular(path) as file:
            is_container = file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
    if not is_container:
        arpa = read_arpa(path)
        with _naming(path):
            return LanguageModel.of(arpa), {"data": [_describe(path)]}
    header, arrays = read_container(path)
    about = header.get(LANGUAGE_MODEL)
    if not isinstance(about, dict):
        raise ModelError(f"{path}: a model without a language model; train one: syntagma train-lm")
    with _naming(path):
        return LanguageModel.from_arrays(arrays), about


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Add the name of the file to errors about its content."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def perplexity(model: LanguageModel, sentences: Iterable[Sequence[str]]) -> float:
    """Perplexity per word, sentence ends included; unknown words are replaced by their classes."""
    scores = [model.score(sentence) for sentence in sentences]
    if not scores:
        raise TrainingError("cannot compute the perplexity of a text without sentences")
    return math.exp(-sum(map(sum, scores)) / sum(map(len, scores)))


def add_lm(
    model: str | Path,
    language_model: str | Path,
    dev: Sequence[Sentence],
    output: str | Path,
    *,
    threads: int = 1,
    on_sentence: Callable[[], None] = lambda: None,
) -> BalanceReport:
    """Write a model with a language model, whose weight is fitted on `dev`.

    It takes the place of the one that the model has. A `SyntagmaWarning` says if it was trained on
    far less text.
    """
    dev = as_sentences(dev, "dev")
    check_path(language_model, "language_model")
    check_path(output, "output")
    path = model_path(model)
    check_output(output, [path, language_model])
    with locked(Path(output)):
        added, about = read_lm(language_model)
        plain = load_model(path, language_model=False)
        _warn_of_less_text(language_model, about | added.describe(), path, plain.header)

        def weighed(balance: Balance | None) -> Linearizer:
            weighted = None if balance is None else WeightedLanguageModel(added, balance)
            return Linearizer(replace(plain, language_model=weighted))

        def bleu(condition: str, weight: float) -> float:
            linearizer = weighed(Balance(math.log(weight), 0, 0, 0) if weight else None)
            report = evaluate(linearizer, dev, condition, threads=threads, on_sentence=on_sentence)
            return report[condition].bleu

        curves = {name: [bleu(name, weight) for weight in WEIGHTS] for name in MAIN_CONDITIONS}
        found = fit_balance(curves)
        margin = learn_margin(weighed(found), dev, threads=threads)
        described = {
            **{name: value for name, value in about.items() if name != MARGIN},
            **describe_margin(margin),
            "tuning": describe_fit(curves),
        }
        add_language_model(output, path, WeightedLanguageModel(added, found), described)
    return BalanceReport(found, curves)


def _warn_of_less_text(
    language_model: str | Path, about: Mapping[str, Any], model: Path, header: Header
) -> None:
    """Warn if the language model of a model is to be replaced by one that has seen far less."""
    old, new = _size(header.get(LANGUAGE_MODEL, {})), _size(about)
    # ARPA files do not say how many words were read.
    unit = next((unit for unit in ("words", "n-grams") if unit in old and unit in new), None)
    if unit is not None and new[unit] * _FAR_FEWER <= old[unit]:
        warn(
            SyntagmaWarning(
                f"{language_model}: a language model of {new[unit]:,} {unit} replaces that of "
                f"{model.name}, of {old[unit]:,} {unit}: bare words may be ordered much worse; "
                "train it on more text, or compare both models: syntagma evaluate"
            )
        )


def _size(about: Mapping[str, Any]) -> dict[str, int]:
    """The words that a language model was trained on, and its n-grams, if its header says so."""
    words, ngrams = about.get("words"), about.get("ngrams")
    return {
        **({"words": words} if isinstance(words, int) else {}),
        **({"n-grams": sum(ngrams)} if isinstance(ngrams, list) else {}),
    }


def weight_under(balance: Balance, condition: Condition) -> float:
    """The language model weight of problems of this condition."""
    labels = condition.arcs if condition.labelled else 0.0
    return balance.weight(condition.tags, condition.arcs, labels)


def fit_balance(curves: Curves) -> Balance:
    """The balance with the highest sum of BLEU over the main conditions, within WEIGHTS.

    Curves are scaled to the same height, so that all conditions count the same. They are smoothed,
    so that one lucky point does not decide, and interpolated linearly. The weights for none, pos,
    tree and labelled can be chosen freely; that for half follows from them.
    """
    logs = np.linspace(math.log(_LEAST), math.log(WEIGHTS[-1]), _CHOICES)
    worth = {name: _worth(curve, logs) for name, curve in curves.items()}
    none, pos, tree = np.ix_(logs, logs, logs)
    half = none + (pos - none) / 2 + (tree - pos) / 4
    total = (
        worth["none"][:, None, None]
        + worth["pos"][None, :, None]
        + worth["tree"][None, None, :]
        + np.interp(half, logs, worth["half"])
    )
    best = np.unravel_index(int(total.argmax()), total.shape)
    of_none, of_pos, of_tree = (float(logs[i]) for i in best)
    of_labelled = float(logs[worth["labelled"].argmax()])
    found = (of_none, of_pos - of_none, of_tree - of_pos, of_labelled - of_tree)
    return Balance(*(round(value, 4) for value in found))


def _worth(curve: Sequence[float], logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """BLEU at weights with these logarithms, divided by the range of the curve.

    The curve is smoothed: each point is averaged with its neighbours, which count half.
    """
    smooth = np.array(curve)
    smooth[1:-1] = (smooth[:-2] + 2 * smooth[1:-1] + smooth[2:]) / 4
    found = np.interp(np.exp(logs), WEIGHTS, smooth)
    return np.asarray(found / max(smooth.max() - smooth.min(), 0.1))


def describe_fit(curves: Curves) -> dict[str, Any]:
    """What the header of a model says about how its balance was fitted."""
    return {
        "weights": list(WEIGHTS),
        "bleu": {name: [round(value, 2) for value in curve] for name, curve in curves.items()},
    }
