"""Judging orders: laws over random problems, V by brute force, broken constraints, errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise, permutations
from random import Random
from typing import Any

import pytest
from references.brute_force import random_problem, satisfying
from toys.models import bag, model_of, relist, toy_linearizer
from toys.network import in_many_shapes, toy_neural_linearizer

from syntagma import Acceptance, Linearizer, SyntagmaWarning, load
from syntagma.errors import (
    ArgumentError,
    FormatError,
    ModelError,
    ProblemError,
    SyntagmaError,
    UnsatisfiableError,
)
from syntagma.linearizer import acceptance
from syntagma.models.model import Margin
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.acceptance import shared_adjacencies
from syntagma.results.linearization import violations

LINEARIZERS: dict[str, Callable[[], Linearizer]] = {
    "linear": lambda: toy_linearizer("p16"),
    "neural": toy_neural_linearizer,
}
BAG = ["w0", "w1", "w2", "w3", "w1", "w4"]


@pytest.fixture(params=LINEARIZERS)
def toy(request: pytest.FixtureRequest) -> Linearizer:
    return LINEARIZERS[request.param]()


def forms_of(problem: Problem) -> list[str]:
    return [word.form for word in problem.words]


def shuffled(rng: Random, problem: Problem) -> list[str]:
    return rng.sample(forms_of(problem), len(problem.words))


def cases(seed: str, count: int = 40, size: int = 6) -> Iterator[tuple[Random, Problem, list[str]]]:
    """Random problems, some with words in capitals and phrases, each with a random order."""
    rng = Random(seed)
    for _ in range(count):
        problem = random_problem(rng, size, "mixed")
        if rng.random() < 0.3:
            problem = in_many_shapes(rng, problem)
        yield rng, problem, shuffled(rng, problem)


def shown(acceptance: Acceptance) -> tuple[Any, ...]:
    """What does not depend on how the words of a problem are listed."""
    costs = tuple(round(cost, 6) for cost in acceptance.costs)
    hint = acceptance.hint.text if acceptance.hint else None
    return (
        acceptance.verdict,
        acceptance.text,
        acceptance.best.text,
        round(acceptance.loss, 6),
        acceptance.share,
        acceptance.position,
        hint,
        costs,
    )


def test_the_best_order_is_the_same(toy: Linearizer) -> None:
    for _, problem, _ in cases("same"):
        best = toy.order(problem)
        for order in (best.words, best.order):
            found = toy.accept(problem, order, margin=0)
            assert found.verdict == "same"
            assert found.accepted
            assert found.best == found.given == best
            assert (found.loss, found.share, found.position, found.hint) == (0, 1, None, None)
            assert (found.costs, found.broken, found.continuation) == ((), (), ())


def test_the_verdict_follows_from_the_scores(toy: Linearizer) -> None:
    verdicts = set()
    for rng, problem, order in cases("scores", count=60):
        margin = rng.choice((0.0, 0.5, 5.0))
        found = toy.accept(problem, order, margin=margin)
        verdicts.add(found.verdict)
        best = toy.order(problem)
        assert found.best == best
        try:
            given = toy.score(problem, order)
        except UnsatisfiableError:
            assert found.verdict == "worse" or found.text == best.text
            continue
        if found.text == best.text:
            assert found.verdict == "same"
            continue
        assert found.given is not None
        assert found.given.score == given.score
        assert found.loss == best.score - given.score
        assert found.allowed == margin * (len(order) - 1)
        assert found.verdict == ("as good" if found.loss <= found.allowed else "worse")
    assert verdicts == {"same", "as good", "worse"}


def test_costs_add_up_and_the_hint_is_acceptable(toy: Linearizer) -> None:
    worse = 0
    for rng, problem, order in cases("costs", count=80):
        found = toy.accept(problem, order, margin=rng.choice((0.0, 0.3)))
        if found.accepted:
            continue
        worse += 1
        assert found.position is not None
        assert found.hint is not None
        assert violations(found.hint) == []
        before = found.position - 1
        assert found.hint.words[:before] == found.words[:before]
        assert found.hint.words[before:] == found.continuation
        assert found.hint.words[before] != found.words[before]
        assert found.best.score - found.hint.score <= found.allowed
        # The costs of all words, of which those count that come before the order is lost.
        assert len(found.costs) == len(order)
        assert min(found.costs) >= 0
        if found.given is None:
            assert math.isinf(found.loss)
            assert math.inf in found.costs
            assert found.broken
        else:
            assert sum(found.costs) == pytest.approx(found.loss)
            assert not found.broken
        lost = next(
            count
            for count in range(1, len(order) + 1)
            if sum(found.costs[:count]) > found.allowed + 1e-9
        )
        assert found.position == 1 + found.costs.index(max(found.costs[:lost]))
    assert worse > 40


def test_an_order_has_the_best_tree_that_any_search_found() -> None:
    """A narrow beam may find a better tree of the judged order among the best orders of all, or
    among those that begin like it, than when it scores that order alone."""
    toy = toy_linearizer("p16")
    better = 0
    for rng, problem, _ in cases("narrow1", count=600):
        beam = rng.choice((1, 2, 3))
        listed = rng.choice(toy.order(problem, n_best=16, beam=beam))
        found = toy.accept(problem, listed.words, margin=0, beam=beam)
        if found.verdict == "same":
            continue
        assert found.given is not None
        scored = toy.score(problem, listed.words, beam=beam)
        assert found.given.score >= max(listed.score, scored.score)
        better += found.given.score > scored.score
        if not found.accepted:
            assert sum(found.costs) == pytest.approx(found.loss)
            assert found.hint is not None
            assert found.hint.words != found.words
    assert better


def test_costs_by_brute_force() -> None:
    """V(i) is the best score of any sentence that begins with i words and satisfies the problem.

    The linear scorer does not rerank, and a wide beam loses nothing of such small problems.
    """
    toy = toy_linearizer("p16")
    rng = Random("brute force")
    infinite = 0
    for _ in range(25):
        problem = random_problem(rng, 4, "mixed")
        order = tuple(shuffled(rng, problem))
        sentences = {
            tuple(problem.words[index - 1].form for index in found)
            for found, _ in satisfying(problem)
        }
        scores = {each: toy.score(problem, each, beam=1024).score for each in sentences}
        best = max(scores.values())
        levels = [
            max(
                (s for each, s in scores.items() if each[:count] == order[:count]),
                default=-math.inf,
            )
            for count in range(len(order) + 1)
        ]
        found = toy.accept(problem, order, margin=0, beam=1024)
        assert found.best.score == pytest.approx(best)
        assert found.loss == pytest.approx(best - levels[-1])
        if not found.accepted:
            assert [best - sum(found.costs[:count]) for count in range(len(order) + 1)] == (
                pytest.approx(levels)
            )
            infinite += found.given is None
    assert infinite


def test_neural_scores_of_beginnings_by_brute_force() -> None:
    """With at most 16 orders, all of which are reranked, V(i) is exact with a reranker, too."""
    toy = toy_neural_linearizer()
    words = ["w0", "w1", "w2"]
    for order in permutations(words):
        scores = {each: toy.score(words, each, beam=1024).score for each in permutations(words)}
        best = max(scores.values())
        found = toy.accept(words, order, margin=0, beam=1024)
        assert found.loss == pytest.approx(best - scores[order])
        if not found.accepted:
            levels = [
                max(score for each, score in scores.items() if each[:count] == order[:count])
                for count in range(4)
            ]
            assert found.costs == pytest.approx([high - low for high, low in pairwise(levels)])


def test_a_larger_margin_accepts_no_less(toy: Linearizer) -> None:
    changed = 0
    for _, problem, order in cases("margins", count=25):
        found = [toy.accept(problem, order, margin=m) for m in (0, 0.1, 0.5, 1, 3, 10, 1000)]
        accepted = [each.accepted for each in found]
        assert accepted == sorted(accepted)
        assert all(each.share == 1.0 for each in found if each.accepted)
        changed += accepted[0] != accepted[-1]
    assert changed


def test_the_share_is_that_of_the_nearest_acceptable_order(toy: Linearizer) -> None:
    for _, problem, order in cases("shares", count=30, size=4):
        found = toy.accept(problem, order, margin=0.2)
        if found.accepted:
            continue
        known = [*toy.order(problem, n_best=16), found.hint]
        shares = [
            shared_adjacencies(order, each.words)
            for each in known
            if each is not None and found.best.score - each.score <= found.allowed
        ]
        assert found.share >= max(shares)
        assert 0 <= found.share < 1


def test_how_words_are_listed_does_not_matter(toy: Linearizer) -> None:
    for rng, problem, order in cases("listing", count=25):
        listing = rng.sample(range(len(problem.words)), len(problem.words))
        found = toy.accept(problem, order, margin=0.3)
        again = toy.accept(relist(problem, listing), order, margin=0.3)
        assert shown(found) == shown(again)


def test_indices_mean_their_forms(toy: Linearizer) -> None:
    for rng, problem, _ in cases("indices", count=25):
        indices = rng.sample(range(1, len(problem.words) + 1), len(problem.words))
        forms = [problem.words[index - 1].form for index in indices]
        by_forms = toy.accept(problem, forms, margin=0.3)
        assert toy.accept(problem, indices, margin=0.3) == by_forms
        assert toy.accept(problem, iter(indices), margin=0.3) == by_forms


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stream_gives_what_single_calls_give(toy: Linearizer, threads: int) -> None:
    items: list[Any] = [(problem, order) for _, problem, order in cases("stream", count=25)]
    expected = [toy.accept(problem, order, margin=0.3) for problem, order in items]
    assert list(toy.accept_many(items, margin=0.3, threads=threads)) == expected
    assert list(toy.accept_many(iter(items), margin=0.3, threads=threads)) == expected


def test_errors_in_a_stream(toy: Linearizer) -> None:
    def broken() -> Iterator[str]:
        yield "w0"
        raise OSError("the disk is gone")

    items: list[Any] = [
        (["w0", "w1"], ["w1", "w0"]),
        FormatError("bad line", "file", 3),
        (["w0", "w1"], ["w1"]),
        ["w0"],
        7,
        (broken(), ["w0"]),
        (["w0"], broken()),
        (["w0"], "w0"),
        (["w0"], 5),
        (["w0"], ["w0"]),
    ]
    found = list(toy.accept_many(items, margin=1, on_error="yield"))
    assert [isinstance(each, SyntagmaError) for each in found] == [False, *[True] * 8, False]
    assert [str(each) for each in found[1:9]] == [
        "file:3: bad line",
        "the word 'w0' of the bag is missing in the given order",
        "expected a pair, words and an order, not ['w0']",
        "expected a pair, words and an order, not 7",
        "the words cannot be read: OSError('the disk is gone')",
        "the order cannot be read: OSError('the disk is gone')",
        "an order is a list of words, not one string: split it into words first",
        "an order is a list of words, not 5",
    ]
    with pytest.raises(FormatError, match="bad line"):
        list(toy.accept_many(items, margin=1))


# Long orders and limited time


def test_halving(toy: Linearizer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the costs of all words the hint is acceptable all the same."""
    expected = [
        toy.accept(problem, order, margin=0.3) for _, problem, order in cases("halving", 50)
    ]
    monkeypatch.setattr(acceptance, "MOST_COSTS", 0)
    agree = []
    for (_, problem, order), by_walking in zip(cases("halving", 50), expected, strict=True):
        found = toy.accept(problem, order, margin=0.3)
        assert found.verdict == by_walking.verdict
        assert not found.narrowed
        if found.accepted:
            continue
        assert found.costs == ()
        assert found.position is not None
        assert found.hint is not None
        before = found.position - 1
        assert found.hint.words[:before] == found.words[:before]
        assert found.hint.words[before] != found.words[before]
        assert found.best.score - found.hint.score <= found.allowed
        agree.append(found.position == by_walking.position)
    assert agree.count(True) > 0.7 * len(agree)


