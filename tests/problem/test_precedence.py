"""Precedence: examples, contradictions, and brute force over all projective orders."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from references import precedence as reference
from toys.strategies import problems, trees

from syntagma.errors import ProblemError
from syntagma.problem import precedence
from syntagma.problem.precedence import predecessors
from syntagma.problem.problem import Problem
from syntagma.problem.trees import is_projective
from syntagma.problem.word import Word

Heads = list[int | None]


def problem_of(heads: Heads | list[int], **constraints: Any) -> Problem:
    return Problem.of([Word(f"w{i}", head=head) for i, head in enumerate(heads)], **constraints)


def pairs_of(masks: tuple[int, ...] | None) -> set[tuple[int, int]]:
    """The pairs (a, b), 1-based, of a word that must precede another."""
    assert masks is not None
    return {
        (a + 1, b + 1) for b, mask in enumerate(masks) for a in range(len(masks)) if mask >> a & 1
    }


def test_no_constraints_give_nothing() -> None:
    assert problem_of([2, 0]).predecessors is None


def test_transitive_among_free_words() -> None:
    problem = Problem.of(list("abcd"), before=[(1, 2), (2, 3)])
    assert pairs_of(problem.predecessors) == {(1, 2), (2, 3), (1, 3)}


def test_first_and_last() -> None:
    problem = Problem.of(list("abc"), first=2, last=1)
    assert pairs_of(problem.predecessors) == {(2, 1), (2, 3), (3, 1)}


def test_subtrees_move_as_a_whole() -> None:
    # w0 and w1 below w2, w3 below w4, both below w5: w0 before w3 orders the two subtrees.
    problem = problem_of([3, 3, 6, 5, 6, 0], before=[(1, 4)])
    assert pairs_of(problem.predecessors) == {(a, b) for a in (1, 2, 3) for b in (4, 5)}


def test_a_head_stands_for_itself_alone() -> None:
    # w0 is the head of w1 (with w2 below it) and of w3.
    problem = problem_of([0, 1, 2, 1], before=[(1, 3)])
    assert pairs_of(problem.predecessors) == {(1, 2), (1, 3)}


def test_components_of_a_partial_tree_are_independent() -> None:
    problem = problem_of([2, None, 4, None], before=[(1, 3)])
    assert pairs_of(problem.predecessors) == {(1, 3)}


def test_a_free_word_may_stand_inside_a_given_subtree() -> None:
    # w2 depends on w0; w1 between them can still become a dependent of either.
    problem = problem_of([None, None, 1], before=[(1, 2), (2, 3)])
    assert pairs_of(problem.predecessors) == {(1, 2), (2, 3), (1, 3)}


@pytest.mark.parametrize(
    ("heads", "constraints", "parts"),
    [
        (
            [None] * 3,
            {"before": [(1, 2), (2, 3), (3, 1)]},
            ["'w0' before word 2 'w1' before word 3"],
        ),
        (
            [None] * 2,
            {"before": [(2, 1)], "first": 1},
            ["word 2 'w1'", "before word 1 'w0'", "first"],
        ),
        ([None] * 2, {"before": [(2, 1)], "last": 2}, ["word 1 'w0'", "after word 2 'w1'", "last"]),
        ([2, 0, 1], {"before": [(1, 2), (2, 3)]}, ["'w", "before and after word", "given arcs"]),
        # w0 below w1 below w2: nothing of w1's subtree can enclose w2.
        ([2, 3, 0], {"first": 1, "last": 2}, ["before and after", "given arcs"]),
    ],
)
def test_contradictions_name_the_words(
    heads: Heads, constraints: dict[str, Any], parts: list[str]
) -> None:
    with pytest.raises(ProblemError) as caught:
        problem_of(heads, **constraints)
    for part in parts:
        assert part in str(caught.value)


def projective_orders(heads: list[int]) -> list[tuple[int, ...]]:
    """All projective orders of a tree, each as the tuple of 1-based words from left to right."""
    found = []
    for order in permutations(range(1, len(heads) + 1)):
        place = {word: position for position, word in enumerate(order, start=1)}
        ordered = [place.get(heads[word - 1], 0) for word in order]
        if is_projective(ordered):
            found.append(order)
    return found


@pytest.mark.slow
@given(trees(max_size=6), st.data())
@settings(max_examples=150, deadline=None)
def test_closure_is_exact_on_full_trees(heads: list[int], data: st.DataObject) -> None:
    size = len(heads)
    assume(size > 1)
    words = st.integers(1, size)
    before = data.draw(
        st.lists(st.tuples(words, words).filter(lambda p: p[0] != p[1]), unique=True, max_size=3)
    )
    first = data.draw(st.none() | words)
    last = data.draw((st.none() | words).filter(lambda word: word is None or word != first))
    assume(before or first or last)
    orders = [
        order
        for order in projective_orders(heads)
        if (first is None or order[0] == first)
        and (last is None or order[-1] == last)
        and all(order.index(a) < order.index(b) for a, b in before)
    ]
    try:
        problem = problem_of(heads, before=before, first=first, last=last)
    except ProblemError:
        assert not orders
        return
    assert orders
    forced = {
        (a, b)
        for a, b in permutations(range(1, size + 1), 2)
        if all(order.index(a) < order.index(b) for order in orders)
    }
    assert pairs_of(problem.predecessors) == forced


@pytest.mark.slow
@given(problems())
@settings(max_examples=200, deadline=None)
def test_closure_is_transitive_and_holds_the_constraints(problem: Problem) -> None:
    masks = problem.predecessors
    assume(masks is not None)
    pairs = pairs_of(masks)
    assert set(problem.before) <= pairs
    assert all((a, d) in pairs for a, b in pairs for c, d in pairs if b == c)
    assert all(a != b for a, b in pairs)


@st.composite
def partial_trees(draw: st.DrawFn) -> Heads:
    """Heads of some words, without cycles, in any listing."""
    size = draw(st.integers(2, 14))
    order = draw(st.permutations(range(1, size + 1)))
    heads: Heads = [None] * size
    for position, word in enumerate(order[1:], start=1):
        heads[word - 1] = draw(st.none() | st.sampled_from(order[:position]))
    return heads


@given(partial_trees(), st.data())
@settings(max_examples=150, deadline=None)
def test_closure_is_that_of_the_reference(heads: Heads, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(1, len(heads) + 1)))
    places = st.integers(0, len(heads) - 1)
    pairs = tuple(
        (order[a], order[b])
        for a, b in data.draw(st.sets(st.tuples(places, places), max_size=12))
        if a < b or (a > b and data.draw(st.integers(0, 9)) == 0)
    )
    words = [Word(f"w{i}", head=head) for i, head in enumerate(heads)]
    first = data.draw(st.sampled_from([None, None, order[0]]))
    last = data.draw(st.sampled_from([None, None, order[-1]]))

    def outcome(closure: Callable[..., tuple[int, ...] | None]) -> tuple[int, ...] | str | None:
        try:
            return closure(words, pairs, first, last)
        except ProblemError as error:
            return str(error).partition(":")[0]

    assert outcome(predecessors) == outcome(reference.predecessors)


@pytest.mark.parametrize("heads", ["free", "star", "path"])
def test_work_grows_with_the_constraints_and_not_with_pairs_of_words(
    heads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chain over many words: each subtree gets an edge from its neighbour, not from all."""
    size = 400
    given: dict[str, Heads] = {
        "free": [None] * size,
        "star": [None] + [1] * (size - 1),
        "path": [None, *range(1, size)],
    }
    graphs: list[precedence._Graph] = []
    close = precedence._Graph.close

    def closing(graph: precedence._Graph) -> list[int]:
        graphs.append(graph)
        return close(graph)

    monkeypatch.setattr(precedence._Graph, "close", closing)
    chain = [(word, word + 1) for word in range(1, size)]
    problem = problem_of(given[heads], before=chain)
    assert problem.predecessors == tuple((1 << word) - 1 for word in range(size))
    assert len(graphs) <= 3
    assert all(sum(map(len, graph.edges)) < 8 * size for graph in graphs)


def test_a_long_cycle_is_found_without_keeping_its_paths() -> None:
    size = 9_000
    cycle = [(word, word % size + 1) for word in range(1, size + 1)]
    with pytest.raises(ProblemError, match=r"word 1 'w' before word 2 'w' .* more "):
        Problem.of(["w"] * size, before=cycle)
