"""From what a search found to what users get: n-best lists, inflected and detokenised sentences."""

from __future__ import annotations

from collections.abc import Iterable

from syntagma.linearizer.alternatives import choose, most_lost
from syntagma.linearizer.solver import Solver
from syntagma.models.header import scorer_name
from syntagma.models.model import Model
from syntagma.realization.detokenization import Detokenizer
from syntagma.results.linearization import Linearization
from syntagma.results.n_best import NBest
from syntagma.results.realization import Realization
from syntagma.transition.budget import MAX_BEAM, SearchBudget
from syntagma.transition.encoding import Encoding


class Finisher:
    """Makes results of what a solver finds with a model."""

    def __init__(self, model: Model, solver: Solver) -> None:
        self._solver = solver
        self._realizer = model.realizer
        self._detokenizer = self._realizer.detokenizer if self._realizer else Detokenizer()
        self._most_lost = most_lost(scorer_name(model.header))

    def spell(self, linearization: Linearization) -> Realization:
        spelling = self._detokenizer.spell(
            linearization.words, linearization.model_tags or linearization.tags
        )
        return Realization(linearization, spelling)

    def listed(
        self, found: list[Linearization], n_best: int, diverse: bool
    ) -> NBest[Linearization]:
        return choose(found, n_best, most_lost=self._most_lost) if diverse else NBest(found)

    def realized(
        self,
        encoding: Encoding,
        found: list[Linearization],
        budget: SearchBudget,
        n_best: int | None,
        diverse: bool,
    ) -> NBest[Realization]:
        """The sentences that a search found, each text once.

        If some were the same, the search is asked for more, until there are enough or no others.
        """
        wanted = asked = n_best or 1
        realized = self._realizations(encoding, found)
        if diverse:
            return choose(realized, wanted, most_lost=self._most_lost)
        while len(realized) < wanted and len(found) >= asked and asked < MAX_BEAM:
            asked = min(4 * asked, MAX_BEAM)
            found = self._solver.search(encoding, budget, asked)
            realized = self._realizations(encoding, found)
        return NBest(realized[:wanted])

    def _realizations(
        self, encoding: Encoding, found: Iterable[Linearization]
    ) -> list[Realization]:
        if self._realizer is not None:
            proposed = None if self._solver.strategy.chooses_forms else encoding.alternatives
            found = [self._realizer.settle(each, proposed) for each in found]
        texts: dict[str, Realization] = {}
        for each in map(self.spell, found):
            texts.setdefault(each.text, each)
        return list(texts.values())
