"""Beam search (L15 Algorithm 1) as a search strategy: every word is in every result.

The search itself is compiled, in `_search`; the depth-first search that follows a dead end is in
`_depth_first`. The other strategy: `best_first.strategy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import monotonic

from syntagma.errors import ProblemError, SyntagmaError, UnsatisfiableError
from syntagma.problem.problem import Problem
from syntagma.request import MAX_BEAM, Request, SearchName
from syntagma.results.linearization import Linearization
from syntagma.transition._depth_first import depth_first_search
from syntagma.transition._search import FoundTree, Search, beam_search
from syntagma.transition.encoding import Encoding, decode, encode
from syntagma.transition.feasibility import cores, describe_constraints, guided, smallest_conflict
from syntagma.transition.lifting import (
    Floats,
    is_unlikely,
    least_of_order,
    lift_encoding,
    merge_lists,
    rival_liftings,
    room_of,
    weighted_odds,
)
from syntagma.transition.strategy import Judge, Scorer, WeightedLanguageModel
from syntagma.transition.vocabulary import Vocabulary

# States that a depth-first search may expand: about a second without a scorer, and a few with one.
WORK_LIMIT = 500_000
SCORED_LIMIT = 50_000
TRIED = 64  # beam width where only some lifting can meet the order constraints


class Clock:
    """The time left for a problem, or no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else monotonic() + seconds

    @property
    def left(self) -> float | None:
        return None if self._end is None else max(0.0, self._end - monotonic())

    @property
    def expired(self) -> bool:
        return self.left == 0.0


