"""Counts the lexicon of a treebank. Only training imports this module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from syntagma.neural.lexicon import LEXICAL, SUFFIX, Lexicon, lexical_names
from syntagma.treebanks.treebank import Sentence

# Of the words seen once, the share that must end as another word does: shorter suffixes are taken
# where fewer do. With three letters it is 86 to 96% in alphabetic scripts; in Korean 24% with three
# syllables and 74% with two; in Chinese 15% with two characters and 94% with one.
_SHARED_SUFFIXES = 0.7


def learn_lexicon(sentences: Iterable[Sentence], min_count: int, suffix: int = SUFFIX) -> Lexicon:
    """The lexicon of the names that occur at least `min_count` times in the sentences."""
    tables = _count_names(count_forms(sentences), suffix)
    return Lexicon(
        {
            table: sorted(name for name, count in tables[table].items() if count >= min_count)
            for table in LEXICAL
        },
        suffix,
    )


def count_forms(sentences: Iterable[Sentence]) -> Counter[str]:
    return Counter(form for sentence in sentences for form in sentence.forms)


def choose_suffix(forms: Mapping[str, int]) -> int:
    """The length of suffixes, at most SUFFIX, that tells something about words seen once.

    A suffix that no other word has says nothing. The words of a treebank decide: letters carry
    less than syllables, and syllables less than Chinese characters.
    """
    words: Counter[str] = Counter()
    for form, count in forms.items():
        words[lexical_names(form)[1]] += count
    rare = [word for word, count in words.items() if count == 1]
    for length in range(SUFFIX, 1, -1):
        suffixes = Counter(word[-length:] for word in words)
        shared = sum(suffixes[word[-length:]] > 1 for word in rare)
        if shared >= _SHARED_SUFFIXES * len(rare):
            return length
    return 1


def choose_min_count(forms: Mapping[str, int], suffix: int, least: int, most_names: int) -> int:
    """The smallest count from `least` on with which the lexicon has at most `most_names` names."""
    counts = sorted(
        (count for table in _count_names(forms, suffix).values() for count in table.values()),
        reverse=True,
    )
    return max(least, counts[most_names] + 1) if len(counts) > most_names else least


def _count_names(forms: Mapping[str, int], suffix: int) -> dict[str, Counter[str]]:
    """How often each name of each table occurs."""
    counts: dict[str, Counter[str]] = {table: Counter() for table in LEXICAL}
    for form, count in forms.items():
        for table, name in zip(LEXICAL, lexical_names(form, suffix), strict=True):
            if name:
                counts[table][name] += count
    return counts
