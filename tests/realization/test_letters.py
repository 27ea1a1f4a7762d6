"""Letters: what becomes of each letter of a lemma describes the form, and only that form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syntagma.realization.letters import (
    END,
    KEPT,
    MAX_AFFIX,
    MAX_LETTERS,
    START,
    align_letters,
    apply_change,
    letters_of,
    text_of,
)

word = st.text("abcé하았ㄴ+'-", max_size=8)


def written(lemma: str, changes: list[str]) -> str:
    symbols = [START, *lemma, END]
    return "".join(apply_change(*each) for each in zip(symbols, changes, strict=True))


@given(word, word)
def test_changes_give_the_form(lemma: str, form: str) -> None:
    changes = align_letters(letters_of(lemma), letters_of(form))
    assert changes is not None
    assert text_of(written(letters_of(lemma), changes)) == text_of(letters_of(form))


@given(st.text())
def test_syllables_are_put_together_again(text: str) -> None:
    assert text_of(letters_of(text)) == text_of(text)
    assert letters_of(text_of(letters_of(text))) == letters_of(text)


def test_only_hangul_is_taken_apart() -> None:
    assert letters_of("étéé ñ 가") == "étéé ñ \u1100\u1161"
    assert text_of("\u1112\u1162\u11bb다") == "했다"


@pytest.mark.parametrize(
    ("lemma", "form", "changes"),
    [
        ("wug", "wug", ["", KEPT, KEPT, KEPT, ""]),
        ("wug", "wugs", ["", KEPT, KEPT, KEPT, "s"]),
        ("wug", "gewugt", ["ge", KEPT, KEPT, KEPT, "t"]),
        ("plogar", "plog", ["", *[KEPT] * 4, "", "", ""]),
        ("a+b", "ab", ["", KEPT, "", KEPT, ""]),
    ],
)
def test_as_much_as_possible_stays(lemma: str, form: str, changes: list[str]) -> None:
    assert align_letters(lemma, form) == changes


def test_costs_decide_between_alignments() -> None:
    costs = {(START, ""): 0.0, (END, ""): 0.0, (END, "b"): 5.0, ("a", KEPT): 0.0}
    assert align_letters("a", "ab", {**costs, ("a", KEPT + "b"): 1.0}) == ["", KEPT + "b", ""]
    assert align_letters("a", "ab", {**costs, ("a", KEPT + "b"): 9.0}) == ["", KEPT, "b"]


def test_long_words_are_not_aligned() -> None:
    assert align_letters("a" * (MAX_LETTERS + 1), "a") is None
    assert align_letters("a", "b" * (2 * MAX_AFFIX + 4)) is None
