"""Whatever is passed to the public API: a result, or an error of the package in one line."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toys.models import toy_linearizer

import syntagma
from syntagma.errors import SyntagmaError, SyntagmaWarning
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word

TOY = toy_linearizer()
TREEBANK = Path(__file__).parents[2] / "examples" / "dev.conllu"


class Faulty:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Multiline:
    def __repr__(self) -> str:
        return "two\nlines\x1b\ud800"


class Uniterable:
    def __iter__(self) -> Any:
        return 3


ODD: list[Any] = [
    *(None, True, False, 0, 1, 2, -1, 10**5000, -(10**5000), 1.0, 2.5, float("nan"), 1j),
    *("", "a", "the dog", "\ud800", "\0", "a\tb", "root", "en", "x" * 500, b"a", bytearray(b"a")),
    *(Faulty(), Multiline(), Uniterable(), object(), int, len, ..., Decimal(2), Fraction(3, 2)),
    *(np.int64(2), np.float64(1), np.True_, np.str_("w1"), np.array([1, 2]), np.array(2)),
    *(np.array([[1, 2]]), np.array(["a", "b"]), np.zeros((2, 0)), Path("x"), range(1, 3)),
    *({1, 2}, {"a": 1}, frozenset("ab"), memoryview(b"ab"), ValueError("x")),
    *(Word("w1"), Word("w1", head=1), Word(lemma="w1"), Problem.of(["w1"]), syntagma),
]
odd = st.sampled_from(ODD) | st.lists(st.sampled_from(ODD), max_size=3)
fields = ("form", "tag", "head", "deprel", "lemma", "features")
odd_words = st.builds(
    lambda field, value: Word(**{"form": "w1", field: value}), st.sampled_from(fields), odd
)
bags = (
    st.lists(st.sampled_from(["w1", "w2", Word("w3", tag="NN")]) | odd_words | odd, max_size=4)
    | odd
)


def fine(call: Any, *arguments: Any, **options: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*arguments, **options)
    except SyntagmaError as error:
        message = str(error)
    assert len(message.splitlines()) == 1
    return None


@given(bags, odd, odd, odd, odd)
def test_problems(words: Any, before: Any, first: Any, last: Any, name: Any) -> None:
    fine(Problem, words, before, first, last, name)
    fine(Problem.of, words, before=before)
    fine(Problem.of, words, first=first, last=last, id=name)


OPTIONS = ["n_best", "diverse", "beam", "timeout", "expansions", "max_words"]


@given(bags, st.sampled_from(OPTIONS), odd)
def test_ordering(words: Any, option: str, value: Any) -> None:
    fine(TOY.order, words, **{"beam": 2, "max_words": 50})
    if not (option == "n_best" and isinstance(value, int) and value > 10):
        fine(TOY.order, ["w1", "w2"], **{option: value})
        fine(TOY.order, ["w1", "w2"], **{"n_best": 3, "diverse": True, option: value})
    fine(TOY.realize, words)
    fine(TOY.beam, words)
    fine(TOY.score, words, ["w1"])
    fine(TOY.score, ["w1", "w2"], value)
    fine(TOY.spell, value)


@given(st.lists(bags, max_size=4), st.sampled_from(["problems", "threads", "on_error"]), odd)
def test_streams(items: Any, option: str, value: Any) -> None:
    found = list(TOY.order_many(items, beam=2, on_error="yield"))
    assert len(found) == len(items)
    options = {"problems": [["w1"]], "beam": 2, option: value}
    results = fine(TOY.order_many, **options)
    if results is not None:
        fine(list, results)


SETTINGS: list[tuple[Any, tuple[str, ...]]] = [
    (syntagma.LinearSettings, ("condition", "epochs", "seed", "tag_column", "features", "beam")),
    (syntagma.NeuralSettings, ("learning_rate", "batch_words", "dropout", "realize")),
    (syntagma.BestFirstSettings, ("grammar", "update", "scaled", "chart", "expansions")),
    (syntagma.LanguageModelSettings, ("order", "prune", "min_count", "max_ngrams", "tokenized")),
]


@given(st.sampled_from([(kind, name) for kind, names in SETTINGS for name in names]), odd)
@example((syntagma.LinearSettings, "tag_column"), np.array([1, 2]))
def test_settings(setting: tuple[Any, str], value: Any) -> None:
    kind, name = setting
    fine(kind, **{name: value})


@given(odd, odd)
@example([""], 10**5000)
def test_models_and_files(value: Any, other: Any) -> None:
    if not isinstance(value, str) or value != "en":
        fine(syntagma.load, value)
    fine(syntagma.load, "en-best-first", search="best-first", language_model=other)
    fine(syntagma.read_treebank, value)
    fine(syntagma.read_treebank, TREEBANK, other)
    fine(syntagma.read_treebank, TREEBANK, lift=other)
    fine(syntagma.train_lm, value, "no/such/folder/x.lm", settings=other)
    fine(syntagma.evaluate, TOY, value, other)
    fine(syntagma.paired_bootstrap, ["a"], value, ["a"], samples=other)


def test_a_bag_of_one_phrase_gets_a_hint() -> None:
    with pytest.warns(SyntagmaWarning, match="is one phrase, whose words stay") as caught:
        assert TOY.order(["w1 w2"]).text == "w1 w2"
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TOY.order(["w1 w2", "w3"])
        TOY.order(["w1"])
        TOY.order(Problem.of(["w1 w2"]))
