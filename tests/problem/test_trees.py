"""Projectivity and lifting, against definitions written the slow way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.strategies import trees

from syntagma.problem.trees import (
    count_nonprojective,
    find_cycle,
    is_projective,
    least_lifting,
    lift,
    lift_heads,
    lifting_room,
)


def ancestors(heads: Sequence[int], word: int) -> list[int]:
    found = []
    while word:
        word = heads[word - 1]
        found.append(word)
    return found


def projective_by_definition(heads: Sequence[int]) -> bool:
    return all(
        head in ancestors(heads, between)
        for dependent, head in enumerate(heads, start=1)
        if head
        for between in range(min(head, dependent) + 1, max(head, dependent))
    )


@pytest.mark.parametrize(
    ("heads", "lifted"),
    [
        ([0], (0,)),
        ([2, 0, 2], (2, 0, 2)),
        # "a hearing is scheduled on the issue today": "on the issue" moves from "hearing" up.
        ([2, 4, 4, 0, 7, 7, 2, 4], (2, 4, 4, 0, 7, 7, 4, 4)),
        # The root stands between word 1 and its head.
        ([3, 0, 2], (3, 0, 2)) if False else ([3, 0, 2], (2, 0, 2)),
        # Two arcs cross: the shorter one is lifted.
        ([3, 4, 0, 3], (3, 3, 0, 3)),
    ],
)
def test_lift(heads: list[int], lifted: tuple[int, ...]) -> None:
    assert lift(heads) == lifted


@given(trees(max_size=12))
def test_is_projective_agrees_with_the_definition(heads: list[int]) -> None:
    assert is_projective(heads) == projective_by_definition(heads)


@given(trees(max_size=10))
def test_nonprojective_arcs_are_counted_by_the_definition(heads: list[int]) -> None:
    crossing = sum(
        any(
            head not in ancestors(heads, between)
            for between in range(min(head, dependent) + 1, max(head, dependent))
        )
        for dependent, head in enumerate(heads, start=1)
        if head
    )
    assert count_nonprojective(heads) == crossing
    assert (crossing == 0) == is_projective(heads)


@given(trees(max_size=12))
def test_lifting_makes_trees_projective(heads: list[int]) -> None:
    lifted = lift(heads)
    assert projective_by_definition(lifted)
    assert lifted.count(0) == 1
    assert find_cycle(lifted) == []
    for word, (old, new) in enumerate(zip(heads, lifted, strict=True), start=1):
        assert new == old or new in ancestors(heads, word)


@given(trees(max_size=12))
def test_lifting_keeps_projective_trees(heads: list[int]) -> None:
    lifted = lift(heads)
    assert lift(lifted) == lifted
    if is_projective(heads):
        assert lifted == tuple(heads)


@pytest.mark.parametrize(
    ("heads", "cycle"),
    [([0, 1, 2], []), ([None, 1, None], []), ([0, 3, 2], [2, 3, 2]), ([2, 3, 4, 2], [2, 3, 4, 2])],
)
def test_find_cycle(heads: list[int | None], cycle: list[int]) -> None:
    assert find_cycle(heads) == cycle


def descends(heads: list[int], word: int, ancestor: int) -> bool:
    while word and word != ancestor:
        word = heads[word - 1]
    return word == ancestor


def plainly_lifted(heads: list[int]) -> list[int]:
    """Nivre & Nilsson (2005) to the letter: look at every arc before each step."""
    lifted = list(heads)
    while True:
        crossed = [
            (abs(head - dependent), dependent)
            for dependent, head in enumerate(lifted, start=1)
            if head
            and not all(
                descends(lifted, word, head)
                for word in range(min(head, dependent) + 1, max(head, dependent))
            )
        ]
        if not crossed:
            return lifted
        _, dependent = min(crossed)
        lifted[dependent - 1] = lifted[lifted[dependent - 1] - 1]


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_lifting_step_by_step(data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(1, data.draw(st.integers(2, 14)))))
    heads = [0] * len(order)
    for position, word in enumerate(order[1:], start=1):
        heads[word - 1] = data.draw(st.sampled_from(order[max(0, position - 3) : position]))
    expected = plainly_lifted(heads)
    assert lift(heads) == tuple(expected)
    assert is_projective(heads) == (expected == heads)


# ---- liftings --------------------------------------------------------------------------------


def lifted_by_definition(heads: Sequence[int], lifting: Sequence[int]) -> tuple[int, ...]:
    return tuple(
        [head, *ancestors(heads, head)][steps] if head else 0
        for head, steps in zip(heads, lifting, strict=True)
    )


def liftings(heads: Sequence[int], known: Sequence[bool]) -> Iterator[tuple[int, ...]]:
    """All that are allowed: along known arcs, and never up to the root's head."""
    room = []
    for word in range(1, len(heads) + 1):
        steps, above = 0, heads[word - 1]
        while known[word - 1] and above and known[above - 1] and heads[above - 1]:
            steps, above = steps + 1, heads[above - 1]
        room.append(range(steps + 1))
    return product(*room)


@given(trees(max_size=6), st.lists(st.booleans(), min_size=6, max_size=6))
def test_the_least_lifting_is_least_for_every_word(heads: list[int], drawn: list[bool]) -> None:
    for known in ([True] * len(heads), drawn[: len(heads)]):
        fitting = [
            lifting
            for lifting in liftings(heads, known)
            if projective_by_definition(lifted_by_definition(heads, lifting))
        ]
        least = tuple(map(min, zip(*fitting, strict=True))) if fitting else None
        assert least_lifting(heads, known) == least
        assert least is None or least in fitting
    assert least_lifting(heads) is not None
    assert least_lifting(heads) == least_lifting(heads, [True] * len(heads))


@given(trees())
def test_no_tree_is_lifted_further_than_by_the_algorithm_of_the_paper(heads: list[int]) -> None:
    lifting = least_lifting(heads)
    assert lifting is not None
    assert lift_heads(heads, lifting) == lifted_by_definition(heads, lifting)
    for word, (high, low) in enumerate(zip(lift(heads), lift_heads(heads, lifting), strict=True)):
        assert high in [low, *ancestors(heads, low or 0)], word


@given(trees(), st.lists(st.booleans(), min_size=8, max_size=8))
def test_room_is_what_a_word_can_be_lifted_by(heads: list[int], known: list[bool]) -> None:
    partial = [head if given else None for head, given in zip(heads, known, strict=False)]
    room = lifting_room(partial)
    assert max(liftings(heads, known)) == room
    for word in range(len(heads)):
        with pytest.raises(ValueError, match=f"word {word + 1} cannot be lifted"):
            lift_heads(partial, [steps + (at == word) for at, steps in enumerate(room)])


def test_several_roots_are_not_lifted_to_each_other() -> None:
    assert least_lifting([3, 0, 0]) is None
