"""Edits: they restore the form they were found in, and apply to words of the same pattern."""

# ruff: noqa: RUF001, the characters that look alike are meant

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from syntagma.realization.edits import Edit, apply_edit, find_edit, format_edit, parse_edit

KEEP: Edit = ("", "")

replacement: st.SearchStrategy[Edit] = st.tuples(st.text(max_size=3), st.text(max_size=3))
sizes = st.integers(0, 4)
edit = st.recursive(replacement, lambda inner: st.tuples(sizes, sizes, inner, inner), max_leaves=6)
text = st.one_of(st.text("abcä", max_size=8), st.text(max_size=8))
lower = text.map(str.lower)
stem = st.text("abc", min_size=1, max_size=6)
affix = st.text("xyz", max_size=3)


# What is found


@pytest.mark.parametrize(
    ("lemma", "form", "expected"),
    [
        ("", "", KEEP),
        ("", "wug", ("", "wug")),
        ("wug", "", ("wug", "")),
        ("go", "went", ("go", "went")),
        ("wug", "wug", (0, 0, KEEP, KEEP)),
        ("walk", "walked", (0, 0, KEEP, ("", "ed"))),
        ("fly", "flies", (0, 1, KEEP, ("y", "ies"))),
        ("machen", "gemacht", (0, 2, ("", "ge"), ("en", "t"))),
        ("band", "bänder", (2, 0, (0, 1, KEEP, ("a", "ä")), ("", "er"))),
        ("apfel", "äpfel", (1, 0, ("a", "ä"), KEEP)),
    ],
)
def test_an_edit_is_a_tree(lemma: str, form: str, expected: Edit) -> None:
    assert find_edit(lemma, form) == expected


def test_a_beginning_in_common_counts_before_what_is_longest() -> None:
    """If it is at least half of the lemma: *bcd* is longer than *ab*, but *abc* is half of five."""
    assert find_edit("abcd", "abxbcd") == (0, 2, KEEP, (0, 0, ("", "xb"), KEEP))
    assert find_edit("abcde", "abxbcde") == (1, 0, (0, 0, KEEP, ("", "bx")), KEEP)


@given(lower, lower)
@example("ας", "ασ")
@example("i̇s", "is")
@example("ß", "ss")
@settings(max_examples=100)
def test_an_edit_gives_back_its_form(lemma: str, form: str) -> None:
    assert apply_edit(find_edit(lemma, form), lemma) == form


# Words of the same pattern


@pytest.mark.parametrize(
    ("lemma", "form", "other", "expected"),
    [
        ("walk", "walked", "talk", "talked"),
        ("walk", "walked", "y", "yed"),
        ("fly", "flies", "spy", "spies"),
        ("stop", "stopped", "clap", "clapped"),
        ("machen", "gemacht", "lachen", "gelacht"),
        ("machen", "gemacht", "legen", "gelegt"),
        ("band", "bänder", "land", "länder"),
        ("sing", "sang", "ring", "rang"),
        ("apfel", "äpfel", "anker", "änker"),
        ("go", "went", "go", "went"),
        ("çiçek", "çiçeği", "böcek", "böceği"),
        ("дом", "дома", "кот", "кота"),
    ],
)
def test_an_edit_carries_over(lemma: str, form: str, other: str, expected: str) -> None:
    assert apply_edit(find_edit(lemma, form), other) == expected


@pytest.mark.parametrize(
    ("lemma", "form", "other"),
    [
        ("fly", "flies", "cat"),
        ("fly", "flies", "y"),  # nothing would stay
        ("walk", "walked", ""),
        ("machen", "gemacht", "en"),
        ("band", "bänder", "bend"),
        ("sing", "sang", "talk"),
        ("apfel", "äpfel", "a"),
        ("go", "went", "undergo"),
        ("go", "went", ""),
        ("", "wug", "wug"),
    ],
)
def test_words_of_another_make_are_left_alone(lemma: str, form: str, other: str) -> None:
    assert apply_edit(find_edit(lemma, form), other) is None


