"""Caches of functions of strings that come from data: with bounded numbers and lengths of strings.

`functools.lru_cache` alone bounds the number of entries only: some thousand strings of the greatest
length that a problem may have would fill the memory of a server.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, cast

LONGEST_KEPT = 120  # characters; longer words and features are rare, and computed each time

_Texts = ParamSpec("_Texts")
_Result = TypeVar("_Result")


def cached_texts(
    size: int, longest: int = LONGEST_KEPT
) -> Callable[[Callable[_Texts, _Result]], Callable[_Texts, _Result]]:
    """A decorator for functions of strings, flags and None: keep the results of that many calls,
    but of none with a longer string."""

    def decorate(function: Callable[_Texts, _Result]) -> Callable[_Texts, _Result]:
        kept = cast(Callable[_Texts, _Result], lru_cache(size)(function))

        @wraps(function)
        def call(*texts: _Texts.args, **named: _Texts.kwargs) -> _Result:
            for text in texts:
                if isinstance(text, str) and len(text) > longest:
                    return function(*texts, **named)
            return kept(*texts, **named)

        return call

    return decorate
