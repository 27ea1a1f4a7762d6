"""Spelling: the text, and the tokens of which contractions are one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from syntagma.results.spelling import Contraction, Spelling

words = st.lists(st.text("abé", min_size=1, max_size=3), min_size=1, max_size=8)


def test_contractions_are_one_token() -> None:
    forms = ["il", "parle", "de", "le", "chat", "à", "les", "ânes"]
    contractions = Contraction(3, 4, "du"), Contraction(6, 7, "aux")
    spelling = Spelling((True, True, False, True, True, False, True, False), contractions)
    assert spelling.text(forms) == "il parle du chat aux ânes"
    assert spelling.tokens(forms) == ["il", "parle", "du", "chat", "aux", "ânes"]


def test_words_that_are_just_joined_stay_apart() -> None:
    spelling = Spelling((False, True, False), (Contraction(1, 2, "Don't"),))
    assert spelling.tokens(["Do", "n't", "go"]) == ["Do", "n't", "go"]


@given(words)
def test_without_contractions_tokens_are_the_words(forms: list[str]) -> None:
    assert Spelling((False,) * len(forms)).tokens(forms) == forms


@given(words, st.data())
def test_spaces_separate_tokens_where_they_are_everywhere_else(
    forms: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, len(forms)))
    last = data.draw(st.integers(first, len(forms)))
    spaces = [
        not first <= place < last and place < len(forms) for place in range(1, len(forms) + 1)
    ]
    spelling = Spelling(tuple(spaces), (Contraction(first, last, "X"),))
    assert " ".join(spelling.tokens(forms)) == spelling.text(forms)
