"""The reference itself: its closed-form legality against exhaustive search and brute force."""

from __future__ import annotations

from random import Random

import pytest
from references.brute_force import Orders, all_problems, random_problem, satisfying
from references.transition import Arcs, Exhaustive, Given, State, closed_form, reachable
from toys.repetitions import cases

from syntagma.problem.problem import Problem


def assert_closed_form_is_exact(problem: Problem, arcs: Arcs) -> None:
    """Compare the legal moves in every state that can be reached."""
    given = Given.of(problem, arcs)
    by_search, closed = Exhaustive(given), closed_form(given)
    agenda, seen = [given.start], set[State]()
    while agenda:
        state = agenda.pop()
        if state in seen or state.finished:
            continue
        seen.add(state)
        legal = by_search.legal(state)
        assert closed.legal(state) == legal, (problem, state)
        agenda += [state.after(move) for move in legal]


@pytest.mark.slow
@pytest.mark.parametrize("arcs", ["eager", "lazy"])
@pytest.mark.parametrize("same_forms", [False, True])
@pytest.mark.parametrize("n", range(1, 6))
def test_closed_form_is_exact_on_every_small_problem(n: int, same_forms: bool, arcs: Arcs) -> None:
    for problem in all_problems(n, same_forms=same_forms):
        assert_closed_form_is_exact(problem, arcs)


@pytest.mark.slow
@pytest.mark.parametrize(("arcs", "count"), [("eager", 1000), ("lazy", 400)])
@pytest.mark.parametrize("orders", ["none", "exact"])
def test_closed_form_is_exact_on_random_problems(orders: Orders, arcs: Arcs, count: int) -> None:
    for seed in range(cases(count)):
        assert_closed_form_is_exact(random_problem(Random(seed), 5, orders), arcs)


@pytest.mark.slow
@pytest.mark.parametrize(("arcs", "count"), [("eager", 300), ("lazy", 100)])
@pytest.mark.parametrize("orders", ["none", "exact"])
def test_legal_moves_reach_exactly_what_satisfies_the_problem(
    orders: Orders, arcs: Arcs, count: int
) -> None:
    for seed in range(cases(count)):
        problem = random_problem(Random(1000 + seed), 5, orders)
        results, dead_ends = reachable(closed_form(Given.of(problem, arcs)))
        assert not dead_ends
        assert len(results) == len(set(results)), "one derivation per result"
        assert set(results) == satisfying(problem)


@pytest.mark.slow
@pytest.mark.parametrize(("arcs", "count"), [("eager", 300), ("lazy", 100)])
def test_mixed_order_constraints_lose_no_result(arcs: Arcs, count: int) -> None:
    for seed in range(cases(count)):
        problem = random_problem(Random(2000 + seed), 5, "mixed")
        results, _ = reachable(closed_form(Given.of(problem, arcs)))
        assert len(results) == len(set(results))
        assert set(results) == satisfying(problem)
