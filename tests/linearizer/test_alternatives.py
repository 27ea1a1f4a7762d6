"""Alternatives that differ: chosen by a stated rule among the best results, whatever the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import inf
from random import Random
from typing import Any

import pytest
from references.brute_force import random_problem
from toys.models import relist, toy_linearizer
from toys.network import toy_neural_linearizer
from toys.realizer import tagged_lemmas, toy_realizing_linearizer

import syntagma
from syntagma.errors import ArgumentError
from syntagma.linearizer.alternatives import CANDIDATES, WITHOUT_SCALE, Rule, choose, rule_of
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.difference import profile, profile_difference
from syntagma.results.linearization import Linearization, Token, violations
from syntagma.results.realization import NBest, Realization

Result = Linearization | Realization

RULE = Rule()

LINEARIZERS: dict[str, Callable[[], Linearizer]] = {
    "linear": lambda: toy_linearizer("p16"),
    "neural": toy_neural_linearizer,
    "realizing, linear": lambda: toy_realizing_linearizer("linear"),
    "realizing, neural": lambda: toy_realizing_linearizer("neural"),
}


def methods(kind: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What solves one problem and what solves many."""
    linearizer = LINEARIZERS[kind]()
    if kind.startswith("realizing"):
        return linearizer.realize, linearizer.realize_many
    return linearizer.order, linearizer.order_many


def sample(kind: str, sizes: Iterable[int] = (1, 3, 5, 7)) -> list[Problem]:
    rng = Random(kind)
    problems = [random_problem(rng, size, "exact") for size in sizes]
    if kind.startswith("realizing"):
        return [tagged_lemmas(rng, problem) for problem in problems]
    return [*problems, Problem.of([f"w{number}" for number in range(8)])]


def tree_of(result: Result) -> Linearization:
    return result.linearization if isinstance(result, Realization) else result


def apart(one: Result, other: Result) -> float:
    """The difference; realizations are compared by lemmas."""
    lemmas = isinstance(one, Realization)
    return profile_difference(*(profile(tree_of(each), lemmas=lemmas) for each in (one, other)))


def least_difference(results: Sequence[Result]) -> float:
    return min((apart(one, other) for one, other in combinations(results, 2)), default=1.0)


# Laws


@pytest.mark.parametrize("beam", [None, 1, 3, 300])
@pytest.mark.parametrize("kind", LINEARIZERS)
def test_alternatives_are_the_best_order_and_others_that_differ(
    kind: str, beam: int | None
) -> None:
    solve, _ = methods(kind)
    most = 0
    for problem in sample(kind):
        found = solve(problem, n_best=6, diverse=True, beam=beam)
        assert isinstance(found, NBest)
        assert 1 <= len(found) <= 6
        assert found[0] == solve(problem, beam=beam)
        assert least_difference(found) >= (1e-9 if "neural" in kind else RULE.least_difference)
        assert len({each.text for each in found}) == len(found)
        assert [violations(tree_of(each)) for each in found] == [[]] * len(found)
        plain = solve(problem, n_best=CANDIDATES, beam=beam)
        assert {each.text for each in found} <= {each.text for each in plain}
        most = max(most, len(found))
    assert most > 1 or beam in (1, 3)


@pytest.mark.parametrize("number", [2, 4, CANDIDATES])
@pytest.mark.parametrize("kind", ["neural", "realizing, neural"])
def test_no_order_is_shown_that_scores_far_below_one_left_out(kind: str, number: int) -> None:
    """But for orders that repeat the words of one that is shown."""
    solve, _ = methods(kind)
    left_out = 0
    for problem in sample(kind):
        shown = solve(problem, n_best=number, diverse=True)
        assert all(shown[0].score - each.score <= RULE.most_lost for each in shown)
        for each in solve(problem, n_best=CANDIDATES):
            if each in shown or min(apart(each, other) for other in shown) == 0:
                continue
            assert each.score <= min(other.score for other in shown) + RULE.likeness
            left_out += 1
    assert left_out or number == CANDIDATES


@pytest.mark.parametrize("kind", ["neural", "realizing, neural"])
def test_what_scores_almost_as_much_as_the_best_comes_first(kind: str) -> None:
    solve, _ = methods(kind)
    alike = 0
    for problem in sample(kind):
        doubtful: list[Result] = []
        for each in solve(problem, n_best=CANDIDATES):
            if doubtful and doubtful[0].score - each.score > RULE.doubt:
                break
            if all(apart(each, other) for other in doubtful):
                doubtful.append(each)
        shown = solve(problem, n_best=CANDIDATES, diverse=True)
        assert shown[: len(doubtful)] == doubtful
        alike += least_difference(doubtful) < RULE.least_difference
    assert alike


