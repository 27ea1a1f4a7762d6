"""Inflection of English with lemminflect: after seen forms, before edit rules."""

from __future__ import annotations

import pytest
from toys.inflection import (
    IRREGULAR,
    NEEDS_LEMMINFLECT,
    ODD,
    VERBS,
    Dictionary,
    learned,
    shares,
    texts,
)

from syntagma.realization import inflection


def test_the_dictionary_comes_after_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VBD=["fnord"])
    inflector = learned(*VERBS, IRREGULAR, english=True)
    assert texts(inflector.forms("go", "VBD", "Tense=Past")) == ["went"]
    assert not dictionary.asked


def test_the_dictionary_comes_before_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VBD=["sang"], VBG=["singing"])
    inflector = learned(*VERBS, english=True)
    assert texts(inflector.forms("sing", "VBD", "Tense=Past")) == ["sang"]
    assert texts(inflector.forms("sing", "VBD", None)) == ["sang"]
    assert dictionary.asked == [("sing", "VERB")] * 2


def test_what_the_dictionary_has_not_goes_by_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    Dictionary(monkeypatch, VBN=["wugun"])
    inflector = learned(*VERBS, english=True)
    assert texts(inflector.forms("talk", "VBD", "Tense=Past")) == ["talked"]


def test_the_first_of_several_in_the_dictionary_is_the_likeliest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Dictionary(monkeypatch, VBD=["lit", "lighted"])
    forms = learned(english=True).forms("light", "VBD", None)
    assert texts(forms) == ["lit", "lighted"]
    assert shares(forms) == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("tag", "word_class"),
    [
        ("NN", "NOUN"),
        ("NNS", "NOUN"),
        ("NNP", "NOUN"),
        ("NNPS", "NOUN"),
        ("VBZ", "VERB"),
        ("VBN", "VERB"),
        ("JJR", "ADJ"),
        ("RBS", "ADV"),
    ],
)
def test_the_dictionary_is_asked_for_a_word_class(
    monkeypatch: pytest.MonkeyPatch, tag: str, word_class: str
) -> None:
    dictionary = Dictionary(monkeypatch, **{tag.replace("NNP", "NN"): ["zorp"]})
    assert texts(learned(english=True).forms("wug", tag, None)) == ["zorp"]
    assert dictionary.asked == [("wug", word_class)]


@pytest.mark.parametrize("tag", ["NOUN", "DT", "POS", "UNSEEN", ""])
def test_the_dictionary_knows_no_other_tags(monkeypatch: pytest.MonkeyPatch, tag: str) -> None:
    Dictionary(monkeypatch, NN=["wug"], NNS=["wugs"])
    assert texts(learned(english=True).forms("zorp", tag, None)) == ["zorp"]


def test_a_bare_lemma_has_all_forms_of_the_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VB=["sing"], VBD=["sang"], VBN=["sung"])
    forms = learned(english=True).forms("sing", None, None)
    assert texts(forms) == ["sing", "sang", "sung"]
    assert dictionary.asked == [("sing", None)]


@pytest.mark.parametrize(
    ("word", "found", "expected"),
    [
        ("go", "went", "went"),
        ("Go", "went", "Went"),
        ("Sing", "sang", "Sang"),
        ("wug", "wugs", "wugs"),
        ("WUG", "wugs", "WUGs"),
        ("MOUSE", "mice", "Mice"),
        ("W", "ws", "Ws"),
    ],
)
def test_forms_of_the_dictionary_have_the_case_of_the_lemma(
    monkeypatch: pytest.MonkeyPatch, word: str, found: str, expected: str
) -> None:
    dictionary = Dictionary(monkeypatch, VBD=[found])
    assert texts(learned(english=True).forms(word, "VBD", None)) == [expected]
    assert dictionary.asked == [(word.lower(), "VERB")]


def test_other_languages_do_not_use_the_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VBD=["fnord"])
    assert texts(learned(*VERBS).forms("talk", "VBD", None)) == ["talked"]
    assert texts(learned(*VERBS).forms("talk", None, None)) == ["talk"]
    assert not dictionary.asked


def test_without_the_dictionary_there_are_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VBD=["fnord"])
    monkeypatch.setattr(inflection, "find_spec", lambda name: None)
    inflector = learned(*VERBS, english=True)
    assert texts(inflector.forms("talk", "VBD", "Tense=Past")) == ["talked"]
    assert texts(inflector.forms("talk", None, None)) == ["talk"]
    assert not dictionary.asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("sing", "VBD", "sang"),
        ("write", "VBN", "written"),
        ("Think", "VBD", "Thought"),
        ("go", "VBZ", "goes"),
        ("stop", "VBG", "stopping"),
        ("child", "NNS", "children"),
        ("city", "NNS", "cities"),
        ("good", "JJR", "better"),
        ("bad", "JJS", "worst"),
    ],
)
def test_irregular_words_of_english(word: str, tag: str, expected: str) -> None:
    pytest.importorskip("lemminflect", reason=NEEDS_LEMMINFLECT)
    inflector = learned(english=True)
    assert texts(inflector.forms(word, tag, None))[0] == expected
    assert expected in texts(inflector.forms(word, None, None))


@pytest.mark.parametrize("word", ODD)
def test_odd_lemmas_are_not_in_the_dictionary_of_english(word: str) -> None:
    pytest.importorskip("lemminflect", reason=NEEDS_LEMMINFLECT)
    inflector = learned(english=True)
    for tag in (None, "NN", "VBD", "X"):
        assert texts(inflector.forms(word, tag, None)) == [word]
