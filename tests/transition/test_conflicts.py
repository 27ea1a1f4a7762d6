"""The smallest conflict among order constraints: irreducible, and found in few tries."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syntagma.problem.problem import Problem
from syntagma.transition import feasibility
from syntagma.transition.feasibility import describe_constraints, smallest_conflict


def chain(size: int) -> Problem:
    pairs = [(word, word + 1) for word in range(1, size)]
    return Problem.of([f"w{i}" for i in range(1, size + 1)], before=pairs, first=1, last=size)


def constraints(problem: Problem) -> set[object]:
    ends = {("first", problem.first), ("last", problem.last)}
    return {*problem.before, *(end for end in ends if end[1] is not None)}


@given(st.data())
def test_a_conflict_is_irreducible_and_found_in_few_tries(data: st.DataObject) -> None:
    """Several conflicts may hide among the constraints; one of them is found, and nothing else."""
    problem = chain(data.draw(st.integers(2, 80)))
    items = sorted(constraints(problem), key=str)
    cores = data.draw(st.lists(st.sets(st.sampled_from(items), min_size=1), min_size=1, max_size=4))
    tries = 0

    def is_conflict(smaller: Problem) -> bool:
        nonlocal tries
        tries += 1
        return any(core <= constraints(smaller) for core in cores)

    found = constraints(smallest_conflict(problem, is_conflict))
    assert any(core <= found for core in cores)
    assert not any(core <= found - {item} for core in cores for item in found)
    assert tries <= 2 * len(found) * (log2(len(items) / len(found)) + 2)


def test_tries_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feasibility, "MAX_TRIES", 5)
    problem = chain(100)
    core = set(problem.before[::3])
    tried = []

    def is_conflict(smaller: Problem) -> bool:
        tried.append(smaller)
        return core <= constraints(smaller)

    found = smallest_conflict(problem, is_conflict)
    assert len(tried) == 5
    assert core <= constraints(found)


def test_a_long_list_of_constraints_is_cut() -> None:
    text = describe_constraints(chain(1_000))
    assert text.startswith("word 1 'w1' before word 2 'w2'; word 2 'w2' before")
    assert text.endswith("; … 990 more")
    assert len(text) < 1_000
