"""Encoding and search with one model, for one problem or a stream of them.

What a user calls is in `linearizer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from syntagma.arguments import check_range
from syntagma.errors import ModelError, ProblemError, SyntagmaError
from syntagma.files.stored import Stored
from syntagma.linearizer.checks import Words, as_order, check_forms, check_size, check_stream
from syntagma.linearizer.streams import OnError, attempt, batches, check_on_error, deliver, in_order
from syntagma.linearizer.unknown import UnknownNotices
from syntagma.models.model import Model
from syntagma.problem.problem import Problem
from syntagma.problem.word import UPOS_TAGS
from syntagma.realization.realizer import likeliest_first
from syntagma.results.linearization import Linearization
from syntagma.results.n_best import NBest
from syntagma.results.realization import Realization
from syntagma.transition.budget import MAX_BEAM, MAX_THREADS, SearchBudget
from syntagma.transition.encoding import Encoding, encode
from syntagma.transition.lifting import Lifting, liftings_of_order

R = TypeVar("R", Linearization, Realization)


class Solver:
    """Encodes problems for a model and searches for their orders."""

    def __init__(self, model: Model) -> None:
        self.name = str(model.header.get("name", "-"))
        self.strategy = model.strategy()
        self.lifts = self.strategy.lifts
        self.vocabulary = model.vocabulary
        self._realizer = model.realizer
        self.unknown = UnknownNotices(
            str(model.header.get("name", "")),
            model.header["tag_column"],
            model.vocabulary,
            takes_labels=self.strategy.takes_arcs,
        )

    def check(self, budget: SearchBudget, n_best: int | None, max_words: int) -> SearchBudget:
        if n_best is not None:
            check_range("n_best", n_best, MAX_BEAM)
        self.strategy.check(budget)
        check_range("max_words", max_words, self.strategy.max_words)
        return budget

    def encode(self, problem: Problem, max_words: int, *, projective: bool = False) -> Encoding:
        check_size(problem, max_words)
        check_forms(problem)
        self.unknown.check(problem.words, stacklevel=3)
        return self._liftable(encode(problem, self.vocabulary), projective)

    def _liftable(self, encoding: Encoding, projective: bool) -> Encoding:
        return encoding if projective or not self.lifts else replace(encoding, liftings=())

    def encode_order(
        self,
        problem: Problem,
        order: Iterable[str] | Iterable[int],
        *,
        projective: bool = False,
    ) -> Encoding:
        """One order of the words, to be scored."""
        most = self.strategy.max_words
        if len(problem.words) > most:
            raise ProblemError(
                f"the bag has {len(problem.words)} words, but this model can score at most {most}"
            )
        check_forms(problem)
        given = as_order(problem, order)
        self.unknown.check(problem.words, stacklevel=3)
        encoding = encode(problem, self.vocabulary, given)
        return replace(encoding, liftings=self.liftings(encoding, given, projective))

    def encode_beginning(
        self,
        problem: Problem,
        beginning: Sequence[str],
        liftings: tuple[Lifting, ...] | None,
    ) -> Encoding:
        """Orders that begin with these forms; `liftings` are those of the whole judged order."""
        return replace(encode(problem, self.vocabulary, beginning), liftings=liftings)

    def liftings(
        self, encoding: Encoding, order: Sequence[str] | Sequence[int], projective: bool
    ) -> tuple[Lifting, ...] | None:
        """What an order needs, if orders need not be projective."""
        if projective or not self.lifts:
            return None
        return tuple(liftings_of_order(encoding, order))

    def encode_lemmas(
        self, lemmas: Problem, max_words: int, *, projective: bool = False
    ) -> Encoding:
        if self._realizer is None:
            advice = "use another, such as en, or train one: syntagma train --realize"
            if self.strategy.name == "best-first":
                advice = "train one: syntagma train --search best-first --realize"
            raise ModelError(f"the model {self.name} has not learned to realize lemmas: {advice}")
        check_size(lemmas, max_words)
        problem, alternatives = self._realizer.inflect(self._realizer.as_given(lemmas))
        if not self.strategy.chooses_forms:
            alternatives = likeliest_first(alternatives)  # all but the first wait for `settle`
        # A UPOS tag from which inflection has found a tag is none that the model does not know.
        words = [
            given if given.tag is not None and given.tag not in UPOS_TAGS else inflected
            for given, inflected in zip(lemmas.words, problem.words, strict=True)
        ]
        self.unknown.check(words, stacklevel=3)
        encoding = encode(problem, self.vocabulary, alternatives=alternatives)
        # Tags that inflection put in place of given ones are not for the output.
        given = lemmas.with_forms([word.form for word in problem.words])
        encoding = self._liftable(encoding, projective)
        return encoding if given == problem else replace(encoding, problem=given)

    def search(
        self, encoding: Encoding, budget: SearchBudget, n_best: int | None
    ) -> list[Linearization]:
        [found] = self.strategy.search([encoding], budget, n_best)
        if isinstance(found, SyntagmaError):
            raise found
        return found

    def search_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        encode: Callable[[Words], Encoding],
        finish: Callable[[list[Linearization], Encoding], NBest[R]],
        budget: SearchBudget,
        n_best: int | None,
        threads: int,
        on_error: OnError,
    ) -> Iterator[NBest[R] | SyntagmaError]:
        check_range("threads", threads, MAX_THREADS)
        check_on_error(on_error)
        check_stream(problems)

        def run(batch: Sequence[Words | SyntagmaError]) -> Iterator[NBest[R] | SyntagmaError]:
            items = [attempt(encode, item) for item in batch]
            encodings = [item for item in items if isinstance(item, Encoding)]
            searches = self.strategy.search(encodings, budget, n_best)
            for item in items:
                if isinstance(item, SyntagmaError):
                    yield item
                else:
                    yield attempt(finish, next(searches), item)

        ahead = threads > 1 or isinstance(problems, Sequence | Stored)
        chunks = batches(problems, self.strategy.batch if ahead else 1)
        # One thread delivers each result before it searches for the next one of its batch.
        work: Callable[[list[Words | SyntagmaError]], Iterable[NBest[R] | SyntagmaError]]
        work = run if threads == 1 else lambda batch: list(run(batch))
        return deliver(chain.from_iterable(in_order(work, chunks, threads)), on_error)
