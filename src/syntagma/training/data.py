"""The treebanks of a training run: reading them, and describing them in the model's header.

The readers themselves are in `treebanks`; text for language models is read in
`training/language_model.py`.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from syntagma.best_first.settings import BestFirstSettings
from syntagma.errors import SyntagmaWarning, TrainingError
from syntagma.formats.auto import auto_line
from syntagma.formats.problems import guess_format
from syntagma.models.loading import load_model, model_path
from syntagma.models.model import Model
from syntagma.problem.word import TagColumn
from syntagma.treebanks.ccgbank import is_ccgbank, read_ccgbank
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence, read_treebank, tag_shares

NEARLY_ALL = 0.9  # share of tagged words from which on the usual column is taken
MIN_TAGGED = 0.5  # share of tagged words below which a treebank is refused


def read_training_data(path: str | Path, settings: Settings, *, lift: bool) -> list[Sentence]:
    """Read a CCGbank if the settings ask for CCG derivations, else a treebank.

    Learners need lifted trees; a development set is measured on trees as annotated.
    """
    ccg = isinstance(settings, BestFirstSettings) and settings.grammar == "ccg"
    if is_ccgbank(path) and not ccg:
        raise TrainingError(
            f"{path} is a CCGbank, from which only CCG models learn: use the grammar ccg "
            "(--search best-first --grammar ccg), or a treebank in CoNLL-U"
        )
    if ccg and guess_format(path) == "conllu":
        raise TrainingError(
            f"{path} is a treebank, but CCG models learn from derivations: use a CCGbank (.auto), "
            "or the grammar dependency (--grammar dependency)"
        )
    if isinstance(settings, BestFirstSettings) and ccg:
        return [each.sentence for each in read_ccgbank(path, settings.heads)]
    return read_treebank(path, settings.tag_column or "xpos", lift=lift)


def choose_heads(sentences: Sequence[Sentence], settings: Settings) -> Settings:
    """The settings with the source of heads that the derivations were read with."""
    if not isinstance(settings, BestFirstSettings) or settings.grammar != "ccg" or settings.heads:
        return settings
    derivations = filter(None, (sentence.derivation for sentence in sentences))
    return replace(
        settings, heads="file" if any(each.has_given_heads for each in derivations) else "rule"
    )


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


def name_files(paths: Sequence[str | Path]) -> str:
    """The files of a treebank, for messages."""
    more = len(paths) - 1
    return f"{paths[0]} and {more} more file{'s' * (more > 1)}" if more else str(paths[0])


def choose_tag_column(
    files: Sequence[str | Path], settings: Settings, start: Model | None = None
) -> Settings:
    """The settings with the tag column of a treebank.

    If the settings leave it open, it is that of the model to start from, or XPOS, as long as nearly
    all words have such a tag; else the column in which more words have one. Raise if too few have.
    A stream, which can be read only once, is not looked at: see `check_tagged`.
    """
    train = name_files(files)
    if any(is_ccgbank(file) or not os.path.isfile(file) for file in files):
        return replace(settings, tag_column=settings.tag_column or "xpos")
    shares = tag_shares(*files)
    usual: TagColumn = "xpos" if start is None else start.header["tag_column"]
    column = settings.tag_column or usual
    if not shares:  # an empty file, which its reader reports
        return replace(settings, tag_column=column)
    if settings.tag_column is None and shares[column] < NEARLY_ALL:
        column = max(shares, key=lambda name: (shares[name], name == usual))
    if max(shares.values()) == 0:
        raise TrainingError(
            f"{train} has no tags, neither XPOS nor UPOS, and a model needs them to learn from: "
            "tag the treebank first"
        )
    if shares[column] < MIN_TAGGED:
        other: TagColumn = "upos" if column == "xpos" else "xpos"
        raise TrainingError(
            f"{train}: {_share(shares[column])} {column.upper()} tags, and a model needs them for "
            f"at least {MIN_TAGGED:.0%}; {shares[other]:.1%} have {other.upper()} tags"
            + (f": use those (--tag-column {other})" if shares[other] >= MIN_TAGGED else "")
        )
    if column != usual and settings.tag_column is None:
        warnings.warn(
            f"{train}: {_share(shares[usual])} {usual.upper()} tags, so the model learns from "
            f"{column.upper()} tags ({shares[column]:.1%} of the words have one)",
            SyntagmaWarning,
            stacklevel=3,
        )
    return replace(settings, tag_column=column)


def check_tagged(
    files: Sequence[str | Path], sentences: Sequence[Sentence], settings: Settings
) -> None:
    """Raise if too few words have a tag to learn from."""
    tags = [tag for sentence in sentences for tag in sentence.tags]
    share = sum(map(bool, tags)) / max(len(tags), 1)
    if tags and share < MIN_TAGGED:
        column = (settings.tag_column or "xpos").upper()
        raise TrainingError(
            f"{name_files(files)}: {_share(share)} {column} tags, and a model needs them for at "
            f"least {MIN_TAGGED:.0%}: choose the other column (--tag-column), or tag the treebank "
            "first"
        )


def _share(share: float) -> str:
    return f"only {share:.1%} of the words have" if share else "no word has"


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
