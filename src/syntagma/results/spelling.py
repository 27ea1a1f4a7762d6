"""How a sentence is written: its spelling, and its columns of CoNLL-U.

`realization/detokenization` finds the spelling. `Linearization._columns` makes the columns for the
writers of files (`formats/conllu.py`) and of other packages' objects (`objects.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syntagma.problem.parse import UNKNOWN

NO_SPACE = "SpaceAfter=No"


@dataclass(frozen=True, slots=True)
class Contraction:
    """Words, counted from 1, that are written as one: *du* for *de le*."""

    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the words of a sentence are written: whether a space follows each, and contractions.

    No space follows the last word, nor a word inside a contraction.
    """

    spaces: tuple[bool, ...]
    contractions: tuple[Contraction, ...] = ()

    def text(self, forms: Sequence[str]) -> str:
        """The sentence as it is written."""
        pieces = list(forms)
        for each in self.contractions:
            pieces[each.first - 1 : each.last] = [each.text] + [""] * (each.last - each.first)
        return "".join(
            piece + " " if space else piece
            for piece, space in zip(pieces, self.spaces, strict=True)
        )

    def tokens(self, forms: Sequence[str]) -> list[str]:
        """The words, those of a contraction as one: *du*, but *do n't*, which has no form of its
        own."""
        tokens = list(forms)
        for each in reversed(self.contractions):
            words = forms[each.first - 1 : each.last]
            if "".join(words).lower() != each.text.lower():
                tokens[each.first - 1 : each.last] = [each.text]
        return tokens


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
