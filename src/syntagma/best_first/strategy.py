"""Best-first search (ZC15): fast where the model is sure, and without a promise to come to an end.

The search itself is compiled, in core/best_first; models: `best_first_model`. The other strategy:
`beam`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syntagma.best_first._search import BestFirst, best_first_search
from syntagma.best_first.model import EdgeModel
from syntagma.errors import SyntagmaError
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import Encoding
from syntagma.transition.strategy import Effort, SearchName

TIMEOUT = 5.0  # seconds, as in the paper, unless a limit is given


class BestFirstStrategy:
    """Orders problems with a model of edges."""

    name: SearchName = "best-first"
    batch = 1

    def __init__(self, model: EdgeModel) -> None:
        self._model = model
        self.max_words = model.max_words

    def check(self, effort: Effort) -> None:
        if effort.beam is not None:
            raise ValueError("a best-first search has no beam: it is limited by timeout/expansions")

    def describe(self, effort: Effort) -> dict[str, str | int | float]:
        effort = _limited(effort)
        described: dict[str, str | int | float] = {"search": self.name}
        if effort.timeout is not None:
            described["timeout"] = effort.timeout
        if effort.expansions is not None:
            described["expansions"] = effort.expansions
        return described

    def search(
        self, encodings: Sequence[Encoding], effort: Effort, n_best: int | None
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        for encoding in encodings:
            try:
                yield self._search(encoding, _limited(effort), n_best or 1)
            except SyntagmaError as error:
                yield error

    def _search(self, encoding: Encoding, effort: Effort, n_best: int) -> list[Linearization]:
        model = self._model
        search = BestFirst(model.edges(encoding), model.chart, model.scaled)
        finished, results = best_first_search(
            search, n_best, effort.expansions or 0, effort.timeout or 0.0
        )
        return [model.grammar.read(encoding, score, pieces, finished) for score, pieces in results]


def _limited(effort: Effort) -> Effort:
    """A search without any limit might never end."""
    if effort.timeout is None and effort.expansions is None:
        return Effort(timeout=TIMEOUT)
    return effort
