"""A beam search with a time limit: complete results, which say so if the limit may have changed
them, and no change where there is time enough."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from references.brute_force import random_problem
from toys.models import clashing_problem, toy_linearizer
from toys.network import toy_neural_linearizer
from toys.realizer import as_lemmas, toy_realizing_linearizer

from syntagma.errors import SyntagmaError
from syntagma.results.linearization import violations

NONE_LEFT = 1e-9  # seconds: over before the search begins

LINEARIZERS = {
    "linear": toy_linearizer("p16"),
    "neural": toy_neural_linearizer(),
    "fluent": toy_realizing_linearizer("neural"),
}


@pytest.mark.parametrize("name", LINEARIZERS)
@pytest.mark.parametrize("n_best", [None, 5])
def test_a_search_out_of_time_ends_with_all_words_and_constraints(
    name: str, n_best: int | None
) -> None:
    rng = Random(name)
    narrowed = 0
    for size in (1, 2, 4, 8, 12, 12, 12):
        problem = random_problem(rng, size, "exact")
        found: Any = LINEARIZERS[name].order(problem, n_best=n_best, timeout=NONE_LEFT)
        for each in [found] if n_best is None else found:
            assert violations(each) == []
            narrowed += each.narrowed
    assert narrowed > 1


@pytest.mark.parametrize("name", LINEARIZERS)
def test_time_enough_changes_nothing(name: str) -> None:
    rng = Random(name)
    linearizer = LINEARIZERS[name]
    problems = [random_problem(rng, 9, "exact") for _ in range(10)]
    for options in ({}, {"n_best": 20}, {"beam": 3}):
        limited = linearizer.order_many(problems, timeout=600.0, **options)  # type: ignore[arg-type]
        assert list(limited) == list(linearizer.order_many(problems, **options))  # type: ignore[arg-type]


def test_the_last_resort_is_left_when_time_is_over() -> None:
    """Order constraints and partial trees: a narrow beam may come to a dead end."""
    rng = Random(5)
    linearizer = LINEARIZERS["neural"]
    solved = 0
    for _ in range(60):
        problem = clashing_problem(rng, 7)
        try:
            expected = linearizer.order(problem)
        except SyntagmaError as error:
            with pytest.raises(type(error)):
                linearizer.order(problem, timeout=NONE_LEFT)
            continue
        found = linearizer.order(problem, timeout=NONE_LEFT)
        assert violations(found) == [] == violations(expected)
        solved += 1
    assert solved > 10


def test_realization_and_scores_take_a_time_limit() -> None:
    rng = Random(2)
    linearizer = LINEARIZERS["fluent"]
    problem = as_lemmas(rng, random_problem(rng, 12, "none"))
    found = linearizer.realize(problem, timeout=NONE_LEFT)
    assert violations(found.linearization) == []
    [many] = linearizer.realize_many([problem], timeout=NONE_LEFT)
    assert many == found
    ordered = linearizer.order(["a", "b", "c", "d", "e"])
    scored = linearizer.score(["a", "b", "c", "d", "e"], ordered.words, timeout=NONE_LEFT)
    assert scored.words == ordered.words


def test_the_limit_of_a_large_bag_is_kept_by_narrowing() -> None:
    """How long it takes is not asserted: machines differ. What is asserted is that the beam was
    narrowed, that the result is complete, and that it is what a beam of another width may find."""
    linearizer = LINEARIZERS["neural"]
    bag = [f"w{number % 40}" for number in range(160)]
    found = linearizer.order(bag, timeout=0.02)
    assert found.narrowed
    assert sorted(found.words) == sorted(bag)
    assert replace(found, narrowed=False) != found
