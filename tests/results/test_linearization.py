"""Linearizations: their views, and that every broken promise is found."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys.strategies import trees

from syntagma.problem.problem import Problem
from syntagma.problem.trees import is_projective, lift, lift_heads, lifting_room
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, Token, violations

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


# "dog barks" is one piece, "now" another; "the", "loudly" and the root "seems" are left out.
PIECES_PROBLEM = Problem.of(
    [
        Word("barks", head=5, deprel="xcomp"),
        Word("dog", tag="NN", head=1, deprel="nsubj"),
        "the",
        Word("now", deprel="advmod"),
        Word("seems", head=0),
        "loudly",
    ],
    before=[(2, 1), (1, 4), (3, 4)],
    first=2,
    last=4,
)
PIECES = Linearization(
    (
        Token("dog", "NN", 2, "nsubj", 2),
        Token("barks", "VBZ", 0, "root", 1),
        Token("now", "RB", 0, "root", 4),
    ),
    -1.25,
    PIECES_PROBLEM,
    finished=False,
)


def pieces_with(position: int, **changes: object) -> Linearization:
    tokens = list(PIECES.tokens)
    tokens[position - 1] = replace(tokens[position - 1], **changes)  # type: ignore[arg-type]
    return replace(PIECES, tokens=tuple(tokens))


def pieces_of(*tokens: Token) -> Linearization:
    return replace(PIECES, tokens=tokens)


def test_words_that_are_left_out() -> None:
    assert GOOD.left_out == ()
    assert PIECES.left_out == (3, 5, 6)
    assert pieces_of().left_out == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize(
    "unfinished",
    [
        pytest.param(PIECES, id="pieces"),
        pytest.param(pieces_of(), id="no words"),
        pytest.param(pieces_with(1, head=0), id="a given head may be missing"),
        pytest.param(pieces_with(1, head=0, deprel="det"), id="the label of no arc is free"),
        pytest.param(pieces_with(3, head=2, deprel="advmod"), id="one piece"),
        pytest.param(pieces_of(Token("the", "DT", 0, "root", 3)), id="no constraint met"),
        pytest.param(pieces_of(Token("seems", "VBZ", 0, "dep", 5)), id="the given root"),
        pytest.param(replace(GOOD, finished=False), id="whole"),
    ],
)
def test_pieces_keep_the_promises_of_an_unfinished_result(unfinished: Linearization) -> None:
    assert violations(unfinished) == []


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        pytest.param(pieces_with(3, source=1), "'barks' is used 2 times", id="twice"),
        pytest.param(pieces_with(3, source=9), "no word 9", id="invented"),
        pytest.param(pieces_with(1, form="Dog"), "'dog' has become 'Dog'", id="form"),
        pytest.param(pieces_with(1, tag="NNP"), "tagged NNP, not NN", id="tag"),
        pytest.param(pieces_with(1, head=3), "word 4, not on word 1 as given", id="head"),
        pytest.param(pieces_with(1, deprel="obj"), "labelled obj, not nsubj", id="label"),
        pytest.param(
            pieces_with(3, head=2, deprel="obl"), "labelled obl, not advmod", id="label, no head"
        ),
        pytest.param(pieces_with(1, head=9), "out of range", id="head out of range"),
        pytest.param(
            pieces_of(Token("the", "DT", 2, "det", 3), Token("loudly", "RB", 1, "dep", 6)),
            "0 roots",
            id="no root",
        ),
        pytest.param(
            pieces_of(
                Token("the", "DT", 2, "det", 3),
                Token("loudly", "RB", 1, "dep", 6),
                Token("now", "RB", 0, "root", 4),
            ),
            "cycle",
            id="cycle beside a root",
        ),
        pytest.param(
            pieces_of(
                Token("the", "DT", 3, "det", 3),
                Token("loudly", "RB", 0, "root", 6),
                Token("now", "RB", 0, "root", 4),
            ),
            "not projective",
            id="a piece inside another",
        ),
        pytest.param(
            pieces_of(Token("seems", "VBZ", 2, "dep", 5), Token("loudly", "RB", 0, "root", 6)),
            "depends on word 6, not on word 0 as given",
            id="the given root",
        ),
        pytest.param(
            pieces_of(Token("barks", "VBZ", 0, "root", 1), Token("dog", "NN", 0, "root", 2)),
            "does not stand before",
            id="before",
        ),
        pytest.param(
            pieces_of(Token("the", "DT", 0, "root", 3), *PIECES.tokens[1:2], PIECES.tokens[0]),
            "'dog' does not stand first",
            id="first",
        ),
        pytest.param(
            pieces_of(Token("now", "RB", 0, "root", 4), Token("loudly", "RB", 0, "root", 6)),
            "'now' does not stand last",
            id="last",
        ),
    ],
)
def test_every_broken_promise_of_an_unfinished_result_is_found(
    broken: Linearization, message: str
) -> None:
    assert any(message in violation for violation in violations(broken))


def test_a_word_labelled_root_is_the_root_of_its_piece() -> None:
    problem = Problem.of([Word("go", deprel="root"), "home", "now"])
    tokens = (Token("go", "VB", 2, "root", 1), Token("home", "RB", 0, "root", 2))
    assert violations(Linearization(tokens, 0.0, problem, finished=False)) == [
        "word 1 'go' is given with the label root, but is not the root"
    ]


def test_pieces_are_no_finished_result() -> None:
    assert violations(replace(PIECES, finished=True)) == [
        f"word {index} {form!r} is used 0 times"
        for index, form in ((3, "the"), (5, "seems"), (6, "loudly"))
    ]


@given(trees(max_size=6), st.lists(st.booleans(), min_size=6, max_size=6))
def test_only_given_arcs_may_cross(heads: list[int], given: list[bool]) -> None:
    """A tree is valid if it is projective after given arcs are lifted along given ones."""
    words = [
        Word("w", head=head if known else None) for head, known in zip(heads, given, strict=False)
    ]
    room = lifting_room([word.head for word in words])
    allowed = any(
        is_projective([head or 0 for head in lift_heads(heads, lifting)])
        for lifting in product(*(range(steps + 1) for steps in room))
    )
    tokens = tuple(Token("w", "X", head, "dep", at) for at, head in enumerate(heads, start=1))
    result = Linearization(tokens, 0.0, Problem.of(words))
    assert violations(result) == ([] if allowed else ["the tree is not projective"])
    assert result.projective == is_projective(heads)


@given(trees())
def test_any_projective_tree_keeps_the_promises_of_its_bag(heads: list[int]) -> None:
    tokens = tuple(
        Token("w", "X", head, "dep", index) for index, head in enumerate(lift(heads), start=1)
    )
    assert violations(Linearization(tokens, 0.0, Problem.of(["w"] * len(heads)))) == []