def test_without_a_scale_what_is_left_out_is_too_much_like_one_before() -> None:
    """Nothing else is left out, and the list is in the order of scores. (Realizations are chosen by
    the trees of the search, and then get those of their words.)"""
    solve, _ = methods("linear")
    left_out = 0
    for problem in sample("linear"):
        found = solve(problem, n_best=CANDIDATES, diverse=True)
        chosen: list[Result] = []
        for each in solve(problem, n_best=CANDIDATES):
            if each in found:
                chosen.append(each)
                continue
            assert min(apart(each, other) for other in chosen) < RULE.least_difference
            left_out += 1
        assert found == chosen
    assert left_out


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_a_longer_list_begins_with_the_shorter_one(kind: str) -> None:
    solve, _ = methods(kind)
    for problem in sample(kind):
        longest = solve(problem, n_best=1024, diverse=True)
        for number in (1, 2, 3, 5, 20):
            assert solve(problem, n_best=number, diverse=True) == longest[:number]


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_threads_batches_and_errors_do_not_matter(kind: str) -> None:
    solve, solve_many = methods(kind)
    problems = sample(kind, (2, 5, 3, 6, 4, 5))
    alone = [solve(problem, n_best=4, diverse=True) for problem in problems]
    for threads in (1, 3):
        for stream in (problems, iter(problems)):
            found = list(solve_many(stream, n_best=4, diverse=True, threads=threads))
            assert found == alone
            assert all(isinstance(each, NBest) for each in found)
    bad: list[Any] = [[], *problems]
    first, *rest = solve_many(bad, n_best=4, diverse=True, on_error="yield")
    assert isinstance(first, syntagma.ProblemError)
    assert rest == alone


@pytest.mark.parametrize("kind", ["linear", "neural"])
def test_the_listing_of_the_words_does_not_matter(kind: str) -> None:
    solve, _ = methods(kind)
    rng = Random(5)
    for problem in sample(kind):
        size = len(problem.words)
        other = relist(problem, rng.sample(range(size), size))
        one, two = (solve(each, n_best=5, diverse=True) for each in (problem, other))
        assert [each.words for each in one] == [each.words for each in two]
        assert [each.heads for each in one] == [each.heads for each in two]


def test_with_a_time_limit_alternatives_are_complete() -> None:
    bag = [f"w{number}" for number in range(12)]
    found = toy_neural_linearizer().order(bag, n_best=5, diverse=True, beam=300, timeout=1e-6)
    assert [violations(each) for each in found] == [[]] * len(found)
    assert all(each.narrowed for each in found)


# The choice


def order_of(forms: str, score: float) -> Linearization:
    """Words that all depend on the first: each order of three or more words has its own opening."""
    words = forms.split()
    problem = Problem.of(sorted(words))
    tokens = [
        Token(form, "X", int(place > 0), "dep" if place else "root", sorted(words).index(form) + 1)
        for place, form in enumerate(words)
    ]
    return Linearization(tuple(tokens), score, problem)


def test_the_rule() -> None:
    results = [
        order_of("a b c d e f", -1.0),
        order_of("a b c d f e", -2.5),  # one pair of fifteen
        order_of("b a c d e f", -3.0),  # another root
        order_of("b a c d f e", -4.0),  # almost the third
        order_of("c a b d e f", -11.0),
        order_of("d a b c e f", -11.5),  # too much is lost
    ]
    texts = [each.text for each in choose(results, 9, Rule(likeness=inf, doubt=0))]
    assert texts == ["a b c d e f", "b a c d e f", "c a b d e f"]
    texts = [each.text for each in choose(results, 9, WITHOUT_SCALE)]
    assert texts == ["a b c d e f", "b a c d e f", "c a b d e f", "d a b c e f"]
    assert [each.score for each in choose(results, 2, Rule())] == [-1.0, -3.0]
    texts = [each.text for each in choose(results, 9, Rule())]
    assert texts == ["a b c d e f", "b a c d e f", "a b c d f e", "b a c d f e", "c a b d e f"]
    assert [each.score for each in choose(results, 2, Rule(doubt=1.5))] == [-1.0, -2.5]
    assert choose([], 3, Rule()) == []


def test_what_repeats_the_words_of_another_is_never_chosen() -> None:
    results = [order_of("a b , c", -1.0), order_of("a , b c", -1.0), order_of("b a , c", -9.0)]
    for rule in (Rule(), WITHOUT_SCALE, Rule(likeness=0)):
        assert [each.text for each in choose(results, 9, rule)] == ["a b , c", "b a , c"]


