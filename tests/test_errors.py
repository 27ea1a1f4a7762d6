"""Messages: one visible line each, whatever they quote."""

from __future__ import annotations

import pickle
import unicodedata

import pytest

from syntagma.errors import (
    LONGEST_MESSAGE,
    LONGEST_SHOWN,
    ArgumentError,
    FormatError,
    PackageError,
    ProblemError,
    SyntagmaError,
    SyntagmaWarning,
    as_line,
    brief,
    visible,
)

CONTROL = [
    *(chr(code) for code in range(0x20)),
    *(chr(code) for code in range(0x7F, 0xA0)),
    *"\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
]


@pytest.mark.parametrize("character", CONTROL, ids=ascii)
def test_control_characters_become_escapes(character: str) -> None:
    assert visible(f"a{character}b") == f"a{ascii(character)[1:-1]}b"


def test_other_characters_stay() -> None:
    for text in ("", "naïve", "日本", "😀", "a\u200db", "a\xa0b", "e\u0301", "שלום", "\\x1b"):
        assert visible(text) == text
    assert visible("a\ud800b") == "a\\ud800b"  # what cannot be written


def test_long_names_are_shortened() -> None:
    assert brief("x" * LONGEST_SHOWN) == "x" * LONGEST_SHOWN
    assert brief("x" * 10**6) == "x" * (LONGEST_SHOWN - 1) + "…"
    assert len(as_line("\x1b" * 10**6)) < 4 * LONGEST_MESSAGE


@pytest.mark.parametrize("kind", [SyntagmaError, ArgumentError, ProblemError, FormatError])
def test_the_message_of_an_error_is_visible(kind: type[SyntagmaError]) -> None:
    error = kind("cannot be read:\na\x1b]0;title\x07")
    assert str(error) == "cannot be read: a\\x1b]0;title\\x07"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, str(error))


def test_the_source_of_a_fault_stays_as_it_is_and_is_shown_visible() -> None:
    error = FormatError("bad \x9bline", "a\nb\u202e.txt", 3)
    assert error.source == "a\nb\u202e.txt"
    assert error.message == "bad \\x9bline"
    assert str(error) == "a\\nb\\u202e.txt:3: bad \\x9bline"


def test_others() -> None:
    assert str(PackageError("no\npackage", name="torch")) == "no package"
    assert PackageError("no", name="torch").name == "torch"
    assert str(SyntagmaWarning("tag \x1b[2J")) == "tag \\x1b[2J"
    for character in map(chr, range(0x3000)):
        if unicodedata.category(character) in ("Cc", "Zl", "Zp"):
            assert character not in str(SyntagmaError(character))
