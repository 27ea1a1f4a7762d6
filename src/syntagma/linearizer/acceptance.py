"""Judges an order of the words of a problem: is it as good as the best one, and if not, where does
it go wrong?

V(i) is the best score of an order that begins with the first i words of the judged one: V(0) is
that of the best order, V(n) that of the judged one. The loss V(0) − V(n) is the sum of the costs
V(i−1) − V(i) ≥ 0 of its words. Because the beam is not exact, the score of a longer beginning may
be higher; it then counts for the shorter ones, too, up to the score of the best order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, takewhile
from numbers import Real
from typing import Any, Protocol

from syntagma.errors import (
    ArgumentError,
    ModelError,
    ProblemError,
    SyntagmaError,
    UnsatisfiableError,
    name_word,
    name_words,
    shown,
)
from syntagma.linearizer.checks import Words, as_order, as_problem, read_item
from syntagma.linearizer.solver import Solver
from syntagma.linearizer.streams import OnError, attempt, check_on_error, deliver, in_order
from syntagma.models.margin import Margin
from syntagma.problem.collection import is_collection
from syntagma.problem.problem import Problem
from syntagma.problem.validation import check_iterable
from syntagma.results.acceptance import Acceptance, shared_adjacencies
from syntagma.results.linearization import Linearization
from syntagma.transition.beam import Clock
from syntagma.transition.budget import MAX_THREADS, SearchBudget, check_range
from syntagma.transition.encoding import encode

NEAREST_OF = 16  # best orders among which the nearest to the judged one is looked for
MOST_COSTS = 40  # words of an order up to which the cost of each is found


Order = Iterable[str] | Iterable[int]
Item = tuple[Words, Order]


class Judge:
    """Judges orders with a model: by this margin, within this budget for each of them."""

    def __init__(
        self,
        solver: Solver,
        margin: float | None,
        stored: Margin | None,
        budget: SearchBudget,
        max_words: int,
    ) -> None:
        if margin is None and stored is None:
            raise ModelError(
                f"the model {solver.name} has no margin for acceptable orders: give one "
                "(margin=, --margin), or let the model learn one: syntagma fit-margin"
            )
        self._solver = solver
        self._budget = solver.check(budget, None, max_words)
        self._max_words = max_words
        self._margin = stored.loss if margin is None and stored else check_margin(margin)

    def accept(self, problem: Problem, order: Order) -> Acceptance:
        solver = self._solver
        solver.strategy.beam(problem)  # raises if the search has none, and cannot score
        unfixed = solver.encode(problem, self._max_words)
        given = as_order(problem, order)

        def search(
            beginning: Sequence[str], n_best: int, seconds: float | None
        ) -> list[Linearization]:
            encoding = encode(problem, solver.vocabulary, beginning) if beginning else unfixed
            return solver.search(encoding, replace(self._budget, timeout=seconds), n_best)

        words = [problem.words[at - 1].form if isinstance(at, int) else at for at in given]
        return judge(problem, words, search, self._margin, self._budget.timeout)

    def accept_many(
        self, items: Iterable[Item | SyntagmaError], threads: int, on_error: OnError
    ) -> Iterator[Acceptance | SyntagmaError]:
        check_range("threads", threads, MAX_THREADS)
        check_on_error(on_error)
        if not is_collection(items):
            raise ArgumentError(
                f"orders are given as a list of pairs, words and an order, not as {shown(items)}"
            )

        def run(item: Item | SyntagmaError) -> Acceptance | SyntagmaError:
            return attempt(lambda pair: self.accept(*read_pair(pair)), item)

        return deliver(in_order(run, items, threads), on_error)


def check_margin(margin: float | None) -> float:
    if not isinstance(margin, Real) or isinstance(margin, bool) or not 0 <= margin < math.inf:
        raise ArgumentError(f"margin must be a number that is 0 or more, not {shown(margin)}")
    return float(margin)


def read_pair(item: Item) -> tuple[Problem, list[Any]]:
    """The words of an item as a problem, and the order to be judged."""
    try:
        words, order = item
    except (TypeError, ValueError):
        raise ProblemError(f"expected a pair, words and an order, not {shown(item)}") from None
    problem = read_item(as_problem, words)
    try:
        return problem, list(check_iterable(order, "an order is a list of words"))
    except SyntagmaError:
        raise
    except Exception as error:
        raise ProblemError(f"the order cannot be read: {shown(error)}") from error


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
            if error.limit_reached:
                raise
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


def order_faults(problem: Problem, words: Sequence[str]) -> Iterator[str]:
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


def crossing_arcs(problem: Problem, words: Sequence[str]) -> str:
    """Two given arcs that cross in an order, in words; only arcs between words that occur once are
    looked at."""
    place = {form: at for at, form in enumerate(words, start=1) if words.count(form) == 1}
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
        order: Linearization | None = self._best
        orders = [order] * (1 + self._agreement(self._best))  # by how many words are given
        while len(orders) <= size:
            order = self._best_after(len(orders))
            agreed = size if order is None else self._agreement(order)
            orders += [order] * (1 + agreed - len(orders))
        for count in range(size, 0, -1):
            if _score(orders[count]) > _score(orders[count - 1]):
                orders[count - 1] = orders[count]
        levels = [min(_score(each), self._best.score) for each in orders]
        costs = tuple(high - low if high > low else 0.0 for high, low in pairwise(levels))
        place = costs.index(max(costs))
        return place + 1, orders[place] or self._best, costs

    def _halve(self) -> tuple[int, Linearization]:
        """Halve the order again and again, and go on in the half that costs more."""
        low, high = 0, len(self._words)
        order, least = self._best, _score(self._given)
        while (low := max(low, self._agreement(order))) + 1 < high and not self._clock.expired:
            middle = (low + high) // 2
            halfway = self._best_after(middle, math.ceil(math.log2(high - low)))
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
            return self._given  # which there is if the search only gave up
        self.found.append(order)
        self.narrowed = self.narrowed or order.narrowed
        return order

    def _agreement(self, order: Linearization) -> int:
        """With how many words of the judged order this one begins."""
        pairs = zip(order.words, self._words, strict=True)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _score(order: Linearization | None) -> float:
    return -math.inf if order is None else order.score