@pytest.mark.parametrize(
    ("lemma", "form", "other", "expected"),
    [
        ("walk", "walked", "Talk", "Talked"),
        ("walk", "walked", "TALK", "TALKed"),
        ("fly", "flies", "Spy", "Spies"),
        ("fly", "flies", "SPY", "SPies"),
        ("band", "bänder", "Land", "Länder"),
        ("walk", "walked", "McTalk", "McTalked"),
    ],
)
def test_what_is_kept_keeps_its_case(lemma: str, form: str, other: str, expected: str) -> None:
    assert apply_edit(find_edit(lemma, form), other) == expected


@given(stem, stem, affix)
@settings(max_examples=50)
def test_a_suffix_goes_with_every_word(one: str, other: str, suffix: str) -> None:
    assert apply_edit(find_edit(one, one + suffix), other) == other + suffix


@given(stem, stem, affix)
@settings(max_examples=50)
def test_a_prefix_goes_with_every_word(one: str, other: str, prefix: str) -> None:
    assert apply_edit(find_edit(one, prefix + one), other) == prefix + other


@given(stem, stem, affix, affix, affix, affix)
@settings(max_examples=50)
def test_both_ends_change_together(
    one: str, other: str, prefix: str, old: str, new: str, ending: str
) -> None:
    """An ending is replaced only at the end."""
    assume(set(prefix).isdisjoint(old))  # else it may be the longest common substring
    found = find_edit(one + "q" + old, prefix + one + "q" + new)
    assert apply_edit(found, other + "q" + old) == prefix + other + "q" + new
    if old and not ending.endswith(old[-1]):
        assert apply_edit(find_edit(one + old, one + "w"), other + ending) is None


@given(text.filter(bool), text.filter(bool))
@settings(max_examples=50)
def test_an_edit_that_changes_nothing_changes_nothing_anywhere(one: str, other: str) -> None:
    assert apply_edit(find_edit(one, one), other) == other


@given(edit, text)
@settings(max_examples=100)
def test_an_edit_applies_or_does_not(any_edit: Edit, lemma: str) -> None:
    """Never a crash; letters that stay are in the form."""
    form = apply_edit(any_edit, lemma)
    if len(any_edit) == 4 and form is not None:
        front, behind = any_edit[:2]
        assert front + behind < len(lemma)
        assert lemma[front : len(lemma) - behind] in form


# Text


def test_format() -> None:
    assert format_edit(find_edit("walk", "walked")) == '[0,0,["",""],["","ed"]]'
    assert format_edit(find_edit("äb", "öb")) == '[1,0,["ä","ö"],["",""]]'


@given(edit)
@example(("a\tb", "c\nd"))
@example(('"', "\\"))
@example(("\ud800", "👩‍👩‍👧"))
@settings(max_examples=100)
def test_parsing_is_the_inverse_of_formatting(any_edit: Edit) -> None:
    line = format_edit(any_edit)
    assert parse_edit(line) == any_edit
    assert not set(line) & set("\t\n\r")


@given(lower, lower)
@settings(max_examples=50)
def test_an_edit_that_was_stored_gives_back_its_form(lemma: str, form: str) -> None:
    assert apply_edit(parse_edit(format_edit(find_edit(lemma, form))), lemma) == form


@pytest.mark.parametrize(
    "line",
    [
        "",
        "x",
        "null",
        "[]",
        '"ab"',
        '{"a":"b"}',
        '["a"]',
        '["a","b","c"]',
        '["a",1]',
        '[0,0,["",""]]',
        '[-1,0,["",""],["",""]]',
        '[0,-1,["",""],["",""]]',
        '[0.5,0,["",""],["",""]]',
        '[0,0,[1,2],["",""]]',
        '[0,0,["",""],null]',
        '["a","b"',
    ],
)
def test_nonsense_is_no_edit(line: str) -> None:
    with pytest.raises(ValueError, match=r"not an edit|line 1 column"):
        parse_edit(line)
