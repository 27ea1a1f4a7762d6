"""Judges an order of the words of a problem: the same as the best one, as good, or worse; and finds
where it goes wrong.

V(i) is the best score of an order that begins with the first i words of the judged one: V(0) is
that of the best order, V(n) that of the judged one. The loss V(0) − V(n) is the sum of the costs
V(i−1) − V(i) ≥ 0 of its words. The beam is not exact: V(i) is the score of the best order that was
found for any beginning and that begins with the first i words, but at most that of the best order.

The fault is the word that costs most, of those before which an acceptable order was still possible;
the first of several. So the best order that begins with the words before it is acceptable.

The result is defined in `results.acceptance`, the margin in `models.model`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, takewhile

from syntagma.errors import UnsatisfiableError, name_word, name_words
from syntagma.problem.problem import Problem
from syntagma.results.acceptance import Acceptance, shared_adjacencies
from syntagma.results.linearization import Linearization
from syntagma.transition._clock import NO_LIMIT, Clock

NEAREST_OF = 16  # n-best orders, among which the nearest to the judged one is chosen
MOST_COSTS = 40  # words of the longest order for which the cost of every word is computed

# Searches for the best orders that begin with these words: how many orders, and how much time.
BeginningSearch = Callable[[Sequence[str], int, Clock], list[Linearization]]


def accept(
    problem: Problem,
    order: Sequence[str],
    search: BeginningSearch,
    margin: float,
    clock: Clock = NO_LIMIT,
) -> Acceptance:
    """Judge an order, given by the forms of its words.

    Orders may read the same and differ in which words are a phrase: then the best one is judged.

    The best order takes at most half of the time, the score of the judged one half of the rest.
    """
    known = search((), NEAREST_OF, clock.part(2))
    best = known[0]
    text = " ".join(order)
    words = next((each.words for each in known if each.text == text), tuple(order))
    if words == best.words:
        return Acceptance("same", words, best, best, margin, narrowed=best.narrowed)
    broken = tuple(_order_faults(problem, words))
    scored: list[Linearization] = []
    if not broken:
        try:
            scored = search(words, 1, clock.part(2))
        except UnsatisfiableError as error:
            if error.limit_reached:
                raise
            broken = (_crossing_arcs(problem, words) or str(error),)
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


def _order_faults(problem: Problem, words: Sequence[str]) -> Iterator[str]:
    """The order constraints that an order breaks, whichever of equal words it means."""
    forms = [word.form for word in problem.words]
    places: dict[str, list[int]] = {}
    for place, form in enumerate(words):
        places.setdefault(form, []).append(place)
    for a, b in problem.before:
        if places[forms[a - 1]][0] > places[forms[b - 1]][-1]:
            yield name_words(problem.words, (a, b), " does not stand before ")
    for index, place, name in ((problem.first, 0, "first"), (problem.last, -1, "last")):
        if index is not None and forms[index - 1] != words[place]:
            yield f"{name_word(problem.words, index)} does not stand {name}"


def _crossing_arcs(problem: Problem, words: Sequence[str]) -> str:
    """Two given arcs that cross in an order, in words, or nothing. Only arcs between words that
    occur once are looked at."""
    counts = Counter(words)
    place = {form: at for at, form in enumerate(words, start=1) if counts[form] == 1}
    arcs = []
    for index, word in enumerate(problem.words, start=1):
        if word.head is None or word.form not in place:
            continue
        head = problem.words[word.head - 1].form if word.head else None
        if head is None or head in place:
            ends = place[word.form], 0 if head is None else place[head]
            arcs.append((min(ends), max(ends), index, word.head))
    for (low, high, *arc), (left, right, *other) in combinations(sorted(arcs), 2):
        if low < left < high < right:
            crossed = name_words(problem.words, other, " and its head ")
            if not low:
                return f"{name_word(problem.words, arc[0])}, the root, stands between {crossed}"
            crossing = name_words(problem.words, arc, " and its head ")
            return f"the arcs between {crossing}, and between {crossed}, cross"
    return ""


class Beginnings:
    """The best orders that begin with the first words of the judged one.

    `known` are the orders found so far, the best of all first; `allowed` is the loss that is
    accepted.
    """

    def __init__(
        self,
        words: Sequence[str],
        search: BeginningSearch,
        known: Sequence[Linearization],
        allowed: float,
        clock: Clock,
    ) -> None:
        self._words = words
        self._search = search
        self._top = known[0].score
        self._allowed = allowed
        self._clock = clock
        # With how many words each agrees.
        self._found = [(self._agreement(order), order) for order in known]
        self.narrowed = False

    def find_fault(self) -> tuple[int, tuple[float, ...]]:
        """The position of the fault, and the costs of all words.

        In long orders, and if time is limited, it is found by halving, and there are no costs.
        """
        if len(self._words) > MOST_COSTS or self._clock.limited:
            return self._halve(), ()
        self._walk()
        levels = [self._level(count) for count in range(len(self._words) + 1)]
        costs = tuple(high - low if high > low else 0.0 for high, low in pairwise(levels))
        # At least one, even if the scores of a damaged model are not numbers.
        acceptable = max(sum(1 for _ in takewhile(self._is_acceptable, levels)), 1)
        candidates = costs[:acceptable]
        return candidates.index(max(candidates)) + 1, costs

    def best(self, count: int) -> Linearization | None:
        """The best order found that begins with the first `count` words; None if there is none."""
        orders = [order for agreed, order in self._found if agreed >= count]
        return max(orders, key=lambda order: order.score, default=None)

    def acceptable(self) -> Iterator[Linearization]:
        """The orders found that are acceptable."""
        return (order for _, order in self._found if self._is_acceptable(order.score))

    def _walk(self) -> None:
        """Follow the best order as long as it agrees with the judged one, then look for the best
        that agrees with one word more, and so on.

        The best order that begins with i words is also the best that begins with more of them, as
        long as it does so itself.
        """
        order = self.best(0)
        while order is not None and (count := self._agreement(order) + 1) <= len(self._words):
            self._look_for(count)
            order = self.best(count)

    def _halve(self) -> int:
        """First find the last word before which an acceptable order is possible, then go on in the
        half that costs more."""
        low, high = self._followed(0), len(self._words)
        while high - low > 1 and not self._clock.over:
            middle = (low + high) // 2
            self._look_for(middle, 2 * math.ceil(math.log2(high - low)))
            if self._is_acceptable(self._level(middle)):
                low = min(self._followed(middle), high - 1)
            else:
                high = middle
        low = min(self._followed(0), high - 1)
        while high - low > 1 and not self._clock.over:
            middle = (low + high) // 2
            self._look_for(middle, math.ceil(math.log2(high - low)))
            level = self._level(middle)
            if self._level(low) - level < level - self._level(high):
                low = min(self._followed(middle), high - 1)
            else:
                high = middle
        self.narrowed |= high - low > 1
        return low + 1

    def _look_for(self, count: int, parts: int = 1) -> None:
        """Search for the best order that begins with `count` words, in a part of the time left."""
        if count >= len(self._words) - 1 and self.best(len(self._words)) is not None:
            return  # the last word has only one place
        try:
            [order] = self._search(self._words[:count], 1, self._clock.part(parts))
        except UnsatisfiableError:
            return
        self.narrowed |= order.narrowed
        self._found.append((self._agreement(order), order))

    def _agreement(self, order: Linearization) -> int:
        """With how many words of the judged order this one begins."""
        pairs = zip(order.words, self._words, strict=True)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def _followed(self, count: int) -> int:
        """How far the best order that begins with `count` words follows the judged one."""
        order = self.best(count)
        return count if order is None else self._agreement(order)

    def _level(self, count: int) -> float:
        """V(count), minus infinity if no order begins so."""
        order = self.best(count)
        return -math.inf if order is None else min(order.score, self._top)

    def _is_acceptable(self, score: float) -> bool:
        return self._top - score <= self._allowed
