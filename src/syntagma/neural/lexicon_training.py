"""Counts the lexicon of a treebank. Only training imports this module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from syntagma.neural.lexicon import LEXICAL, Lexicon, lexical_names
from syntagma.treebanks.treebank import Sentence


def learn_lexicon(sentences: Iterable[Sentence], min_count: int) -> Lexicon:
    """The lexicon of the names that occur at least `min_count` times in the sentences."""
    counts: list[Counter[str]] = [Counter() for _ in LEXICAL]
    for form, count in Counter(f for s in sentences for f in s.forms).items():
        for table, name in zip(counts, lexical_names(form), strict=True):
            table[name] += count
    return Lexicon(
        {
            table: sorted(name for name, count in seen.items() if name and count >= min_count)
            for table, seen in zip(LEXICAL, counts, strict=True)
        }
    )
