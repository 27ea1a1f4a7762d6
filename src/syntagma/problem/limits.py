"""How large a problem and the input that describes it may be: checked before any work whose time
or memory grows faster than the input. What a model can order is limited further by `max_words`.

The table in docs/guide/formats.md lists these limits.
"""

from __future__ import annotations

from typing import Final

from syntagma.errors import ProblemError

MAX_WORDS: Final = 10_000  # of a problem or sentence
MAX_ORDERED_WORDS: Final = 2_048  # of a problem with order constraints and given heads
MAX_CONSTRAINTS: Final = 200_000  # pairs of words in `before`
MAX_CHARACTERS: Final = 10_000  # of a form, a lemma, a tag, a label, an id, the features of a word
MAX_LINE: Final = 8 << 20  # bytes of a line; also characters of a sentence of CoNLL-U
MAX_JSON_VALUES: Final = 500_000  # keys, and lists and objects, of a line of JSON
MAX_DIGITS: Final = 9  # of a number


def check_limit(size: int, limit: int, what: str, unit: str, field: str = "words") -> None:
    """Raise `ProblemError` if the size exceeds the limit."""
    if size > limit:
        raise ProblemError(f"{what} has {size} {unit}, more than the limit of {limit}", field=field)
