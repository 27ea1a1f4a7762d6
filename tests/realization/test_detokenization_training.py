"""Spacing rules and contractions learned from spellings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.spelling import FRENCH, annotated, example, learned, written

from syntagma.realization.detokenization_training import MIN_GAIN, SpelledWords, learn_detokenizer
from syntagma.results.spelling import Spelling

# Spacing


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
    assert detokenizer.to_arrays()["spacing.rules"].size == 0


def test_pictures_are_alike_and_currencies_are() -> None:
    detokenizer = learned("wug_😀", "plog_😸", "5_₽", "7_€", "wug_.")
    assert written("zorp 🤗 9 ¥ .", by=detokenizer) == "zorp🤗 9¥."
    assert written("zorp 🤗 9 ¥ .") == "zorp 🤗 9 ¥."


@pytest.mark.parametrize(
    ("sloppy", "expected"),
    [
        ("{}_« {}_»", "blick «dax»"),
        ("{}_— {} .", "blick — dax"),
        ("{}_—_{} .", "blick—dax"),
        ("{}_(_{}_) .", "blick(dax)"),
        ("{} « {} »", "blick « dax »"),
    ],
)
def test_marks_do_not_lean_to_the_wrong_side(sloppy: str, expected: str) -> None:
    words = ("wug", "plog", "zorp", "tove", "rath", "mome")
    treebank = [sloppy.format(*pair) for pair in zip(words, words[::-1], strict=True)]
    detokenizer = learned(*treebank, *["wug_."] * 3)
    mark = {"«": "blick « dax »", "—": "blick — dax", "(": "blick ( dax )"}
    [given_words] = [text for sign, text in mark.items() if sign in sloppy]
    assert written(given_words, by=detokenizer) == expected


@given(st.lists(annotated, min_size=1, max_size=8))
@settings(max_examples=50)
def test_what_is_learned_is_as_most_of_the_treebank_is(examples: list[SpelledWords]) -> None:
    """Few rules are stored, but none contradicts a clear majority of a pair of words."""
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
