"""The n-gram scorer in a search: it counts by its weight, and merging loses nothing.

Look-up is tested in test_ngrams.py, the search without a language model in
transition/test_search.py and neural/test_search.py.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Literal

import pytest
from references.brute_force import Orders, random_problem
from toys.models import (
    bag,
    model_of,
    relist,
    toy_linearizer,
    toy_vocabulary,
)
from toys.network import in_many_shapes, toy_neural_linearizer
from toys.probes import Results, decode_actions
from toys.searches import (
    EVERYTHING,
    TOLERANCE,
    VOCABULARY,
    BothWays,
    Forward,
    Linear,
    Listener,
    Order,
    Replayed,
    Toy,
    expect,
    find,
    order_of,
    small_problem,
    syntax_of_orders,
    tagged,
    toy_language_model,
    treacherous_problem,
)

from syntagma.language_model._ngrams import NGramScorer
from syntagma.language_model.balance import Balance
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition import beam as beam_module
from syntagma.transition.encoding import Encoding, encode
from syntagma.transition.strategy import WeightedLanguageModel

PROBLEMS = 20


# ---- scorers and problems --------------------------------------------------------------------


def assert_best(
    found: Results, encoding: Encoding, expected: dict[Order, float], n_best: int
) -> None:
    """Assert that the best of all orders are found with their scores; ties may be in any order."""
    scores = [score for score, _ in found]
    best = sorted(expected.values(), reverse=True)[:n_best]
    assert scores == pytest.approx(best, abs=TOLERANCE)
    orders = [order_of(encoding, actions) for _, actions in found]
    assert len(set(orders)) == len(orders)
    assert scores == pytest.approx([expected[order] for order in orders], abs=TOLERANCE)


# ---- beams that hold everything --------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("scorer", [Linear, Forward, BothWays])
def test_a_wide_beam_finds_the_best_of_all_orders(scorer: type[Toy]) -> None:
    """By the sum of both scores, with and without merging."""
    rng = Random(scorer.__name__)
    changed = choices = 0
    for _ in range(PROBLEMS):
        problem = small_problem(rng)
        encoding = encode(problem, VOCABULARY)
        toy, listener = scorer(rng, [encoding], rng.choice((1, 1 / 16))), Listener.draw(rng)
        syntax = syntax_of_orders(toy, problem)
        for each in (None, listener):
            expected = expect(syntax, each)
            # Of more than 16 orders, only some are reranked together.
            for n_best in (len(expected),) if scorer is BothWays else (1, 5, 20, len(expected)):
                for merging in (False, True):
                    search = toy.search(encoding, EVERYTHING)
                    fluency = each.fluency(encoding) if each else None
                    found = find(search, n_best, merging=merging, fluency=fluency)
                    if scorer is BothWays and len(expected) > 16:
                        orders = {order_of(encoding, actions) for _, actions in found}
                        assert orders == set(expected)
                    else:
                        assert_best(found, encoding, expected, n_best)
        both = expect(syntax, listener)
        changed += max(both, key=both.__getitem__) != max(syntax, key=syntax.__getitem__)
        choices += len(syntax)
    assert changed > PROBLEMS / 4, "the language model makes a difference"
    assert choices > PROBLEMS * 8


@pytest.mark.slow
@pytest.mark.parametrize("scorer", [Linear, Forward])
def test_merging_keeps_the_best_orders_of_a_bag(scorer: type[Toy]) -> None:
    """Without given arcs, not only trees of one order are merged, but also orders."""
    rng = Random(scorer.__name__)
    for forms, scale in (("w1 w2 w3 w4 w5", 1), ("w2 w2 w7 w1 w3", 1), ("w2 w1 w8 w4 w6", 1 / 16)):
        problem = tagged(bag(*forms.split()))
        encoding = encode(problem, VOCABULARY)
        toy = scorer(rng, [encoding], scale)
        syntax = syntax_of_orders(toy, problem)
        for order, weight in ((2, 1.0), (5, 0.3)):
            listener = Listener(toy_language_model(order), weight)
            for each in (None, listener):
                fluency = each.fluency(encoding) if each else None
                for merging in (False, True):
                    search = toy.search(encoding, EVERYTHING)
                    found = find(search, 20, merging=merging, fluency=fluency)
                    assert_best(found, encoding, expect(syntax, each), 20)


@pytest.mark.slow
@pytest.mark.parametrize("order", [3, 5])
@pytest.mark.parametrize("scorer", [Linear, Forward])
def test_states_that_the_language_model_tells_apart_stay_apart(
    scorer: type[Toy], order: int
) -> None:
    """Scorers see the last three words and their outermost dependents, but nothing below. "w1 w2 w3
    w4 w5" and "w2 w1 w3 w4 w5" are the same to them, but not to 5-grams of a text with both."""
    rng = Random(scorer.__name__)
    forms = [f"w{i}" for i in range(1, 7)]
    text = [rng.sample(forms, 6) for _ in range(300)]
    model = LanguageModel.of(estimate(text, order=order, word_class=word_class))
    heads = (3, 3, 4, 5, 6, 0)
    problem = tagged(Problem(tuple(Word(f, head=h) for f, h in zip(forms, heads, strict=True))))
    encoding = encode(problem, VOCABULARY)
    for weight in (0.5, 2.0):
        toy, listener = scorer(rng, [encoding], 1 / 8), Listener(model, weight)
        expected = expect(syntax_of_orders(toy, problem), listener)
        assert len(expected) == 48
        search = toy.search(encoding, EVERYTHING)
        found = find(search, 48, merging=True, fluency=listener.fluency(encoding))
        assert_best(found, encoding, expected, 48)


