"""Detokenization: what holds in most languages, what is learned, and that no word is lost."""

# ruff: noqa: RUF001, the characters that look alike are what this is about

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.spelling import recover

from syntagma.errors import ModelError
from syntagma.files.packing import pack_lines
from syntagma.realization import detokenization
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.detokenization_training import MIN_GAIN, Example, learn_detokenizer
from syntagma.results.spelling import Contraction, Spelling

RULES, CONTRACTIONS = "spacing.rules", "spacing.contractions"


def written(words: str, tags: str | None = None, by: Detokenizer | None = None) -> str:
    forms = words.split()
    detokenizer = by or Detokenizer()
    return detokenizer.spell(forms, tags.split() if tags else None).text(forms)


def example(pieces: str, tags: str = "") -> Example:
    """Words between spaces; `_` joins two without a space, `de+le=du` is a contraction."""
    forms: list[str] = []
    spaces: list[bool] = []
    contractions = []
    for piece in pieces.split():
        whole, _, text = piece.partition("=")
        words = whole.split("+" if text else "_")
        if text:
            contractions.append(Contraction(len(forms) + 1, len(forms) + len(words), text))
        forms += words
        spaces += [False] * (len(words) - 1) + [True]
    spaces[-1] = False
    return forms, tags.split() or ["X"] * len(forms), Spelling(tuple(spaces), tuple(contractions))


def learned(*pieces: str) -> Detokenizer:
    return learn_detokenizer(example(each) for each in pieces)


FRENCH = learned(*["il parle de+le=du chat", "elle va à+les=aux champs_."] * 2, "l'_âne _.")

form = st.one_of(
    st.sampled_from(
        [
            "wug",
            ".",
            ",",
            '"',
            "'",
            "-",
            "/",
            "(",
            ")",
            "«",
            "5",
            "$",
            "de",
            "le",
            "à",
            "les",
            "'s",
            "l'",
            "„",
            "“",
            "字",
            "かな",
            "ไทย",
            "한국",
        ]
    ),
    st.text(max_size=4),
)
sentence = st.lists(form, max_size=12)


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


# Learning


def test_learning_overrides_the_defaults() -> None:
    detokenizer = learned("« wug » !", "« plog » !", "well - known_,", "zorp - wug_,")
    assert written("« wug » , plog - known !", by=detokenizer) == "« wug », plog - known!"
    assert written("« wug » , plog - known !") == "«wug», plog-known!"


def test_what_is_seen_once_is_no_rule() -> None:
    assert written("wug .", by=learned("wug .", "wug_plog")) == "wug."


def test_rules_back_off_to_the_kinds_of_characters() -> None:
    detokenizer = learned("5_km", "7_km", "3 wugs")
    assert written("9 km and 9 wugs", by=detokenizer) == "9km and 9 wugs"


def test_tags_refine_rules() -> None:
    joined = [example(f"{word}_-_plog", "NN HYPH NN") for word in ("wug", "zorp", "mome")]
    apart = [example(f"{word} - plog", "NN : NN") for word in ("blick", "dax")]
    detokenizer = learn_detokenizer([*joined, *apart])
    assert written("tove - rath", "NN HYPH NN", detokenizer) == "tove-rath"
    assert written("tove - rath", "NN : NN", detokenizer) == "tove - rath"


def test_a_treebank_with_spaces_everywhere_says_nothing() -> None:
    detokenizer = learned(*["同樣 , 不同 。", "wug ."] * 5)
    assert written("同樣 , 不同 。", by=detokenizer) == "同樣,不同。"
    assert not any(array.size for array in detokenizer.to_arrays().values())


def test_what_the_defaults_know_is_not_stored() -> None:
    detokenizer = learned(*["wug_, plog_.", "(_zorp_) wug_!"] * 9)
    assert detokenizer.to_arrays()[RULES].size == 0


word = st.sampled_from(["wug", "plog", "5", ".", "-", "zorp"])
gap = st.booleans()
annotated = st.lists(st.tuples(word, gap), min_size=1, max_size=5).map(
    lambda pairs: (
        [form for form, _ in pairs],
        ["X"] * len(pairs),
        Spelling((*(space for _, space in pairs[:-1]), False)),
    )
)


