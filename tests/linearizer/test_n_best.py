"""Lists of n best results: what they hold does not depend on how many results are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from references.brute_force import Orders, random_problem, satisfying
from toys.models import model_of, toy_linearizer
from toys.network import toy_neural_linearizer
from toys.realizer import tagged_lemmas, toy_realizing_linearizer

import syntagma
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization, violations
from syntagma.results.realization import Realization
from syntagma.transition._search import beam_search
from syntagma.transition.encoding import encode

BAG = ["w0", "w1", "w2", "w3", "w1", "w4"]
NUMBERS = (1, 2, 15, 16, 17, 20, 33, 70, 1024)

Result = Linearization | Realization
Find = Callable[..., Any]


def realizing(kind: str) -> Find:
    return toy_realizing_linearizer(kind).realize


ORDERING: dict[str, Callable[[], Find]] = {
    "linear": lambda: toy_linearizer("p16").order,
    "neural": lambda: toy_neural_linearizer().order,
    "realizing, linear": lambda: realizing("linear"),
    "realizing, neural": lambda: realizing("neural"),
}


def assert_lists_agree(find: Find, numbers: Sequence[int] = NUMBERS) -> list[Result]:
    """Each list begins with the shorter ones and with the single result; scores never rise."""
    longest: list[Result] = find(n_best=numbers[-1])
    assert find() == longest[0]
    for number in numbers:
        assert find(n_best=number) == longest[:number]
    assert all(a.score >= b.score for a, b in pairwise(longest))
    return longest


@pytest.mark.parametrize("beam", [None, 1, 3, 300])
@pytest.mark.parametrize("kind", ORDERING)
def test_a_longer_list_begins_with_the_shorter_one(kind: str, beam: int | None) -> None:
    rng = Random(f"{kind} {beam}")
    find = ORDERING[kind]()
    longest = 0
    for size in (3, 5, 7, 0):
        problem = random_problem(rng, size, "exact") if size else Problem.of(BAG)
        if kind.startswith("realizing"):
            problem = tagged_lemmas(rng, problem)
        found = assert_lists_agree(lambda n_best=None, p=problem: find(p, n_best=n_best, beam=beam))
        longest = max(longest, len(found))
        for each in found:
            tree = each.linearization if isinstance(each, Realization) else each
            assert violations(tree) == []
    assert longest > 16 or beam in (1, 3) or kind.endswith("linear")


def test_a_longer_list_begins_with_the_shorter_one_without_any_constraint() -> None:
    """Thousands of orders; more of them than are reranked change places."""
    for seed in range(3):
        linearizer = toy_neural_linearizer(seed)
        bag = [f"w{number}" for number in range(9)]
        found = assert_lists_agree(
            lambda n_best=None, l=linearizer, b=bag: l.order(b, n_best=n_best)  # noqa: E741
        )
        assert len(found) > 48


@pytest.mark.parametrize("kind", ["linear", "neural"])
def test_a_score_is_that_of_its_order(kind: str) -> None:
    """Where the beam holds everything, `score` finds the same tree for an order as `order`; only
    orders beyond those that are reranked together may be listed with less than their score."""
    rng = Random(kind)
    linearizer = toy_linearizer("p16") if kind == "linear" else toy_neural_linearizer()
    for _ in range(6):
        problem = random_problem(rng, 4, "exact")
        found = linearizer.order(problem, n_best=40, beam=1024)
        for rank, each in enumerate(found):
            scored = linearizer.score(problem, each.words, beam=1024)
            if rank < 16:
                assert each.score == pytest.approx(scored.score, abs=1e-6)
            assert each.score <= scored.score + 1e-6


@pytest.mark.slow
def test_best_first_search_lists_results_as_it_finds_them() -> None:
    linearizer = syntagma.load(search="best-first")
    for bag in (["dog", "the", "barked"], ["you", "me", "Can", "report", "the", "send", "?"]):
        assert_lists_agree(
            lambda n_best=None, b=bag: linearizer.order(b, n_best=n_best, expansions=3000),
            (1, 2, 5, 20),
        )


def test_as_many_orders_as_there_are() -> None:
    linearizer = toy_neural_linearizer()
    assert len(linearizer.order(["w0"] * 5, n_best=100)) == 1
    assert len(linearizer.order(["w0"] * 4 + ["w1"], n_best=100)) == 5
    assert len(linearizer.order(Problem.of(["w0", "w1", "w2"], before=[(1, 2)]), n_best=100)) == 3


# ---- lists of everything ---------------------------------------------------------------------

EVERYTHING = 20_000  # wider than any step on a bag of 5 words


def sentences(problem: Problem) -> set[tuple[str, ...]]:
    """All that satisfy the problem, by brute force."""
    return {
        tuple(problem.words[index - 1].form for index in order) for order, _ in satisfying(problem)
    }


@pytest.mark.parametrize("orders", ["none", "exact", "mixed"])
@pytest.mark.parametrize("make", [lambda: toy_linearizer("p16"), toy_neural_linearizer])
def test_a_beam_that_holds_all_states_lists_every_order(
    make: Callable[[], Linearizer], orders: Orders
) -> None:
    rng = Random(orders)
    model = model_of(make())
    problems = [random_problem(rng, 5, orders) for _ in range(12)]
    for problem in [Problem.of(["w0", "w1", "w2", "w3", "w4"]), *problems]:
        encoding = encode(problem, model.vocabulary)
        [search] = model.scorer.searches([encoding], [EVERYTHING], [None])
        found = beam_search(search, 2 * EVERYTHING)
        listed = {tuple(encoding.forms[word] for word in each.order) for each in found}
        assert listed == sentences(problem)
        assert len(listed) == len(found)


def test_the_guide_says_which_bags_are_listed_whole() -> None:
    """Up to four words at the widest beam; five words have more states than a beam holds."""
    en = syntagma.load("en")
    words = ["the", "dog", "saw", "a", "cat", "today", "she", "never"]
    for seed in range(4):
        bag = Random(seed).sample(words, 4)
        found = en.order(bag, n_best=1024, beam=1024)
        assert {each.words for each in found} == sentences(Problem.of(bag))
    five = Random(1).sample(words, 5)
    assert len(en.order(five, n_best=1024, beam=1024)) < len(sentences(Problem.of(five)))
