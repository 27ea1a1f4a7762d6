"""The search from right to left: it finds what the other one finds, and their results compete."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from references.brute_force import Orders, random_problem, satisfying
from toys.models import bag
from toys.network import in_many_shapes, toy_neural_linearizer, toy_scorer
from toys.searches import EVERYTHING, VOCABULARY, Listener, tagged

from syntagma.neural.scorer import NeuralScorer, RerankedSearch
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, Word
from syntagma.results.linearization import violations
from syntagma.transition._clock import Clock
from syntagma.transition._search import FoundTree, Search, beam_search
from syntagma.transition.encoding import Encoding, encode

TOLERANCE = 1e-4
ALL = 10_000


def open_search(
    scorer: NeuralScorer, encoding: Encoding, width: int, listener: Listener | None = None
) -> RerankedSearch:
    fluency = listener.fluency(encoding) if listener else None
    return next(scorer.searches([encoding], [width], [fluency]))


def both(search: RerankedSearch, n_best: int) -> tuple[list[FoundTree], list[FoundTree]]:
    """What each of the two searches finds alone."""
    opposite = search.opposite
    assert opposite is not None
    search.opposite = None
    return beam_search(search, n_best), beam_search(opposite, n_best)


def sentences(encoding: Encoding, found: list[FoundTree]) -> set[tuple[str, ...]]:
    return {tuple(encoding.forms[word] for word in each.order) for each in found}


# ---- mirrored problems -----------------------------------------------------------------------


@pytest.mark.parametrize("orders", ["none", "exact", "mixed"])
def test_the_same_orders_are_possible_from_right_to_left(orders: Orders) -> None:
    """Whatever is given: arcs, a root, order constraints, words that are interchangeable."""
    rng = Random(orders)
    constrained = 0
    for _ in range(40):
        problem = tagged(in_many_shapes(rng, random_problem(rng, 5, orders)))
        encoding = encode(problem, VOCABULARY)
        found = [
            beam_search(Search(task, EVERYTHING, merging=True, mirrored=mirrored), ALL)
            for task, mirrored in ((encoding.task, False), (encoding.task.mirrored(), True))
        ]
        forward, backward = (sentences(encoding, some) for some in found)
        assert forward == backward
        constrained += len(forward) < 24
    assert constrained


def test_orders_that_are_asked_for() -> None:
    rng = Random(5)
    for _ in range(30):
        problem = random_problem(rng, 6, "exact")
        order, _ = rng.choice(sorted(satisfying(problem)))
        encoding = encode(problem, VOCABULARY, list(order))
        search = Search(encoding.task.mirrored(), 256, merging=True, mirrored=True)
        for found in beam_search(search, 1):
            assert [problem.words[encoding.order[word]].form for word in found.order] == [
                problem.words[index - 1].form for index in order
            ]


# ---- scores ----------------------------------------------------------------------------------


@pytest.mark.parametrize("listening", [False, True])
def test_a_tree_has_the_same_score_from_either_end(listening: bool) -> None:
    rng = Random(listening)
    compared = 0
    for number in range(150):
        problem = tagged(in_many_shapes(rng, random_problem(rng, 3, "exact")))
        encoding = encode(problem, VOCABULARY)
        if all(word.head is not None for word in problem.words):
            continue
        listener = Listener.draw(rng) if listening else None
        search = open_search(toy_scorer(number % 3), encoding, EVERYTHING, listener)
        forward, backward = both(search, ALL)
        assert sentences(encoding, forward) == sentences(encoding, backward)
        by_tree = {(*each.order, *each.heads): each for each in forward}
        for each in backward:
            same = by_tree.get((*each.order, *each.heads))
            if same is not None:
                assert each.score == pytest.approx(same.score, abs=TOLERANCE)
                assert each.fluency == pytest.approx(same.fluency, abs=TOLERANCE)
                assert (each.tags, each.labels) == (same.tags, same.labels)
                compared += 1
    assert compared > 40


# ---- competition -----------------------------------------------------------------------------


def test_the_better_of_both_is_the_result() -> None:
    rng = Random(7)
    from_right = from_left = 0
    for number in range(60):
        problem = tagged(in_many_shapes(rng, random_problem(rng, 9, "none")))
        if all(word.head is not None for word in problem.words):
            continue
        encoding, scorer = encode(problem, VOCABULARY), toy_scorer(number % 3)
        listener = Listener.draw(rng) if number % 2 else None
        found = beam_search(open_search(scorer, encoding, 4, listener), 6)
        forward, backward = both(open_search(scorer, encoding, 4, listener), 6)
        scores = [each.score for each in found]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] == max(forward[0].score, backward[0].score)
        assert len(sentences(encoding, found)) == len(found) <= 6
        assert all(each in forward or each in backward for each in found)
        from_left += backward[0].score < forward[0].score
        from_right += forward[0].score < backward[0].score
    assert from_right > 5
    assert from_left > 5


def test_a_longer_list_begins_with_the_shorter_one() -> None:
    encoding = encode(tagged(bag(*(f"w{number}" for number in range(6)))), VOCABULARY)
    for number in range(3):
        lists = [
            beam_search(open_search(toy_scorer(number), encoding, 64), n_best)
            for n_best in (1, 5, 40)
        ]
        assert lists[2][:5] == lists[1]
        assert lists[1][:1] == lists[0]


@pytest.mark.parametrize("orders", ["none", "exact"])
def test_every_promise_is_kept(orders: Orders) -> None:
    rng = Random(orders)
    for number in range(40):
        problem = in_many_shapes(rng, random_problem(rng, 8, orders))
        for each in toy_neural_linearizer(number % 3).order(problem, n_best=5, beam=4):
            assert violations(each) == []


def test_time_is_shared() -> None:
    """However little of it there is."""
    encoding = encode(tagged(bag(*(f"w{number}" for number in range(9)))), VOCABULARY)
    for seconds in (0.0, 1e-4, 10.0):
        search = open_search(toy_scorer(), encoding, 16)
        [found] = beam_search(search, 1, Clock(seconds))
        assert sorted(found.order) == list(range(9))
    assert not search.narrowed


# ---- where there is one ----------------------------------------------------------------------


def test_problems_that_are_searched_from_the_left_only() -> None:
    tree = Problem((Word("w1", head=2), Word("w2", head=0), Word("w3", head=2)))
    partial = replace(tree, words=(*tree.words[:2], Word("w3")))
    choices = [(Alternative("w1", "W1"),), (Alternative("w2", "w2"),), (Alternative("w3", "w3"),)]
    ordered = replace(partial, before=((1, 3),))
    for encoding, has_opposite in (
        (encode(ordered, VOCABULARY), True),
        (encode(tree, VOCABULARY), False),
        (encode(partial, VOCABULARY), True),
        (encode(bag("w1", "w2"), VOCABULARY), True),
        (encode(partial, VOCABULARY, ["w3", "w1", "w2"]), True),
        (encode(partial, VOCABULARY, ["w3"]), False),
        (encode(partial, VOCABULARY, alternatives=choices), False),
        (encode(partial, VOCABULARY, alternatives=[choices[1]] * 3), True),
    ):
        assert (open_search(toy_scorer(), encoding, 4).opposite is not None) is has_opposite
