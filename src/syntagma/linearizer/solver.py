"""The engine: answers requests with one model. Each item is encoded, searched and finished.

What callers give is read in `inputs`, streams of it in `streams`; what a user calls is in
`linearizer`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from syntagma.arguments import check_range
from syntagma.errors import ArgumentError, ModelError, SyntagmaError
from syntagma.linearizer.alternatives import CANDIDATES, choose, most_lost
from syntagma.linearizer.inputs import (
    as_lemmas,
    as_order,
    as_pair,
    check_forms,
    check_size,
    read,
)
from syntagma.linearizer.streams import catch
from syntagma.linearizer.unknown import UnknownNotices
from syntagma.models.header import scorer_name
from syntagma.models.model import Model
from syntagma.problem.problem import Problem
from syntagma.problem.word import UPOS_TAGS
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.realizer import likeliest_first
from syntagma.request import MAX_BEAM, Request
from syntagma.results.acceptance import Acceptance
from syntagma.results.linearization import Linearization
from syntagma.results.n_best import NBest
from syntagma.results.realization import Realization
from syntagma.transition.encoding import Encoding, encode
from syntagma.transition.lifting import liftings_of_order

Result = Linearization | Realization | Acceptance | NBest[Linearization] | NBest[Realization]


class Solver:
    """Answers requests with a model."""

    def __init__(self, model: Model) -> None:
        self.name = str(model.header.get("name", "-"))
        self.strategy = model.strategy()
        self.vocabulary = model.vocabulary
        self._margin = model.margin
        self._realizer = model.realizer
        self._detokenizer = model.realizer.detokenizer if model.realizer else Detokenizer()
        self._most_lost = most_lost(scorer_name(model.header))
        self._unknown = UnknownNotices(
            str(model.header.get("name", "")),
            model.header["tag_column"],
            model.vocabulary,
            takes_labels=self.strategy.takes_arcs,
        )

    def check(self, request: Request) -> None:
        """Raise if this model cannot answer the request."""
        search = self.strategy.name
        if request.operation == "score":
            self.strategy.beam(is_tree=False)  # raises if the search has none, and cannot score
        if request.operation == "accept" and search != "beam":
            raise ModelError(
                "a best-first search does not score given orders, so it cannot judge them: "
                "use a model for beam search"
            )
        if request.operation == "accept" and request.margin is None and self._margin is None:
            raise ModelError(
                f"the model {self.name} has no margin for acceptable orders: give one "
                "(margin=, --margin), or let the model learn one: syntagma fit-margin"
            )
        if request.operation == "realize" and self._realizer is None:
            advice = "use another, such as en, or train one: syntagma train --realize"
            if search == "best-first":
                advice = "train one: syntagma train --search best-first --realize"
            raise ModelError(f"the model {self.name} has not learned to realize lemmas: {advice}")
        if request.search != search:
            raise ArgumentError(
                f"the request is for {request.search} search, the model {self.name} for {search}",
                field="search",
            )
        check_range("max_words", request.max_words, self.strategy.max_words)

    def solve(self, items: Sequence[Any], request: Request) -> Iterator[Any]:
        """A result or an error for each item of a batch, in order."""
        if request.operation == "accept":
            yield from (catch(self._accept, item, request) for item in items)
            return
        encodings: list[Encoding | SyntagmaError] = []
        for item in items:
            try:
                encodings.append(self._encode(item, request))
            except SyntagmaError as error:
                encodings.append(error)
        count = CANDIDATES if request.diverse else request.n_best or 1
        searches = self.strategy.search(
            [each for each in encodings if isinstance(each, Encoding)], request, count
        )
        plain = request.operation != "realize" and request.n_best is None
        for each in encodings:
            found = each if isinstance(each, SyntagmaError) else next(searches)
            if isinstance(found, SyntagmaError):
                yield found
            else:
                yield found[0] if plain else self._finish(found, each, request)

    def spell(self, linearization: Linearization) -> Realization:
        """Detokenise a linearization."""
        spelling = self._detokenizer.spell(
            linearization.words, linearization.model_tags or linearization.tags
        )
        return Realization(linearization, spelling)

    def _encode(self, item: Any, request: Request) -> Encoding:
        """The problem of an item in numbers. Raises errors of readers that stand for an item."""
        if isinstance(item, SyntagmaError):
            raise item
        if request.operation == "score":
            return self._encode_order(*as_pair(item), request)
        if request.operation == "realize":
            return self._encode_lemmas(read(as_lemmas, item, "words"), request)
        problem = item if isinstance(item, Problem) else read(Problem.of, item, "words")
        check_size(problem, request.max_words, self.strategy.max_words)
        check_forms(problem)
        self._unknown.check(problem.words)
        return encode(problem, self.vocabulary, lifting=self._lifts(request))

    def _encode_order(self, problem: Problem, order: list[Any], request: Request) -> Encoding:
        check_size(problem, request.max_words, self.strategy.max_words)
        check_forms(problem)
        given = as_order(problem, order)
        self._unknown.check(problem.words)
        encoding = encode(problem, self.vocabulary, given, lifting=self._lifts(request))
        if encoding.liftings is not None:
            encoding.liftings = tuple(liftings_of_order(encoding, given))
        return encoding

    def _encode_lemmas(self, lemmas: Problem, request: Request) -> Encoding:
        assert self._realizer is not None
        check_size(lemmas, request.max_words, self.strategy.max_words)
        problem, alternatives = self._realizer.inflect(self._realizer.as_given(lemmas))
        if not self.strategy.chooses_forms:
            alternatives = likeliest_first(alternatives)  # all but the first wait for `settle`
        # A UPOS tag from which inflection derived a tag does not count as unknown.
        words = [
            given if given.tag is not None and given.tag not in UPOS_TAGS else inflected
            for given, inflected in zip(lemmas.words, problem.words, strict=True)
        ]
        self._unknown.check(words)
        encoding = encode(
            problem, self.vocabulary, alternatives=alternatives, lifting=self._lifts(request)
        )
        # Tags that inflection put in place of given ones are not for the output.
        encoding.problem = lemmas.with_forms([word.form for word in problem.words])
        return encoding

    def _lifts(self, request: Request) -> bool:
        return self.strategy.lifts and not request.projective

    def _finish(self, found: list[Linearization], encoding: Any, request: Request) -> Result:
        """Sentences of lemmas, or a list of orders, from what the search found."""
        if request.operation == "realize":
            return self._realized(found, encoding, request)
        if request.diverse:
            return choose(found, request.n_best or 1, most_lost=self._most_lost)
        return NBest(found)

    def _realized(
        self, found: list[Linearization], encoding: Any, request: Request
    ) -> Realization | NBest[Realization]:
        """The sentences that a search found, each text once.

        If some were the same, the search is asked for more, until there are enough or no others.
        """
        wanted = asked = request.n_best or 1
        realized = self._realizations(found, encoding)
        if request.diverse:
            return choose(realized, wanted, most_lost=self._most_lost)
        while len(realized) < wanted and len(found) >= asked and asked < MAX_BEAM:
            asked = min(4 * asked, MAX_BEAM)
            found = self._search(encoding, request, asked)
            realized = self._realizations(found, encoding)
        return realized[0] if request.n_best is None else NBest(realized[:wanted])

    def _realizations(
        self, found: Iterable[Linearization], encoding: Encoding
    ) -> list[Realization]:
        assert self._realizer is not None
        proposed = None if self.strategy.chooses_forms else encoding.alternatives
        texts: dict[str, Realization] = {}
        for each in found:
            realization = self.spell(self._realizer.settle(each, proposed))
            texts.setdefault(realization.text, realization)
        return list(texts.values())

    def _search(self, encoding: Encoding, request: Request, n_best: int) -> list[Linearization]:
        [found] = self.strategy.search([encoding], request, n_best)
        if isinstance(found, SyntagmaError):
            raise found
        return found

    def _accept(self, item: Any, request: Request) -> Acceptance:
        from syntagma.linearizer.acceptance import accept  # ordering does not need it

        problem, order = as_pair(item)
        unfixed = self._encode(problem, request)
        given = as_order(problem, order)
        liftings = unfixed.liftings
        if liftings is not None:
            liftings = tuple(liftings_of_order(unfixed, given))

        def search(
            beginning: Sequence[str], n_best: int, seconds: float | None
        ) -> list[Linearization]:
            encoding = unfixed
            if beginning:
                encoding = encode(problem, self.vocabulary, beginning)
                encoding.liftings = liftings
            return self._search(encoding, replace(request, timeout=seconds), n_best)

        words = [problem.words[at - 1].form if isinstance(at, int) else at for at in given]
        margin = request.margin
        if margin is None:
            assert self._margin is not None
            margin = self._margin.loss
        return accept(problem, words, search, float(margin), request.timeout)
