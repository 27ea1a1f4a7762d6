"""The public API of ordering: a `Linearizer` orders, realizes and scores with one model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, overload

from syntagma.errors import ArgumentError, ModelError, SyntagmaError, shown
from syntagma.linearizer.alternatives import CANDIDATES, check_diverse
from syntagma.linearizer.checks import (
    Words,
    as_lemmas,
    as_problem,
    check_projective,
    read_item,
    warn_of_phrase,
)
from syntagma.linearizer.finishing import Finisher
from syntagma.linearizer.origin import Origin
from syntagma.linearizer.solver import Solver
from syntagma.linearizer.streams import OnError
from syntagma.models.header import Header
from syntagma.models.loading import DEFAULT_MODELS, load_model, model_path
from syntagma.models.model import Model
from syntagma.problem.word import TagColumn
from syntagma.results.linearization import Linearization
from syntagma.results.n_best import NBest
from syntagma.results.realization import Realization
from syntagma.transition.budget import (
    DEFAULT_MAX_WORDS,
    SearchBudget,
    SearchName,
)

if TYPE_CHECKING:
    from syntagma.linearizer.acceptance import Judge, Order
    from syntagma.results.acceptance import Acceptance

Result = Linearization | NBest[Linearization]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a model is: its header and its file."""

    header: Header
    path: Path | None
    size: int


def load(
    model: str | Path | None = None,
    *,
    search: SearchName = "beam",
    language_model: bool = True,
) -> Linearizer:
    """Load a shipped model by name, or any model by its path; by default `en`, or `en-best-first`
    for best-first search.

    A model is made for one of the two searches. `language_model=False` leaves out the language
    model, if the model has one.

    >>> import syntagma
    >>> english = syntagma.load("en")
    >>> english.order(["send", "you", "me", "Can", "report", "the", "?"]).text
    'Can you send me the report ?'
    """
    if not isinstance(search, str) or search not in DEFAULT_MODELS:
        names = ", ".join(DEFAULT_MODELS)
        raise ArgumentError(f"search must be one of {names}, not {shown(search)}")
    if not isinstance(language_model, bool):
        raise ArgumentError(
            f"language_model must be True or False, not {shown(language_model)}; "
            "add_lm gives a model another language model"
        )
    path = model_path(DEFAULT_MODELS[search] if model is None else model)
    return Linearizer(load_model(path, search=search, language_model=language_model), path)


def read_info(model: str | Path) -> ModelInfo:
    """What a model is, whichever search it is for."""
    path = model_path(model)
    return Linearizer(load_model(path, search=None), path).info


@lru_cache(maxsize=2)
def _load_again(origin: Origin, search: SearchName, language_model: bool) -> Linearizer:
    """The linearizer that was pickled. It is kept, because a pool sends it with every task."""
    origin.check()
    return load(origin.file, search=search, language_model=language_model)