@pytest.mark.slow
@pytest.mark.parametrize("scorer", [Linear, Forward])
def test_what_words_are_expected_to_cost_decides_only_what_a_beam_keeps(
    scorer: type[Replayed],
) -> None:
    rng = Random(scorer.__name__)
    changed = 0
    for _ in range(PROBLEMS):
        problem = small_problem(rng)
        encoding = encode(problem, VOCABULARY)
        toy, listener = scorer(rng, [encoding]), Listener.draw(rng)
        expected = expect(syntax_of_orders(toy, problem), listener)
        model, n = listener.language_model, len(problem.words)
        nothing, anything = (
            NGramScorer(model.ngrams, model.units(encoding.forms), costs, listener.weight)
            for costs in ([0.0] * (n + 1), [rng.uniform(-9, 9) for _ in range(n + 1)])
        )
        for fluency in (nothing, anything):
            for merging in (False, True):
                search = toy.search(encoding, EVERYTHING)
                found = find(search, 20, merging=merging, fluency=fluency)
                assert_best(found, encoding, expected, 20)
        kept = []
        for fluency in (nothing, anything, listener.fluency(encoding)):
            [(score, actions)] = find(toy.search(encoding, 2), fluency=fluency)
            share = listener.share(order_of(encoding, actions))
            assert score == pytest.approx(toy.syntax(encoding, actions) + share, abs=TOLERANCE)
            kept.append(actions)
        changed += kept[0] != kept[2]
    assert changed > PROBLEMS / 10


# ---- beams that hold less -----------------------------------------------------------------------


def star(rng: Random, size: int) -> Problem:
    """All words depend on the first one: then only orders can be merged, and often are."""
    forms = [f"w{rng.randrange(12)}" for _ in range(size)]
    return tagged(Problem(tuple(Word(form, head=min(i, 1)) for i, form in enumerate(forms))))


@pytest.mark.slow
@pytest.mark.parametrize("orders", ["none", "exact", "star"])
@pytest.mark.parametrize("scorer", [Linear, Forward])
def test_every_result_is_worth_what_its_actions_and_its_words_are(
    scorer: type[Replayed], orders: Orders | Literal["star"]
) -> None:
    """Also results that were merged into others and have no state of their own in the end."""
    rng = Random(f"{scorer.__name__}:{orders}")
    more = 0
    for number in range(30):
        if orders == "star":
            problem = star(rng, 10)
        else:
            problem = in_many_shapes(rng, random_problem(rng, 12, orders))
        encoding = encode(problem, VOCABULARY)
        toy = scorer(rng, [encoding])
        listener = Listener.draw(rng) if number % 3 else None
        fluency = listener.fluency(encoding) if listener else None
        width = rng.choice((1, 4, 16))
        for merging in (False, True):
            found = find(toy.search(encoding, width), 30, merging=merging, fluency=fluency)
            assert found, "a dead end"
            assert all(one[0] >= other[0] for one, other in pairwise(found))
            assert len({order_of(encoding, actions) for _, actions in found}) == len(found)
            for score, actions in found:
                share = listener.share(order_of(encoding, actions)) if listener else 0.0
                assert score == pytest.approx(toy.syntax(encoding, actions) + share, abs=TOLERANCE)
                known = [
                    (kind, word, max(tag, 0), max(label, 0)) for kind, word, tag, label in actions
                ]
                assert violations(decode_actions(encoding, VOCABULARY, score, known)) == []
            assert merging or len(found) <= width
            more += len(found) > width
    assert orders != "star" or more >= 5, "more orders than there are states in the beam"


