"""The UPOS tags of words without any, from the labels of a tree of Universal Dependencies.

*kick* with a subject and an object is a verb, *the kick* is a noun. Labels alone seldom tell nouns
from pronouns, so what a lemma was seen as decides among the classes that they allow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set

from syntagma.problem.word import Word

Classes = tuple[str, ...]

_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "SYM", "X")
_PREDICATE = ("ADJ", *_NOMINAL, "ADV")  # with a copula
# Labels of dependents that leave no doubt, even if the lemma was never seen so.
_SURE = frozenset({"obj", "iobj", "aux", "det", "amod", "nummod"})
# By the label of a word, whatever depends on it.
_FUNCTION: Mapping[str, Classes] = {
    "aux": ("AUX",),
    "case": ("ADP",),
    "cc": ("CCONJ",),
    "cop": ("AUX",),
    "det": ("DET", "PRON"),
    "mark": ("SCONJ", "PART", "ADP", "ADV"),
    "nummod": ("NUM", "NOUN"),
    "punct": ("PUNCT",),
}
_CLAUSE = frozenset({"nsubj", "csubj", "obj", "iobj", "aux", "xcomp", "expl", "mark"})
_OF_NOUN = frozenset({"det", "amod", "nummod", "case", "nmod", "appos"})
_LABELS: Mapping[str, Classes] = {
    **dict.fromkeys(("nsubj", "obj", "iobj", "obl", "nmod", "appos", "vocative"), _NOMINAL),
    **dict.fromkeys(("compound", "list"), _NOMINAL),
    **dict.fromkeys(("acl", "advcl", "csubj", "ccomp"), ("VERB",)),
}
# The first of these that the lemma was seen as, not the most frequent: *open* is most often a verb.
_MODIFIERS: Mapping[str, Classes] = {
    "amod": ("ADJ", "VERB", "NUM", "NOUN", "PROPN"),
    "advmod": ("ADV", "PART", "ADJ", "ADP"),
}
_MOST_CONJUNCTS = 8


class WordClasses:
    """The classes of the words of one problem; `seen_as` are the UPOS tags that a lemma may have
    had in training, and how often."""

    def __init__(self, words: Sequence[Word], seen_as: Callable[[str], Mapping[str, int]]) -> None:
        self._words = words
        self._seen_as = seen_as
        self._labels: defaultdict[int, set[str]] = defaultdict(set)  # of dependents, by head
        for word in words:
            if word.head and word.deprel:
                self._labels[word.head - 1].add(word.deprel)

    def infer(self, at: int) -> str | None:
        """The UPOS tag of a word; None if the labels leave it open."""
        name, above = self._words[at].lemma or self._words[at].form, at
        for _ in range(_MOST_CONJUNCTS):
            word = self._words[above]
            below = {label.partition(":")[0] for label in self._labels[above]}
            allowed = _allowed(word.deprel or "", below)
            if allowed or not (word.deprel or "").startswith("conj") or not word.head:
                break
            above = word.head - 1
        counts = self._seen_as(name)
        known = [upos for upos in allowed if counts.get(upos)]
        if known and allowed in _MODIFIERS.values():
            return known[0]
        if known:
            return max(known, key=lambda upos: counts[upos])
        if not allowed or not name.isalpha() or (counts and not below & _SURE):
            return None
        return "PROPN" if allowed[0] == "NOUN" and name[0].isupper() else allowed[0]


def _allowed(deprel: str, below: Set[str]) -> Classes:
    """The classes of a word with this label, with dependents of these kinds; none if that does not
    tell."""
    label, _, subtype = deprel.partition(":")
    if label in _FUNCTION:
        return () if subtype == "predet" else _FUNCTION[label]
    if "cop" in below:
        return _NOMINAL if below & {"det", "case", "amod"} else _PREDICATE
    if below & _CLAUSE:
        return ("VERB",)
    if label in _MODIFIERS:
        return _MODIFIERS[label]
    if below & _OF_NOUN:
        return _NOMINAL
    return () if subtype == "prt" else _LABELS.get(label, ())
