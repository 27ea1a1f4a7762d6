"""Agreement of English verbs with their subjects, and of *this* and *that* with their nouns.

Only verbs whose tag and features leave person and number open are touched.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from syntagma.problem.word import Word
from syntagma.realization.english import inflected
from syntagma.realization.inflection import Form

_AUXILIARY = ("aux", "cop")
_RELATIVE = frozenset({"who", "which", "that"})
_FIRST = frozenset({"i", "me"})
_PLURAL = frozenset(
    (
        *("we", "us", "you", "they", "them", "these", "those", "both", "many", "few", "several"),
        *("two", "three"),
    )
)
_SINGULAR = frozenset(
    (
        *("he", "she", "it", "him", "this", "that", "one", "there", "what", "everyone", "someone"),
        *("anyone", "nobody", "everything", "something", "nothing", "anything", "each", "either"),
        *("neither", "much"),
    )
)
_MODAL = frozenset(
    {"can", "could", "may", "might", "must", "shall", "should", "will", "would", "ought"}
)
_OPEN_FEATURES = frozenset({"Person", "Number"})
_NOT_THIRD = frozenset({"be", "am", "'m", "\u2019m", "are", "'re", "\u2019re", "were"})
_NOT_PLURAL = frozenset({"be", "am", "'m", "\u2019m", "is", "'s", "\u2019s", "was"})
_NOT_FIRST = frozenset({"be", "are", "'re", "\u2019re", "were", "is", "'s", "\u2019s"})
_MAX_CONJUNCTS = 8  # clauses that a verb may be away from the one with the subject


class Subject(NamedTuple):
    """Person and number of a subject; `plural` includes *you*."""

    first: bool
    plural: bool

    @property
    def third_singular(self) -> bool:
        return not self.first and not self.plural


class Agreement:
    """The subjects of the verbs of one problem."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._dependents: defaultdict[int, list[int]] = defaultdict(list)
        for i, word in enumerate(words):
            if word.head:
                self._dependents[word.head - 1].append(i)
        self._find = cache(self._find_subject)
        self._finite_auxiliaries = cache(self._find_auxiliaries)

    def subject(self, verb: int) -> Subject | None:
        """Person and number of the subject of a finite verb, as far as the tree tells."""
        word = self._words[verb]
        clause = verb
        if _relation(word) in _AUXILIARY:
            if not word.head:
                return None
            clause = word.head - 1
            if self._finite_auxiliaries(clause) != [verb]:
                return None
        elif self._finite_auxiliaries(clause) or self._is_infinitive(clause):
            return None
        for _ in range(_MAX_CONJUNCTS):
            found = self._find(clause)
            if found is not None:
                return self._read(found, clause)
            above = self._words[clause]
            if _relation(above) != "conj" or not above.head:
                return None
            clause = above.head - 1
        return None

    def _find_subject(self, clause: int) -> int | None:
        found = [i for i in self._dependents[clause] if _relation(self._words[i]) == "nsubj"]
        return found[0] if len(found) == 1 else None

    def _find_auxiliaries(self, clause: int) -> list[int]:
        """The auxiliaries that may be finite; in English there is one at most."""
        return [
            i
            for i in self._dependents[clause]
            if _relation(self._words[i]) in _AUXILIARY
            and self._words[i].tag not in ("VB", "VBN", "VBG")
        ]

    def _is_infinitive(self, clause: int) -> bool:
        return any(
            _relation(self._words[i]) == "mark" and self._words[i].name.lower() == "to"
            for i in self._dependents[clause]
        )

    def _read(self, subject: int, clause: int) -> Subject | None:
        word = self._words[subject]
        name = (word.lemma or word.form).lower()
        above = self._words[clause]
        if name in _RELATIVE and clause != subject and _relation(above) == "acl" and above.head:
            return self._read(above.head - 1, above.head - 1)
        joined = [i for i in self._dependents[subject] if _relation(self._words[i]) == "conj"]
        if joined:
            marks = {
                self._words[i].name.lower()
                for at in (*joined, subject)
                for i in self._dependents[at]
                if _relation(self._words[i]) == "cc"
            }
            return Subject(False, True) if marks == {"and"} else None
        features = (word.features or "").split("|")
        if name in _FIRST or {"Person=1", "Number=Sing"} <= set(features):
            return Subject(True, False)
        if word.tag in ("NNS", "NNPS") or "Number=Plur" in features or "Person=2" in features:
            return Subject(False, True)
        if name in _PLURAL or (word.form or "").lower() in _PLURAL:
            return Subject(False, True)
        if word.tag in ("NN", "NNP") or "Number=Sing" in features or name in _SINGULAR:
            return Subject(False, False)
        return None


def agreeing(word: Word, forms: tuple[Form, ...], subject: Subject) -> tuple[Form, ...]:
    """The forms of a verb that agree with its subject; all of them if none does."""
    lemma = (word.lemma or "").lower()
    if word.features and _OPEN_FEATURES.intersection(_names(word.features)):
        return forms
    if lemma == "be":
        against = _NOT_FIRST if subject.first else _NOT_PLURAL if subject.plural else _NOT_THIRD
    elif word.tag is None and lemma not in _MODAL:
        against = frozenset({lemma} if subject.third_singular else inflected(lemma, "VBZ"))
    else:
        return forms
    return _without(forms, against)


def agreeing_determiner(
    word: Word, forms: tuple[Form, ...], words: Sequence[Word]
) -> tuple[Form, ...]:
    """Those of the forms of *this* or *that* that agree with its noun; all, if none does."""
    if (word.lemma or "").lower() not in ("this", "that") or _relation(word) != "det":
        return forms
    if not word.head or (word.features and "Number" in _names(word.features)):
        return forms
    noun = words[word.head - 1]
    number = set((noun.features or "").split("|"))
    if noun.tag in ("NNS", "NNPS") or "Number=Plur" in number:
        return _without(forms, frozenset({"this", "that"}))
    if noun.tag in ("NN", "NNP") or "Number=Sing" in number:
        return _without(forms, frozenset({"these", "those"}))
    return forms


def _without(forms: tuple[Form, ...], against: frozenset[str]) -> tuple[Form, ...]:
    left = [form for form in forms if form.text.lower() not in against]
    total = math.log(sum(math.exp(form.log_share) for form in left)) if left else 0.0
    return tuple(Form(form.text, form.log_share - total) for form in left) or forms


def _names(features: str) -> set[str]:
    return {part.partition("=")[0] for part in features.split("|")}


def _relation(word: Word) -> str:
    return (word.deprel or "").partition(":")[0]
