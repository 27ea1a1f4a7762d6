"""Words recovered from text, to check that spelling loses nothing."""

from __future__ import annotations

from collections.abc import Sequence

from syntagma.results.spelling import Spelling


def recover(text: str, forms: Sequence[str], spelling: Spelling) -> list[str]:
    """The words, by walking through the text."""
    found: list[str] = []
    contractions = {each.first: each for each in spelling.contractions}
    at = 0
    while len(found) < len(forms):
        start = len(found) + 1
        if start in contractions:
            each = contractions[start]
            assert text.startswith(each.text, at)
            at += len(each.text)
            found += forms[start - 1 : each.last]
        else:
            end = at + len(forms[start - 1])
            found.append(text[at:end])
            at = end
        if spelling.spaces[len(found) - 1]:
            assert text[at] == " "
            at += 1
    assert at == len(text)
    return found
