"""Whether order constraints go with given arcs is decided for small bags, and decided right."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from references.brute_force import random_heads, satisfying
from toys.models import clashing_problem, toy_linearizer, toy_vocabulary

from syntagma.errors import ProblemError, UnsatisfiableError
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition import beam as beam_module
from syntagma.transition._depth_first import depth_first_search
from syntagma.transition._search import Search
from syntagma.transition.encoding import encode
from syntagma.transition.feasibility import cores, guided

VOCABULARY = toy_vocabulary(1)


def draw(rng: Random, n: int) -> Problem:
    """A partial tree, labels that exclude roots, and order constraints that may clash with it."""
    while True:
        heads = random_heads(rng, n)
        given = rng.choice((0.3, 0.6, 0.9))
        words = []
        for at, head in enumerate(heads):
            known = head if rng.random() < given else None
            label = "dep" if rng.random() < 0.2 and head else None
            words.append(Word(f"w{rng.choice((at, at, 0))}", head=known, deprel=label))
        order = rng.sample(range(1, n + 1), n)
        pairs = {tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.randint(0, 4))}
        before = {(order[a], order[b]) for a, b in pairs}
        arcs = [(at, word.head) for at, word in enumerate(words, start=1) if word.head]
        if len(arcs) > 1 and rng.random() < 0.7:
            # The words of two arcs by turns, with one link missing perhaps.
            one, other = (rng.sample(arc, 2) for arc in rng.sample(arcs, 2))
            turns = [one[0], other[0], one[1], other[1]]
            before |= set(rng.sample(list(pairwise(turns)), rng.choice((2, 3, 3))))
        try:
            return Problem(
                tuple(words),
                before=tuple(sorted(before)),
                first=order[0] if rng.random() < 0.2 else None,
                last=order[-1] if rng.random() < 0.2 else None,
            )
        except ProblemError:
            continue


def solve(problem: Problem, limit: int = 500_000) -> bool:
    encoding = encode(problem, VOCABULARY)
    found, exhausted = depth_first_search(Search(encoding.task, 1), limit)
    assert found or exhausted
    return bool(found)


def test_the_core_can_be_solved_if_and_only_if_the_problem_can() -> None:
    rng = Random(1)
    outcomes = []
    for _ in range(250):
        problem = draw(rng, rng.choice((2, 4, 5, 5)))
        solvable = bool(satisfying(problem))
        assert any(solve(core.problem) for core in cores(problem)) == solvable
        outcomes.append(solvable)
    assert 20 < sum(outcomes) < 245


def test_a_solution_of_the_core_is_one_of_the_problem() -> None:
    rng = Random(2)
    linearizer = toy_linearizer()
    checked = 0
    for _ in range(150):
        problem = draw(rng, rng.randint(3, 9))
        for core in cores(problem):
            encoding = encode(core.problem, VOCABULARY)
            found, _ = depth_first_search(Search(encoding.task, 1), 500_000)
            if found:
                way = guided(problem, core, encoding, found[0])
                result = linearizer.order(way)
                assert violations(replace(result, problem=problem)) == []
                checked += 1
                break
    assert checked > 50


def assert_decided(linearizer: Linearizer, problem: Problem) -> Linearization | None:
    [found] = linearizer.order_many([problem], beam=1, on_error="yield")
    if isinstance(found, UnsatisfiableError):
        assert not found.limit_reached
        return None
    assert isinstance(found, Linearization)
    assert violations(found) == []
    return found


def test_eleven_words_with_two_arcs_and_three_constraints() -> None:
    """0.7.0 gave up on it."""
    words = [Word("a"), Word("b", head=1), Word("c"), Word("d", head=3)]
    words += [Word(f"e{number}") for number in range(7)]
    problem = Problem(tuple(words), before=((1, 3), (3, 2), (2, 4)))
    assert assert_decided(toy_linearizer(), problem) is None
    assert assert_decided(toy_linearizer(), replace(problem, before=((1, 3), (3, 2)))) is not None


@pytest.mark.parametrize("n", [8, 12])
def test_small_bags_are_decided(n: int) -> None:
    rng = Random(n)
    linearizer = toy_linearizer()
    solved = [assert_decided(linearizer, draw(rng, n)) is not None for _ in range(40)]
    assert 3 < sum(solved) < 40


def test_where_the_scored_search_gives_up_the_core_shows_the_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(beam_module, "beam_search", lambda search, n_best, clock: [])
    rng = Random(9)
    linearizer = toy_linearizer()
    solved = 0
    for _ in range(60):
        problem = clashing_problem(rng, 5)
        found = assert_decided(linearizer, problem)
        assert (found is not None) == bool(satisfying(problem))
        if found is not None:
            assert found.problem == problem
            solved += 1
    assert solved > 5


def test_only_states_that_are_expanded_are_charged() -> None:
    """Of four words, two arcs that must cross: more dead states are met again than expanded."""
    words = (Word("a"), Word("b", head=1), Word("c"), Word("d", head=3), Word("e"), Word("f"))
    encoding = encode(Problem(words, before=((1, 3), (3, 2), (2, 4))), VOCABULARY)
    seen = []
    for limit in range(1, 2000):
        found, exhausted = depth_first_search(Search(encoding.task, 1), limit)
        assert not found
        if exhausted:
            seen.append(limit)
            break
    assert seen
    assert depth_first_search(Search(encoding.task, 1), seen[0] - 1) == ([], False)