@given(st.lists(annotated, min_size=1, max_size=8))
@settings(max_examples=50)
def test_what_is_learned_is_as_most_of_the_treebank_is(examples: list[Example]) -> None:
    """Few rules are stored, but no pair of words is decided against a clear majority."""
    detokenizer = learn_detokenizer(examples)
    tallies: dict[tuple[str, str], list[int]] = {}
    for forms, _, spelling in examples:
        for i, space in enumerate(spelling.spaces[:-1]):
            tallies.setdefault((forms[i], forms[i + 1]), [0, 0])[space] += 1
    if all(not joined for joined, _ in tallies.values()):
        return
    for (left, right), (joined, apart) in tallies.items():
        if abs(apart - joined) >= MIN_GAIN and "-" not in (left, right):
            assert detokenizer.spell([left, right]).spaces[0] == (apart > joined)


# Contractions


def test_contractions_are_learned() -> None:
    assert written("il parle de le wug", by=FRENCH) == "il parle du wug"
    assert written("il va à les plogs .", by=FRENCH) == "il va aux plogs."
    assert written("le de wug", by=FRENCH) == "le de wug"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("De le wug", "Du wug"),
        ("DE LE WUG", "DU WUG"),
        ("DE le WUG", "DU WUG"),
        ("À les wugs", "Aux wugs"),
        ("À LES WUGS", "AUX WUGS"),
        ("de Le wug", "du wug"),
    ],
)
def test_capitals_carry_over(words: str, expected: str) -> None:
    assert written(words, by=FRENCH) == expected


@pytest.mark.parametrize(("contracted", "apart"), [(3, 2), (2, 2), (1, 3), (1, 0)])
def test_the_majority_decides(contracted: int, apart: int) -> None:
    detokenizer = learned(*["wug de+le=du plog"] * contracted, *["wug de le plog"] * apart)
    expected = "wug du plog" if contracted > apart else "wug de le plog"
    assert written("wug de le plog", by=detokenizer) == expected


def test_tags_tell_contractions_apart() -> None:
    article = example("wug em+a=na plog", "N ADP DET N")
    pronoun = example("wug em a plog", "N ADP PRON V")
    detokenizer = learn_detokenizer([*[article] * 5, *[pronoun] * 3])
    assert written("em a zorp", "ADP DET N", detokenizer) == "na zorp"
    assert written("em a zorp", "ADP PRON V", detokenizer) == "em a zorp"
    assert written("em a zorp", by=detokenizer) == "na zorp"


def test_the_longest_contraction_comes_first() -> None:
    detokenizer = learned("a+b=x c", "a+b+c=y", "a+b+c=y", "a+b=x d", "a+b=x d")
    assert written("a b c a b d", by=detokenizer) == "y x d"


def test_a_mark_between_words_is_learned_for_unseen_words() -> None:
    seen = [
        example(f"{verb}+se={verb}-se hoje", "VERB PRON ADV") for verb in ("wuga", "ploga", "zorpa")
    ]
    other = example("que se wuga", "SCONJ PRON VERB")
    detokenizer = learn_detokenizer([*seen, other])
    assert written("Blica se já", "VERB PRON ADV", detokenizer) == "Blica-se já"
    assert written("McBlica se já", "VERB PRON ADV", detokenizer) == "McBlica-se já"
    assert written("que se blica", "SCONJ PRON VERB", detokenizer) == "que se blica"


def test_one_word_after_the_other_is_no_contraction() -> None:
    detokenizer = learned(*["I do+nt=dont know", "they do+nt=dont see"] * 2, "a_b")
    spelling = detokenizer.spell(["We", "do", "nt", "plog"])
    assert spelling == Spelling((True, False, True, False))


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
def test_round_trip(examples: list[Example], forms: list[str]) -> None:
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
    with pytest.raises(ModelError, match=f"no section '{name}'"):
        Detokenizer.from_arrays({key: arrays[key] for key in arrays if key != name})
    for array in (np.zeros(4, np.int32), np.zeros((2, 2), np.uint8)):
        with pytest.raises(ModelError, match=f"no section '{name}'"):
            Detokenizer.from_arrays({**arrays, name: array})
    with pytest.raises(ModelError, match="is not text"):
        Detokenizer.from_arrays({**arrays, name: np.array([255, 254], np.uint8)})


def test_documentation() -> None:
    assert doctest.testmod(detokenization).failed == 0


def test_quotes_that_are_all_tagged_alike_open_and_close_by_turns() -> None:
    """As tags are that were guessed before the words had an order."""
    words = ['"', "Wug", ",", '"', "she", "said"]
    tags = ["''", "UH", ",", "''", "PRP", "VBD"]
    assert Detokenizer().spell(words, tags).text(words) == '"Wug," she said'
    assert Detokenizer().spell(words[:3], tags[:3]).text(words[:3]) == '" Wug,'
