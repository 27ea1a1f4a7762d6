"""Characters of drawings: those that would break one are shown as escapes."""

from __future__ import annotations

import unicodedata


def visible(text: str) -> str:
    """The text with control characters and line separators, which break a drawing, as escapes."""
    return "".join(
        repr(character)[1:-1]
        if unicodedata.category(character) in ("Cc", "Zl", "Zp")
        else character
        for character in text
    )
