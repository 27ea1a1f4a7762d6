"""Beam search (L15 Algorithm 1) as a search strategy: every word is in every result.

The search itself is compiled, in `_search`; the depth-first search that follows a dead end is in
`_depth_first`. The other strategy: `best_first.strategy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from syntagma.errors import CancelledError, ProblemError, SyntagmaError, UnsatisfiableError
from syntagma.problem.problem import Problem
from syntagma.request import MAX_BEAM, Request, SearchName
from syntagma.results.linearization import Linearization
from syntagma.transition._clock import NO_LIMIT, Clock, TimeIsUp
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
    unlifted,
    weighted_odds,
)
from syntagma.transition.strategy import Judge, ResultJudge, Scorer, WeightedLanguageModel
from syntagma.transition.vocabulary import Vocabulary

WORK_LIMIT = 500_000  # states that a depth-first search may expand: about a second
WIDER = (256, MAX_BEAM)  # beams that are tried after a dead end
TRIED = 64  # beam width where only some lifting can meet the order constraints


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
        result_judge: ResultJudge | None = None,
    ) -> None:
        """`judges` open judges of the finished orders of a search, besides the scorer's own;
        `result_judge` then judges the results of each problem."""
        self._scorer = scorer
        self._judges = judges
        self._result_judge = result_judge
        self._vocabulary = vocabulary
        self._language_model = language_model
        self.batch = scorer.batch
        self.max_words = scorer.max_words
        self.chooses_forms = scorer.chooses_forms or language_model is not None
        self.lifts = scorer.lifts

    def beam(self, is_tree: bool) -> int:
        return self._scorer.beam(is_tree)

    def search(
        self, encodings: Sequence[Encoding], request: Request, n_best: int, clock: Clock = NO_LIMIT
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        """Open searches of problems together, and run them one by one. What has a time limit comes
        alone."""
        judge = self._result_judge if request.judge else None
        least = (lambda encoding: 1) if judge is None else judge.beam
        widths = [
            request.beam or max(self.beam(encoding.is_tree), least(encoding))
            for encoding in encodings
        ]
        opened = self._open(encodings, widths, clock)
        for encoding in encodings:
            wanted = n_best if judge is None else judge.wanted(encoding, n_best)
            try:
                found = self._search(encoding, next(opened), wanted, clock)
                yield found if judge is None else judge.rank(encoding, found, n_best, clock)
            except CancelledError:
                raise
            except SyntagmaError as error:
                yield error

    def _open(
        self, encodings: Sequence[Encoding], widths: Sequence[int], clock: Clock
    ) -> Iterator[Search]:
        """A search of each problem, with its n-gram scorer and its judges; from when time is up on,
        one without a scorer."""
        model = self._language_model
        ngram_scorers = [None if model is None else model.ngram_scorer(each) for each in encodings]
        opened = self._scorer.searches(encodings, widths, ngram_scorers, clock)
        for encoding in encodings:
            try:
                search = next(opened)
            except (TimeIsUp, StopIteration):
                search = Search(encoding.task, 1)
                search.narrowed = True
                yield search
                continue
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
            found = beam_search(search, n_best, clock)
            if not found:
                return self._search_closer(encoding, search, n_best, clock)
            return self._decode_all(encoding, search, found)
        lifted = [each for each, _ in rivals]
        searches = list(self._open(lifted, [search.width] * len(rivals), clock))
        if encoding.fixed or not is_unlikely(rivals):
            rivals, searches = [(encoding, 0.0), *rivals], [search, *searches]
        lists: list[list[Linearization]] = []
        for (each, odds), its_search in zip(rivals, searches, strict=True):
            if any(lists) and clock.over:
                its_search.narrowed = True
                break
            found = beam_search(its_search, n_best, clock.part(len(rivals) - len(lists)))
            found = [tree._replace(score=tree.score + odds) for tree in found]
            lists.append(self._decode_all(each, its_search, found))
        if any(lists):
            narrowed = any(each.narrowed for each in searches)
            return [replace(each, narrowed=narrowed) for each in merge_lists(lists, n_best)]
        try:
            return self._search_closer(encoding, search, n_best, clock)
        except UnsatisfiableError:
            loosest = self._search_loosest(encoding, scores, clock)
            if loosest is None:
                raise
            return [loosest]

    def _decode_all(
        self, encoding: Encoding, search: Search, found: Sequence[FoundTree]
    ) -> list[Linearization]:
        """The results of a search. Words that no scorer has seen get their most frequent tags."""
        if type(search) is Search:
            forms, tags = encoding.forms, self._vocabulary.tags_of
            guesses = [tags(form)[0] for form in forms]
            labels = [len(self._vocabulary.labels)] * len(forms)
            found = [
                tree._replace(heads=unlifted(encoding, tree.heads), tags=guesses, labels=labels)
                for tree in found
            ]
        return [decode(encoding, self._vocabulary, tree, search.narrowed) for tree in found]

    def _search_loosest(
        self, encoding: Encoding, scores: Floats, clock: Clock
    ) -> Linearization | None:
        """A result for order constraints that no likely lifting can meet.

        With every word attached to the top of its tree, given arcs forbid least. An order found so
        is then scored with the least lifting that it needs.
        """
        try:
            clock.check()
            loosest = lift_encoding(encoding, room_of(encoding.given_heads))
            found, _ = depth_first_search(Search(loosest.task, 1), WORK_LIMIT, clock)
            if not found:
                return None
            [search] = self._open([loosest], [TRIED], clock)
            orders = beam_search(search, 1, clock) or found
            lifting = least_of_order(orders[0].order, encoding.given_heads)
            least = lift_encoding(encoding, lifting)
            [search] = self._open([least], [TRIED], clock)
            trees = beam_search(search, 1, clock)
            trees = trees or depth_first_search(search, WORK_LIMIT, clock)[0]
        except (ProblemError, TimeIsUp):  # the constraints may contradict the lifted arcs
            return None
        odds = weighted_odds(scores, lifting)
        trees = [tree._replace(score=tree.score + odds) for tree in trees]
        return next(iter(self._decode_all(least, search, trees)), None)

    def _search_closer(
        self, encoding: Encoding, search: Search, n_best: int, clock: Clock
    ) -> list[Linearization]:
        """After a dead end of a search, which is possible only where order constraints meet a
        partial tree, or where an order is given.

        Whether there is a solution depends on the words with arcs alone. They are searched with
        wider beams, then depth first; the other words follow them.
        """
        all_exhausted = True
        try:
            clock.check()
            for core in [None] if encoding.fixed else cores(encoding.problem):
                clock.check()
                its, closer, found = encoding, search, list[FoundTree]()
                if core is not None and len(core.kept) < len(encoding.order):
                    its = encode(core.problem, self._vocabulary)
                    [closer] = self._open([its], [search.width], clock)
                    found = beam_search(closer, n_best, clock)
                for width in WIDER:
                    if not found and width > closer.width and not clock.over:
                        narrowed = closer.narrowed
                        [closer] = self._open([its], [width], clock)
                        found = beam_search(closer, n_best, clock)
                        closer.narrowed = closer.narrowed or narrowed
                if found and its is encoding:
                    return self._decode_all(encoding, closer, found)
                if not found:
                    unscored = Search(its.task, 1)
                    found, exhausted = depth_first_search(unscored, WORK_LIMIT, clock)
                    all_exhausted = all_exhausted and exhausted
                if found and core is None:
                    scored, _ = depth_first_search(closer, WORK_LIMIT, clock)
                    return self._decode_all(
                        encoding, closer if scored else unscored, scored or found
                    )
                if found and core is not None:
                    way = guided(encoding.problem, core, its, found[0])
                    narrowed = search.narrowed or closer.narrowed
                    if results := self._follow(way, encoding, search.width, n_best, clock):
                        return [
                            replace(each, narrowed=each.narrowed or narrowed) for each in results
                        ]
                    all_exhausted = False
        except TimeIsUp:
            all_exhausted = False
        raise self._unsatisfiable(encoding, all_exhausted, clock)

    def _follow(
        self, way: Problem, encoding: Encoding, width: int, n_best: int, clock: Clock
    ) -> list[Linearization]:
        """The best results that contain a solution of the core. Raises `TimeIsUp`."""
        its = encode(way, self._vocabulary, alternatives=encoding.alternatives)
        [search] = self._open([its], [width], clock)
        found = beam_search(search, n_best, clock)
        found = found or depth_first_search(search, WORK_LIMIT, clock)[0]
        problem, results = encoding.problem, []
        for each in self._decode_all(its, search, found):
            forms = [word.form for word in each.problem.words]
            results.append(replace(each, problem=problem.with_forms(forms)))
        return results

    def _unsatisfiable(
        self, encoding: Encoding, exhausted: bool, clock: Clock
    ) -> UnsatisfiableError:
        problem = encoding.problem
        if not exhausted:
            within = "the time limit" if clock.over else f"{WORK_LIMIT} states"
            return UnsatisfiableError(
                f"no order that satisfies the order constraints together with the given arcs was "
                f"found within {within}: {describe_constraints(problem)}",
                limit_reached=True,
            )
        if encoding.fixed:
            return UnsatisfiableError(
                "the given order has no projective tree that satisfies the constraints of the words"
            )
        is_conflict = partial(self._is_conflict, clock=clock)
        return UnsatisfiableError(
            "these order constraints cannot be met together with the given arcs: "
            + describe_constraints(smallest_conflict(problem, is_conflict, clock))
        )

    def _is_conflict(self, problem: Problem, clock: Clock) -> bool:
        """Whether the order constraints certainly cannot be met."""
        for core in cores(problem):
            encoding = encode(core.problem, self._vocabulary)
            try:
                found, exhausted = depth_first_search(
                    Search(encoding.task, 1), WORK_LIMIT // 10, clock
                )
            except TimeIsUp:
                return False
            if found or not exhausted:
                return False
        return True
