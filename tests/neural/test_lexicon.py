"""The lexicon, as counted in a treebank."""

from __future__ import annotations

import pytest

from syntagma.neural.adaptation import choose_min_count, choose_suffix, learn_lexicon
from syntagma.problem.word import shape
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


@pytest.mark.parametrize(
    ("words", "length"),
    [
        ("walking talking singing bringing called filled", 3),
        ("세미나에서 회의에서 학교에는 도시에는 서울에서", 2),
        ("大学 中学 小学 火车 汽车 单车", 1),
        ("xq vz wj", 1),  # nothing is shared: the shortest
        ("", 3),
    ],
)
def test_suffixes_are_as_long_as_words_share_them(words: str, length: int) -> None:
    assert choose_suffix(dict.fromkeys(words.split(), 1)) == length


def test_words_seen_often_do_not_count_for_suffixes() -> None:
    forms = dict.fromkeys(["walking", "talking", "singing"], 1) | dict.fromkeys("abcdefgh", 9)
    assert choose_suffix(forms) == 3


def test_shorter_suffixes_are_looked_up() -> None:
    lexicon = learn_lexicon([sentence("大学", "中学")], 1, suffix=1)
    assert lexicon.names["suffix"] == ["学"]
    assert lexicon.numbers("小学")[1:3] == (0, 1)


def test_the_lexicon_is_not_larger_than_wanted() -> None:
    forms = {"aaa": 1, "bbb": 2, "ccc": 3, "ddd": 9}
    rows = [4 + 4 + 1, 3 + 3 + 1, 2 + 2 + 1, 1 + 1 + 1]  # lower, suffix, shape
    for most, min_count in ((100, 1), (9, 1), (8, 2), (7, 2), (5, 3), (4, 4), (3, 4), (1, 10)):
        found = choose_min_count(forms, 3, 1, most)
        assert found == min_count, most
    assert choose_min_count(forms, 3, 2, 100) == 2
    for min_count, expected in enumerate(rows, start=1):
        sizes = learn_lexicon(
            [sentence(*(f for f, n in forms.items() for _ in range(n)))], min_count
        )
        assert sum(sizes.sizes().values()) - 4 == expected
