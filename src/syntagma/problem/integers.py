"""Integers as callers give them: Python's and NumPy's; no floats, no truth values."""

from __future__ import annotations

from numbers import Integral


def as_integer(value: object) -> int | None:
    """The value as a plain `int`, None if it is not an integer.

    >>> as_integer(3), as_integer(3.0), as_integer(True)
    (3, None, None)
    """
    if type(value) is int:
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    return None
