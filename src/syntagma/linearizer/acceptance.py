"""Judges an order of the words of a problem: the same as the best one, as good, or worse.

Where an order goes wrong is found in `beginnings`. The result is defined in `results.acceptance`,
the margin in `models.margin`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

from syntagma.arguments import check_range, is_collection
from syntagma.errors import (
    ArgumentError,
    ModelError,
    ProblemError,
    SyntagmaError,
    UnsatisfiableError,
    shown,
)
from syntagma.linearizer.beginnings import Beginnings, Search, part_of
from syntagma.linearizer.checks import Words, as_order, as_problem, read_item, read_order
from syntagma.linearizer.solver import Solver
from syntagma.linearizer.streams import OnError, attempt, check_on_error, deliver, in_order
from syntagma.models.model import Margin
from syntagma.problem.faults import crossing_arcs, order_faults
from syntagma.problem.problem import Problem
from syntagma.results.acceptance import Acceptance, shared_adjacencies
from syntagma.results.linearization import Linearization
from syntagma.transition.beam import Clock
from syntagma.transition.budget import MAX_THREADS, SearchBudget
from syntagma.transition.encoding import Encoding

NEAREST_OF = 16  # n-best orders, among which the nearest to the judged one is chosen

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
        *,
        projective: bool = False,
    ) -> None:
        if solver.strategy.name != "beam":
            raise ModelError(
                "a best-first search does not score given orders, so it cannot judge them: "
                "use a model for beam search"
            )
        if margin is None and stored is None:
            raise ModelError(
                f"the model {solver.name} has no margin for acceptable orders: give one "
                "(margin=, --margin), or let the model learn one: syntagma fit-margin"
            )
        self._solver = solver
        self._budget = solver.check(budget, None, max_words)
        self._max_words = max_words
        self._projective = projective
        self._margin = stored.loss if margin is None and stored else check_margin(margin)

    def accept(self, unfixed: Encoding, order: Order) -> Acceptance:
        """Judge an order of the words of an encoded problem."""
        solver, problem = self._solver, unfixed.problem
        given = as_order(problem, order)
        liftings = solver.liftings(unfixed, given, self._projective)

        def search(
            beginning: Sequence[str], n_best: int, seconds: float | None
        ) -> list[Linearization]:
            encoding = unfixed
            if beginning:
                encoding = solver.encode_beginning(problem, beginning, liftings)
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
            return attempt(self._accept_item, item)

        return deliver(in_order(run, items, threads), on_error)

    def _accept_item(self, item: Item) -> Acceptance:
        problem, order = read_pair(item)
        encoding = self._solver.encode(problem, self._max_words, projective=self._projective)
        return self.accept(encoding, order)


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
        return problem, read_order(order)
    except SyntagmaError:
        raise
    except Exception as error:
        raise ProblemError(f"the order cannot be read: {shown(error)}") from error


def judge(
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
