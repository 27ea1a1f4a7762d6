"""The lexicon in a model file: round trips, and damage is noticed."""

# ruff: noqa: RUF001, words of other languages

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from toys.inflection import (
    TOY,
    Asked,
    asked,
    learned,
    texts,
    treebank,
)

from syntagma.errors import ModelError
from syntagma.realization.inflection import Form, Inflector
from syntagma.realization.lexicon import (
    SECTION,
    Edit,
    EditRules,
    apply_edit,
    find_edit,
    format_edit,
    parse_edit,
)
from syntagma.realization.training import learn_inflector
from syntagma.treebanks.treebank import Sentence

# Arrays and determinism


def stored(inflector: Inflector) -> bytes:
    return inflector.to_arrays()[SECTION].tobytes()


@given(treebank.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))))
@settings(max_examples=30)
def test_the_order_of_sentences_does_not_matter(
    orders: tuple[list[Sentence], list[Sentence]],
) -> None:
    one, other = map(learn_inflector, orders)
    assert one.lexicon == other.lexicon
    assert stored(one) == stored(other)


@given(treebank, st.lists(asked, max_size=4))
@settings(max_examples=30)
def test_the_same_data_gives_the_same_forms(
    sentences: list[Sentence], questions: list[Asked]
) -> None:
    """Whatever was asked before."""
    one, other = learn_inflector(sentences), learn_inflector(sentences)
    found = [one.forms(*question) for question in questions]
    assert [other.forms(*question) for question in reversed(questions)] == found[::-1]


@given(treebank, st.lists(asked, max_size=4))
@settings(max_examples=60)
def test_arrays_give_back_the_same_inflector(
    sentences: list[Sentence], questions: list[Asked]
) -> None:
    inflector = learn_inflector(sentences)
    again = Inflector.from_arrays(inflector.to_arrays())
    assert again.lexicon == inflector.lexicon
    assert stored(again) == stored(inflector)
    for question in questions:
        assert again.forms(*question) == inflector.forms(*question)


def test_arrays_give_back_rules_and_paradigms() -> None:
    again = Inflector.from_arrays(TOY.to_arrays())
    for word in ("go", "talk", "Talk", "spy", "try", "字"):
        for tag in (None, "VB", "VBD", "NNS", "UNSEEN"):
            for feats in (None, "", "Tense=Past", "Number=Plur", "A=1"):
                assert again.forms(word, tag, feats) == TOY.forms(word, tag, feats)


def test_an_array_is_of_bytes() -> None:
    arrays = TOY.to_arrays()
    assert list(arrays) == [SECTION]
    assert arrays[SECTION].dtype == np.uint8
    assert arrays[SECTION].ndim == 1


def test_the_language_is_told_anew() -> None:
    arrays = TOY.to_arrays()
    assert texts(Inflector.from_arrays(arrays).forms("sing", "VBD", None)) == ["singed"]
    english = Inflector.from_arrays(arrays, english=True)
    assert texts(english.forms("sing", "VBD", None)) == ["sang"]


def packed(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(zlib.compress(text.encode()), np.uint8)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "1\nN\t\nwug",
        "1\nN\t\nwug\t=wugs\t0",
        "1\nN\t\nwug\t=wugs\t0\t1\t1",
        "1\nN\t\nwug\t=wugs\t1\t1",
        "1\nN\t\nwug\t=wugs\tx\t1",
        "1\nN\t\nwug\t=wugs\t0\tx",
        "1\nN\nwug\t=wugs\t0\t1",
        "1\nN\t\nwug\twugs\t0\t1",
        "1\nN\t\nwug\t[]\t0\t1",
        '1\nN\t\nwug\t["plog","plogs"]\t0\t1',
        '1\nN\t\nwug\t[3,0,["",""],["",""]]\t0\t1',
        "1\nN\t\nwug\t=wugs\t0\t1\n",
        "0\nwug\t=wugs\t0\t1",
        "1\nN\t\nwug\t=wug\t0\t0",
        "1\nN\t\nwug\t=wug\t0\t-2",
        "1\nN\t\nwug\t=\t0\t1",
        '1\nN\t\nwug\t["wug",""]\t0\t1',
        "1\nN\t\nwug\t=wug\t-1\t1",
        "1\nN\t\n\t=wug\t0\t1",
        "5\nN\t",
        f"1\nN\t\nwug\t{'[' * 100_000}\t0\t1",
    ],
)
def test_damaged_lines(text: str) -> None:
    with pytest.raises(ModelError, match="damaged model: section 'inflection'"):
        assert Inflector.from_arrays({SECTION: packed(text)}).lexicon


def test_good_lines() -> None:
    """The undamaged counterparts of the lines above."""
    lines = '1\nN\t\nwug\t[0,0,["",""],["","s"]]\t0\t2\n\t=wugen\t0\t1'
    inflector = Inflector.from_arrays({SECTION: packed(lines)})
    assert texts(inflector.forms("wug", "N", "")) == ["wugs", "wugen"]


def test_damaged_sections() -> None:
    array = TOY.to_arrays()[SECTION]
    not_text = np.frombuffer(zlib.compress(b"\xff\xfe"), np.uint8)
    for damaged in (array[:-5], array[5:], array[:0], np.zeros(9, np.int64), not_text):
        with pytest.raises(ModelError, match="damaged model: section 'inflection'"):
            assert Inflector.from_arrays({SECTION: damaged}).lexicon
    with pytest.raises(ModelError, match="damaged model: section 'inflection'"):
        Inflector.from_arrays({})


@given(st.integers(0, len(stored(TOY)) - 1), st.integers(1, 255))
@settings(max_examples=30)
def test_a_byte_that_is_wrong_is_noticed(place: int, change: int) -> None:
    """Or does no harm: the checksum does not cover the first two bytes."""
    array = TOY.to_arrays()[SECTION].copy()
    array[place] ^= change
    try:
        again = Inflector.from_arrays({SECTION: array})
        assert again.lexicon
    except ModelError:
        return
    assert place < 2
    assert again.lexicon == TOY.lexicon


# Edits: they restore the form they were found in, and apply to words of the same pattern.

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


# Edit rules: unseen lemmas are inflected as seen ones with the same ending.


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
    rules = EditRules(learned("cats/cat/N/ days/day/N/ flies/fly/N/ wug/wug/V/").lexicon, "N")
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
        chances = EditRules(lexicon, tag).chances(word, feats)
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
