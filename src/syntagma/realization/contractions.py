"""Contractions: words that are written as one and differently from each alone, as *du* for *de le*.

`detokenization` applies them, `detokenization_training` learns them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syntagma.realization.spacing import Key
from syntagma.results.spelling import Contraction

# The keys of contractions: any word with a tag before a given word; forms; forms and tags.
LEVELS = ("any", "forms", "tagged")
MAX_LENGTH = 16  # words of a contraction in a model file


def contraction_keys(forms: Sequence[str], tags: Sequence[str]) -> Iterator[Key]:
    """The keys from general to specific: the last one with an entry decides."""
    lower = [form.lower() for form in forms]
    if any(tags) and len(forms) == 2:
        yield "any", tags[0], lower[1], tags[1]
    yield "forms", *lower
    if any(tags):
        yield "tagged", *lower, *tags


def contraction_length(key: Key) -> int:
    """The number of words of a contraction."""
    return {"any": 2, "forms": len(key) - 1, "tagged": len(key) // 2}[key[0]]


def is_concatenation(forms: Sequence[str], contraction: Contraction) -> bool:
    """Whether a contraction is just its words without spaces: *do n't*."""
    words = forms[contraction.first - 1 : contraction.last]
    return "".join(words).lower() == contraction.text.lower()


def written(key: Key, forms: Sequence[str], known: str | None, default: str) -> str:
    """The contraction that an entry gives; that of an `any` key is what follows the first word."""
    if known is None:
        return default
    return forms[0].lower() + known if known and key[0] == "any" else known


def in_case_of(forms: Sequence[str], text: str) -> str:
    """A contraction in the letter case of its words: *Du* for *De le*."""
    first = forms[0]
    if "".join(forms).isupper() or (len(first) > 1 and first.isupper()):
        return text.upper()
    if text.startswith(first.lower()):
        return first + text[len(first.lower()) :]
    return text[:1].upper() + text[1:] if first[:1].isupper() else text
