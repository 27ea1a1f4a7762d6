"""Characters of drawings: widths in a picture, writing direction; `errors.visible` makes them
printable."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

# Hundredths of the font size, for the characters from space to "~": the wider of DejaVu Sans and
# Liberation Sans (which is as wide as Arial and Helvetica), because the viewer chooses the font.
_ASCII = (
    *(32, 40, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 36, 32, 34),
    *(64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 56),
    *(102, 68, 69, 72, 77, 67, 61, 78, 75, 30, 50, 67, 56, 86, 75, 79),
    *(67, 79, 72, 67, 61, 73, 68, 99, 68, 67, 68, 39, 34, 39, 84, 56),
    *(50, 61, 64, 55, 64, 62, 35, 64, 63, 28, 28, 58, 28, 97, 63, 61),
    *(64, 64, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84),
)
_WIDE, _EMOJI, _SPACING_MARK, _OTHER = 100, 130, 50, 85
_EMOJIS = range(0x1F000, 0x20000)


def text_width(text: str, size: float) -> float:
    """An upper estimate of how wide a text is in a picture."""
    return sum(map(_character_width, text)) * size / 100


@lru_cache(maxsize=4096)
def _character_width(character: str) -> int:
    if " " <= character <= "~":
        return _ASCII[ord(character) - ord(" ")]
    category = unicodedata.category(character)
    if category in ("Mn", "Me", "Cf"):
        return 0
    if category == "Mc":
        return _SPACING_MARK
    if unicodedata.east_asian_width(character) in "WF":
        return _EMOJI if ord(character) in _EMOJIS else _WIDE
    parts = unicodedata.normalize("NFKD", character)
    if parts != character:  # an accented letter, or a ligature
        return sum(map(_character_width, parts))
    return _OTHER


def runs_right_to_left(texts: Iterable[str]) -> bool:
    """Whether more of the letters that have a writing direction run from right to left."""
    balance = 0
    for character in "".join(texts):
        direction = unicodedata.bidirectional(character)
        balance += (direction in ("R", "AL")) - (direction == "L")
    return balance > 0
