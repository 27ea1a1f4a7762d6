"""Streams of problems: cut into batches, mapped on threads; results in order, errors in place."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Literal, TypeVar

from syntagma.errors import ArgumentError, SyntagmaError, shown

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


def check_on_error(on_error: OnError) -> None:
    if not isinstance(on_error, str) or on_error not in ("raise", "yield"):
        raise ArgumentError(f"on_error must be 'raise' or 'yield', not {shown(on_error)}")


def catch(function: Callable[..., R], item: T | SyntagmaError, *more: object) -> R | SyntagmaError:
    """What the function makes of an item, or the error that it raises; an error is passed on."""
    if isinstance(item, SyntagmaError):
        return item
    try:
        return function(item, *more)
    except SyntagmaError as error:
        return error


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
    the first one is raised.
    """
    if threads > 1:
        results = chain.from_iterable(
            in_order(lambda batch: list(solve(batch)), _batches(items, size), threads)
        )
    else:
        ahead = isinstance(items, Sequence | Stored)
        results = chain.from_iterable(map(solve, _batches(items, size if ahead else 1)))
    for result in results:
        if isinstance(result, SyntagmaError) and on_error == "raise":
            raise result
        yield result


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items, the last of which may be shorter.

    If the items end with an exception, those that came before are not lost.
    """
    iterator = iter(items)
    while True:
        batch: list[T] = []
        try:
            batch.extend(islice(iterator, size))
        except Exception:
            if batch:
                yield batch
            raise
        if not batch:
            return
        yield batch


def in_order(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Map over the items on threads: results in order, only a short window of items under way."""
    iterator = iter(items)
    fault: Exception | None = None  # of the items: raised after the results of earlier ones
    under_way: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                try:
                    item = next(iterator)
                except StopIteration:
                    break
                except Exception as error:
                    fault = error
                    break
                under_way.append(pool.submit(function, item))
                if len(under_way) >= 4 * threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
    if fault is not None:
        raise fault