class BeamStrategy:
    """Orders problems with a scorer of actions and perhaps a language model."""

    name: SearchName = "beam"
    takes_arcs = True

    def __init__(
        self,
        scorer: Scorer,
        vocabulary: Vocabulary,
        language_model: WeightedLanguageModel | None = None,
        judges: Sequence[Callable[[Encoding], Judge]] = (),
    ) -> None:
        """`judges` open judges of the finished orders of a problem, besides the scorer's own."""
        self._scorer = scorer
        self._judges = judges
        self._vocabulary = vocabulary
        self._language_model = language_model
        self.batch = scorer.batch
        self.max_words = scorer.max_words
        self.chooses_forms = scorer.chooses_forms or language_model is not None
        self.lifts = scorer.lifts

    def beam(self, is_tree: bool) -> int:
        return self._scorer.beam(is_tree)

    def search(
        self, encodings: Sequence[Encoding], request: Request, n_best: int
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        """Open searches of problems together, and run them one by one."""
        # With a time limit each problem has its own, which covers its encoding.
        batches = [encodings] if request.timeout is None else [[each] for each in encodings]
        for batch in batches:
            clock = Clock(request.timeout)
            widths = [request.beam or self.beam(encoding.is_tree) for encoding in batch]
            for encoding, search in zip(batch, self._open(batch, widths), strict=True):
                try:
                    yield self._search(encoding, search, n_best, clock)
                except SyntagmaError as error:
                    yield error

    def _open(self, encodings: Sequence[Encoding], widths: Sequence[int]) -> Iterator[Search]:
        """A search of each problem, with its n-gram scorer and its judges."""
        model = self._language_model
        ngram_scorers = [None if model is None else model.ngram_scorer(each) for each in encodings]
        opened = self._scorer.searches(encodings, widths, ngram_scorers)
        for encoding, search in zip(encodings, opened, strict=True):
            judges = tuple(judge(encoding) for judge in self._judges)
            for each in filter(None, (search, search.opposite)):
                each.judges += judges
            yield search

    def _search(
        self, encoding: Encoding, search: Search, n_best: int, clock: Clock
    ) -> list[Linearization]:
        """Search as the problem is or, with liftings, let the results of the likely ones compete by
        the sum of both scores.

        They share the time. If the beams find nothing, the search of the problem as it is explains
        why, unless some other lifting can meet the order constraints.
        """
        scores = None if encoding.liftings is None else self._scorer.lift_scores(search)
        rivals = [] if scores is None else rival_liftings(encoding, scores)
        if scores is None or (not rivals and encoding.problem.predecessors is None):
            found = beam_search(search, n_best, clock.left)
            if not found:
                return self._search_closer(encoding, search, n_best, clock)
            return [decode(encoding, self._vocabulary, each, search.narrowed) for each in found]
        searches = list(self._open([each for each, _ in rivals], [search.width] * len(rivals)))
        if encoding.fixed or not is_unlikely(rivals):
            rivals, searches = [(encoding, 0.0), *rivals], [search, *searches]
        lists: list[list[Linearization]] = []
        narrowed = False
        for (each, odds), its_search in zip(rivals, searches, strict=True):
            left = clock.left
            share = None if left is None else left / (len(rivals) - len(lists))
            found = beam_search(its_search, n_best, share)
            narrowed = narrowed or its_search.narrowed
            lists.append([self._decode(each, tree, odds) for tree in found])
        if any(lists):
            return [replace(each, narrowed=narrowed) for each in merge_lists(lists, n_best)]
        try:
            return self._search_closer(encoding, search, n_best, clock)
        except UnsatisfiableError:
            lifted = self._search_loosest(encoding, scores)
            if lifted is None:
                raise
            return [replace(lifted, narrowed=narrowed)]

    def _search_loosest(self, encoding: Encoding, scores: Floats) -> Linearization | None:
        """A result for order constraints that no likely lifting can meet.

        With every word attached to the top of its tree, given arcs forbid least. An order found so
        is then scored with the least lifting that it needs.
        """
        try:
            loosest = lift_encoding(encoding, room_of(encoding.given_heads))
            found, _ = depth_first_search(Search(loosest.task, 1), WORK_LIMIT)
            if not found:
                return None
            [search] = self._open([loosest], [TRIED])
            orders = beam_search(search, 1) or found
            lifting = least_of_order(orders[0].order, encoding.given_heads)
            least = lift_encoding(encoding, lifting)
            [search] = self._open([least], [TRIED])
            trees = beam_search(search, 1) or depth_first_search(search, WORK_LIMIT)[0]
        except ProblemError:  # the constraints contradict the lifted arcs
            return None
        odds = weighted_odds(scores, lifting)
        return self._decode(least, trees[0], odds) if trees else None

    def _decode(self, encoding: Encoding, found: FoundTree, odds: float) -> Linearization:
        return decode(encoding, self._vocabulary, found._replace(score=found.score + odds))

    def _search_closer(
        self, encoding: Encoding, search: Search, n_best: int, clock: Clock
    ) -> list[Linearization]:
        """After a dead end of a search, which is possible only where order constraints meet a
        partial tree: search with wider beams, then depth first."""
        found: list[FoundTree] = []
        narrowed = search.narrowed
        for width in (256, MAX_BEAM):
            if not found and width > search.width and not clock.expired:
                [search] = self._open([encoding], [width])
                found = beam_search(search, n_best, clock.left)
                narrowed = narrowed or search.narrowed
        if not found:
            return [replace(self._last_resort(encoding), narrowed=narrowed)]
        return [decode(encoding, self._vocabulary, each, narrowed) for each in found]

    def _last_resort(self, encoding: Encoding) -> Linearization:
        """Any solution. Raises `UnsatisfiableError` if there is none, or none is found."""
        problem = encoding.problem
        if encoding.fixed:
            found, exhausted = depth_first_search(Search(encoding.task, 1), WORK_LIMIT)
            if not found:
                raise self._unsatisfiable(encoding, exhausted)
            return self._search_depth_first(encoding, WORK_LIMIT)
        way, exhausted = self._solve_core(problem, WORK_LIMIT)
        if way is None:
            raise self._unsatisfiable(encoding, exhausted)
        try:
            return self._search_depth_first(encoding, SCORED_LIMIT)
        except UnsatisfiableError:
            encoding = encode(way, self._vocabulary, alternatives=encoding.alternatives)
            result = self._search_depth_first(encoding, WORK_LIMIT)
        if encoding.alternatives is not None:
            problem = problem.with_forms([word.form for word in result.problem.words])
        return replace(result, problem=problem)

    def _search_depth_first(self, encoding: Encoding, limit: int) -> Linearization:
        [search] = self._open([encoding], [1])
        found, exhausted = depth_first_search(search, limit)
        if not found:
            raise self._unsatisfiable(encoding, exhausted)
        return decode(encoding, self._vocabulary, found[0])

    def _solve_core(self, problem: Problem, limit: int) -> tuple[Problem | None, bool]:
        """(way, exhausted): the problem with a solution of its core given, if there is one within
        the limit. Whether there is one does not depend on scores."""
        all_exhausted = True
        for core in cores(problem):
            encoding = encode(core.problem, self._vocabulary)
            found, exhausted = depth_first_search(Search(encoding.task, 1), limit)
            if found:
                return guided(problem, core, encoding, found[0]), True
            all_exhausted = all_exhausted and exhausted
        return None, all_exhausted

    def _unsatisfiable(self, encoding: Encoding, exhausted: bool) -> UnsatisfiableError:
        problem = encoding.problem
        if not exhausted:
            return UnsatisfiableError(
                f"no order that satisfies the order constraints together with the given arcs was "
                f"found within {WORK_LIMIT} states: {describe_constraints(problem)}",
                limit_reached=True,
            )
        if encoding.fixed:
            return UnsatisfiableError(
                "the given order has no projective tree that satisfies the constraints of the words"
            )
        return UnsatisfiableError(
            "these order constraints cannot be met together with the given arcs: "
            + describe_constraints(smallest_conflict(problem, self._is_conflict))
        )

    def _is_conflict(self, problem: Problem) -> bool:
        """Whether the order constraints certainly cannot be met."""
        way, exhausted = self._solve_core(problem, WORK_LIMIT // 10)
        return way is None and exhausted
