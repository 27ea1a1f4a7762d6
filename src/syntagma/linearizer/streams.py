"""Streams of problems: solved in batches, on threads; results in order, errors in place."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Literal, TypeVar

from syntagma.errors import SyntagmaError

T = TypeVar("T")
R = TypeVar("R")
OnError = Literal["raise", "yield"]


class Stored(Iterator[T]):
    """An iterator that is safe to prefetch: its items exist already, as those of a file do."""

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


def solve_in_order(
    solve: Callable[[Sequence[T]], Iterable[R | SyntagmaError]],
    items: Iterable[T],
    size: int,
    threads: int,
    on_error: OnError,
) -> Iterator[R | SyntagmaError]:
    """The results of all items, in order, from batches of at most `size` items.

    Several threads read a few items ahead. One thread reads ahead only what is safe to prefetch,
    and delivers each result before it goes on with its batch. Errors take the place of results, or
    the first one is raised. An exception of the items is raised after the results of earlier ones.
    """
    if threads == 1 and not isinstance(items, Sequence | Stored):
        size = 1
    iterator, fault, ended = iter(items), None, False
    under_way: deque[Callable[[], Iterable[R | SyntagmaError]]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        while under_way or not ended:
            batch: list[T] = []
            if not ended:
                try:
                    batch.extend(islice(iterator, size))
                except Exception as error:
                    fault = error
                ended = len(batch) < size
            if batch and threads == 1:
                under_way.append(partial(solve, batch))
            elif batch:
                under_way.append(pool.submit(lambda each: list(solve(each)), batch).result)
            if under_way and (ended or threads == 1 or len(under_way) == 4 * threads):
                for result in under_way.popleft()():
                    if isinstance(result, SyntagmaError) and on_error == "raise":
                        raise result
                    yield result
    finally:
        pool.shutdown(cancel_futures=True)
    if fault is not None:
        raise fault
