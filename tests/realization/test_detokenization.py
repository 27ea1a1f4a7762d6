"""Detokenisation: what holds in most languages, and that no word is lost."""

# ruff: noqa: RUF001, the characters that look alike are what this is about

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.spelling import FRENCH, annotated, learned, recover, sentence, written

from syntagma.errors import ModelError
from syntagma.files.sections import pack_lines
from syntagma.realization import detokenization
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.detokenization_training import SpelledWords, learn_detokenizer
from syntagma.results.spelling import Contraction, Spelling

RULES, CONTRACTIONS = "spacing.rules", "spacing.contractions"


# Spellings


def test_text() -> None:
    spelling = Spelling((True, False, True, False, False), (Contraction(2, 3, "du"),))
    assert spelling.text(["parle", "de", "le", "chat", "."]) == "parle du chat."
    assert Spelling(()).text([]) == ""


@given(sentence, st.sampled_from([Detokenizer(), FRENCH]))
@settings(max_examples=70)
def test_words_are_recovered_from_the_text(forms: list[str], detokenizer: Detokenizer) -> None:
    spelling = detokenizer.spell(forms)
    assert recover(spelling.text(forms), forms, spelling) == forms


@given(sentence, st.sampled_from([Detokenizer(), FRENCH]))
@settings(max_examples=50)
def test_no_space_follows_the_last_word_nor_one_inside_a_contraction(
    forms: list[str], detokenizer: Detokenizer
) -> None:
    spelling = detokenizer.spell(forms, ["X"] * len(forms))
    assert len(spelling.spaces) == len(forms)
    assert not any(spelling.spaces[-1:])
    end = 0
    for each in spelling.contractions:
        assert end < each.first < each.last <= len(forms)
        assert not any(spelling.spaces[each.first - 1 : each.last - 1])
        end = each.last


# What holds in most languages


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Wugs , zorps ; plogs : yes !", "Wugs, zorps; plogs: yes!"),
        ("Really ?! Well … ( no ) [ so ] { then } .", "Really?! Well… (no) [so] {then}."),
        ("“ Wugs ” « plog » ‘ so ’ .", "“Wugs” «plog» ‘so’."),
        ("„ Wugs “ und „ Plogs “ .", "„Wugs“ und „Plogs“."),
        ("¿ Plog ? ¡ Wug !", "¿Plog? ¡Wug!"),
        ("5 % of $ 3 , € 4 and $ now", "5% of $3, €4 and $ now"),
        ("# wug @ plog #", "#wug @plog #"),
        ("do n't , it 's , we ’ll , I 'm", "don't, it's, we’ll, I'm"),
        ("l' eau qu' il boit", "l'eau qu'il boit"),
        ("well - known and / or", "well-known and/or"),
        ("- wug , - plog -", "- wug, - plog -"),
        ("wug – plog — zorp , 5 – 6", "wug – plog — zorp, 5–6"),
        ("wug :) plog", "wug :) plog"),
        ("同樣 , 大小 不同 。", "同樣,大小不同。"),
        ("他 於 1996 年 讀 Wug Plog 書", "他於1996年讀Wug Plog書"),
        ("これ は ペン です 。", "これはペンです。"),
        ("ราคา ดี 100 บาท", "ราคาดี 100 บาท"),
        ("한국 사람 이다 .", "한국 사람 이다."),
        ("The wug 東京 塔 plogs", "The wug 東京塔 plogs"),
        ("كيف ؟ نعم ، لا", "كيف؟ نعم، لا"),
        ("राम गया ।", "राम गया।"),
    ],
)
def test_defaults(words: str, expected: str) -> None:
    assert written(words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ('a " wug " and " plog " .', 'a "wug" and "plog".'),
        ('" wugs plog .', '"wugs plog.'),
        ('wugs plog . "', 'wugs plog."'),
        ('Yes , " she said , " I plog . "', 'Yes," she said, "I plog."'),
        ("a ' wug ' and ' plog '", "a 'wug' and 'plog'"),
        ("the wugs ' plogs", "the wugs' plogs"),
        ("the wugs ' ' plog '", "the wugs' 'plog'"),
        ("a \" ' wug ' plog \"", "a \"'wug' plog\""),
        ("`` wug ''", "``wug''"),
    ],
)
def test_straight_quotes_open_and_close_by_turns(words: str, expected: str) -> None:
    assert written(words) == expected


@given(st.integers(0, 5))
def test_an_even_number_of_quotes_makes_pairs(pairs: int) -> None:
    assert written('" wug " plog ' * pairs) == " ".join(['"wug" plog'] * pairs)


def test_tags_say_what_quotes_are() -> None:
    assert written('wug " plog', "X '' X") == 'wug" plog'
    assert written('wug " plog', "X `` X") == 'wug "plog'
    assert written("wugs ' wug ' plog '", "X POS X `` X ''") == "wugs' wug 'plog'"


