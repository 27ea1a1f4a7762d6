"""Best-first search (ZC15): fast where the model is sure, but not guaranteed to terminate.

Every search therefore has a search budget. The loop over agenda and chart is compiled, in
`_search`; the scorer is in `scorer`. The other strategy is beam search, in `transition/beam.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syntagma.best_first._search import BestFirst, best_first_search
from syntagma.best_first.scorer import EdgeScorer
from syntagma.errors import ModelError, SyntagmaError
from syntagma.request import Request, SearchName
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import Encoding
from syntagma.transition.strategy import WeightedLanguageModel
from syntagma.transition.vocabulary import Vocabulary


class BestFirstStrategy:
    """Orders problems by best-first search with a scorer of edges."""

    name: SearchName = "best-first"
    batch = 1

    def __init__(
        self,
        scorer: EdgeScorer,
        vocabulary: Vocabulary | None = None,
        language_model: WeightedLanguageModel | None = None,
    ) -> None:
        """The weights of the language model's features are the scorer's."""
        self._scorer = scorer
        self._language_model = None if language_model is None else language_model.language_model
        self.max_words = scorer.max_words
        self.takes_arcs = scorer.grammar.takes_arcs
        self.chooses_forms = scorer.grammar.chooses_forms
        self.lifts = False

    def beam(self, is_tree: bool) -> int:
        raise ModelError(
            "a best-first search has no beam and does not score given orders: "
            "use a model for beam search"
        )

    def search(
        self, encodings: Sequence[Encoding], request: Request, n_best: int
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        for encoding in encodings:
            try:
                yield self._search(encoding, request, n_best)
            except SyntagmaError as error:
                yield error

    def search_within(
        self, encoding: Encoding, timeouts: Sequence[float]
    ) -> Iterator[Linearization]:
        """The result of one search after each of several times, in ascending order."""
        search, grammar = self._begin(encoding), self._scorer.grammar
        spent, finished = 0.0, False
        for timeout in timeouts:
            if not finished:
                finished, results = best_first_search(search, 1, 0, timeout - spent)
                [(score, pieces)] = results
                spent = timeout
            yield grammar.read(encoding, score, pieces, finished)

    def _begin(self, encoding: Encoding) -> BestFirst:
        scorer = self._scorer
        edges = scorer.edges(encoding, self._language_model)
        return BestFirst(edges, scorer.chart, scorer.scaled, scorer.by_size)

    def _search(self, encoding: Encoding, request: Request, n_best: int) -> list[Linearization]:
        search, grammar = self._begin(encoding), self._scorer.grammar
        finished, results = best_first_search(
            search, n_best, request.expansions or 0, request.seconds or 0.0
        )
        return [grammar.read(encoding, score, pieces, finished) for score, pieces in results]
