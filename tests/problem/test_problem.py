"""Problems: what is accepted, what is rejected and how, the root, the canonical order."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.strategies import problems, relist

from syntagma.errors import ProblemError
from syntagma.formats.jsonl import read_jsonl
from syntagma.problem import canonical
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word


def bag(*heads: int | None) -> list[Word]:
    return [Word(form, head=head) for form, head in zip("abcdefgh", heads, strict=False)]


def test_strings_become_words() -> None:
    problem = Problem.of(["barks", Word("dog", tag="NN"), "the"], before=[(3, 2)], last=1)
    assert problem.words == (Word("barks"), Word("dog", "NN"), Word("the"))
    assert problem.before == ((3, 2),)


def test_features_are_a_string_or_a_mapping() -> None:
    """A mapping is kept as the string that JSON and CoNLL-U give, so that a word stays hashable."""
    given: Any = {"Tense": "Past", "aspect": "Perf", "PronType": "Int,Rel"}
    of_numpy: Any = {np.str_(name): np.str_(value) for name, value in given.items()}
    for features in (given, of_numpy, MappingProxyType(given)):
        word = Word("a", features=features)
        assert word.features == "aspect=Perf|PronType=Int,Rel|Tense=Past"
        assert type(word.features) is str
        assert len({word, Word("a", features=word.features)}) == 1
    assert Word("a", features={}).features == ""
    assert replace(Word("a"), features=given).features == word.features
    (read,) = read_jsonl([json.dumps([{"form": "a", "features": given}])], "f.jsonl")
    assert read == Problem.of([word])


@pytest.mark.parametrize(
    "form",
    [
        "New York",
        "🐈",
        "👩‍👩‍👧",
        "שלום",
        "e\u0301",
        "\x07",
        "a\x00b",
        "a\u00a0b",
        "_",
        "#",
        "\u202eabc",
        "\x1b[1m",
    ],
)
def test_unusual_words_are_accepted(form: str) -> None:
    assert Problem.of([form, form]).words[0].form == form


@pytest.mark.parametrize(
    ("words", "constraints", "parts"),
    [
        pytest.param([], {}, ["empty bag"], id="empty bag"),
        pytest.param(["a", ""], {}, ["word 2", "empty"], id="empty form"),
        pytest.param(["  "], {}, ["word 1", "empty"], id="blank form"),
        pytest.param([" a"], {}, ["word 1", "extra space"], id="leading space"),
        pytest.param(["a  b"], {}, ["word 1", "extra space"], id="double space"),
        pytest.param(["a\tb"], {}, ["word 1", "tab", r"'a\tb'"], id="tab"),
        pytest.param(["a\nb"], {}, ["word 1", "line end"], id="newline"),
        pytest.param(["\ud800"], {}, ["word 1", "surrogate"], id="surrogate"),
        pytest.param([Word("a", tag="")], {}, ["tag of word 1 'a'", "empty"], id="empty tag"),
        pytest.param([Word("a", tag="N N")], {}, ["tag of word 1 'a'", "white space"], id="tag"),
        pytest.param([Word("a", deprel="")], {}, ["deprel of word 1 'a'"], id="empty deprel"),
        pytest.param(bag(3), {}, ["head of word 1 'a' is 3", "1 to 1"], id="head out of range"),
        pytest.param(bag(-1), {}, ["head of word 1 'a' is -1"], id="negative head"),
        pytest.param(bag(None, 2), {}, ["word 2 'b'", "own head"], id="self-loop"),
        pytest.param(
            bag(2, 3, 1, None),
            {},
            ["cycle: word 1 'a' → word 2 'b' → word 3 'c' → word 1"],
            id="cycle",
        ),
        pytest.param(bag(0, 1, 0), {}, ["2 words", "word 1 'a', word 3 'c'"], id="two roots"),
        pytest.param(
            [Word("a", head=0), Word("b", deprel="root")],
            {},
            ["word 1 'a', word 2 'b'"],
            id="root label",
        ),
        pytest.param(
            [Word("a", deprel="nsubj"), Word("b", head=1)],
            {},
            ["no word can be the root", "word 1 'a'", "nsubj"],
            id="no root",
        ),
        pytest.param(["a", "b"], {"before": [(1, 3)]}, ["word 3", "1 to 2"], id="before range"),
        pytest.param(
            ["a", "b"], {"before": [(2, 2)]}, ["word 2 'b'", "itself"], id="before itself"
        ),
        pytest.param(
            ["a", "b"],
            {"before": [(1, 2), (1, 2)]},
            ["duplicate", "'a' before word 2"],
            id="duplicate",
        ),
        pytest.param(["a", "b"], {"first": 0}, ["`first`", "word 0"], id="first range"),
        pytest.param(["a", "b"], {"last": 3}, ["`last`", "word 3"], id="last range"),
        pytest.param(
            ["a", "b"],
            {"first": 1, "last": 1},
            ["word 1 'a'", "first and as last"],
            id="first is last",
        ),
        pytest.param(["a"], {"id": "x\ny"}, ["id", "one line"], id="id of two lines"),
    ],
)
def test_bad_problems_are_rejected_by_name(
    words: list[str | Word], constraints: dict[str, Any], parts: list[str]
) -> None:
    with pytest.raises(ProblemError) as caught:
        Problem.of(words, **constraints)
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    "build",
    [
        lambda: Problem.of("the dog barks"),
        lambda: Problem("a"),  # type: ignore[arg-type]
        lambda: Problem.of(b"ab"),  # type: ignore[arg-type]
        lambda: Problem.of({"words": ["a"]}),
        lambda: Problem.of([None]),  # type: ignore[list-item]
        lambda: Problem.of([1]),  # type: ignore[list-item]
        lambda: Problem.of([Word(1)]),  # type: ignore[arg-type]
        lambda: Problem.of([Word("a", tag=1)]),  # type: ignore[arg-type]
        lambda: Problem.of([Word("a", head="0")]),  # type: ignore[arg-type]
        lambda: Problem.of([Word("a", head=False)]),
        lambda: Problem.of(["a", "b"], first=True),
        lambda: Problem.of(["a", "b"], before=[(1, 2, 3)]),
        lambda: Problem.of(["a", "b"], before=(1, 2)),  # type: ignore[arg-type]
        lambda: Problem.of(["a", "b"], before=[{1, 2}]),  # type: ignore[list-item]
        lambda: Problem.of(["a", "b"], before="12"),  # type: ignore[arg-type]
        lambda: Problem.of(["a", "b"], before=np.array([[1.0, 2.0]])),
        lambda: Problem.of(["a", "b"], last=2.0),  # type: ignore[arg-type]
        lambda: Problem.of(["a", "b"], first=np.True_),  # type: ignore[arg-type]
        lambda: Problem.of(["a", "b"], first=10**5000),
        lambda: Problem.of([Word("a", head=0), Word("b", head=1.0)]),  # type: ignore[arg-type]
        lambda: Problem.of([Word("a", head=-(10**5000))]),
        lambda: Problem.of([Word(np.array(["a", "b"]))]),  # type: ignore[arg-type]
        lambda: Problem.of(["a", "b"], before=["12"]),  # type: ignore[list-item]
        lambda: Problem.of(["a"], id=7),  # type: ignore[arg-type]
    ],
)
def test_values_of_the_wrong_type_are_rejected(build: Any) -> None:
    with pytest.raises(ProblemError) as caught:
        build()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def test_numpy_integers_and_lists_are_accepted() -> None:
    expected = Problem(
        (Word("a", head=0), Word("b", head=1), Word("c")), before=((1, 2), (1, 3)), first=1, last=3
    )
    zero: Any = np.int64(0)
    one: Any = np.uint8(1)
    two: Any = np.int32(2)
    words = [Word(np.str_("a"), head=zero), Word("b", head=one), Word("c")]
    for before in ([[1, 2], [1, 3]], np.array([[1, 2], [1, 3]]), iter([(1, 2), [np.int8(1), 3]])):
        problem = Problem(words, before, np.int32(1), np.int64(3))  # type: ignore[arg-type]
        assert problem == expected
        assert hash(problem) == hash(expected)
        assert repr(problem) == repr(expected)
    of = Problem.of(np.array(["x", "y"]), before=np.array([[2, 1]]), first=two)
    assert of == Problem.of(["x", "y"], before=[(2, 1)], first=2)
    assert type(of.words[0].form) is str


def test_problems_can_be_pickled_and_copied() -> None:
    problem = Problem.of(["a", Word("b", head=1)], before=[(1, 2)], last=2, id="x")
    for twin in (pickle.loads(pickle.dumps(problem)), copy.copy(problem), copy.deepcopy(problem)):
        assert twin == problem
        assert twin.predecessors == problem.predecessors


def test_a_long_cycle_is_named_in_part() -> None:
    heads = [*range(2, 101), 1]
    with pytest.raises(ProblemError, match="94 more") as caught:
        Problem.of([Word("w", head=head) for head in heads])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("words", "root", "may_be_root"),
    [
        (["a", "b"], None, (True, True)),
        (bag(None, 0), 2, (False, True)),
        (bag(None, 1, 2), 1, (True, False, False)),
        (bag(None, 1, None), None, (True, False, True)),
        ([Word("a", deprel="root"), Word("b")], 1, (True, False)),
        ([Word("a", deprel="obj"), Word("b"), Word("c")], None, (False, True, True)),
    ],
)
def test_root(words: list[str | Word], root: int | None, may_be_root: tuple[bool, ...]) -> None:
    problem = Problem.of(words)
    assert problem.root == root
    assert problem.may_be_root == may_be_root


def canonical_form(problem: Problem) -> Problem:
    return relist(problem, list(problem.canonical()))


@pytest.mark.slow
@given(problems(), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_canonical_order_does_not_depend_on_the_listing(
    problem: Problem, rng: random.Random
) -> None:
    listing = list(range(len(problem.words)))
    rng.shuffle(listing)
    assert sorted(problem.canonical()) == sorted(listing)
    assert canonical_form(problem) == canonical_form(relist(problem, listing))


def test_words_that_only_look_alike_from_nearby_are_told_apart() -> None:
    # Six words before six others, two partners each: a ring of eight words and a ring of four.
    rings = [(1, 7), (1, 8), (2, 8), (2, 9), (3, 9), (3, 10), (4, 10), (4, 7)]
    rings += [(5, 11), (5, 12), (6, 11), (6, 12)]
    problem = Problem.of(["a"] * 12, before=rings)
    rng = random.Random(1)
    for _ in range(20):
        listing = rng.sample(range(12), 12)
        assert canonical_form(problem) == canonical_form(relist(problem, listing))


@pytest.mark.slow
def test_canonical_order_does_not_depend_on_hash_seeds() -> None:
    program = (
        "from syntagma.problem.problem import Problem, Word\n"
        "words = [Word(f, head=h) for f, h in zip('ababab', [0, 1, 1, 3, 3, 1])]\n"
        "print(Problem.of(words, before=[(2, 6)]).canonical())"
    )
    source = str(Path(__file__).parents[2] / "src")
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": source},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(Problem.of(["a"] * 500), id="all alike"),
        pytest.param(Problem.of([Word("a", head=i) for i in range(500)]), id="chain"),
        pytest.param(Problem.of([Word("a", head=(i + 1) // 2) for i in range(500)]), id="binary"),
        pytest.param(
            Problem.of(["a"] * 500, before=[(i, i + 1) for i in range(1, 500, 2)]), id="pairs"
        ),
        pytest.param(
            Problem.of(["a"] * 500, before=[(i, j) for i in range(1, 40) for j in range(40, 501)]),
            id="some before the rest",
        ),
    ],
)
def test_canonical_order_of_many_words(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each word is told apart from those like it, in its component and then among all words: the
    orders of words are not tried."""
    told_apart = []
    individualise = canonical._Colouring.individualise

    def counted(colouring: canonical._Colouring, word: int) -> object:
        told_apart.append(word)
        return individualise(colouring, word)

    monkeypatch.setattr(canonical._Colouring, "individualise", counted)
    assert sorted(problem.canonical()) == list(range(500))
    assert len(told_apart) <= 2 * 500


def test_other_forms_make_the_same_problem_otherwise() -> None:
    problem = Problem.of(
        [Word(lemma="b", tag="T", head=2, deprel="d", features="A=b"), Word("c", head=0)],
        before=[(2, 1)],
        last=1,
        id="s",
    )
    expected = Problem.of(
        [Word("x", "T", 2, "d", "b", "A=b"), Word("y", head=0)], before=[(2, 1)], last=1, id="s"
    )
    assert problem.with_forms(["x", "y"]) == expected
    with pytest.raises(ValueError, match="zip"):
        problem.with_forms(["x"])