def test_a_long_order_takes_few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = toy_neural_linearizer()
    rng = Random("long")
    words = [f"w{rng.randrange(12)}" for _ in range(100)]
    searches: list[int] = []
    search = acceptance.Beginnings._look_for

    def counted(self: acceptance.Beginnings, count: int, parts: int = 1) -> None:
        searches.append(count)
        search(self, count, parts)

    monkeypatch.setattr(acceptance.Beginnings, "_look_for", counted)
    found = toy.accept(words, words, margin=0.01, beam=2)
    assert found.verdict == "worse"
    assert found.hint is not None
    assert 1 <= len(searches) <= 14  # 2 log₂ 100
    assert found.costs == ()


def test_limited_time(toy: Linearizer) -> None:
    for _, problem, order in cases("time", count=10):
        plenty = toy.accept(problem, order, margin=0.3, timeout=1000)
        assert plenty.verdict == toy.accept(problem, order, margin=0.3).verdict
        assert not plenty.narrowed
        found = toy.accept(problem, order, margin=0.3, timeout=1e-6)
        if not found.accepted:
            assert found.hint is not None
            assert found.position is not None
            assert found.hint.words[: found.position - 1] == found.words[: found.position - 1]
    rng = Random("hurry")
    words = [f"w{rng.randrange(12)}" for _ in range(60)]
    assert toy.accept(words, words, margin=0, timeout=1e-3).narrowed


