"""The words that decide whether a problem can be solved: those with given arcs.

A word without given arcs never stands in the way. Take it out of a solution and let its dependents
go to its head: the rest is a solution. Put it into a solution of the rest, between all that must
stand before it and all that must stand after it, as a dependent of a neighbour: no arc crosses. So
order constraints can be met together with the given arcs if and only if those among the words with
arcs can (`cores`), and a solution of the core leads to one of the problem (`guided`).

There is one exception: the root may have to be a word without arcs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from syntagma.problem.problem import Problem
from syntagma.transition._search import FoundTree
from syntagma.transition.encoding import Encoding


@dataclass(frozen=True, slots=True)
class Core:
    """A problem of some of the words of another; `kept` are their 0-based indices there."""

    problem: Problem
    kept: tuple[int, ...]


def cores(problem: Problem) -> Iterator[Core]:
    """The problem can be solved if and only if one of these can.

    There is one, unless the root may have to be a word without arcs.
    """
    heads = {word.head for word in problem.words}
    arcs = [
        at
        for at, word in enumerate(problem.words)
        if word.head is not None or at + 1 in heads or problem.root == at + 1
    ]
    others = [at for at in range(len(problem.words)) if at not in set(arcs)]
    rootable = problem.may_be_root
    if arcs and any(rootable[at] for at in arcs):
        yield _part(problem, arcs)
    if problem.root is not None:
        return
    if not arcs or not all(rootable[at] for at in arcs if problem.words[at].head is None):
        for at in others:
            if rootable[at]:
                yield _part(problem, sorted([*arcs, at]))


def _part(problem: Problem, kept: Sequence[int]) -> Core:
    number = {at: new for new, at in enumerate(kept, start=1)}
    words = []
    for at in kept:
        head = problem.words[at].head
        words.append(replace(problem.words[at], head=number[head - 1] if head else head))
    before = []
    if problem.predecessors is not None:
        before = [
            (number[a], number[b]) for b in kept for a in kept if problem.predecessors[b] >> a & 1
        ]
    return Core(Problem(tuple(words), before=tuple(before)), tuple(kept))


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
