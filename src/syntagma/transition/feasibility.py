"""Whether a problem can be solved, and which of its order constraints contradict each other.

The words with given arcs decide; a word without given arcs never makes a problem unsolvable. Take
it out of a solution and let its dependents go to its head: the rest is a solution. Put it into a
solution of the rest, between all that must stand before it and all that must stand after it, as a
dependent of a neighbour: no arc crosses. So order constraints can be met together with the given
arcs if and only if those among the words with arcs can (`cores`), and a solution of the core leads
to one of the problem (`guided`).

There is one exception: the root may have to be a word without arcs.

A minimal set of contradictory constraints is found by QuickXplain (Junker 2004, §4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from syntagma.errors import name_words
from syntagma.problem.problem import Problem
from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition._search import FoundTree
from syntagma.transition.encoding import Encoding


@dataclass(frozen=True, slots=True)
class Core:
    """A problem of some of the words of another; `kept` are their 0-based indices there."""

    problem: Problem
    kept: tuple[int, ...]


def cores(problem: Problem) -> Iterator[Core]:
    """The problem can be solved if and only if one of these can.

    There is one, unless the root may have to be a word without arcs. Of those, one is tried unless
    it must stand before or behind words that another one need not.
    """
    heads = {word.head for word in problem.words} | {problem.root}
    arcs = [at for at, word in enumerate(problem.words) if word.head is not None or at + 1 in heads]
    rootable = problem.may_be_root
    if arcs and any(rootable[at] for at in arcs):
        yield _part(problem, arcs)
    if problem.root is not None:
        return
    if not arcs or not all(rootable[at] for at in arcs if problem.words[at].head is None):
        others = set(range(len(problem.words))).difference(arcs)
        for at in _least_bound([at for at in sorted(others) if rootable[at]], arcs, problem):
            yield _part(problem, sorted([*arcs, at]))


def _least_bound(others: Sequence[int], arcs: Sequence[int], problem: Problem) -> list[int]:
    """Those of the other words that no other one can stand in for."""
    masks = problem.predecessors or (0,) * len(problem.words)
    kept = sum(1 << at for at in arcs)
    bounds: dict[tuple[int, int], int] = {}
    for at in others:
        behind = sum(1 << arc for arc in arcs if masks[arc] >> at & 1)
        bounds.setdefault((masks[at] & kept, behind), at)
    return [
        at
        for (before, behind), at in bounds.items()
        if not any(
            (before, behind) != (one, other) and not (one & ~before or other & ~behind)
            for one, other in bounds
        )
    ]


def _part(problem: Problem, kept: Sequence[int]) -> Core:
    number = {at: new for new, at in enumerate(kept, start=1)}
    words = []
    for at in kept:
        head = problem.words[at].head
        words.append(replace(problem.words[at], head=number[head - 1] if head else head))
    before = []
    if problem.predecessors is not None:
        before = [(number[a], number[b]) for a, b in _direct_pairs(problem.predecessors, kept)]
    return Core(Problem(tuple(words), before=tuple(before)), tuple(kept))


def _direct_pairs(predecessors: Sequence[int], among: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(a, b): of these words a precedes b, and no third one is known to stand between them."""
    kept = sum(1 << at for at in among)
    for b in among:
        rest, direct = predecessors[b] & kept, list[int]()
        while rest:
            direct.append(rest.bit_length() - 1)
            rest &= ~(1 << direct[-1] | predecessors[direct[-1]])
        implied = 0
        for a in direct:
            implied |= predecessors[a]
        yield from ((a, b) for a in direct if not implied >> a & 1)


def guided(problem: Problem, core: Core, encoding: Encoding, found: FoundTree) -> Problem:
    """The problem with the order and the arcs of a solution of its core given, too."""
    index = [core.kept[encoding.order[number]] + 1 for number in range(len(core.kept))]
    words = list(problem.words)
    for number, head in enumerate(found.heads):
        if head >= 0:
            at = index[number] - 1
            words[at] = replace(words[at], head=index[head])
    order = [index[number] for number in found.order]
    before = dict.fromkeys([*problem.before, *pairwise(order)])
    return replace(problem, words=tuple(words), before=tuple(before))


T = TypeVar("T")

# Sets of constraints that are tried. After that, constraints that may not be needed are kept.
MAX_TRIES = 500
MAX_NAMED = 12  # constraints in a message


def smallest_conflict(
    problem: Problem, is_conflict: Callable[[Problem], bool], clock: Clock = NO_LIMIT
) -> Problem:
    """The problem with a minimal set of its order constraints that cannot be met together.

    Without any one of them, the rest can be met. `is_conflict` tells whether the constraints of a
    problem cannot be met. Of n constraints, k of them in the conflict, O(k log n) sets are tried,
    until time is over.
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

    needed = set(_conflict(constraints, lambda kept: not clock.over and is_conflict(reduced(kept))))
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