# Constraints


DOG = [Word("the", head=2), Word("dog", head=3), Word("saw", head=0), Word("a", head=5)]
SAW = Problem.of([*DOG, Word("cat", head=3)])


@pytest.mark.parametrize(
    ("problem", "order", "broken"),
    [
        (
            Problem.of(["w0", "w1", "w2"], before=[(1, 2), (2, 3)]),
            ["w2", "w1", "w0"],
            (
                "word 1 'w0' does not stand before word 2 'w1'",
                "word 2 'w1' does not stand before word 3 'w2'",
            ),
        ),
        (
            Problem.of(["w0", "w1", "w2"], first=1, last=3),
            ["w2", "w1", "w0"],
            ("word 1 'w0' does not stand first", "word 3 'w2' does not stand last"),
        ),
        (
            SAW,
            ["the", "dog", "a", "saw", "cat"],
            ("word 3 'saw', the root, stands between word 4 'a' and its head word 5 'cat'",),
        ),
        (
            SAW,
            ["a", "the", "cat", "dog", "saw"],
            (
                "the arcs between word 4 'a' and its head word 5 'cat', and between word 1 'the' "
                "and its head word 2 'dog', cross",
            ),
        ),
        (
            Problem.of([Word("w0", head=2), "w1", Word("w0", head=4), "w2"]),
            ["w0", "w0", "w1", "w2"],
            (),
        ),
        (
            Problem.of(
                [Word("w0", head=2), Word("w1", head=4), Word("w0", head=4), Word("w1", head=0)]
            ),
            ["w0", "w1", "w1", "w0"],
            (),
        ),
    ],
)
def test_broken_constraints(
    toy: Linearizer, problem: Problem, order: list[str], broken: tuple[str, ...]
) -> None:
    found = toy.accept(problem, order, margin=1000)
    assert found.broken == broken
    assert found.accepted == (not broken)
    if broken:
        assert found.given is None
        assert math.isinf(found.loss)
        assert found.hint is not None
        assert violations(found.hint) == []


