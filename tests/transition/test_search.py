"""Beam search: finds the best there is when the beam is wide, and depends on nothing but its input.

That what it finds satisfies the problem is tested with legality, in test_legality.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise, permutations
from math import inf
from pathlib import Path
from random import Random

import pytest
from references.brute_force import random_problem, satisfying
from references.features import Configuration, features
from references.transition import SHIFT, Action, Arcs
from toys.models import (
    bag,
    make_scorer,
    model_of,
    random_weights,
    relist,
    rescored,
    toy_linearizer,
    toy_vocabulary,
)
from toys.probes import beam_search

from syntagma.errors import SyntagmaError
from syntagma.linear._perceptron import DerivationWalk
from syntagma.linear._search import LinearSearch
from syntagma.linear.scorer import LinearScorer
from syntagma.linear.templates import FEATURE_SETS, templates
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition.encoding import encode
from syntagma.transition.vocabulary import Vocabulary

both_orders_of_arcs = pytest.mark.parametrize("arcs", ["eager", "lazy"])
EVERYTHING = 20_000  # wider than any step on a bag of 4 words

# ---- the best of all derivations -------------------------------------------------------------


def best_of_all(
    problem: Problem,
    vocabulary: Vocabulary,
    feature_set: str,
    weights: dict[int, float],
    arcs: Arcs,
) -> float:
    """Walk through every derivation, scored by the reference.

    A label that is not given is chosen arc by arc, the first proposed of those that score best.
    """
    encoding = encode(problem, vocabulary)
    listed = relist(problem, encoding.order)
    scorer = make_scorer(feature_set, vocabulary, arcs=arcs)
    texts, atomic = templates(feature_set).texts, feature_set == "l15"
    agenda: list[tuple[tuple[Action, ...], float]] = [((), 0.0)]
    best = -inf
    while agenda:
        actions, total = agenda.pop()
        derivation = DerivationWalk(encoding.task, scorer)
        configuration = Configuration(listed, vocabulary)
        for action in actions:
            derivation.apply(action)
            configuration.apply(action)
        if derivation.finished:
            best = max(best, total)
            continue
        choices: dict[object, tuple[float, Action]] = {}
        for action in derivation.legal():
            keys = features(configuration, action, texts, atomic)
            score = sum(weights.get(key, 0.0) for key in keys)
            choice = action if action[0] == SHIFT else action[0]
            if choice not in choices or score > choices[choice][0]:
                choices[choice] = score, action
        agenda += [((*actions, action), total + score) for score, action in choices.values()]
    return best


@pytest.mark.slow
@pytest.mark.parametrize(
    ("feature_set", "arcs"), [*((name, "eager") for name in sorted(FEATURE_SETS)), ("l15", "lazy")]
)
@pytest.mark.parametrize(("count", "max_words"), [(40, 3), (12, 4)])
def test_a_wide_beam_finds_the_best_derivation(
    feature_set: str, arcs: Arcs, count: int, max_words: int
) -> None:
    rng = Random(11)
    vocabulary = toy_vocabulary(1)
    unweighted = make_scorer(feature_set, vocabulary, arcs=arcs)
    for _ in range(count):
        problem = random_problem(rng, max_words, "exact")
        if len(problem.words) == 4:  # all tags of all words would take too long
            tagged = (Word(w.form, w.tag or "NN", w.head, w.deprel) for w in problem.words)
            problem = Problem(tuple(tagged), problem.before, problem.first, problem.last)
        encoding = encode(problem, vocabulary)
        weights = random_weights(rng, unweighted, [encoding], walks=20)
        scorer = make_scorer(feature_set, vocabulary, weights, arcs)
        [(score, actions)] = beam_search(LinearSearch(encoding.task, EVERYTHING, scorer))
        assert score == best_of_all(problem, vocabulary, feature_set, weights, arcs)
        assert score == rescored(DerivationWalk(encoding.task, scorer), actions)


@both_orders_of_arcs
@pytest.mark.parametrize("beam", [1, 3, 64])
def test_a_score_is_the_sum_of_its_actions(beam: int, arcs: Arcs) -> None:
    rng = Random(beam)
    model = model_of(toy_linearizer("p16+", arcs=arcs))
    assert isinstance(model.scorer, LinearScorer)
    for _ in range(30):
        encoding = encode(random_problem(rng, 12, "exact"), model.vocabulary)
        found = beam_search(LinearSearch(encoding.task, beam, model.scorer), 5)
        for score, actions in found:
            assert score == rescored(DerivationWalk(encoding.task, model.scorer), actions)


@both_orders_of_arcs
@pytest.mark.parametrize("beam", [1, 7])
def test_ties_are_broken_by_a_fixed_rule(beam: int, arcs: Arcs) -> None:
    """Without weights everything ties: SHIFT goes first, then the first word, tag and label."""
    rng = Random(beam)
    vocabulary = toy_vocabulary(3)
    scorer = make_scorer("p16", vocabulary, arcs=arcs)
    for _ in range(50):
        encoding = encode(random_problem(rng, 9, "exact"), vocabulary)
        [(score, actions)] = beam_search(LinearSearch(encoding.task, beam, scorer))
        assert score == 0.0
        derivation = DerivationWalk(encoding.task, scorer)
        for action in actions:
            assert action == min(derivation.legal(), key=lambda legal: legal[:3])
            derivation.apply(action)


# ---- what the output does not depend on ------------------------------------------------------

Shown = tuple[str, tuple[int, ...], tuple[str, ...], tuple[str, ...], float]


def shown(result: Linearization) -> Shown:
    return result.text, result.heads, result.tags, result.deprels, result.score


@pytest.mark.slow
@pytest.mark.parametrize(("beam", "arcs"), [(1, "eager"), (4, "eager"), (64, "eager"), (4, "lazy")])
def test_output_does_not_depend_on_how_the_bag_is_listed(beam: int, arcs: Arcs) -> None:
    """Also where hypotheses tie, which words as alike as these often do."""
    rng = Random(beam)
    linearizer = toy_linearizer("p16", arcs=arcs)
    for _ in range(100):
        problem = random_problem(rng, 10, "exact")
        shuffled = relist(problem, rng.sample(range(len(problem.words)), len(problem.words)))
        expected = [shown(result) for result in linearizer.order(problem, beam=beam, n_best=3)]
        again = linearizer.order(shuffled, beam=beam, n_best=3)
        assert [shown(result) for result in again] == expected
        assert all(violations(result) == [] for result in again)


def some_problems(count: int) -> list[Problem]:
    rng = Random(21)
    return [random_problem(rng, 12, "exact") for _ in range(count)]


def orders_of(threads: int) -> list[Shown]:
    results = toy_linearizer("p16+").order_many(some_problems(60), beam=16, threads=threads)
    return [shown(result) for result in results if isinstance(result, Linearization)]


def test_output_does_not_depend_on_threads() -> None:
    one = orders_of(1)
    assert len(one) == 60
    assert orders_of(4) == one


@pytest.mark.slow
def test_output_does_not_depend_on_the_hash_seed() -> None:
    expected = repr(orders_of(1))
    here = str(Path(__file__).parent)
    for seed in ("0", "1"):
        path = os.pathsep.join([here, *sys.path])
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        script = "from test_search import orders_of; print(repr(orders_of(1)))"
        run = subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == expected


def test_errors_keep_their_place_in_a_batch() -> None:
    broken = SyntagmaError("no problem")
    results = list(
        toy_linearizer().order_many([bag("w1"), broken, bag("w2")], threads=2, on_error="yield")
    )
    assert results[1] is broken
    assert [r.text for r in results if isinstance(r, Linearization)] == ["w1", "w2"]
    with pytest.raises(SyntagmaError, match="no problem"):
        list(toy_linearizer().order_many([bag("w1"), broken]))


# ---- n-best ----------------------------------------------------------------------------------


@both_orders_of_arcs
def test_n_best_are_distinct_and_sorted(arcs: Arcs) -> None:
    rng = Random(31)
    linearizer = toy_linearizer("p16", arcs=arcs)
    for _ in range(50):
        problem = random_problem(rng, 8, "exact")
        results = linearizer.order(problem, n_best=10)
        assert len({result.words for result in results}) == len(results) <= 10
        assert all(a.score >= b.score for a, b in pairwise(results))
        assert shown(results[0]) == shown(linearizer.order(problem))


@both_orders_of_arcs
def test_n_best_of_a_wide_beam_are_all_orders(arcs: Arcs) -> None:
    linearizer = toy_linearizer("p16", arcs=arcs)
    results = linearizer.order(bag("w1", "w2", "w3"), n_best=100, beam=1024)
    assert {result.words for result in results} == set(permutations(("w1", "w2", "w3")))


@both_orders_of_arcs
def test_twins_make_no_two_orders_of_one(arcs: Arcs) -> None:
    linearizer = toy_linearizer("p16", arcs=arcs)
    results = linearizer.order(bag("w1", "w1", "w2"), n_best=100, beam=1024)
    assert sorted(result.text for result in results) == ["w1 w1 w2", "w1 w2 w1", "w2 w1 w1"]


# ---- scoring a given order -------------------------------------------------------------------


def forms_of(problem: Problem, order: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(problem.words[index - 1].form for index in order)


@pytest.mark.slow
@pytest.mark.parametrize(("arcs", "count"), [("eager", 60), ("lazy", 30)])
def test_the_best_order_is_the_one_with_the_highest_score(arcs: Arcs, count: int) -> None:
    rng = Random(41)
    linearizer = toy_linearizer("p16+", arcs=arcs)
    for _ in range(count):
        problem = random_problem(rng, 4)
        best = linearizer.order(problem, beam=1024)
        scores = {}
        for order in permutations(range(1, len(problem.words) + 1)):
            try:
                scored = linearizer.score(problem, order, beam=1024)
            except SyntagmaError:  # an order in which the given arcs are not projective
                continue
            assert violations(scored) == []
            assert scored.words == forms_of(problem, order)
            by_forms = linearizer.score(problem, scored.words, beam=1024)
            assert by_forms.words == scored.words
            assert by_forms.score >= scored.score
            scores[order] = scored.score
        assert max(scores.values()) == best.score
        assert shown(linearizer.score(problem, best.order, beam=1024)) == shown(best)


@both_orders_of_arcs
def test_every_satisfying_order_can_be_scored(arcs: Arcs) -> None:
    """And no other: the orders scored are those that brute force finds a tree for."""
    rng = Random(42)
    linearizer = toy_linearizer(arcs=arcs)
    for _ in range(60):
        problem = random_problem(rng, 4, "exact")
        possible = {forms_of(problem, order) for order, _ in satisfying(problem)}
        for order in permutations(range(1, len(problem.words) + 1)):
            forms = forms_of(problem, order)
            try:
                linearizer.score(problem, forms)
            except SyntagmaError:
                assert forms not in possible
            else:
                assert forms in possible


# ---- words the model does not know -----------------------------------------------------------


@both_orders_of_arcs
def test_phrases_and_unknown_words_tags_and_labels_come_out_as_they_went_in(arcs: Arcs) -> None:
    words = (
        Word("naïve café", tag="X-ODD", head=2, deprel="odd:label"),
        Word("🦊", tag="X-ODD"),
        Word("w1 of w2", head=2, deprel="nsubj"),
        Word("w3", tag="NN", deprel="strange"),
        Word("שלום", head=0, deprel="ROOT!"),
    )
    problem = Problem(words)
    for feature_set in sorted(FEATURE_SETS):
        result = toy_linearizer(feature_set, arcs=arcs).order(problem)
        assert violations(result) == []
        given = {token.source: token for token in result.tokens}
        for index, word in enumerate(words, 1):
            assert given[index].form == word.form
            assert word.tag in (None, given[index].tag)
            assert word.deprel in (None, given[index].deprel)
        assert sorted(result.text) == sorted(" ".join(word.form for word in words))
