"""Characters of drawings: escapes, estimated widths, writing direction."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syntagma.errors import visible
from syntagma.results.drawing.characters import runs_right_to_left, text_width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("New York", "New York"),
        ("naïve 猫 🦊", "naïve 猫 🦊"),
        ("a\tb\n", r"a\tb\n"),
        ("\x00\x7f\x85", r"\x00\x7f\x85"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\ud83e\ufffe\uffff", r"\ud83e\ufffe\uffff"),
        ("e\u0301\u200d\xa0", "e\u0301\u200d\xa0"),
        ("\u200e\u200f", "\u200e\u200f"),  # marks, which have no scope
        ("\u202eb\u2067a", r"\u202eb\u2067a"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(exclude_categories=[]), max_size=8))
def test_visible_text_can_be_written_and_stays_as_it_is(text: str) -> None:
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    shown.encode()
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("i", 0.28),
        ("W", 0.99),
        ("é", 0.62),
        ("e\u0301", 0.62),
        ("\u200d", 0),
        ("猫", 1),
        ("Ａ", 1),  # noqa: RUF001 (full width)
        ("한", 1),
        ("🦊", 1.3),
        ("ﬁ", 0.63),
        ("\u0903", 0.5),
    ],
)
def test_width(text: str, width: float) -> None:
    assert text_width(text, 1) == pytest.approx(width)
    assert text_width(text, 16) == pytest.approx(16 * width)


@given(st.text(), st.text())
def test_widths_add_up(one: str, other: str) -> None:
    assert text_width(one + other, 10) == pytest.approx(text_width(one, 10) + text_width(other, 10))


def test_every_character_has_a_width() -> None:
    assert all(text_width(chr(code), 1) >= 0 for code in range(0, sys.maxunicode + 1, 37))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], False),
        (["1", ".", "–"], False),  # noqa: RUF001 (a dash has no direction)
        (["dog"], False),
        (["אבג"], True),
        (["طفل", "2024", "."], True),
        (["He", "said", "אבג"], False),
        (["אבגדה", "(", "UN", ")"], True),
    ],
)
def test_direction(words: list[str], expected: bool) -> None:
    assert runs_right_to_left(words) is expected
