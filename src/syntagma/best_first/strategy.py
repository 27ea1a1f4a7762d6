"""Best-first search (ZC15): fast where the model is sure, and without a promise to come to an end.

The search itself is compiled, in core/best_first; models: `best_first_model`. The other strategy:
`beam`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syntagma.best_first._search import BestFirst, best_first_search
from syntagma.best_first.model import EdgeModel
from syntagma.errors import ArgumentError, ModelError, SyntagmaError
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization
from syntagma.transition.budget import SearchBudget, SearchName
from syntagma.transition.encoding import Encoding

TIMEOUT = 5.0  # seconds, as in the paper, unless a limit is given


class BestFirstStrategy:
    """Orders problems with a model of edges."""

    name: SearchName = "best-first"
    batch = 1

    def __init__(self, model: EdgeModel, *_: object) -> None:
        self._model = model
        self.max_words = model.max_words
        self.takes_arcs = model.header.get("grammar") != "ccg"

    def check(self, budget: SearchBudget) -> None:
        if budget.beam is not None:
            raise ArgumentError(
                "a best-first search has no beam: it is limited by timeout/expansions"
            )

    def beam(self, problem: Problem) -> int:
        raise ModelError(
            "a best-first search has no beam and does not score given orders: "
            "use a model for beam search"
        )

    def describe(self, budget: SearchBudget) -> dict[str, str | int | float]:
        budget = _limited(budget)
        described: dict[str, str | int | float] = {"search": self.name}
        if budget.timeout is not None:
            described["timeout"] = budget.timeout
        if budget.expansions is not None:
            described["expansions"] = budget.expansions
        return described

    def search(
        self, encodings: Sequence[Encoding], budget: SearchBudget, n_best: int | None
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        for encoding in encodings:
            try:
                yield self._search(encoding, _limited(budget), n_best or 1)
            except SyntagmaError as error:
                yield error

    def _search(self, encoding: Encoding, budget: SearchBudget, n_best: int) -> list[Linearization]:
        model = self._model
        search = BestFirst(model.edges(encoding), model.chart, model.scaled)
        finished, results = best_first_search(
            search, n_best, budget.expansions or 0, budget.timeout or 0.0
        )
        return [model.grammar.read(encoding, score, pieces, finished) for score, pieces in results]


def _limited(budget: SearchBudget) -> SearchBudget:
    """A search without any limit might never end."""
    if budget.timeout is None and budget.expansions is None:
        return SearchBudget(timeout=TIMEOUT)
    return budget
