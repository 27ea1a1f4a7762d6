"""The lexicon, as counted in a treebank."""

from __future__ import annotations

from syntagma.neural.lexicon_training import learn_lexicon
from syntagma.problem.shape import shape
from syntagma.treebanks.treebank import Sentence


def sentence(*forms: str) -> Sentence:
    n = len(forms)
    heads = tuple(range(n))
    return Sentence(forms, ("X",) * n, heads, ("root", *("dep",) * (n - 1)))


def test_forms_are_known_by_form_lower_case_suffix_and_shape() -> None:
    lexicon = learn_lexicon([sentence("The", "the", "Running", "old red Foxes", "A")], 1)
    assert lexicon.names == {
        "form": ["A", "Foxes", "Running", "The"],
        "lower": ["a", "foxes", "running", "the"],
        "suffix": ["a", "ing", "the", "xes"],
        "shape": sorted({shape(form) for form in ("The", "the", "A", "old red Foxes")}),
    }
    assert lexicon.sizes() == {"form": 5, "lower": 5, "suffix": 5, "shape": 5}
    numbers = {form: lexicon.numbers(form) for form in ("The", "the", "THE", "any Foxes")}
    assert numbers["The"][:3] == (4, 4, 3)
    assert numbers["the"][:3] == (0, 4, 3), "a form in lower case is known as such"
    assert numbers["THE"][:3] == (0, 4, 3)
    assert numbers["any Foxes"][:3] == (2, 2, 4), "a phrase goes by its last word"
    assert lexicon.numbers("1990")[:3] == (0, 0, 0)
    assert lexicon.numbers("The") == numbers["The"], "also at second sight"


def test_rare_words_are_unknown() -> None:
    counted = [sentence("Aaa", "Aaa", "bbb", "Bbb", "cXX")]
    assert learn_lexicon(counted, 2).names == {
        "form": ["Aaa"],
        "lower": ["aaa", "bbb"],
        "suffix": ["aaa", "bbb"],
        "shape": ["Xx"],
    }
