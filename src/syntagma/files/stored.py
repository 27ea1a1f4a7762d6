"""Inputs that are there as a whole, such as files: they can be read ahead."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


class Stored(Iterator[T]):
    """An iterator that may be read ahead: none of its items waits for what is made of another."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = iter(items)

    def __next__(self) -> T:
        return next(self._items)


def is_stored(path: str | os.PathLike[str]) -> bool:
    """Whether an input is a regular file, not a pipe or a terminal; "-" is standard input."""
    try:
        status = os.fstat(sys.stdin.fileno()) if os.fspath(path) == "-" else os.stat(path)
    except (OSError, ValueError):  # a standard input that was replaced may have no number
        return False
    return stat.S_ISREG(status.st_mode)
