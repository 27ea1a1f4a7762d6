"""The lexicon in a model file: round trips, and damage is noticed."""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.inflection import (
    TOY,
    Asked,
    asked,
    texts,
    treebank,
)

from syntagma.errors import ModelError
from syntagma.realization.inflection import Inflector
from syntagma.realization.inflection_training import learn_inflector
from syntagma.realization.lexicon import SECTION
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
