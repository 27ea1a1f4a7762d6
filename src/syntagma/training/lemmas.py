"""Forms that stand in for lemmas, for treebanks with none, or with next to none.

A model that learns from such a treebank realizes words as they are given: it orders and spells
them, but does not inflect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from syntagma.treebanks.treebank import Sentence

MIN_LEMMAS = 0.05  # share of words with a lemma below which the treebank counts as without
FEW_LEMMAS = 0.5  # below which a warning is due


class StandIns:
    """Forms as lemmas: those of first words in lower case, unless they keep their capital
    elsewhere."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._within: Counter[str] = Counter(
            form for sentence in sentences for form in sentence.forms[_first(sentence) + 1 :]
        )

    def fill(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        return [replace(sentence, lemmas=self._lemmas(sentence)) for sentence in sentences]

    def _lemmas(self, sentence: Sentence) -> tuple[str, ...]:
        lemmas = list(sentence.forms)
        first = _first(sentence)
        if first < len(lemmas):
            form = lemmas[first]
            lower = form[:1].lower() + form[1:]
            if self._within[lower] > self._within[form]:
                lemmas[first] = lower
        given = sentence.lemmas or ("",) * len(sentence)
        return tuple(lemma or stand_in for lemma, stand_in in zip(given, lemmas, strict=True))


def _first(sentence: Sentence) -> int:
    """The index of the first word that is not punctuation; the length if there is none."""
    for index, form in enumerate(sentence.forms):
        if any(map(str.isalnum, form)):
            return index
    return len(sentence)


def has_lemmas(sentences: Sequence[Sentence]) -> bool:
    return _share(sentences) >= MIN_LEMMAS


def _share(sentences: Sequence[Sentence]) -> float:
    """The share of words with a lemma."""
    lemmas = sum(bool(lemma) for sentence in sentences for lemma in sentence.lemmas)
    return lemmas / max(sum(map(len, sentences)), 1)


def doubts_of_lemmas(sentences: Sequence[Sentence], name: str) -> Iterator[str]:
    """What is odd about the lemmas that realisation is learned from."""
    leave_out = "(to leave realisation out: --no-realize)"
    share = _share(sentences)
    if share < MIN_LEMMAS:
        yield (
            f"{name} has no lemmas{' to speak of' * (share > 0)}: the model realizes words as they "
            f"are given, it cannot inflect them {leave_out}"
        )
    elif share < FEW_LEMMAS:
        yield (
            f"{name}: only {share:.0%} of the words have a lemma; the model learns to inflect from "
            f"those {leave_out}"
        )
    elif all(sentence.lemmas == sentence.forms for sentence in sentences):
        yield (
            f"{name}: all lemmas are copies of the forms: the model cannot inflect words that do "
            f"inflect {leave_out}"
        )
