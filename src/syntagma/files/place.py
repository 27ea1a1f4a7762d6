"""Places in input files, for messages."""

from __future__ import annotations

from typing import NamedTuple

from syntagma.errors import LONGEST_SHOWN, shown


class Place(NamedTuple):
    """A source and, where one is known, a line, counted from 1.

    >>> str(Place("bags.txt", 3))
    'bags.txt:3'
    """

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


def about_sentence(id: str | None) -> str:
    """How a message on a sentence with this id begins.

    >>> about_sentence("s1")
    'sentence s1: '
    """
    if not id:
        return ""
    return f"sentence {id if len(id) <= LONGEST_SHOWN and id.isprintable() else shown(id)}: "
