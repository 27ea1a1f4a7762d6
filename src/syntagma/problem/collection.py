"""Collections as callers give them: lists, tuples, arrays, generators; no texts, no mappings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def is_collection(value: object) -> bool:
    """Whether the value is a collection of items, and not a text or a mapping.

    >>> is_collection(["a"]), is_collection("a"), is_collection({"a": 1}), is_collection(3)
    (True, False, False, False)
    """
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes, bytearray, Mapping)):
        return False
    try:
        iter(value)
    except TypeError:  # an array without dimensions
        return False
    return True
