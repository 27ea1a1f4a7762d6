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
    if threads == 1:
        yield from map(function, items)
        return
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
