"""Which of a problem's order constraints contradict each other: QuickXplain (Junker 2004, §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from syntagma.errors import name_words
from syntagma.problem.problem import Problem

T = TypeVar("T")

# Sets of constraints that are tried. After that, constraints that may not be needed are kept.
MAX_TRIES = 500
MAX_NAMED = 12  # constraints in a message


def smallest_conflict(problem: Problem, is_conflict: Callable[[Problem], bool]) -> Problem:
    """The problem with a minimal set of its order constraints that cannot be met together.

    Without any one of them, the rest can be met. `is_conflict` tells whether the constraints of a
    problem cannot be met. Of n constraints, k of them in the conflict, O(k log n) sets are tried.
    """
    ends = [name for name in ("first", "last") if getattr(problem, name) is not None]
    constraints: list[str | tuple[int, int]] = [*problem.before, *ends]

    def reduced(kept: Sequence[str | tuple[int, int]]) -> Problem:
        return replace(
            problem,
            before=tuple(each for each in kept if isinstance(each, tuple)),
            first=problem.first if "first" in kept else None,
            last=problem.last if "last" in kept else None,
        )

    needed = set(_conflict(constraints, lambda kept: is_conflict(reduced(kept))))
    return reduced([each for each in constraints if each in needed])


def _conflict(constraints: list[T], is_conflict: Callable[[list[T]], bool]) -> list[T]:
    tries = iter(range(MAX_TRIES))

    def conflict_with(background: list[T], added: bool, candidates: list[T]) -> list[T]:
        """What of the candidates is needed for a conflict, together with the background."""
        if added and next(tries, None) is not None and is_conflict(background):
            return []
        if len(candidates) == 1:
            return candidates
        half = len(candidates) // 2
        one, other = candidates[:half], candidates[half:]
        of_other = conflict_with(background + one, True, other)
        of_one = conflict_with(background + of_other, bool(of_other), one)
        return of_one + of_other

    return conflict_with([], False, constraints)


def describe_constraints(problem: Problem) -> str:
    """The order constraints in words; a long list is cut."""
    texts = list(_texts(problem))
    if len(texts) > MAX_NAMED:
        texts[MAX_NAMED - 1 :] = [f"… {len(texts) - MAX_NAMED + 1} more"]
    return "; ".join(texts)


def _texts(problem: Problem) -> Iterator[str]:
    for pair in problem.before:
        yield name_words(problem.words, pair, " before ")
    for name, index in (("first", problem.first), ("last", problem.last)):
        if index is not None:
            yield f"{name_words(problem.words, [index])} {name}"
