"""The clock that every long loop looks at: limits, their parts, and cancellation."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from references.brute_force import random_problem
from toys.models import toy_linearizer, toy_vocabulary
from toys.network import toy_neural_linearizer
from toys.realizer import as_lemmas, toy_realizing_linearizer

import syntagma
from syntagma.errors import CancelledError
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.request import Request
from syntagma.results.linearization import violations
from syntagma.transition._clock import NO_LIMIT, Clock, TimeIsUp
from syntagma.transition._depth_first import depth_first_search
from syntagma.transition._search import Search
from syntagma.transition.encoding import encode
from syntagma.transition.feasibility import cores

LINEARIZERS: dict[str, Callable[[], Linearizer]] = {
    "linear": lambda: toy_linearizer("p16"),
    "neural": toy_neural_linearizer,
    "fluent": lambda: toy_realizing_linearizer("neural"),
}


def interlaced(free: int) -> Problem:
    """Trees of four words that exclude the root, bound by order constraints; and other words."""
    words = [
        Word(f"w{at}", head=at - at % 4 + 1 if at % 4 else None, deprel=None if at % 4 else "obj")
        for at in range(25)
    ]
    words += [Word(f"w{at % 30}") for at in range(free)]
    return Problem(tuple(words), before=((2, 6), (5, 1), (10, 14), (13, 9), (18, 22), (21, 17)))


# ---- the clock -------------------------------------------------------------------------------


def test_without_a_limit_time_is_never_over() -> None:
    for clock in (NO_LIMIT, Clock(), Clock(None).part(3), NO_LIMIT.part(2)):
        assert [clock.limited, clock.over, clock.late] == [False] * 3
        clock.check()


def test_time_is_over_before_it_is_late() -> None:
    clock = Clock(1e-9)
    assert clock.limited
    assert clock.over
    assert not clock.late
    clock.check()
    while not clock.late:
        time.sleep(0.01)
    with pytest.raises(TimeIsUp):
        clock.check()


def test_parts_share_what_is_left_and_are_late_together() -> None:
    clock = Clock(600.0)
    assert not clock.part(2).over
    assert Clock(1e-9).part(2).over
    started = time.monotonic()
    part = clock.part(6_000_000)  # 0.1 ms
    while not part.over:
        assert time.monotonic() - started < 60
    assert not part.late
    assert not clock.over


def test_the_clock_asks_now_and_then_whether_anybody_waits() -> None:
    asked: list[float] = []

    def cancelled() -> bool:
        asked.append(time.monotonic())
        return False

    clock = Clock(None, cancelled)
    started = time.monotonic()
    while len(asked) < 3:
        clock.check()
        assert time.monotonic() - started < 60
    with pytest.raises(CancelledError, match="nobody waits"):
        Clock(600.0, lambda: True).check()
    with pytest.raises(CancelledError):
        Clock(600.0, lambda: True).part(2).check()


def test_an_error_of_the_question_is_not_swallowed() -> None:
    def broken() -> bool:
        raise RuntimeError("the line went dead")

    with pytest.raises(RuntimeError, match="the line went dead"):
        Clock(None, broken).check()


# ---- cancellation ----------------------------------------------------------------------------


def solve(linearizer: Linearizer, problem: Any, cancelled: Callable[[], bool], **how: Any) -> Any:
    request = Request(**how)
    return next(iter(linearizer.solve([problem], request, cancelled=cancelled)))


@pytest.mark.parametrize("name", LINEARIZERS)
@pytest.mark.parametrize("n_best", [None, 3])
def test_what_nobody_waits_for_is_given_up(name: str, n_best: int | None) -> None:
    rng = Random(name)
    for size in (1, 5, 12, 60):
        for problem in (random_problem(rng, size, "exact"), interlaced(size)):
            with pytest.raises(CancelledError):
                solve(LINEARIZERS[name](), problem, lambda: True, n_best=n_best)


def test_realization_and_judgements_are_cancelled_too() -> None:
    linearizer = LINEARIZERS["fluent"]()
    lemmas = as_lemmas(Random(2), random_problem(Random(2), 12, "none"))
    with pytest.raises(CancelledError):
        solve(linearizer, lemmas, lambda: True, operation="realize")
    bag = ["w1", "w2", "w3"]
    judging: list[dict[str, Any]] = [
        {"operation": "score"},
        {"operation": "accept", "margin": 1.0},
    ]
    for how in judging:
        with pytest.raises(CancelledError):
            solve(linearizer, (bag, bag), lambda: True, **how)


def test_an_error_that_is_yielded_is_not_that_of_a_cancelled_problem() -> None:
    linearizer = LINEARIZERS["linear"]()
    found = linearizer.solve([["a"], []], Request(), on_error="yield", cancelled=lambda: False)
    assert [type(each).__name__ for each in found] == ["Linearization", "ProblemError"]
    with pytest.raises(CancelledError):
        list(linearizer.solve([["a"], []], Request(), on_error="yield", cancelled=lambda: True))


@pytest.mark.parametrize("calls", [1, 2, 5, 20])
def test_all_that_takes_long_asks_again_and_again(calls: int) -> None:
    """A search without end in sight: after any number of questions another one follows."""
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > calls

    problem = Problem(tuple(Word(f"w{at}") for at in range(200)))
    with pytest.raises(CancelledError):
        solve(LINEARIZERS["neural"](), problem, cancelled, beam=1024)
    assert len(asked) == calls + 1


def test_the_search_depth_first_is_cancelled_and_ends_in_time() -> None:
    """The words of two trees by turns: more states than anyone can wait for."""
    words = [Word(f"a{at}", head=1 if at else None) for at in range(40)]
    words += [Word(f"b{at}", head=41 if at else None) for at in range(40)]
    encoding = encode(Problem(tuple(words), before=((2, 42), (43, 3))), toy_vocabulary())
    with pytest.raises(CancelledError):
        depth_first_search(Search(encoding.task, 1), 10**9, Clock(None, lambda: True))
    late = Clock(1e-9)
    while not late.late:
        time.sleep(0.01)
    with pytest.raises(TimeIsUp):
        depth_first_search(Search(encoding.task, 1), 10**9, late)


# ---- what took minutes -----------------------------------------------------------------------


@pytest.mark.parametrize("name", LINEARIZERS)
@pytest.mark.parametrize("free", [1, 3, 20, 225])
def test_free_words_make_no_problem_harder(name: str, free: int) -> None:
    """0.12 gave up with three of them, after a search for each; and looked at no clock."""
    problem = interlaced(free)
    for timeout in (None, 1e-9) if free < 100 else (1e-9, 0.2):
        found = LINEARIZERS[name]().order(problem, beam=4, timeout=timeout)
        assert violations(found) == []


def test_of_interchangeable_roots_one_is_tried() -> None:
    assert [len(core.kept) for core in cores(interlaced(225))] == [25]
    free = [Word("a"), Word("b", head=1, deprel="x"), *(Word(f"c{at}") for at in range(9))]
    free[0] = Word("a", deprel="x")
    for before, expected in (((), 1), (((3, 1), (4, 1)), 1), (((3, 1), (2, 4)), 1)):
        assert len(list(cores(Problem(tuple(free), before=before)))) == expected
    bound = tuple((at, 1) if at % 2 else (2, at) for at in range(3, 12))
    assert len(list(cores(Problem(tuple(free), before=bound)))) == 2


# ---- limits that are not reached -------------------------------------------------------------


@pytest.fixture(scope="module")
def en() -> Linearizer:
    return syntagma.load("en")


def measured(call: Callable[[], Any]) -> tuple[Any, float]:
    times = []
    for _ in range(3):
        started = time.perf_counter()
        found = call()
        times.append(time.perf_counter() - started)
    return found, max(times)


def test_a_limit_that_is_not_reached_changes_nothing(en: Linearizer) -> None:
    """0.12 narrowed nearly all bags at five times the need, and a long tree even at ten times."""
    rng = Random(12)
    heads = [0, *(rng.randint(1, at) for at in range(1, 300))]
    tree = Problem(tuple(Word(f"w{at % 90}", head=head) for at, head in enumerate(heads)))
    text = ["why", "does", "the", "old", "man", "next", "door", "never", "look", "at", "the", "sea"]
    for problem in (text[:6], text, [*text, *text], tree):
        expected, need = measured(lambda problem=problem: en.order(problem))  # type: ignore[misc]
        assert en.order(problem, timeout=10 * need + 0.2) == expected
    ten_best, need = measured(lambda: en.order(text, n_best=10))
    assert en.order(text, n_best=10, timeout=10 * need + 0.2) == ten_best
