"""Linearizations: their views, and that every broken promise is found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from strategies import trees

from syntagma.linearization import Linearization, Token, violations
from syntagma.problem import Problem, Word
from syntagma.projectivity import lift

PROBLEM = Problem.of(
    [Word("barks", head=0), Word("dog", tag="NN", head=1), "the", Word("now", deprel="advmod")],
    before=[(2, 1)],
    first=3,
    last=4,
    id="s1",
)
GOOD = Linearization(
    (
        Token("the", "DT", 2, "det", 3),
        Token("dog", "NN", 3, "nsubj", 2),
        Token("barks", "VBZ", 0, "root", 1),
        Token("now", "RB", 3, "advmod", 4),
    ),
    -1.25,
    PROBLEM,
)


def test_views() -> None:
    assert GOOD.text == "the dog barks now"
    assert GOOD.words == ("the", "dog", "barks", "now")
    assert GOOD.tags == ("DT", "NN", "VBZ", "RB")
    assert GOOD.heads == (2, 3, 0, 3)
    assert GOOD.deprels == ("det", "nsubj", "root", "advmod")
    assert GOOD.order == (3, 2, 1, 4)


def test_a_good_linearization_has_no_violations() -> None:
    assert violations(GOOD) == []


def test_a_phrase_is_printed_as_its_words() -> None:
    problem = Problem.of(["the old dog", "barks"])
    tokens = (Token("the old dog", "NN", 2, "nsubj", 1), Token("barks", "VBZ", 0, "root", 2))
    assert Linearization(tokens, 0.0, problem).text == "the old dog barks"


def with_token(position: int, **changes: object) -> Linearization:
    tokens = list(GOOD.tokens)
    tokens[position - 1] = replace(tokens[position - 1], **changes)  # type: ignore[arg-type]
    return replace(GOOD, tokens=tuple(tokens))


def reordered(*positions: int) -> Linearization:
    """The same tree with its tokens in another order, heads renumbered."""
    place = {old: new for new, old in enumerate(positions, start=1)}
    tokens = (GOOD.tokens[old - 1] for old in positions)
    return replace(
        GOOD, tokens=tuple(replace(token, head=place.get(token.head, 0)) for token in tokens)
    )


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        pytest.param(replace(GOOD, tokens=GOOD.tokens[:3]), "'now' is used 0 times", id="missing"),
        pytest.param(with_token(4, source=1), "'barks' is used 2 times", id="twice"),
        pytest.param(with_token(4, source=9), "no word 9", id="invented"),
        pytest.param(with_token(1, form="The"), "'the' has become 'The'", id="form"),
        pytest.param(with_token(2, tag="NNP"), "tagged NNP, not NN", id="tag"),
        pytest.param(with_token(2, head=4), "not on word 1 as given", id="head"),
        pytest.param(with_token(4, deprel="obl"), "labelled obl, not advmod", id="label"),
        pytest.param(with_token(4, head=9), "out of range", id="head out of range"),
        pytest.param(with_token(1, head=0), "2 roots", id="two roots"),
        pytest.param(with_token(2, head=1), "cycle", id="cycle"),
        pytest.param(with_token(1, head=4), "not projective", id="not projective"),
        pytest.param(reordered(3, 1, 2, 4), "does not stand before", id="before"),
        pytest.param(reordered(2, 1, 3, 4), "'the' does not stand first", id="first"),
        pytest.param(reordered(1, 2, 4, 3), "'now' does not stand last", id="last"),
    ],
)
def test_every_broken_promise_is_found(broken: Linearization, message: str) -> None:
    assert any(message in violation for violation in violations(broken))


def test_a_label_without_a_head_settles_the_root() -> None:
    problem = Problem.of([Word("go", deprel="root"), "home"])
    tokens = (Token("go", "VB", 2, "root", 1), Token("home", "RB", 0, "root", 2))
    assert violations(Linearization(tokens, 0.0, problem)) == [
        "word 1 'go' is given with the label root, but is not the root"
    ]
    problem = Problem.of(["go", Word("home", deprel="advmod")])
    tokens = (Token("go", "VB", 2, "dep", 1), Token("home", "RB", 0, "advmod", 2))
    assert violations(Linearization(tokens, 0.0, problem)) == [
        "word 2 'home' is given with the label advmod, but is the root"
    ]


@given(trees())
def test_any_projective_tree_keeps_the_promises_of_its_bag(heads: list[int]) -> None:
    tokens = tuple(
        Token("w", "X", head, "dep", index) for index, head in enumerate(lift(heads), start=1)
    )
    assert violations(Linearization(tokens, 0.0, Problem.of(["w"] * len(heads)))) == []
