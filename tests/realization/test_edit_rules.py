"""Edit rules: unseen lemmas are inflected as seen ones with the same ending."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from toys.inflection import (
    TOY,
    Asked,
    asked,
    learned,
    texts,
    treebank,
)

from syntagma.realization.inflection import Form
from syntagma.realization.inflection_training import learn_inflector
from syntagma.realization.lexicon import EditRules
from syntagma.treebanks.treebank import Sentence


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
    """However often a single lemma was seen."""
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
    """Two of three nouns take -s, but only one of two that end in -y."""
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
    """The only rule removes three letters; nothing would be left of *ug*."""
    inflector = learned("w/wxug/N/ y/yxug/N/")
    assert texts(inflector.forms("pxug", "N", "")) == ["p"]
    assert texts(inflector.forms("xug", "N", "")) == ["xug"]
