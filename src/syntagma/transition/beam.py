"""Beam search (L15): every word in every result, in a time that the beam decides.

The search itself is compiled, in core/search; models: `model`. The other strategy: `best_first`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from syntagma.errors import SyntagmaError, UnsatisfiableError, name_words
from syntagma.models.model import Model
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization
from syntagma.transition._search import Search, beam_search, depth_first_search
from syntagma.transition.budget import MAX_BEAM, SearchBudget, SearchName
from syntagma.transition.encoding import Encoding, decode, encode

# States that the last resort may expand where a partial tree and order constraints leave the whole
# beam without a legal move: a few seconds at most.
WORK_LIMIT = 500_000


class BeamStrategy:
    """Orders problems with a model of actions."""

    name: SearchName = "beam"

    def __init__(self, model: Model) -> None:
        self._model = model
        self.batch = model.scorer.batch
        self.max_words = model.scorer.max_words

    def check(self, budget: SearchBudget) -> None:
        if budget.timeout is not None or budget.expansions is not None:
            raise ValueError("a beam search has neither timeout nor expansions, but a beam")

    def describe(self, budget: SearchBudget) -> dict[str, str | int | float]:
        return {"beam": budget.beam or "auto"}

    def beam(self, problem: Problem) -> int:
        """The beam that the model chooses for a problem."""
        return self._model.scorer.beam(problem)

    def search(
        self, encodings: Sequence[Encoding], budget: SearchBudget, n_best: int | None
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        widths = [self._width(encoding, budget.beam, n_best) for encoding in encodings]
        searches = self._model.searches(encodings, widths)
        for encoding, search in zip(encodings, searches, strict=True):
            try:
                yield self._search(encoding, search, n_best or 1)
            except SyntagmaError as error:
                yield error

    def _width(self, encoding: Encoding, beam: int | None, n_best: int | None) -> int:
        """The model's choice where no beam is given, or wider if so many orders are asked for."""
        return beam or max(self.beam(encoding.problem), n_best or 1)

    def _search(self, encoding: Encoding, search: Search, n_best: int) -> list[Linearization]:
        """Run a beam search; a dead end, possible only where order constraints meet a partial
        tree, is searched on with wider beams and then depth first."""
        found = beam_search(search, n_best)
        for width in (256, MAX_BEAM):
            if not found and width > search.width:
                search = self._model.search(encoding, width)
                found = beam_search(search, n_best)
        if not found:
            search = self._model.search(encoding, 1)
            found, exhausted = depth_first_search(search, WORK_LIMIT)
            if not found:
                raise self._unsatisfiable(encoding, exhausted)
        results = [
            decode(
                encoding,
                self._model.vocabulary,
                score,
                search.finish(actions),
                search.forms(rank) if encoding.alternatives else (),
            )
            for rank, (score, actions) in enumerate(found)
        ]
        fluent = self._model.language_model
        if fluent is not None:
            results = [
                replace(result, fluency=fluent.share(result.problem, result.words))
                for result in results
            ]
        return results

    def _unsatisfiable(self, encoding: Encoding, exhausted: bool) -> UnsatisfiableError:
        problem = encoding.problem
        if not exhausted:
            return UnsatisfiableError(
                f"no order that satisfies the order constraints together with the given arcs was "
                f"found within {WORK_LIMIT} states: {_constraints(problem)}",
                limit_reached=True,
            )
        if encoding.fixed:
            return UnsatisfiableError(
                "the given order has no projective tree that satisfies the constraints of the words"
            )
        return UnsatisfiableError(
            "these order constraints cannot be met together with the given arcs: "
            + _constraints(self._smallest_conflict(problem))
        )

    def _smallest_conflict(self, problem: Problem) -> Problem:
        """Leave out order constraints as long as the rest still cannot be satisfied."""
        candidates = [replace(problem, first=None), replace(problem, last=None)]
        candidates += [
            replace(problem, before=tuple(pair for pair in problem.before if pair != left_out))
            for left_out in problem.before
        ]
        for smaller in candidates:
            if smaller == problem:
                continue
            encoding = encode(smaller, self._model.vocabulary)
            # Whether there is a solution does not depend on what it is worth.
            found, exhausted = depth_first_search(Search(encoding.task, 1), WORK_LIMIT // 10)
            if not found and exhausted:
                return self._smallest_conflict(smaller)
        return problem


def _constraints(problem: Problem) -> str:
    """The order constraints in words."""
    texts = [name_words(problem.words, pair, " before ") for pair in problem.before]
    texts += [
        f"{name_words(problem.words, [index])} {name}"
        for name, index in (("first", problem.first), ("last", problem.last))
        if index is not None
    ]
    return "; ".join(texts)