# Odd input


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=3)), max_size=10))
@settings(max_examples=70)
def test_nothing_crashes(pairs: list[tuple[str, str]]) -> None:
    forms, tags = [form for form, _ in pairs], [tag for _, tag in pairs]
    for detokenizer in (Detokenizer(), FRENCH):
        for given_tags in (None, tags, []):
            spelling = detokenizer.spell(forms, given_tags)
            assert "".join(forms) == "".join(recover(spelling.text(forms), forms, spelling))


@pytest.mark.parametrize(
    "forms",
    [
        [],
        [""],
        ["", ""],
        ["👩‍👩‍👧", "🇧🇷"],
        ["e\u0301", "-", "\u0301"],
        ["\u200b"],
        ["שלום", ".", "\ud800"],
    ],
)
def test_odd_words(forms: list[str]) -> None:
    assert Detokenizer().spell(forms).text(forms).replace(" ", "") == "".join(forms)


def test_words_with_line_ends_are_not_learned() -> None:
    spelling = Spelling((False, False, False), (Contraction(2, 3, "x\ny"),))
    detokenizer = learn_detokenizer([(["a\nb", "c\td", "e"], ["X", "\t", "\n"], spelling)] * 9)
    again = Detokenizer.from_arrays(detokenizer.to_arrays())
    assert again.to_arrays().keys() == detokenizer.to_arrays().keys()


# Arrays


@given(st.lists(annotated, max_size=6), sentence)
@settings(max_examples=40)
def test_round_trip(examples: list[SpelledWords], forms: list[str]) -> None:
    for detokenizer in (learn_detokenizer(examples), FRENCH):
        again = Detokenizer.from_arrays(detokenizer.to_arrays())
        assert again.spell(forms) == detokenizer.spell(forms)
        for name, array in detokenizer.to_arrays().items():
            assert array.dtype == np.uint8
            np.testing.assert_array_equal(again.to_arrays()[name], array)


def test_the_order_of_the_treebank_does_not_matter() -> None:
    pieces = ["5_km", "wug_-_plog", "de+le=du wug", "3 - 4", "7_km", "wug_-_zorp", "3 - 5"]
    one, other = learned(*pieces).to_arrays(), learned(*reversed(pieces)).to_arrays()
    assert {name: array.tobytes() for name, array in one.items()} == {
        name: array.tobytes() for name, array in other.items()
    }


@pytest.mark.parametrize(
    "line", ["", "x", "kinds\tx\t-", "kinds\tx\tx\t?", "zorp\tx\tx\t-", "tags\tx\tx\t-"]
)
def test_damaged_rules(line: str) -> None:
    arrays = {**FRENCH.to_arrays(), RULES: pack_lines(["kinds\tx\tx\t+", line])}
    with pytest.raises(ModelError, match="not a spacing rule"):
        Detokenizer.from_arrays(arrays)


@pytest.mark.parametrize(
    "line",
    ["", "x", "forms\tde\tdu", "any\tX\tle\tdu", "tagged\tde\tle\tX\tdu", "zorp\tde\tle\tdu"],
)
def test_damaged_contractions(line: str) -> None:
    arrays = {**FRENCH.to_arrays(), CONTRACTIONS: pack_lines(["forms\tde\tle\tdu", line])}
    with pytest.raises(ModelError, match="not a contraction"):
        Detokenizer.from_arrays(arrays)


@pytest.mark.parametrize("name", [RULES, CONTRACTIONS])
def test_damaged_sections(name: str) -> None:
    arrays = FRENCH.to_arrays()
    with pytest.raises(ModelError, match=f"section '{name}': it"):
        Detokenizer.from_arrays({key: arrays[key] for key in arrays if key != name})
    for array in (np.zeros(4, np.int32), np.zeros((2, 2), np.uint8)):
        with pytest.raises(ModelError, match=f"section '{name}': it"):
            Detokenizer.from_arrays({**arrays, name: array})
    with pytest.raises(ModelError, match="is not UTF-8"):
        Detokenizer.from_arrays({**arrays, name: np.array([255, 254], np.uint8)})


def test_documentation() -> None:
    assert doctest.testmod(detokenization).failed == 0


def test_quotes_that_are_all_tagged_alike_open_and_close_by_turns() -> None:
    """Tags that were guessed before the words were ordered are like that."""
    words = ['"', "Wug", ",", '"', "she", "said"]
    tags = ["''", "UH", ",", "''", "PRP", "VBD"]
    assert Detokenizer().spell(words, tags).text(words) == '"Wug," she said'
    assert Detokenizer().spell(words[:3], tags[:3]).text(words[:3]) == '" Wug,'
