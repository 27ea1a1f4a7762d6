"""Judges an order of the words of a problem: is it as good as the best one, and if not, where does
it go wrong?

V(i) is the best score of an order that begins with the first i words of the judged one: V(0) is
that of the best order, V(n) that of the judged one. The loss V(0) − V(n) is the sum of the costs
V(i−1) − V(i) ≥ 0 of its words. Because the beam is not exact, the score of a longer beginning may
be higher; it then counts for the shorter ones, too, up to the score of the best order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import Protocol

from syntagma.errors import UnsatisfiableError, name_word, name_words
from syntagma.problem.problem import Problem
from syntagma.results.acceptance import Acceptance, shared_adjacencies
from syntagma.results.linearization import Linearization
from syntagma.transition.beam import Clock

NEAREST_OF = 16  # best orders among which the nearest to the judged one is looked for
MOST_COSTS = 40  # words of an order up to which the cost of each is found


class Search(Protocol):
    """Searches for the best orders that begin with these words, within some seconds."""

    def __call__(
        self, beginning: Sequence[str], n_best: int, seconds: float | None
    ) -> list[Linearization]: ...


def judge(
    problem: Problem,
    words: Sequence[str],
    search: Search,
    margin: float,
    timeout: float | None = None,
) -> Acceptance:
    """Judge an order, given by the forms of its words.

    The best order takes at most half of the time, the score of the judged one half of the rest.
    """
    clock = Clock(timeout)
    known = search((), NEAREST_OF, _share_of(clock, 2))
    best = known[0]
    words = tuple(words)
    if words == best.words:
        return Acceptance("same", words, best, best, margin, narrowed=best.narrowed)
    given: Linearization | None = None
    broken = tuple(order_faults(problem, words))
    if not broken:
        try:
            [given] = search(words, 1, _share_of(clock, 2))
        except UnsatisfiableError as error:
            broken = (crossing_arcs(problem, words) or str(error),)
    narrowed = best.narrowed or (given is not None and given.narrowed)
    acceptance = Acceptance("as good", words, best, given, margin, narrowed=narrowed)
    if acceptance.loss <= acceptance.allowed:
        return acceptance
    path = _Path(words, search, best, given, clock)
    position, hint, costs = path.trace()
    good_enough = best.score - acceptance.allowed
    acceptable = [each for each in (*known, *path.found) if each.score >= good_enough]
    return replace(
        acceptance,
        verdict="worse",
        share=max(shared_adjacencies(words, each.words) for each in acceptable),
        position=position,
        hint=hint,
        costs=costs,
        broken=broken,
        narrowed=narrowed or path.narrowed,
    )


def _share_of(clock: Clock, parts: int) -> float | None:
    """An equal share of the time left; not nothing, which no search can do with."""
    return None if clock.left is None else max(clock.left / parts, 1e-3)


class _Path:
    """The best orders along the judged one: for each number of its words, the best order that
    begins with them. `found` are those that were searched for."""

    def __init__(
        self,
        words: tuple[str, ...],
        search: Search,
        best: Linearization,
        given: Linearization | None,
        clock: Clock,
    ) -> None:
        self._words = words
        self._search = search
        self._best = best
        self._given = given
        self._clock = clock
        self.found: list[Linearization] = []
        self.narrowed = False

    def trace(self) -> tuple[int, Linearization, tuple[float, ...]]:
        """The position that costs most, the best order up to there, and all costs if known."""
        if len(self._words) <= MOST_COSTS and self._clock.left is None:
            return self._walk()
        return (*self._halve(), ())

    def _walk(self) -> tuple[int, Linearization, tuple[float, ...]]:
        """Follow each best order as long as it agrees with the judged one, then look for the next.

        An order that is best of those that begin with i words is best of those that begin with
        more of the same words, as long as it does so itself.
        """
        size = len(self._words)
        orders: list[Linearization | None] = []  # by the number of the first words
        order: Linearization | None = self._best
        while len(orders) < size:
            agreed = size if order is None else self._agreement(order)
            orders += [order] * (agreed + 1 - len(orders))
            if len(orders) <= size:
                order = self._best_after(len(orders))
        for at in range(size - 1, 0, -1):
            if _score(orders[at]) > _score(orders[at - 1]):
                orders[at - 1] = orders[at]
        levels = [min(_score(order), self._best.score) for order in orders]
        costs = tuple(before - after if before > after else 0.0 for before, after in pairwise(levels))
        place = costs.index(max(costs))
        hint = orders[place]
        assert hint is not None  # before the first infinite cost every order is there
        return place + 1, hint, costs

    def _halve(self) -> tuple[int, Linearization]:
        """Halve the order again and again, and go on in the half that costs more."""
        low, high = 0, len(self._words)
        order, least = self._best, _score(self._given)
        while (low := max(low, self._agreement(order))) + 1 < high and not self._clock.expired:
            middle = (low + high) // 2
            seconds_for = math.ceil(math.log2(high - low))
            halfway = self._best_after(middle, seconds_for)
            level = min(_score(halfway), order.score)
            if halfway is not None and order.score - level < level - least:
                low, order = middle, halfway
            else:
                high, least = middle, level
        self.narrowed = self.narrowed or low + 1 < high
        return low + 1, order

    def _best_after(self, count: int, parts: int = 1) -> Linearization | None:
        """The best order that begins with so many words; None if there is none."""
        if count >= len(self._words) - 1 and self._given is not None:
            return self._given
        try:
            [order] = self._search(self._words[:count], 1, _share_of(self._clock, parts))
        except UnsatisfiableError:
            return None
        self.found.append(order)
        self.narrowed = self.narrowed or order.narrowed
        return order

    def _agreement(self, order: Linearization) -> int:
        """With how many words of the judged order this one begins."""
        agreed = takewhile(lambda pair: pair[0] == pair[1], zip(order.words, self._words))
        return sum(1 for _ in agreed)


def _score(order: Linearization | None) -> float:
    return -math.inf if order is None else order.score
