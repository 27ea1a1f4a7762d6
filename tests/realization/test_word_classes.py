"""UPOS tags inferred from the labels of a tree."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from syntagma.problem.word import Word
from syntagma.realization.word_classes import WordClasses

SEEN: Mapping[str, Mapping[str, int]] = {
    "boy": {"NOUN": 5},
    "kick": {"NOUN": 9, "VERB": 3},
    "ball": {"NOUN": 5},
    "open": {"VERB": 9, "ADJ": 3},
    "break": {"VERB": 9, "NOUN": 3},
    "they": {"PRON": 9},
    "have": {"VERB": 9, "AUX": 9},
    "fast": {"ADJ": 9, "ADV": 3},
    "with": {"ADP": 9},
    "well": {"ADV": 9, "INTJ": 2, "NOUN": 1},
}


def tree(text: str) -> list[Word]:
    """Words as `mouse/2/nsubj`; an empty field is not given."""
    words = []
    for each in text.split():
        lemma, head, deprel = each.split("/")
        words.append(Word("", None, int(head) if head else None, deprel or None, lemma))
    return words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kick/0/root boy/1/nsubj ball/1/obj", "VERB"),
        ("kick/0/root the/1/det", "NOUN"),
        ("kick/2/obj give/0/root", "NOUN"),
        ("kick/2/nsubj:pass give/0/root", "NOUN"),
        ("kick/2/acl:relcl boy/0/root who/1/nsubj", "VERB"),
        ("open/2/amod door/0/root", "ADJ"),
        ("break/2/amod window/0/root", "VERB"),
        ("fast/2/advmod run/0/root", "ADV"),
        ("fast/0/root be/1/cop", "ADJ"),
        ("they/2/nsubj run/0/root", "PRON"),
        ("have/2/aux run/0/root", "AUX"),
        ("kick/2/conj run/0/root boy/2/nsubj", "VERB"),
        ("kick/2/conj run/1/conj", None),
        ("kick/0/root", None),
        ("kick//", None),
        ("with/2/nsubj run/0/root", None),
        ("well/0/root the/1/det", "NOUN"),
        ("wug/2/nsubj run/0/root", "NOUN"),
        ("Wug/2/nsubj run/0/root", "PROPN"),
        ("wug/0/root wugs/1/obj", "VERB"),
        ("1984/2/nsubj run/0/root", None),
        ("boy/0/root ball/1/obj", "VERB"),
        ("boy/0/root kick/1/nsubj", None),
    ],
)
def test_the_class_of_the_first_word(text: str, expected: str | None) -> None:
    classes = WordClasses(tree(text), lambda lemma: SEEN.get(lemma, {}))
    assert classes.infer(0) == expected