class Linearizer:
    """Orders words with one model. Safe to use from several threads.

    It can be pickled, so that the processes of a pool can use it: it is then loaded again from its
    model file, which must be the same there, once per process.
    """

    def __init__(self, model: Model, path: Path | None = None) -> None:
        self._model = model
        self._origin = None if path is None else Origin.of(path)
        size = path.stat().st_size if path else 0
        self.info = ModelInfo(model.header, path, size)
        self.tag_column: TagColumn = model.header["tag_column"]
        self.has_language_model = model.language_model is not None
        self._solver = Solver(model)
        self._finisher = Finisher(model, self._solver)
        strategy = self._solver.strategy
        self.search = strategy.name
        self.max_words = strategy.max_words
        self.takes_arcs = strategy.takes_arcs  # a CCG model keeps no given heads or labels
        self.tags: tuple[str, ...] = model.vocabulary.tags
        self.labels: tuple[str, ...] = model.vocabulary.labels
        # What it reads besides: UPOS tags and values of features; empty if it does not.
        self.upos: tuple[str, ...] = model.vocabulary.upos
        self.features: tuple[str, ...] = model.vocabulary.features
        self.realizes = model.realizer is not None
        self.lifts = self._solver.lifts  # whether orders of given trees may be non-projective

    def __repr__(self) -> str:
        without = "" if self.has_language_model else ", no language model"
        return f"<Linearizer {self.info.header.get('name', '-')}: {self.search} search{without}>"

    def __reduce__(self) -> tuple[Callable[..., Linearizer], tuple[Origin, SearchName, bool]]:
        if self._origin is None:
            raise ModelError(
                "a linearizer that was not loaded from a file cannot be pickled: "
                "save its model and load it by its path"
            )
        self._origin.check()
        return _load_again, (self._origin, self.search, self.has_language_model)

    def __copy__(self) -> Linearizer:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Linearizer:
        return self.__copy__()  # a model does not change: copies can share it

    @overload
    def order(
        self,
        words: Words,
        *,
        n_best: None = None,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
    ) -> Linearization: ...
    @overload
    def order(
        self,
        words: Words,
        *,
        n_best: int,
        diverse: bool = False,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
    ) -> NBest[Linearization]: ...
    def order(
        self,
        words: Words,
        *,
        n_best: int | None = None,
        diverse: bool = False,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
    ) -> Result:
        """The best order of the words with its tree.

        With `n_best`, a list of at most that many different orders, best first; a wider beam finds
        more of them. A longer list begins with the shorter one. By default the model chooses the
        beam width, see `beam`. Time grows linearly with the beam and about quadratically with the
        number of words.

        With `diverse`, the list holds only orders that differ in meaning or emphasis: the best one,
        then the next best that differs from all before it by at least 0.2 of `difference`. With a
        neural model they lose at most 10 in score, so there may be fewer than asked for.

        With `timeout`, the beam is narrowed as needed to end in about that many seconds; a result
        that this may have changed is `narrowed`. It is complete all the same.

        A model that has learned to (`lifts`) may tear subtrees of given arcs apart, as its language
        does. With `projective`, every subtree stays together.

        A best-first search has no beam. It ends after `timeout` seconds (5 by default) or after
        that many `expansions` of edges, which gives the same result on any machine. A result that
        is not `finished` by then may leave words out.
        """
        budget = self._solver.check(SearchBudget(beam, timeout, expansions), n_best, max_words)
        check_diverse(diverse, n_best, self.search)
        check_projective(projective)
        warn_of_phrase(words)
        encoding = self._solver.encode(as_problem(words), max_words, projective=projective)
        found = self._solver.search(encoding, budget, CANDIDATES if diverse else n_best)
        return found[0] if n_best is None else self._finisher.listed(found, n_best, diverse)

    def order_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        *,
        n_best: int | None = None,
        diverse: bool = False,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
        on_error: OnError = "raise",
    ) -> Iterator[Result | SyntagmaError]:
        """Order a stream of problems; results come in the same order.

        Errors, including those that the readers yield in place of a problem, are raised, or with
        `on_error="yield"` take the place of the result.

        Several threads read a few problems ahead. One thread reads ahead only in a sequence, where
        batches are encoded faster, never in an iterator.
        """
        budget = self._solver.check(SearchBudget(beam, timeout, expansions), n_best, max_words)
        check_diverse(diverse, n_best, self.search)
        check_projective(projective)
        results = self._solver.search_many(
            problems,
            lambda item: self._solver.encode(
                read_item(as_problem, item), max_words, projective=projective
            ),
            lambda found, encoding: self._finisher.listed(found, n_best or 1, diverse),
            budget,
            CANDIDATES if diverse else n_best,
            threads,
            on_error,
        )
        return (
            found[0] if isinstance(found, list) and n_best is None else found for found in results
        )

    @overload
    def realize(
        self,
        lemmas: Words,
        *,
        n_best: None = None,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
    ) -> Realization: ...
    @overload
    def realize(
        self,
        lemmas: Words,
        *,
        n_best: int,
        diverse: bool = False,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
    ) -> NBest[Realization]: ...
    def realize(
        self,
        lemmas: Words,
        *,
        n_best: int | None = None,
        diverse: bool = False,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
    ) -> Realization | NBest[Realization]:
        """The best sentence for these lemmas: inflected, in order, detokenised.

        A plain string is a lemma; a word with a given form keeps it. The forms of the lemmas are
        chosen together with the order. `n_best`, `diverse`, `beam`, `timeout`, `expansions` and
        `projective` are those of `order`; alternatives of `diverse` do not differ in inflection
        alone.

        >>> import syntagma
        >>> from syntagma import Word
        >>> words = [Word(lemma="bark", tag="VBD", head=0), Word(lemma="dog", tag="NNS", head=1)]
        >>> syntagma.load("en").realize(words).text
        'Dogs barked'
        """
        budget = self._solver.check(SearchBudget(beam, timeout, expansions), n_best, max_words)
        check_diverse(diverse, n_best, self.search)
        check_projective(projective)
        warn_of_phrase(lemmas)
        encoding = self._solver.encode_lemmas(as_lemmas(lemmas), max_words, projective=projective)
        found = self._solver.search(encoding, budget, CANDIDATES if diverse else n_best)
        realized = self._finisher.realized(encoding, found, budget, n_best, diverse)
        return realized[0] if n_best is None else realized

    def realize_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        *,
        n_best: int | None = None,
        diverse: bool = False,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
        on_error: OnError = "raise",
    ) -> Iterator[Realization | NBest[Realization] | SyntagmaError]:
        """Realize many problems, as `order_many` orders them."""
        budget = self._solver.check(SearchBudget(beam, timeout, expansions), n_best, max_words)
        check_diverse(diverse, n_best, self.search)
        check_projective(projective)
        results = self._solver.search_many(
            problems,
            lambda item: self._solver.encode_lemmas(
                read_item(as_lemmas, item), max_words, projective=projective
            ),
            lambda found, encoding: self._finisher.realized(
                encoding, found, budget, n_best, diverse
            ),
            budget,
            CANDIDATES if diverse else n_best,
            threads,
            on_error,
        )
        return (
            found[0] if isinstance(found, list) and n_best is None else found for found in results
        )

    def spell(self, linearization: Linearization) -> Realization:
        """Detokenise a linearization: spaces where they belong, contractions.

        A model that has not learned its language's spelling follows what most languages do.
        """
        if not isinstance(linearization, Linearization):
            raise ArgumentError(f"spell takes a result of order, not {shown(linearization)}")
        return self._finisher.spell(linearization)

    def score(
        self,
        words: Words,
        order: Iterable[str] | Iterable[int],
        *,
        beam: int | None = None,
        timeout: float | None = None,
        projective: bool = False,
    ) -> Linearization:
        """The best tree that the beam finds for a given order of the words, with its score.

        The order is given as forms or as 1-based indices. Scores of different orders of the same
        problem can be compared. With `projective`, orders that tear given subtrees apart have none,
        as with models that have not learned such orders.
        """
        problem = as_problem(words)
        self._solver.strategy.beam(problem)  # raises if the search has none, and cannot score
        budget = self._solver.check(SearchBudget(beam, timeout), None, 1)
        check_projective(projective)
        encoding = self._solver.encode_order(problem, order, projective=projective)
        return self._solver.search(encoding, budget, None)[0]

    def accept(
        self,
        words: Words,
        order: Order,
        *,
        margin: float | None = None,
        beam: int | None = None,
        timeout: float | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
    ) -> Acceptance:
        """Whether an order of the words is a good one and, if not, where it goes wrong.

        The order is given as forms or as 1-based indices, and judged as a sentence: words of the
        same form stand for each other. It is accepted if it is the best order, or if it scores at
        most `margin` lower for each pair of neighbours; by default the margin that the model
        learned. An order that breaks a constraint of the problem is worse.

        >>> import syntagma
        >>> english = syntagma.load("en")
        >>> words = ["she", "read", "the", "book", "yesterday", "."]
        >>> english.accept(words, ["yesterday", "she", "read", "the", "book", "."]).verdict
        'as good'
        >>> print(english.accept(words, ["she", "the", "book", "read", "yesterday", "."]))
        worse: 'she the book read yesterday .' goes wrong at 'the' after 'she'; ...
        """
        judge = self._judge(margin, beam, timeout, max_words, projective)
        warn_of_phrase(words)
        encoding = self._solver.encode(as_problem(words), max_words, projective=projective)
        return judge.accept(encoding, order)

    def accept_many(
        self,
        orders: Iterable[tuple[Words, Order] | SyntagmaError],
        *,
        margin: float | None = None,
        beam: int | None = None,
        timeout: float | None = None,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        projective: bool = False,
        on_error: OnError = "raise",
    ) -> Iterator[Acceptance | SyntagmaError]:
        """Judge a stream of pairs, words and an order, as `accept` does; results come in the same
        order. Errors are those of `order_many`."""
        judge = self._judge(margin, beam, timeout, max_words, projective)
        return judge.accept_many(orders, threads, on_error)

    def _judge(
        self,
        margin: float | None,
        beam: int | None,
        timeout: float | None,
        max_words: int,
        projective: bool,
    ) -> Judge:
        from syntagma.linearizer.acceptance import Judge  # ordering does not need it

        check_projective(projective)
        budget = SearchBudget(beam, timeout)
        stored = self._model.margin
        return Judge(self._solver, margin, stored, budget, max_words, projective=projective)

    def beam(self, words: Words) -> int:
        """The beam width that the model chooses for a problem: a wider one gains little."""
        return self._solver.strategy.beam(as_problem(words))

    def describe_budget(self, budget: SearchBudget) -> dict[str, str | int | float]:
        """The search budget as the signature of a score states it."""
        return self._solver.strategy.describe(budget)
