"""What is known of a form by its letters alone: its shape and its suffix."""

import zlib
from functools import lru_cache


@lru_cache(maxsize=1 << 16)
def shape(form: str) -> str:
    """The kinds of characters in a form, runs collapsed: `McDonald` is `XxXx`, `1990s` is `dx`."""
    kinds: list[str] = []
    for character in form:
        if character.isdigit():
            kind = "d"
        elif character.isalpha():
            kind = "X" if character.isupper() else "x"
        else:
            kind = character
        if not kinds or kinds[-1] != kind:
            kinds.append(kind)
    return "".join(kinds[:8])


@lru_cache(maxsize=1 << 16)
def shape_and_suffix(form: str) -> tuple[int, int]:
    """Two positive numbers for the shape and the last three letters of a form."""
    return _number(shape(form)), _number("…" + form[-3:].lower())


def _number(text: str) -> int:
    return (zlib.crc32(text.encode("utf-8", "surrogatepass")) & 0x3FFFFFFF) + 1
