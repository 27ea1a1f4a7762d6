"""Inflection of lemmas that were not seen: by learned rules, or by the dictionary of English."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from toys.inflection import (
    IRREGULAR,
    NEEDS_LEMMINFLECT,
    ODD,
    TOY,
    VERBS,
    Asked,
    Dictionary,
    asked,
    learned,
    shares,
    texts,
    treebank,
)

from syntagma.realization import inflection
from syntagma.realization.edit_rules import EditRules
from syntagma.realization.inflection import Form
from syntagma.realization.inflection_training import learn_inflector
from syntagma.treebanks.treebank import Sentence

# Rules


@pytest.mark.parametrize(
    ("word", "tag", "feats", "expected"),
    [
        ("talk", "VBD", "Tense=Past", "talked"),
        ("talk", "VBG", "VerbForm=Ger", "talking"),
        ("talk", "VB", "VerbForm=Inf", "talk"),
        ("talk", "VBD", None, "talked"),
        ("try", "NNS", "Number=Plur", "tries"),
        ("ray", "NNS", "Number=Plur", "rays"),
        ("bug", "NNS", "Number=Plur", "bugs"),
        ("Talk", "VBD", "Tense=Past", "Talked"),
        ("TALK", "VBD", "Tense=Past", "TALKed"),
    ],
)
def test_lemmas_that_were_not_seen_go_by_rule(
    word: str, tag: str, feats: str | None, expected: str
) -> None:
    assert texts(TOY.forms(word, tag, feats)) == [expected]


@pytest.mark.parametrize(
    ("pairs", "word", "expected"),
    [
        ("machen:gemacht legen:gelegt sagen:gesagt", "lachen", "gelacht"),
        ("band:bänder land:länder rand:ränder", "wand", "wänder"),
        ("singen:sang ringen:rang", "dingen", "dang"),
        ("tulis:menulis tari:menari", "tabis", "menabis"),
        ("çiçek:çiçeği böcek:böceği", "yüzek", "yüzeği"),
        ("дом:дома том:тома", "ком", "кома"),
        ("ילד:ילדים", "נד", "נדים"),
    ],
)
def test_prefixes_stems_and_suffixes_of_any_language(pairs: str, word: str, expected: str) -> None:
    rows = [pair.split(":") for pair in pairs.split()]
    inflector = learned(*(f"{form}/{lemma}/X/A=1" for lemma, form in rows))
    assert texts(inflector.forms(word, "X", "A=1")) == [expected]


def test_the_same_tag_has_a_rule_for_each_features() -> None:
    inflector = learned(
        *(
            f"{verb}e/{verb}/V/P=1 {verb}st/{verb}/V/P=2 {verb}t/{verb}/V/P=3"
            for verb in ("sag", "leg")
        )
    )
    assert [texts(inflector.forms("trag", "V", f"P={i}")) for i in (1, 2, 3)] == [
        ["trage"],
        ["tragst"],
        ["tragt"],
    ]


def test_a_rule_is_as_good_as_it_has_lemmas() -> None:
    """However often a single one was seen."""
    inflector = learned(*["oxen/ox/NNS/"] * 50, "boxs/box/NNS/", "faxs/fax/NNS/", "daxs/dax/NNS/")
    assert texts(inflector.forms("wax", "NNS", "")) == ["waxs"]


def test_of_two_forms_of_a_lemma_the_more_frequent_makes_the_rule() -> None:
    for dived, dove, expected in ((2, 1, "jived"), (1, 2, "jove")):
        inflector = learned(*["dived/dive/V/"] * dived, *["dove/dive/V/"] * dove)
        assert texts(inflector.forms("jive", "V", "")) == [expected]


def test_longer_endings_decide() -> None:
    inflector = learned(
        *(f"{noun}s/{noun}/N/" for noun in ("day", "boy", "key", "wug", "tove")),
        *(f"{noun[:-1]}ies/{noun}/N/" for noun in ("fly", "ply")),
    )
    assert texts(inflector.forms("sly", "N", "")) == ["slies"]
    assert texts(inflector.forms("ray", "N", "")) == ["rays"]


def test_endings_of_six_letters_decide() -> None:
    inflector = learned("pabcdefx/pabcdef/N/ qzbcdefy/qzbcdef/N/ rzbcdefy/rzbcdef/N/")
    assert texts(inflector.forms("wabcdef", "N", "")) == ["wabcdefx"]
    assert texts(inflector.forms("wbcdef", "N", "")) == ["wbcdefy"]


def test_endings_back_off_to_shorter_ones() -> None:
    """Of all nouns, two of three take -s; of those with -y, one of two."""
    rules = EditRules.of_lexicon(
        learned("cats/cat/N/ days/day/N/ flies/fly/N/ wug/wug/V/").lexicon, "N"
    )
    s, ies = (0, 0, ("", ""), ("", "s")), (0, 1, ("", ""), ("y", "ies"))
    assert rules.chances("spy", "") == pytest.approx(
        {s: (1 + 2 * 2 / 3) / 4, ies: (1 + 2 * 1 / 3) / 4}
    )
    assert rules.chances("spy", "Unknown=1") == rules.chances("spy", "")
    assert rules.chances("SPY", None) == rules.chances("spy", None)


@given(treebank, asked)
@settings(max_examples=30)
def test_chances_are_chances(sentences: list[Sentence], question: Asked) -> None:
    word, _, feats = question
    lexicon = learn_inflector(sentences).lexicon
    for tag in ("NN", "VB", "X"):
        chances = EditRules.of_lexicon(lexicon, tag).chances(word, feats)
        assert not chances or sum(chances.values()) == pytest.approx(1)
        assert all(0 <= chance <= 1 + 1e-9 for chance in chances.values())


@pytest.mark.parametrize("word", ["字", "дом", "😀", "1984", "שלום", "x" * 5000 + "ж"])
def test_what_ends_as_nothing_that_was_seen_is_not_edited(word: str) -> None:
    assert TOY.forms(word, "VBD", "Tense=Past") == (Form(word, 0.0),)


def test_an_edit_that_leaves_nothing_is_not_taken() -> None:
    """The only rule takes three letters away; of *ug*, nothing would be left."""
    inflector = learned("w/wxug/N/ y/yxug/N/")
    assert texts(inflector.forms("pxug", "N", "")) == ["p"]
    assert texts(inflector.forms("xug", "N", "")) == ["xug"]


# The dictionary of English


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