@pytest.mark.slow
@pytest.mark.parametrize("scorer", [Linear, Forward])
def test_merging_makes_room_in_the_beam(scorer: type[Toy]) -> None:
    """Which improves results, unless the scorer is too sure of itself."""
    rng = Random(scorer.__name__)
    better = worse = 0
    for _ in range(30):
        problem = tagged(bag(*(f"w{rng.randrange(12)}" for _ in range(10))))
        encoding = encode(problem, VOCABULARY)
        toy, listener = scorer(rng, [encoding], 1 / 64), Listener.draw(rng)
        (without, _), (merged, _) = (
            find(toy.search(encoding, 16), merging=merging, fluency=listener.fluency(encoding))[0]
            for merging in (False, True)
        )
        better += merged > without + TOLERANCE
        worse += merged < without - TOLERANCE
    assert better >= 6
    assert worse <= better / 3


@pytest.mark.parametrize("scorer", [Linear, Forward])
def test_a_search_depth_first_takes_the_best_action_as_a_beam_of_one_does(
    scorer: type[Toy],
) -> None:
    rng = Random(scorer.__name__)
    for _ in range(40):
        problem = in_many_shapes(rng, random_problem(rng, 10, "exact"))
        encoding = encode(problem, VOCABULARY)
        toy, listener = scorer(rng, [encoding]), Listener.draw(rng)
        search = toy.search(encoding, 1)
        found, _ = search.depth_first(1000, listener.fluency(encoding))
        [(score, actions)] = found
        [(expected, the_same)] = find(toy.search(encoding, 1), fluency=listener.fluency(encoding))
        assert actions == the_same
        assert score == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("scorer", [Linear, Forward])
def test_a_search_depth_first_scores_what_it_finds(scorer: type[Replayed]) -> None:
    """Also after backtracking."""
    rng = Random(scorer.__name__)
    turned_back = 0
    for _ in range(30):
        encoding = encode(treacherous_problem(rng), VOCABULARY)
        toy, listener = scorer(rng, [encoding]), Listener.draw(rng)
        search = toy.search(encoding, 1)
        ngram_scorer = listener.fluency(encoding)
        [(score, actions)], _ = search.depth_first(100_000, ngram_scorer, merging=True)
        share = listener.share(order_of(encoding, actions))
        assert score == pytest.approx(toy.syntax(encoding, actions) + share, abs=TOLERANCE)
        turned_back += not find(toy.search(encoding, 1), fluency=listener.fluency(encoding))
    assert turned_back >= 5


# ---- weights ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("weight", [0.0, 1e-12])
@pytest.mark.parametrize("scorer", [Linear, Forward, BothWays])
def test_a_weight_of_nearly_nothing_changes_nothing(scorer: type[Toy], weight: float) -> None:
    """Except for ties, which are frequent with the linear scorer."""
    rng = Random(scorer.__name__)
    compared = 0
    for _ in range(50):
        problem = random_problem(rng, 4 if scorer is Linear and weight else 10, "exact")
        width = EVERYTHING if scorer is Linear and weight else 4
        problem = tagged(in_many_shapes(rng, problem))
        encoding = encode(problem, VOCABULARY)
        toy = scorer(rng, [encoding])
        fluency = toy_language_model(3).ngram_scorer(encoding.forms, weight)
        expected = find(toy.search(encoding, width), 2)
        found = find(toy.search(encoding, width), 2, fluency=fluency)
        assert [score for score, _ in found] == pytest.approx(
            [score for score, _ in expected], abs=TOLERANCE
        )
        if not weight or len(expected) == 1 or expected[0][0] - expected[1][0] > 1e-6:
            assert order_of(encoding, found[0][1]) == order_of(encoding, expected[0][1])
            compared += len(expected) > 1
        if not weight:
            assert found == expected
    assert compared > 20