def test_only_log_probabilities_have_a_scale() -> None:
    """Of many orders with a linear scorer, the last may be far behind the first."""
    assert (rule_of("neural"), rule_of("linear")) == (Rule(), WITHOUT_SCALE)
    words = [f"w{number}" for number in range(8)]
    far = {}
    for kind in ("linear", "neural"):
        found = LINEARIZERS[kind]().order(words, n_best=CANDIDATES, diverse=True, beam=300)
        far[kind] = found[0].score - found[-1].score
    assert far["neural"] <= RULE.most_lost < far["linear"]


def test_the_constraints_of_the_problem_leave_fewer_alternatives() -> None:
    linearizer = toy_neural_linearizer()
    words = ["w0", "w1", "w2", "w3"]
    free = linearizer.order(words, n_best=9, diverse=True)
    fixed = linearizer.order(
        Problem.of(words, before=[(1, 2), (2, 3), (3, 4)]), n_best=9, diverse=True
    )
    assert len(free) > 1
    assert [each.words for each in fixed] == [tuple(words)]


def test_words_that_read_the_same_are_no_alternative() -> None:
    linearizer = toy_neural_linearizer()
    assert len(linearizer.order(["w0", "w0", "w0"], n_best=5, diverse=True)) == 1
    assert len(linearizer.order(["w0", "W0"], n_best=5)) == 2
    assert len(linearizer.order(["w0", "W0"], n_best=5, diverse=True)) == 1
    assert len(linearizer.order(["w0", ",", ".", "!"], n_best=5, diverse=True)) == 1


def test_forms_of_one_lemma_are_different_words_where_they_are_given() -> None:
    linearizer = toy_neural_linearizer()
    forms = [f"w{number}" for number in range(6)]
    plain = linearizer.order(forms, n_best=5, diverse=True)
    alike = linearizer.order([Word(form, lemma="w") for form in forms], n_best=5, diverse=True)
    assert len(plain) > 1
    assert [each.words for each in alike] == [each.words for each in plain]


# English


@pytest.mark.slow
def test_real_choices_in_english() -> None:
    english = syntagma.load("en")
    texts = [
        each.text
        for each in english.order(["is", "he", "here", "today", "?"], n_best=5, diverse=True)
    ]
    assert {"he is here today ?", "is he here today ?", "today is he here ?"} <= set(texts)
    bag = [",", "today", "he", "left", "."]
    plain = english.order(bag, n_best=5)
    without_commas = [[form for form in each.words if form != ","] for each in plain]
    assert any(a == b for a, b in combinations(without_commas, 2))  # a moved comma
    diverse = english.order(bag, n_best=5, diverse=True)
    without_commas = [[form for form in each.words if form != ","] for each in diverse]
    assert not any(a == b for a, b in combinations(without_commas, 2))


@pytest.mark.slow
def test_inflection_alone_is_no_alternative() -> None:
    english = syntagma.load("en")
    lemmas = ["the", "dog", "see", "cat", "yesterday"]
    plain = [each.linearization for each in english.realize(lemmas, n_best=8)]
    assert any(syntagma.difference(one, other) == 0 for one, other in combinations(plain, 2))
    diverse = english.realize(lemmas, n_best=8, diverse=True)
    assert len(diverse) > 1
    assert least_difference(diverse) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "intended",
    [
        "He is learning Berber .",
        "It takes olympic strength to do this .",
        "His brother goes to school by bus .",
        "I 'm not sure she truly loves me .",
        "Who can do more can do less .",
    ],
)
def test_the_intended_order_is_shown_where_the_best_is_doubtful(intended: str) -> None:
    """It differs little from the best order and scores almost as much."""
    english = syntagma.load("en")
    words = intended.split()
    texts = [each.text for each in english.order(words, n_best=5, diverse=True)]
    assert texts[0] == english.order(words).text != intended
    assert intended in texts


# Errors


@pytest.mark.parametrize("method", ["order", "realize", "order_many", "realize_many"])
def test_diverse_needs_n_best(method: str) -> None:
    solve = getattr(toy_realizing_linearizer("neural"), method)
    with pytest.raises(ArgumentError, match="diverse chooses among several results: set n_best"):
        solve([Word(lemma="w1")] if method == "realize" else [], diverse=True)
    with pytest.raises(ArgumentError, match="diverse must be True or False, not 1"):
        solve([], n_best=2, diverse=1)


@pytest.mark.slow
def test_best_first_search_has_no_alternatives() -> None:
    linearizer = syntagma.load(search="best-first")
    with pytest.raises(ArgumentError, match="diverse goes with a model for beam search"):
        linearizer.order(["dog", "the"], n_best=3, diverse=True)


def test_diverse_is_off_by_default() -> None:
    linearizer = toy_neural_linearizer()
    words = ["w0", "w1", "w2", "w3", "w4"]
    assert linearizer.order(words, n_best=9, diverse=False) == linearizer.order(words, n_best=9)
    found = linearizer.order(words, n_best=9)
    assert least_difference(found) < RULE.least_difference
