"""Streams of problems: cut into batches, mapped on threads, results in order, errors in place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Literal, TypeVar

from syntagma.errors import ArgumentError, SyntagmaError, shown

T = TypeVar("T")
R = TypeVar("R")
OnError = Literal["raise", "yield"]


def check_on_error(on_error: OnError) -> None:
    if not isinstance(on_error, str) or on_error not in ("raise", "yield"):
        raise ArgumentError(f"on_error must be 'raise' or 'yield', not {shown(on_error)}")


def attempt(
    function: Callable[..., R], item: T | SyntagmaError, *more: object
) -> R | SyntagmaError:
    """What the function makes of an item, or the error that it raises; an error is passed on."""
    if isinstance(item, SyntagmaError):
        return item
    try:
        return function(item, *more)
    except SyntagmaError as error:
        return error


def deliver(results: Iterable[R | SyntagmaError], on_error: OnError) -> Iterator[R | SyntagmaError]:
    """The results as they are, or up to the first error, which is raised."""
    for result in results:
        if isinstance(result, SyntagmaError) and on_error == "raise":
            raise result
        yield result


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
