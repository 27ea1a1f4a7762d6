"""Streams of problems: cut into batches, mapped on threads, results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items, the last of which may be shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def in_order(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Map over the items on threads: results in order, only a short window of items under way."""
    if threads == 1:
        yield from map(function, items)
        return
    under_way: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                under_way.append(pool.submit(function, item))
                if len(under_way) >= 4 * threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
