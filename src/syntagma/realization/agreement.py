"""Agreement in English: of verbs with their subjects, of nouns with their numerals, of
comparatives with *than*, of *this* and *that* with their nouns, and of *a* and *an* with the sound
of the next word.

Only verbs whose tag and features leave person and number open are changed. The search chooses
between *a* and *an* by the language model; here the choice is settled when the order is known, so
that it is right for rare words and without a language model, too.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from syntagma.problem.word import Alternative, Word
from syntagma.realization.english import inflected, is_likely
from syntagma.realization.inflection import Form
from syntagma.results.linearization import Linearization

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
_OF_PLURAL = frozenset({"these", "those", "both", "many", "few", "several"})
_OF_SINGULAR = frozenset({"a", "an", "another", "each", "every", "either", "neither", "much"})
_OPEN_FEATURES = frozenset({"Person", "Number"})
_NOT_THIRD = frozenset({"be", "am", "'m", "\u2019m", "are", "'re", "\u2019re", "were"})
_NOT_PLURAL = frozenset({"be", "am", "'m", "\u2019m", "is", "'s", "\u2019s", "was"})
_NOT_FIRST = frozenset({"be", "are", "'re", "\u2019re", "were", "is", "'s", "\u2019s"})
_FINITE_CLAUSES = ("root", "parataxis", "conj", "ccomp", "advcl")
_NOT_FINITE = frozenset({"to", "for", "with", "without", "from"})
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
        # By head and relation.
        self._dependents: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        # The auxiliaries of each head that may be finite; in English there is one at most.
        self._finite: defaultdict[int, list[int]] = defaultdict(list)
        for i, word in enumerate(words):
            if word.head:
                self._dependents[word.head - 1, _relation(word)].append(i)
                if _relation(word) in _AUXILIARY and word.tag not in ("VB", "VBN", "VBG"):
                    self._finite[word.head - 1].append(i)

    def subject(self, verb: int) -> Subject | None:
        """Person and number of the subject of a finite verb, as far as the tree tells."""
        word = self._words[verb]
        clause = verb
        if _relation(word) in _AUXILIARY:
            if not word.head:
                return None
            clause = word.head - 1
            if self._finite[clause] != [verb]:
                return None
        elif self._finite[clause] or "to" in self._names_of(clause, "mark"):
            return None
        for _ in range(_MAX_CONJUNCTS):
            found = self._dependents[clause, "nsubj"]
            if len(found) == 1:
                return self._read(found[0], clause)
            above = self._words[clause]
            if _relation(above) != "conj" or not above.head:
                return None
            clause = above.head - 1
        return None

    def _names_of(self, head: int, relation: str) -> set[str]:
        return {self._words[i].name.lower() for i in self._dependents[head, relation]}

    def _read(self, subject: int, clause: int) -> Subject | None:
        word = self._words[subject]
        name = (word.lemma or word.form).lower()
        above = self._words[clause]
        if name in _RELATIVE and clause != subject and _relation(above) == "acl" and above.head:
            return self._read(above.head - 1, above.head - 1)
        joined = self._dependents[subject, "conj"]
        if joined:
            marks = set[str]().union(*(self._names_of(at, "cc") for at in (*joined, subject)))
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
        plural = self.is_plural(subject)
        if plural is None:
            plural = _is_plural_form(word)
        return None if plural is None else Subject(False, plural)

    def is_finite(self, verb: int) -> bool:
        """Whether a verb must be finite: it has a subject, but neither an auxiliary nor *to*."""
        if self._finite[verb] or len(self._dependents[verb, "nsubj"]) != 1:
            return False
        marks = self._names_of(verb, "mark") | self._names_of(verb, "case")
        word = self._words[verb]
        in_clause = word.head == 0 or _relation(word) in _FINITE_CLAUSES
        return in_clause and not marks & _NOT_FINITE

    def is_plural(self, noun: int) -> bool | None:
        """The number of a noun, as far as its numerals and determiners tell."""
        if _relation(self._words[noun]) in ("compound", "flat"):
            return None  # *a 12 month plan*
        numerals = self._names_of(noun, "nummod")
        others = self._names_of(noun, "det") | self._names_of(noun, "amod")
        if numerals - {"1", "one"} or others & _OF_PLURAL:
            return True
        return False if numerals or others & _OF_SINGULAR else None

    def is_compared(self, word: int) -> bool:
        """Whether an adjective or adverb has a standard of comparison: *than I*."""
        if self._names_of(word, "advmod") & {"more", "less"}:
            return False
        standards = (i for each in ("obl", "nmod", "advcl") for i in self._dependents[word, each])
        return any(
            "than" in self._names_of(i, mark) for i in standards for mark in ("case", "mark")
        )


def agreeing(word: Word, forms: tuple[Form, ...], subject: Subject) -> tuple[Form, ...]:
    """The forms of a verb that agree with its subject; all of them if none does."""
    lemma = (word.lemma or "").lower()
    if word.features and _OPEN_FEATURES.intersection(_names(word.features)):
        return forms
    if lemma == "be":
        against = _NOT_FIRST if subject.first else _NOT_PLURAL if subject.plural else _NOT_THIRD
    elif word.tag in (None, "VERB", "AUX") and lemma not in _MODAL:
        against = frozenset({lemma} if subject.third_singular else inflected(lemma, "VBZ"))
    else:
        return forms
    return _without(forms, against)


def finite(word: Word, forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """The finite forms of a verb; all of them if none is finite."""
    lemma = (word.lemma or "").lower()
    kept = {lemma, *inflected(lemma, "VBZ"), *inflected(lemma, "VBD")}
    against = {*inflected(lemma, "VBG"), *inflected(lemma, "VBN")} - kept
    return _without(forms, frozenset(against | ({"be"} if lemma == "be" else set())))


def agreeing_noun(word: Word, forms: tuple[Form, ...], plural: bool) -> tuple[Form, ...]:
    """The forms of a noun that agree with its numerals; all of them if none does."""
    lemma = (word.lemma or "").lower()
    if word.tag != "NOUN" or len(lemma) < 3 or not _VOWEL.search(lemma):  # *9 am*, *3 lbs*
        return forms
    plurals = frozenset(inflected(lemma, "NNS"))
    return _without(forms, frozenset({lemma}) - plurals if plural else plurals - {lemma})


def comparative(word: Word, forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """The comparative of an adjective or adverb of open degree, also if it was never seen; its
    forms if it has none."""
    if word.tag not in ("ADJ", "ADV"):
        return forms
    lemma, tag = word.lemma or "", f"{_GRADES[word.tag]}R"
    wanted = inflected(lemma, tag)
    kept = _without(forms, frozenset(form.text.lower() for form in forms) - set(wanted))
    if kept == forms and wanted[:1] != (lemma,) and is_likely(lemma, tag):
        return (Form(wanted[0]),)
    return kept


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


ARTICLES = ("a", "an")
_YOU = re.compile(  # vowels that begin with the sound of *you* or *one*
    r"eu|ew|on(?:e|ce)(?![a-rt-z])|u(?:[bfklrst](?!$)[aeiouy](?!.*ing$)|ni(?!n|m[aop])|fo$|k$|s$)"
    r"|u(?:topi|ten|gand|kule|kra)",
    re.IGNORECASE,
)
_SILENT_H = re.compile(r"h(?:our|one?st|onou?r|eir)", re.IGNORECASE)
_GRADES = {"ADJ": "JJ", "ADV": "RB"}
_VOWEL = re.compile("[aeiouy]")
_NUMBER = re.compile(r"8|1[18](?:$|\D|\d{3}(?:\D|$))")
_LETTERS = re.compile(r"[AEFHILMNORSX]|[aefhilmnorsx]-")  # whose names begin with a vowel


def begins_with_vowel_sound(word: str) -> bool:
    """Whether *an* stands before this word.

    >>> [begins_with_vowel_sound(word) for word in ("apple", "university", "hour", "FBI", "NATO")]
    [True, False, True, True, False]
    """
    if word[:1].isdigit():
        return _NUMBER.match(word) is not None
    if _is_spelled_out(word) or word[1:2] == "-":
        return _LETTERS.match(word) is not None
    if _SILENT_H.match(word):
        return True
    return word[:1].lower() in tuple("aeiouáéíóúàèìòùâêîôûäöü") and not _YOU.match(word)


def _is_plural_form(word: Word) -> bool | None:
    """The number of a noun in a form that has been chosen, as far as the form tells."""
    lemma, form = (word.lemma or "").lower(), word.form.lower()
    if word.tag != "NOUN" or not lemma or not form:  # *most of them are*
        return None
    plurals = inflected(lemma, "NNS")
    return None if (form in plurals) == (form == lemma) else form in plurals


def settle_verbs(
    found: Linearization, words: Sequence[Word], alternatives: Sequence[Sequence[Alternative]]
) -> Linearization:
    """The same result with verbs in those of their forms that agree with the chosen forms of their
    subjects; `words` are those of the problem with their word classes as tags."""
    subjects = Agreement(words)
    forms = [word.form for word in words]
    for i, (word, several) in enumerate(zip(words, alternatives, strict=True)):
        if len(several) < 2 or word.tag not in ("VERB", "AUX"):
            continue
        subject = subjects.subject(i)
        if subject is None:
            continue
        proposed = tuple(Form(each.text, each.log_share) for each in several)
        agreed = [form.text for form in agreeing(word, proposed, subject)]
        chosen = next((each for each in several if word.form in (each.text, each.initial)), None)
        if chosen is None or chosen.text in agreed:
            continue
        counterparts = _counterparts(word, chosen.text.lower())
        text = next((each for each in agreed if each.lower() in counterparts), agreed[0])
        initial = next(each.initial for each in several if each.text == text)
        forms[i] = text if word.form == chosen.text else initial
    return _with_forms(found, forms)


def _counterparts(word: Word, form: str) -> frozenset[str]:
    """The forms of a verb in the same tense as one that does not agree."""
    if form in ("was", "were"):
        return frozenset({"was", "were"})
    lemma = (word.lemma or "").lower()
    return frozenset({"is", "are", "am"} if lemma == "be" else {lemma, *inflected(lemma, "VBZ")})


def settle_articles(found: Linearization) -> Linearization:
    """The same result with the right form of each article that was given as a lemma."""
    words, tokens = found.problem.words, found.tokens
    forms = [word.form for word in words]
    follower = ""  # the next word that is more than punctuation
    for token in reversed(tokens):
        lemma = words[token.source - 1].lemma
        is_open = lemma is not None and lemma.lower() in ARTICLES and token.tag in ("DT", "DET")
        if is_open and follower and token.form.lower() in ARTICLES:
            ending = "n" if begins_with_vowel_sound(follower) else ""
            if token.form[1:].lower() != ending:
                forms[token.source - 1] = token.form[0] + ending
        spoken = re.search(r"\w.*", token.form)
        follower = spoken[0] if spoken else follower
    return _with_forms(found, forms)


def _with_forms(found: Linearization, forms: Sequence[str]) -> Linearization:
    """The same result with these forms of the words of its problem."""
    if forms == [word.form for word in found.problem.words]:
        return found
    return replace(
        found,
        tokens=tuple(replace(token, form=forms[token.source - 1]) for token in found.tokens),
        problem=found.problem.with_forms(forms),
    )


def _is_spelled_out(word: str) -> bool:
    """Whether a word is read letter by letter: *FBI*, *SUV*, *X-ray*, but not *NATO*."""
    first = re.match(r"[^\W\d_]*", word)
    letters = first[0] if first else ""
    if not letters.isupper() or (len(letters) == 1 and len(word) > 1 and word[1].isalpha()):
        return False
    return len(letters) <= 3 or not re.match(r"[AEIOU]|[^AEIOU][AEIOU]", letters)
