"""Places in input files, for messages."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A source and, where one is known, a line, counted from 1.

    >>> str(Place("bags.txt", 3))
    'bags.txt:3'
    """

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"
