"""Letters: what becomes of each letter of a lemma describes the form, and only that form."""

# ruff: noqa: RUF001, words of other languages

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toys.inflection import (
    TOY,
    learned,
    of_rows,
    row,
    texts,
)

from syntagma.realization.inflection import Form
from syntagma.realization.letters import (
    END,
    KEPT,
    MAX_AFFIX,
    MAX_LETTERS,
    START,
    align_letters,
    apply_change,
    capitalised,
    letters_of,
    text_of,
)
from syntagma.realization.training import learn_inflector, neutral_forms
from syntagma.treebanks.treebank import Sentence

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


# Letter case: neutral forms, capitals at the start of a sentence, case of lemmas.

# Case


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Wugs/wug plog/plog", "wugs plog"),  # the first word
        ("The/the Wugs/wug", "the Wugs"),  # capitals in mid-sentence are intended
        ('"/" Wugs/wug Plog/plog', '" wugs Plog'),  # the first word after opening quotes
        ("«/« (/( Wugs/wug", "« ( wugs"),
        ("…/… Wugs/wug", "… wugs"),
        ("3/3 Wugs/wug", "3 Wugs"),  # a number is a word
        ("Paris/Paris plogs/plog", "Paris plogs"),
        ("PARIS/Paris PLOGS/plog", "Paris plogs"),  # a heading
        ("THE/the WUGS/wug OF/of NASA/NASA", "the wugs of NASA"),
        ("USA/USA", "USA"),
        ("I/I plog/plog", "I plog"),
        ("I/i plog/plog", "i plog"),
        ("A/a WUG/wug", "a wug"),
        ("X/x A/a", "x A"),  # a single letter in mid-sentence is not a heading
        ("iPlog/iPlog", "iPlog"),
        ("IPlog/iPlog", "iPlog"),
        ("Wugs/ PLOGS/", "Wugs PLOGS"),  # without lemma, nothing is known
        ("Élan/élan", "élan"),
        ("字/字 Wug/wug", "字 Wug"),
        ("NASAS/NASA", "NASAS"),
        ("ΟΔΟΣ/οδός", "οδος"),
        ("STRASSE/Straße", "Strasse"),
    ],
)
def test_neutral_forms(words: str, expected: str) -> None:
    pairs = [word.split("/") for word in words.split()]
    rows = [(form, lemma, "X", "") for form, lemma in pairs]
    assert " ".join(neutral_forms(of_rows(rows))) == expected


@given(st.lists(row, max_size=6).map(of_rows))
@example(of_rows([("ΑΣ", "ας", "X", ""), ("Σ", "σ", "X", "")]))
@settings(max_examples=60)
def test_only_case_is_neutral(any_sentence: Sentence) -> None:
    neutral = neutral_forms(any_sentence)
    lower = [form.lower().replace("i̇", "i") for form in any_sentence.forms]
    assert [form.lower().replace("i̇", "i") for form in neutral] == lower


def test_case_is_not_learned_from_the_beginning_of_a_sentence() -> None:
    headings = [
        of_rows([("Wugs", "wug", "N", "")]),
        of_rows([("“", "“", "P", ""), ("Wugs", "wug", "N", "")]),
        of_rows([("THE", "the", "D", ""), ("WUGS", "wug", "N", "")]),
    ]
    inflector = learn_inflector(headings)
    assert inflector.forms("wug", "N", "") == (Form("wugs", 0.0),)
    assert inflector.forms("the", "D", "") == (Form("the", 0.0),)


def test_a_lemma_with_a_capital_goes_as_the_same_without() -> None:
    assert texts(TOY.forms("Go", "VBD", "Tense=Past")) == ["Went"]
    assert texts(TOY.forms("Mouse", "NNS", None)) == ["Mice"]


def test_a_lemma_that_was_seen_with_a_capital_keeps_it() -> None:
    inflector = learned("Wugs/Wug/NNPS/ wugen/wug/NNPS/")
    assert texts(inflector.forms("Wug", "NNPS", "")) == ["Wugs"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("wug", "Wug"),
        ("Wug", "Wug"),
        ("wUG", "WUG"),
        ("élan", "Élan"),
        ("дом", "Дом"),
        ("ıssız", "Issız"),
        ("ßa", "ßa"),  # SS would be two letters
        ("ŉa", "ŉa"),
        ("字", "字"),
        ("'s", "'s"),
        ("1st", "1st"),
        ("😀", "😀"),
        ("", ""),
    ],
)
def test_capitalised(word: str, expected: str) -> None:
    assert capitalised(word) == expected


@given(st.text(max_size=4))
def test_only_the_first_letter_is_capitalised(word: str) -> None:
    result = capitalised(word)
    assert len(result) == len(word)
    assert result[1:] == word[1:]
    assert capitalised(result) == result
    first = word[:1]
    assert result[:1] in (first, first.upper(), first.title())
