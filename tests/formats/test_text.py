"""Plain text: bags a line, phrases between tabs."""

from __future__ import annotations

import pytest

from syntagma.errors import FormatError
from syntagma.formats.text import read_text
from syntagma.problem.problem import Problem


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("barks dog the", ["barks", "dog", "the"]),
        ("  barks   dog ", ["barks", "dog"]),
        ("barks\tthe old dog", ["barks", "the old dog"]),
        ("🐈 שלום a\x1fb c\u00a0d", ["🐈", "שלום", "a\x1fb", "c\u00a0d"]),
    ],
)
def test_words_of_a_line(line: str, words: list[str]) -> None:
    assert list(read_text([line], "f")) == [Problem.of(words)]


def test_faults_do_not_stop_the_batch() -> None:
    unreadable = FormatError("not UTF-8", "f", 3)
    results = list(read_text(["a b", "", unreadable, "a\t\tb", "a\t b", "c"], "f"))
    assert [str(result) for result in results if isinstance(result, FormatError)] == [
        "f:2: empty bag: give at least one word",
        "f:3: not UTF-8",
        "f:4: the form of word 2 is empty: ''",
        "f:5: the form of word 2 has an extra space: ' b'; "
        "the words of a phrase are separated by single spaces",
    ]
    assert isinstance(results[-1], Problem)
