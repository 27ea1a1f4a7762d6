"""The lexicon: numbers for forms, lower-case forms, suffixes and shapes of words.

`adaptation` counts it in a treebank; the encoder looks up embeddings by its numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syntagma.caches import LONGEST_KEPT
from syntagma.problem.word import shape

LEXICAL = ("form", "lower", "suffix", "shape")
SUFFIX = 3  # characters; languages written in syllables or words have shorter suffixes
_CACHE_SIZE = 1 << 16


class Lexicon:
    """Numbers the names in each of the tables LEXICAL from 1; 0 stands for unknown names.

    Suffixes have at most `suffix` characters.
    """

    def __init__(self, names: Mapping[str, Sequence[str]], suffix: int = SUFFIX) -> None:
        self.names = names
        self.suffix = suffix
        self._tables = [
            dict(zip(names[table], range(1, len(names[table]) + 1), strict=True))
            for table in LEXICAL
        ]
        self._cache: dict[str, tuple[int, ...]] = {}

    def numbers(self, form: str) -> tuple[int, ...]:
        """The number of a form in each table."""
        found = self._cache.get(form)
        if found is None:
            found = tuple(
                table.get(name, 0)
                for table, name in zip(self._tables, lexical_names(form, self.suffix), strict=True)
            )
            if len(form) <= LONGEST_KEPT:
                if len(self._cache) > _CACHE_SIZE:
                    self._cache.clear()
                self._cache[form] = found
        return found

    def sizes(self) -> dict[str, int]:
        """The size of each table, unknown included."""
        return {table: len(self.names[table]) + 1 for table in LEXICAL}


def lexical_names(form: str, suffix: int = SUFFIX) -> tuple[str, str, str, str]:
    """The names of a form in the tables; "" if it has none.

    A phrase is looked up by its last word, which in English is most often its head. A lower-case
    word has no entry of its own under `form`: it is in `lower` already.
    """
    word = form.rpartition(" ")[2]
    lower = word.lower()
    return "" if word == lower else word, lower, lower[-suffix:], shape(form)
