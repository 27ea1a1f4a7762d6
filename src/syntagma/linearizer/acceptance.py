"""Judges an order of the words of a problem: the same as the best one, as good, or worse.

Where an order goes wrong is found in `beginnings`. The result is defined in `results.acceptance`,
the margin in `models.model`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from syntagma.errors import UnsatisfiableError
from syntagma.linearizer.beginnings import Beginnings, Search, part_of
from syntagma.problem.faults import crossing_arcs, order_faults
from syntagma.problem.problem import Problem
from syntagma.results.acceptance import Acceptance, shared_adjacencies
from syntagma.results.linearization import Linearization
from syntagma.transition.beam import Clock

NEAREST_OF = 16  # n-best orders, among which the nearest to the judged one is chosen


def accept(
    problem: Problem,
    order: Sequence[str],
    search: Search,
    margin: float,
    timeout: float | None = None,
) -> Acceptance:
    """Judge an order, given by the forms of its words.

    Orders may read the same and differ in which words are a phrase: then the best one is judged.

    The best order takes at most half of the time, the score of the judged one half of the rest.
    """
    clock = Clock(timeout)
    known = search((), NEAREST_OF, part_of(clock, 2))
    best = known[0]
    text = " ".join(order)
    words = next((each.words for each in known if each.text == text), tuple(order))
    if words == best.words:
        return Acceptance("same", words, best, best, margin, narrowed=best.narrowed)
    broken = tuple(order_faults(problem, words))
    scored: list[Linearization] = []
    if not broken:
        try:
            scored = search(words, 1, part_of(clock, 2))
        except UnsatisfiableError as error:
            if error.limit_reached:
                raise
            broken = (crossing_arcs(problem, words) or str(error),)
    narrowed = any(each.narrowed for each in (best, *scored))
    acceptance = Acceptance("as good", words, best, None, margin, narrowed=narrowed)
    beginnings = Beginnings(words, search, [*known, *scored], acceptance.allowed, clock)
    acceptance = replace(acceptance, given=beginnings.best(len(words)))
    if acceptance.loss <= acceptance.allowed:
        return acceptance
    position, costs = beginnings.find_fault()
    acceptance = replace(
        acceptance,
        given=beginnings.best(len(words)),
        narrowed=narrowed or beginnings.narrowed,
    )
    if acceptance.loss <= acceptance.allowed:  # a later search found a better tree of the order
        return acceptance
    shares = (shared_adjacencies(words, each.words) for each in beginnings.acceptable())
    return replace(
        acceptance,
        verdict="worse",
        share=max(shares, default=0.0),
        position=position,
        hint=beginnings.best(position - 1),
        costs=costs,
        broken=broken,
    )
