"""A sentence in the columns of CoNLL-U: what the writers of files (`formats/conllu.py`) and of
other packages' objects (`objects.py`) share. `Linearization.columns` makes it."""

from __future__ import annotations

from dataclasses import dataclass

from syntagma.problem.parse import UNKNOWN
from syntagma.results.spelling import Spelling

NO_SPACE = "SpaceAfter=No"


@dataclass(frozen=True, slots=True)
class Row:
    """A word of a result; `_` for what is unknown."""

    form: str
    lemma: str
    upos: str
    xpos: str
    features: str
    head: int
    deprel: str
    misc: str


@dataclass(frozen=True, slots=True)
class Range:
    """A multiword token: the first and the last of its words, counted from 1."""

    first: int
    last: int
    form: str
    misc: str


@dataclass(frozen=True, slots=True)
class Columns:
    """The words of a sentence, its multiword tokens by their first words, comments and text."""

    rows: list[Row]
    ranges: dict[int, Range]
    comments: list[str]
    text: str
    spelling: Spelling | None = None


def known(column: str) -> str | None:
    """The content of a column, None for `_`."""
    return None if column == UNKNOWN else column
