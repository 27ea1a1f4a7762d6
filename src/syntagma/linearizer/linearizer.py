"""The public API of ordering: a `Linearizer` orders, realizes and scores with one model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TypeVar, overload

from syntagma.errors import ArgumentError, ModelError, ProblemError, SyntagmaError, shown
from syntagma.linearizer.checks import (
    Words,
    as_lemmas,
    as_order,
    as_problem,
    check_forms,
    check_size,
    check_stream,
    read_item,
    warn_of_phrase,
)
from syntagma.linearizer.origin import Origin
from syntagma.linearizer.streams import OnError, attempt, batches, check_on_error, deliver, in_order
from syntagma.linearizer.unknown import UnknownNotices
from syntagma.models.header import Header
from syntagma.models.loading import DEFAULT_MODELS, load_model, model_path
from syntagma.models.model import Model
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.realizer import likeliest
from syntagma.results.linearization import Linearization
from syntagma.results.realization import Realization
from syntagma.transition.budget import (
    DEFAULT_MAX_WORDS,
    MAX_BEAM,
    MAX_THREADS,
    SearchBudget,
    SearchName,
    check_range,
)
from syntagma.transition.encoding import Encoding, encode

Result = Linearization | list[Linearization]
R = TypeVar("R")


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
        self._realizer = model.realizer
        self._detokenizer = self._realizer.detokenizer if self._realizer else Detokenizer()
        self._vocabulary = model.vocabulary
        self._strategy = model.strategy()
        self.search = self._strategy.name
        self.max_words = self._strategy.max_words
        self.takes_arcs = self._strategy.takes_arcs  # a CCG model keeps no given heads or labels
        self._unknown = UnknownNotices(
            str(model.header.get("name", "")),
            self.tag_column,
            self._vocabulary,
            takes_labels=self.takes_arcs,
        )

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
    ) -> Linearization: ...
    @overload
    def order(
        self,
        words: Words,
        *,
        n_best: int,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> list[Linearization]: ...
    def order(
        self,
        words: Words,
        *,
        n_best: int | None = None,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> Result:
        """The best order of the words with its tree.

        With `n_best`, a list of at most that many different orders, best first; a wider beam finds
        more of them. A longer list begins with the shorter one. By default the model chooses the
        beam width, see `beam`. Time grows linearly with the beam and about quadratically with the
        number of words.

        With `timeout`, the beam is narrowed as needed to end in about that many seconds; a result
        that this may have changed is `narrowed`. It is complete all the same.

        A best-first search has no beam. It ends after `timeout` seconds (5 by default) or after
        that many `expansions` of edges, which gives the same result on any machine. A result that
        is not `finished` by then may leave words out.
        """
        budget = self._check(SearchBudget(beam, timeout, expansions), n_best, max_words)
        warn_of_phrase(words)
        found = self._search(self._encode(as_problem(words), max_words), budget, n_best)
        return found[0] if n_best is None else found

    def order_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        *,
        n_best: int | None = None,
        beam: int | None = None,
        timeout: float | None = None,
        expansions: int | None = None,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        on_error: OnError = "raise",
    ) -> Iterator[Result | SyntagmaError]:
        """Order a stream of problems; results come in the same order.

        Errors, including those that the readers yield in place of a problem, are raised, or with
        `on_error="yield"` take the place of the result.

        Several threads read a few problems ahead. One thread reads ahead only in a sequence, where
        batches are encoded faster, never in an iterator.
        """
        budget = self._check(SearchBudget(beam, timeout, expansions), n_best, max_words)
        results = self._search_many(
            problems,
            lambda item: self._encode(read_item(as_problem, item), max_words),
            lambda found, encoding: found,
            budget,
            n_best,
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
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> Realization: ...
    @overload
    def realize(
        self,
        lemmas: Words,
        *,
        n_best: int,
        beam: int | None = None,
        timeout: float | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> list[Realization]: ...
    def realize(
        self,
        lemmas: Words,
        *,
        n_best: int | None = None,
        beam: int | None = None,
        timeout: float | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> Realization | list[Realization]:
        """The best sentence for these lemmas: inflected, in order, detokenised.

        A plain string is a lemma; a word with a given form keeps it. The forms of the lemmas are
        chosen together with the order. `n_best`, `beam` and `timeout` are those of `order`.

        >>> import syntagma
        >>> from syntagma import Word
        >>> words = [Word(lemma="bark", tag="VBD", head=0), Word(lemma="dog", tag="NNS", head=1)]
        >>> syntagma.load("en").realize(words).text
        'Dogs barked'
        """
        budget = self._check(SearchBudget(beam, timeout), n_best, max_words)
        warn_of_phrase(lemmas)
        encoding = self._encode_lemmas(as_lemmas(lemmas), max_words)
        found = self._search(encoding, budget, n_best)
        realized = self._distinct(encoding, found, budget, n_best)
        return realized[0] if n_best is None else realized

    def realize_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        *,
        n_best: int | None = None,
        beam: int | None = None,
        timeout: float | None = None,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        on_error: OnError = "raise",
    ) -> Iterator[Realization | list[Realization] | SyntagmaError]:
        """Realize many problems, as `order_many` orders them."""
        budget = self._check(SearchBudget(beam, timeout), n_best, max_words)
        results = self._search_many(
            problems,
            lambda item: self._encode_lemmas(read_item(as_lemmas, item), max_words),
            lambda found, encoding: self._distinct(encoding, found, budget, n_best),
            budget,
            n_best,
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
        spelling = self._detokenizer.spell(
            linearization.words, linearization.model_tags or linearization.tags
        )
        return Realization(linearization, spelling)

    def score(
        self,
        words: Words,
        order: Iterable[str] | Iterable[int],
        *,
        beam: int | None = None,
        timeout: float | None = None,
    ) -> Linearization:
        """The best tree that the beam finds for a given order of the words, with its score.

        The order is given as forms or as 1-based indices. Scores of different orders of the same
        problem can be compared.
        """
        problem = as_problem(words)
        self._strategy.beam(problem)  # raises if the search has none, and cannot score orders
        budget = self._check(SearchBudget(beam, timeout), None, 1)
        if len(problem.words) > self.max_words:
            raise ProblemError(
                f"the bag has {len(problem.words)} words, but this model can score at most "
                f"{self.max_words}"
            )
        check_forms(problem)
        given = as_order(problem, order)
        self._unknown.check(problem.words, stacklevel=2)
        return self._search(encode(problem, self._vocabulary, given), budget, None)[0]

    def beam(self, words: Words) -> int:
        """The beam width that the model chooses for a problem: a wider one gains little."""
        return self._strategy.beam(as_problem(words))

    def describe_budget(self, budget: SearchBudget) -> dict[str, str | int | float]:
        """The search budget as the signature of a score states it."""
        return self._strategy.describe(budget)

    def _check(self, budget: SearchBudget, n_best: int | None, max_words: int) -> SearchBudget:
        if n_best is not None:
            check_range("n_best", n_best, MAX_BEAM)
        self._strategy.check(budget)
        check_range("max_words", max_words, self.max_words)
        return budget

    def _encode(self, problem: Problem, max_words: int) -> Encoding:
        check_size(problem, max_words)
        check_forms(problem)
        self._unknown.check(problem.words, stacklevel=3)
        return encode(problem, self._vocabulary)

    def _encode_lemmas(self, lemmas: Problem, max_words: int) -> Encoding:
        if self._realizer is None:
            raise ModelError(
                f"the model {self.info.header.get('name', '-')} has not learned to realize lemmas: "
                "use another, such as en, or train one: syntagma train --realize"
            )
        check_size(lemmas, max_words)
        problem, alternatives = self._realizer.inflect(lemmas)
        if not self.has_language_model:  # nothing else weighs the forms
            alternatives = likeliest(alternatives)
        self._unknown.check(problem.words, stacklevel=3)
        encoding = encode(problem, self._vocabulary, alternatives=alternatives)
        # Tags that inflection put in place of given ones are not for the output.
        given = lemmas.with_forms([word.form for word in problem.words])
        return encoding if given == problem else replace(encoding, problem=given)

    def _search(
        self, encoding: Encoding, budget: SearchBudget, n_best: int | None
    ) -> list[Linearization]:
        [found] = self._strategy.search([encoding], budget, n_best)
        if isinstance(found, SyntagmaError):
            raise found
        return found

    def _distinct(
        self,
        encoding: Encoding,
        found: list[Linearization],
        budget: SearchBudget,
        n_best: int | None,
    ) -> list[Realization]:
        """The sentences that a search found, each text once.

        If some were the same, the search is asked for more, until there are enough or no others.
        """
        wanted = asked = n_best or 1
        realized = self._realizations(found)
        while len(realized) < wanted and len(found) >= asked and asked < MAX_BEAM:
            asked = min(4 * asked, MAX_BEAM)
            found = self._search(encoding, budget, asked)
            realized = self._realizations(found)
        return realized[:wanted]

    def _realizations(self, found: Iterable[Linearization]) -> list[Realization]:
        if self._realizer is not None:
            found = map(self._realizer.settle, found)
        texts: dict[str, Realization] = {}
        for each in map(self.spell, found):
            texts.setdefault(each.text, each)
        return list(texts.values())

    def _search_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        encode: Callable[[Words], Encoding],
        finish: Callable[[list[Linearization], Encoding], list[R]],
        budget: SearchBudget,
        n_best: int | None,
        threads: int,
        on_error: OnError,
    ) -> Iterator[list[R] | SyntagmaError]:
        check_range("threads", threads, MAX_THREADS)
        check_on_error(on_error)
        check_stream(problems)

        def run(batch: Sequence[Words | SyntagmaError]) -> list[list[R] | SyntagmaError]:
            items = [attempt(encode, item) for item in batch]
            encodings = [item for item in items if isinstance(item, Encoding)]
            searches = self._strategy.search(encodings, budget, n_best)
            return [
                item if isinstance(item, SyntagmaError) else attempt(finish, next(searches), item)
                for item in items
            ]

        ahead = threads > 1 or isinstance(problems, Sequence)
        size = self._strategy.batch if ahead else 1
        results = chain.from_iterable(in_order(run, batches(problems, size), threads))
        return deliver(results, on_error)