def test_equal_words_that_no_tree_fits(toy: Linearizer) -> None:
    """Where words occur twice, which arcs cross is not certain: the reason is general."""
    words = [Word("w0", head=3), Word("w0", head=4), Word("w1", head=0), Word("w2", head=3)]
    found = toy.accept(Problem.of(words), ["w2", "w1", "w0", "w0"], margin=9)
    assert found.broken == (
        "the given order has no projective tree that satisfies the constraints of the words",
    )
    assert math.inf in found.costs
    assert found.costs.index(math.inf) == 1


def test_phrases(toy: Linearizer) -> None:
    found = toy.accept(["New York", "w1"], ["w1", "New York"], margin=0)
    assert found.words == ("w1", "New York")


def test_orders_that_read_the_same(toy: Linearizer) -> None:
    """Which of the words of a text are the phrase is no difference."""
    bag = ["w0 w1", "w0", "w1", "w2"]
    orders = (["w0 w1", "w2", "w0", "w1"], ["w0", "w1", "w2", "w0 w1"])
    one, other = (toy.accept(bag, order, margin=0) for order in orders)
    assert one == other
    assert one.given is not None
    assert one.given.score == max(toy.score(bag, order).score for order in orders)


def test_one_word(toy: Linearizer) -> None:
    assert toy.accept(["w0"], ["w0"], margin=0).verdict == "same"


def test_identical_words(toy: Linearizer) -> None:
    assert toy.accept(["w0"] * 4, [3, 1, 4, 2], margin=0).verdict == "same"


# The margin


