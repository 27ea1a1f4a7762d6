"""Annotations of words that the problem does not give to the search but the result returns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, cast

from syntagma.errors import ArgumentError, shown
from syntagma.problem.limits import MAX_CHARACTERS
from syntagma.problem.word import TagColumn

UNKNOWN = "_"  # as in CoNLL-U


_SPACING = ("SpaceAfter", "SpacesAfter", "SpacesBefore")


def without_spacing(misc: str) -> str:
    """MISC without its notes on spaces, which refer to the old neighbours of the word."""
    return without_notes(misc, _SPACING) if "Space" in misc else misc or UNKNOWN


def without_notes(misc: str, names: Sequence[str]) -> str:
    """MISC without the notes of these names."""
    kept = [each for each in misc.split("|") if each.partition("=")[0] not in names]
    return "|".join(kept) or UNKNOWN


@lru_cache(1 << 14)
def readable_features(column: str) -> str:
    """The well-formed features (Name=Value, each name once) of a column that may hold anything."""
    if column == UNKNOWN or len(column) > MAX_CHARACTERS:
        return ""
    found: dict[str, str] = {}
    for part in column.split("|"):
        name, _, value = part.partition("=")
        if name and value and not any(map(str.isspace, part)):
            found.setdefault(name, part)
    return "|".join(found.values())


def readable_upos(column: str) -> str | None:
    """The tag in a column that may hold anything; None if there is none."""
    readable = column != UNKNOWN and column and not any(map(str.isspace, column))
    return column if readable and len(column) <= MAX_CHARACTERS else None


def check_tag_column(tag_column: TagColumn) -> None:
    if not isinstance(tag_column, str) or tag_column not in ("upos", "xpos"):
        raise ArgumentError(f"tag_column must be upos or xpos, not {shown(tag_column)}")


class Annotation(NamedTuple):
    """The columns of CoNLL-U that do not depend on word order; `_` for what is unknown."""

    lemma: str = UNKNOWN
    upos: str = UNKNOWN
    xpos: str = UNKNOWN
    features: str = UNKNOWN
    misc: str = UNKNOWN

    def tag(self, column: TagColumn) -> str:
        return self.xpos if column == "xpos" else self.upos


class Annotated(Protocol):
    """The origin of a problem that was read from a parse."""

    @property
    def comments(self) -> tuple[str, ...]:
        """Comments on the sentence as CoNLL-U writes them: `# name = value`."""

    @property
    def tag_column(self) -> TagColumn:
        """The column that the problem's tags are of."""

    def annotation(self, source: int) -> Annotation:
        """What is known of the word with this 1-based index."""


def annotated(origin: object) -> Annotated | None:
    """The origin, if it is that of a parse. A check against the protocol would take longer than
    writing a sentence."""
    return cast(Annotated, origin) if hasattr(origin, "annotation") else None
