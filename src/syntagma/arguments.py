"""Arguments as callers give them: integers of Python and NumPy, ranges, collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral

from syntagma.errors import ArgumentError, shown


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


def is_collection(value: object) -> bool:
    """Whether the value is a collection of items, neither a string nor a mapping.

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


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(
            f"{name} must be one of {', '.join(choices)}, not {shown(value)}", field=name
        )


def check_range(name: str, value: int, most: int) -> int:
    """The value as a plain `int`, if it is an integer within range."""
    number = as_integer(value)
    if number is None:
        raise ArgumentError(f"{name} must be an integer, not {shown(value)}", field=name)
    if not 1 <= number <= most:
        raise ArgumentError(f"{name} must be between 1 and {most}, not {shown(number)}", field=name)
    return number