# ---- the linearizer --------------------------------------------------------------------------

Shown = tuple[str, tuple[int, ...], tuple[str, ...], tuple[str, ...], float, float | None]


def shown(result: Linearization) -> Shown:
    return (*(result.text, result.heads, result.tags, result.deprels), result.score, result.fluency)


def fluent_linearizer(kind: str) -> Linearizer:
    linearizer = toy_linearizer("p16") if kind == "linear" else toy_neural_linearizer()
    fluent = WeightedLanguageModel(toy_language_model(3), Balance(-0.3, 0.2, -0.4, 0.1))
    return Linearizer(replace(model_of(linearizer), language_model=fluent))


def some_problems(count: int, max_words: int = 10) -> list[Problem]:
    rng = Random(max_words)
    return [in_many_shapes(rng, random_problem(rng, max_words, "exact")) for _ in range(count)]


@pytest.mark.parametrize("kind", ["linear", "neural"])
def test_n_best_are_distinct_sorted_and_keep_all_promises(kind: str) -> None:
    linearizer = fluent_linearizer(kind)
    for problem in some_problems(40):
        results = linearizer.order(problem, n_best=10, beam=16)
        assert len({result.words for result in results}) == len(results) <= 10
        assert all(a.score >= b.score for a, b in pairwise(results))
        assert shown(results[0]) == shown(linearizer.order(problem, beam=16))
        weight = Balance(-0.3, 0.2, -0.4, 0.1).weight(*encode(problem, toy_vocabulary()).shares)
        for result in results:
            assert violations(result) == []
            share = Listener(toy_language_model(3), weight).share(result.words)
            assert result.fluency == pytest.approx(share, abs=TOLERANCE)
            assert result.syntax + share == pytest.approx(result.score, abs=TOLERANCE)


@pytest.mark.parametrize("kind", ["linear", "neural"])
def test_an_order_scores_the_same_whether_found_or_given(kind: str) -> None:
    linearizer = fluent_linearizer(kind)
    silent = Linearizer(replace(model_of(linearizer), language_model=None))
    for problem in map(tagged, some_problems(15, 4)):
        for result in linearizer.order(problem, n_best=5, beam=1024):
            given = linearizer.score(problem, result.words, beam=1024)
            assert given.words == result.words
            assert given.score == pytest.approx(result.score, abs=TOLERANCE)
            alone = silent.score(problem, result.words, beam=1024)
            assert alone.fluency is None
            assert alone.score == pytest.approx(result.syntax, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["linear", "neural"])
def test_output_depends_neither_on_listing_nor_on_batches_nor_on_threads(kind: str) -> None:
    rng = Random(kind)
    linearizer = fluent_linearizer(kind)
    problems = some_problems(40)
    expected = [[shown(r) for r in linearizer.order(p, n_best=3, beam=8)] for p in problems]
    shuffled = [relist(p, rng.sample(range(len(p.words)), len(p.words))) for p in problems]
    for listed, threads in ((problems, 1), (problems, 4), (shuffled, 1), (shuffled, 3)):
        results = linearizer.order_many(listed, n_best=3, beam=8, threads=threads)
        assert [[shown(r) for r in each] for each in results if isinstance(each, list)] == expected
    one_by_one = linearizer.order_many(iter(shuffled), n_best=3, beam=8)
    assert [[shown(r) for r in each] for each in one_by_one if isinstance(each, list)] == expected


@pytest.mark.parametrize("kind", ["linear", "neural"])
def test_the_last_resort_hears_the_language_model(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beam_module, "beam_search", lambda search, n_best, seconds: [])
    linearizer = fluent_linearizer(kind)
    silent = Linearizer(replace(model_of(linearizer), language_model=None))
    changed = same = 0
    for problem in some_problems(30):
        result, alone = linearizer.order(problem), silent.order(problem)
        assert violations(result) == []
        assert result.fluency is not None
        changed += result.words != alone.words
        if (result.words, result.heads, result.tags) == (alone.words, alone.heads, alone.tags):
            assert result.syntax == pytest.approx(alone.score, abs=TOLERANCE)
            same += len(problem.words) > 1
    assert changed > 5
    assert same > 0
