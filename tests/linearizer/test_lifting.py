"""Orders that are not projective, with models that have learned to lift words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from random import Random
from typing import Any

import numpy as np
import pytest
from references.brute_force import random_heads, satisfying
from toys.models import relist, toy_vocabulary
from toys.network import SMALL, toy_header, toy_lexicon, toy_neural_linearizer, toy_parameters

from syntagma.errors import ArgumentError, ProblemError, UnsatisfiableError
from syntagma.formats.jsonl import write_jsonl
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.model import Model
from syntagma.neural.scorer import NeuralScorer
from syntagma.problem.problem import Problem
from syntagma.problem.trees import lift_heads, lifting_room
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition._clock import TimeIsUp

EAGER = (0.0, 2.0, 1.0, 0.0)  # biases of the lift head: most words are lifted
NEVER = (50.0, 0.0, 0.0, 0.0)
Shown = tuple[tuple[str, ...], tuple[int, ...], float]


@cache
def lifting_linearizer(bias: Sequence[float] = EAGER, seed: int = 0) -> Linearizer:
    lexicon, vocabulary = toy_lexicon(), toy_vocabulary()
    parameters = toy_parameters(lexicon, vocabulary, seed, lifting=True)
    parameters["lift.out.bias"] = np.array(bias, np.float32)
    scorer = NeuralScorer.from_parameters(SMALL, lexicon, vocabulary, parameters)
    return Linearizer(Model(toy_header(lifting=True), vocabulary, scorer))


def tree_problem(rng: Random, n: int, share: float = 1.0, forms: int = 12) -> Problem:
    heads = random_heads(rng, n)
    return Problem.of(
        Word(f"w{rng.randrange(forms)}", head=head if rng.random() < share else None)
        for head in heads
    )


def tree_problems(seed: int, count: int) -> list[Problem]:
    rng = Random(seed)
    return [
        tree_problem(rng, rng.randint(2, 9), rng.choice((0.5, 1.0)), rng.choice((3, 12)))
        for _ in range(count)
    ]


def shown(result: Linearization) -> Shown:
    return result.words, result.heads, result.score


def test_given_arcs_hold_and_some_cross() -> None:
    linearizer = lifting_linearizer()
    crossing = 0
    for problem in tree_problems(1, 40):
        results = linearizer.order(problem, n_best=5)
        for result in results:
            assert violations(result) == []
        crossing += not results[0].projective
        assert linearizer.order(problem) == results[0]
        assert linearizer.order(problem, n_best=2) == results[:2]
        assert len({result.words for result in results}) == len(results)
        assert all(a.score >= b.score for a, b in pairwise(results))
    assert crossing > 5


def test_projective_orders_on_request() -> None:
    linearizer = lifting_linearizer()
    for problem in tree_problems(2, 20):
        tied = linearizer.order(problem, projective=True)
        assert tied.projective
        assert violations(tied) == []
        [many] = linearizer.order_many([problem], projective=True)
        assert many == tied


def test_where_no_lifting_is_likely_nothing_changes() -> None:
    linearizer = lifting_linearizer(NEVER)
    for problem in tree_problems(3, 20):
        tied = linearizer.order(problem, n_best=4, projective=True)
        assert linearizer.order(problem, n_best=4) == tied


def test_a_model_that_has_not_learned_to_lift_orders_as_before() -> None:
    linearizer = toy_neural_linearizer()
    assert not linearizer.lifts
    assert lifting_linearizer().lifts
    for problem in tree_problems(4, 10):
        result = linearizer.order(problem)
        assert result.projective
        assert linearizer.order(problem, projective=True) == result


def test_listing_batches_and_threads_make_no_difference() -> None:
    linearizer = lifting_linearizer()
    problems = tree_problems(5, 24)
    alone = [shown(linearizer.order(problem)) for problem in problems]
    for threads in (1, 3):
        together = linearizer.order_many(problems, threads=threads)
        assert [shown(each) for each in together if isinstance(each, Linearization)] == alone
    rng = Random(5)
    for problem, expected in zip(problems, alone, strict=True):
        listing = rng.sample(range(len(problem.words)), len(problem.words))
        assert shown(linearizer.order(relist(problem, listing))) == expected


def test_any_order_of_a_tree_has_a_score() -> None:
    linearizer = lifting_linearizer()
    rng = Random(6)
    torn = 0
    for _ in range(20):
        problem = tree_problem(rng, rng.randint(3, 8))
        order = rng.sample(range(1, len(problem.words) + 1), len(problem.words))
        result = linearizer.score(problem, order)
        assert result.order == tuple(order)
        assert violations(result) == []
        if result.projective:
            continue
        torn += 1
        with pytest.raises(UnsatisfiableError, match="no projective tree"):
            linearizer.score(problem, order, projective=True)
    assert torn > 5


def test_the_best_order_has_the_score_that_it_was_found_with() -> None:
    linearizer = lifting_linearizer()
    for problem in tree_problems(7, 25):
        best = linearizer.order(problem)
        again = linearizer.score(problem, best.order)
        assert again.score >= best.score - 1e-4  # more if a lifting fits that was not tried before
        assert again.words == best.words


def test_orders_that_cross_are_judged() -> None:
    linearizer = lifting_linearizer()
    rng = Random(8)
    verdicts = set()
    for _ in range(8):
        problem = tree_problem(rng, 6, forms=10_000)
        best = linearizer.order(problem)
        assert linearizer.accept(problem, best.order, margin=0.1).verdict == "same"
        order = rng.sample(range(1, 7), 6)
        acceptance = linearizer.accept(problem, order, margin=0.1)
        verdicts.add(acceptance.verdict)
        assert not acceptance.broken
        tied = linearizer.accept(problem, order, margin=0.1, projective=True)
        if acceptance.given is not None and not acceptance.given.projective:
            assert tied.broken
    assert "worse" in verdicts


def can_be_met(problem: Problem) -> bool:
    """Whether an order under some lifting meets all constraints, by trying all."""
    heads = [word.head for word in problem.words]
    for lifting in product(*(range(steps + 1) for steps in lifting_room(heads))):
        lifted = zip(problem.words, lift_heads(heads, lifting), strict=True)
        try:
            words = tuple(replace(word, head=head) for word, head in lifted)
            if satisfying(replace(problem, words=words)):
                return True
        except ProblemError:
            continue
    return False


def test_order_constraints_are_met_if_some_lifting_can_meet_them() -> None:
    linearizer = lifting_linearizer(NEVER)
    rng = Random(9)
    seen = Counter[str]()
    words = [Word("a", head=0), Word("b"), Word("c", head=4), Word("d", head=1), Word("e", head=2)]
    problems = [Problem.of(words, before=[(2, 3), (1, 5)], first=4)]
    while len(problems) < 60:
        problem = tree_problem(rng, 5, rng.choice((0.6, 0.8)))
        pairs = {(a, b) for a, b in (rng.sample(range(1, 6), 2) for _ in range(2))}
        with suppress(ProblemError):  # at odds with every projective order of the given arcs
            problems.append(replace(problem, before=tuple(pairs), first=rng.randint(1, 5)))
    for bound in problems:
        try:
            linearizer.order(bound, projective=True)
            kind = "projective"
        except UnsatisfiableError:
            kind = "lifted" if can_be_met(bound) else "never"
        seen[kind] += 1
        if kind == "never":
            with pytest.raises(UnsatisfiableError):
                linearizer.order(bound)
            continue
        for result in linearizer.order(bound, n_best=3):
            assert violations(result) == []
            assert kind == "projective" or not result.projective
    assert seen.keys() == {"projective", "lifted", "never"}


def test_liftings_share_the_time() -> None:
    linearizer = lifting_linearizer()
    problem = tree_problem(Random(10), 40)
    result = linearizer.order(problem, timeout=0.001)
    assert violations(result) == []
    assert result.narrowed


@pytest.mark.parametrize("opened", [1, 2, 3])
def test_what_is_lifted_when_time_is_up_has_its_given_head(
    opened: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches that are opened later are unscored; they place lifted words, too."""
    linearizer = lifting_linearizer()
    searches = NeuralScorer.searches
    left = 0

    def until_late(*given: Any, **named: Any) -> Iterator[Any]:
        nonlocal left
        for search in searches(*given, **named):
            if not left:
                raise TimeIsUp
            left -= 1
            yield search

    monkeypatch.setattr(NeuralScorer, "searches", until_late)
    rng = Random(opened)
    crossing = 0
    for problem in tree_problems(3, 30):
        bound = problem
        with suppress(ProblemError):
            a, b = rng.sample(range(1, len(problem.words) + 1), 2)
            bound = replace(problem, before=((a, b),))
        left = opened
        try:
            found = linearizer.order(bound, n_best=5)
        except UnsatisfiableError:
            continue
        for result in found:
            assert violations(result) == []
            crossing += not result.projective
    assert crossing


def test_formats_say_that_arcs_cross() -> None:
    linearizer = lifting_linearizer()
    results = [linearizer.order(problem) for problem in tree_problems(11, 20)]
    for result in results:
        assert ('"projective": false' in write_jsonl(result)) == (not result.projective)
    assert {result.projective for result in results} == {True, False}


def test_projective_is_a_flag() -> None:
    linearizer = lifting_linearizer()
    for wrong in (1, "yes", None):
        with pytest.raises(ArgumentError, match="projective must be True or False"):
            linearizer.order(["a", "b"], projective=wrong)  # type: ignore[call-overload]
        with pytest.raises(ArgumentError, match="projective must be True or False"):
            linearizer.score(["a"], ["a"], projective=wrong)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="projective must be True or False"):
            linearizer.accept(["a"], ["a"], margin=1, projective=wrong)  # type: ignore[arg-type]