def test_the_margin_of_the_model(toy: Linearizer) -> None:
    margin = Margin(0.4, 0.9, 0.1, 50, 12)
    linearizer = Linearizer(replace(model_of(toy), margin=margin))
    assert linearizer.accept(BAG, BAG) == toy.accept(BAG, BAG, margin=0.4)
    assert linearizer.accept(BAG, BAG, margin=9) == toy.accept(BAG, BAG, margin=9)


def test_a_model_without_a_margin(toy: Linearizer) -> None:
    for call in (lambda: toy.accept(BAG, BAG), lambda: toy.accept_many([])):
        with pytest.raises(ModelError) as caught:
            call()
        assert str(caught.value).endswith(
            "has no margin for acceptable orders: give one (margin=, --margin), or let the model "
            "learn one: syntagma fit-margin"
        )


@pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf, "1", True, [1]])
def test_bad_margins(toy: Linearizer, margin: Any) -> None:
    with pytest.raises(ArgumentError, match="margin must be a number that is 0 or more, not "):
        toy.accept(BAG, BAG, margin=margin)


def test_bad_orders(toy: Linearizer) -> None:
    for order in (["w0"], [*BAG, "w0"], [1, 2], "w0 w1", 7, None, ["w0", 1]):
        with pytest.raises(ProblemError):
            toy.accept(BAG, order, margin=1)  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match="not a set, which has no order"):
        toy.accept(BAG, set(BAG), margin=1)
    with pytest.raises(ProblemError, match="more than the limit of 3"):
        toy.accept(BAG, BAG, margin=1, max_words=3)
    with pytest.raises(ProblemError, match="has a lemma but no form"):
        toy.accept([Word(lemma="be")], ["be"], margin=1)
    with pytest.raises(ArgumentError, match="orders are given as a list of pairs"):
        toy.accept_many("w0", margin=1)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="beam must be between"):
        toy.accept(BAG, BAG, margin=1, beam=0)


def test_contradictory_problems_raise() -> None:
    toy = toy_linearizer("p16")
    problem = Problem.of([Word("a", head=2), Word("b", head=3), Word("c", head=0)], before=[(1, 3)])
    assert toy.accept(problem, ["a", "b", "c"], margin=99).accepted
    words = [Word("a", head=3), Word("b", head=4), Word("c"), Word("d")]
    with pytest.raises(UnsatisfiableError, match="these order constraints cannot be met"):
        toy.accept(
            Problem.of(words, before=[(1, 2), (2, 3), (3, 4)]), ["a", "b", "c", "d"], margin=1
        )


def test_a_best_first_search_cannot_judge() -> None:
    linearizer = load("en-best-first", search="best-first")
    for call in (lambda: linearizer.accept(BAG, BAG), lambda: linearizer.accept_many([], margin=1)):
        with pytest.raises(ModelError, match="a best-first search does not score given orders"):
            call()


def test_a_warning_names_the_line_of_the_caller(toy: Linearizer) -> None:
    problem = Problem.of([Word("w0", "no-such-tag"), "w1"])
    with pytest.warns(SyntagmaWarning, match="no-such-tag") as caught:
        toy.accept(problem, ["w0", "w1"], margin=1)
    assert [warning.filename for warning in caught] == [__file__]


# In words


def test_in_words() -> None:
    toy = toy_linearizer("p16")
    best = toy.order(bag("w0", "w1", "w2"))
    assert str(toy.accept(best.words, best.words, margin=0)) == (
        f"same: {best.text!r} is the best order"
    )
    other = [*best.words[::-1]]
    assert str(toy.accept(other, other, margin=1000)) == (
        f"as good: {' '.join(other)!r} is as good as {best.text!r}"
    )
    found = toy.accept(other, other, margin=0)
    assert found.position == 1
    assert found.adjacency == (None, other[0])
    assert str(found) == (
        f"worse: {' '.join(other)!r} goes wrong at its first word {other[0]!r}; "
        f"better: {best.text!r}; {found.share:.0%} of its adjacencies are right"
    )
    last = [best.words[0], best.words[2], best.words[1]]
    found = toy.accept(Problem.of(last, first=1, last=2), last, margin=0)
    assert str(found) == (
        f"worse: {' '.join(last)!r} goes wrong at {last[1]!r} after {last[0]!r}; "
        f"word 2 {last[1]!r} does not stand last; better: {best.text!r}; "
        f"{found.share:.0%} of its adjacencies are right"
    )
