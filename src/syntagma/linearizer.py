"""The linearizer: orders problems with a model, by the search that the model is made for."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from syntagma.best_first.model import EdgeModel
from syntagma.best_first.strategy import BestFirstStrategy
from syntagma.errors import ModelError, ProblemError, SyntagmaError, name_word
from syntagma.models.model import Model, is_edge_model, load_edge_model, load_model
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn, Word
from syntagma.realization.detokenization import Detokenizer
from syntagma.results.linearization import Linearization
from syntagma.results.realization import Realization
from syntagma.transition.beam import BeamStrategy
from syntagma.transition.budget import (
    DEFAULT_MAX_WORDS,
    MAX_BEAM,
    MAX_THREADS,
    SearchBudget,
    SearchName,
    Strategy,
    check_range,
)
from syntagma.transition.encoding import Encoding, encode
from syntagma.treebanks.conditions import MAIN_CONDITIONS

Words = Problem | Iterable[str | Word]
Result = Linearization | list[Linearization]
T = TypeVar("T")
R = TypeVar("R")

DEFAULT_MODELS: dict[SearchName, str] = {"beam": "en", "best-first": "en-best-first"}
_MODELS = Path(__file__).parent / "models"


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a model is: its header, and its file."""

    header: dict[str, Any]
    path: Path | None
    size: int


def load(
    model: str | Path | None = None,
    *,
    search: SearchName = "beam",
    language_model: bool = True,
) -> Linearizer:
    """Load a shipped model by name or any model by its path; by default `en`, or `en-best-first` if
    that is the search.

    A model is made for one of the two searches. Without `language_model`, the one that the model
    may have is left out.

    >>> import syntagma
    >>> english = syntagma.load("en")
    >>> english.order(["send", "you", "me", "Can", "report", "the", "?"]).text
    'Can you send me the report ?'
    """
    if search not in DEFAULT_MODELS:
        raise ValueError(f"search must be one of {', '.join(DEFAULT_MODELS)}, not {search!r}")
    path = model_path(DEFAULT_MODELS[search] if model is None else model)
    if search == "best-first":
        return Linearizer(load_edge_model(path), path)
    return Linearizer(load_model(path, language_model=language_model), path)


def read_info(model: str | Path) -> ModelInfo:
    """What a model is, whichever search it is for."""
    path = model_path(model)
    search: SearchName = "best-first" if is_edge_model(path) else "beam"
    return load(path, search=search).info


def model_path(model: str | Path) -> Path:
    """The file of a shipped model, by its name, or of any other, by its path."""
    if not isinstance(model, str) or not re.fullmatch(r"[\w-]+", model):
        return Path(model)
    shipped = _MODELS / f"{model}.syntagma"
    if not shipped.is_file():
        names = ", ".join(sorted(file.stem for file in _MODELS.glob("*.syntagma"))) or "none"
        raise ModelError(
            f"no model named {model!r} is shipped (there are: {names}); "
            "a model file of your own is given by its path, as in ./my.syntagma"
        )
    return shipped


class Linearizer:
    """Orders words with one model. Safe to use from several threads."""

    def __init__(self, model: Model | EdgeModel, path: Path | None = None) -> None:
        size = path.stat().st_size if path else 0
        self.info = ModelInfo(model.header, path, size)
        self.tag_column: TagColumn = model.header["tag_column"]
        self.has_language_model = isinstance(model, Model) and model.language_model is not None
        self._realizer = model.realizer if isinstance(model, Model) else None
        self._detokenizer = self._realizer.detokenizer if self._realizer else Detokenizer()
        self._vocabulary = model.vocabulary
        self._strategy: Strategy = (
            BeamStrategy(model) if isinstance(model, Model) else BestFirstStrategy(model)
        )
        self.search: SearchName = self._strategy.name
        self.max_words = self._strategy.max_words
        # What can be given: a CCG model knows no arcs.
        ccg = model.header.get("grammar") == "ccg"
        self.conditions = ("none", "pos") if ccg else MAIN_CONDITIONS

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
        more of them. By default the model chooses the beam, see `beam`. The time taken grows with
        the beam and with about the square of the number of words.

        A best-first search has no beam; it ends after `timeout` seconds, 5 by default, or after so
        many `expansions` of edges, which gives the same result on any machine. What it has not
        `finished` by then may leave words out.
        """
        budget = self._check(SearchBudget(beam, timeout, expansions), n_best, max_words)
        found = self._search(self._encode(words, max_words), budget, n_best)
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
        on_error: Literal["raise", "yield"] = "raise",
    ) -> Iterator[Result | SyntagmaError]:
        """Order many problems, in the order in which they come, reading no further than needed.

        Errors (also those that come in the place of a problem, as the readers yield them) are
        raised, or take the place of the result with `on_error="yield"`.

        Several threads read a few problems ahead. On one thread, an iterator is not read ahead; a
        sequence is, because some can be prepared faster together.
        """
        budget = self._check(SearchBudget(beam, timeout, expansions), n_best, max_words)
        for found in self._search_many(
            problems, lambda item: self._encode(item, max_words), budget, n_best, threads, on_error
        ):
            yield found[0] if isinstance(found, list) and n_best is None else found

    @overload
    def realize(
        self,
        lemmas: Words,
        *,
        n_best: None = None,
        beam: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> Realization: ...
    @overload
    def realize(
        self,
        lemmas: Words,
        *,
        n_best: int,
        beam: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> list[Realization]: ...
    def realize(
        self,
        lemmas: Words,
        *,
        n_best: int | None = None,
        beam: int | None = None,
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> Realization | list[Realization]:
        """The best sentence of these lemmas: inflected, in order, and written as people do.

        A plain string is a lemma; a word of which the form is given keeps it. Which of its possible
        forms a lemma takes is decided together with the order.

        >>> import syntagma
        >>> from syntagma import Word
        >>> words = [Word(lemma="bark", tag="VBD", head=0), Word(lemma="dog", tag="NNS", head=1)]
        >>> syntagma.load("en").realize(words).text
        'Dogs barked'
        """
        budget = self._check(SearchBudget(beam), n_best, max_words)
        found = self._search(self._encode_lemmas(lemmas, max_words), budget, n_best)
        realized = [self.spell(each) for each in found]
        return realized[0] if n_best is None else realized

    def realize_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        *,
        n_best: int | None = None,
        beam: int | None = None,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        on_error: Literal["raise", "yield"] = "raise",
    ) -> Iterator[Realization | list[Realization] | SyntagmaError]:
        """Realize many problems, as `order_many` orders them."""
        budget = self._check(SearchBudget(beam), n_best, max_words)
        for found in self._search_many(
            problems,
            lambda item: self._encode_lemmas(item, max_words),
            budget,
            n_best,
            threads,
            on_error,
        ):
            if isinstance(found, SyntagmaError):
                yield found
            else:
                realized = [self.spell(each) for each in found]
                yield realized[0] if n_best is None else realized

    def spell(self, linearization: Linearization) -> Realization:
        """An order with its words written as people do: spaces where they belong, contractions.

        A model that has not learned how its language is written goes by what most languages do.
        """
        spelling = self._detokenizer.spell(linearization.words, linearization.tags)
        return Realization(linearization, spelling)

    def score(
        self, words: Words, order: Sequence[str] | Sequence[int], *, beam: int | None = None
    ) -> Linearization:
        """The best tree that the beam finds for a given order of the words, with its score.

        The order is given as forms or as 1-based indices. Scores of different orders of the same
        problem can be compared.
        """
        self._beam_strategy()
        budget = self._check(SearchBudget(beam), None, 1)
        problem = _problem(words)
        if len(problem.words) > self.max_words:
            raise ProblemError(
                f"the bag has {len(problem.words)} words, more than {self.max_words}"
            )
        _check_forms(problem)
        _check_order(problem, order)
        return self._search(encode(problem, self._vocabulary, order), budget, None)[0]

    def beam(self, words: Words) -> int:
        """The beam that the model chooses for a problem: little is to be gained beyond it."""
        return self._beam_strategy().beam(_problem(words))

    def describe_budget(self, budget: SearchBudget) -> dict[str, str | int | float]:
        """How results are searched for, as the signature of a score says it."""
        return self._strategy.describe(budget)

    def _beam_strategy(self) -> BeamStrategy:
        if not isinstance(self._strategy, BeamStrategy):
            raise ModelError(
                f"the model {self.info.header['name']} is for best-first search, which has no beam "
                "and does not score given orders: use a model for beam search"
            )
        return self._strategy

    def _check(self, budget: SearchBudget, n_best: int | None, max_words: int) -> SearchBudget:
        if n_best is not None:
            check_range("n_best", n_best, MAX_BEAM)
        self._strategy.check(budget)
        check_range("max_words", max_words, self.max_words)
        return budget

    def _encode(self, words: Words, max_words: int) -> Encoding:
        problem = _problem(words)
        _check_size(problem, max_words)
        _check_forms(problem)
        return encode(problem, self._vocabulary)

    def _encode_lemmas(self, lemmas: Words, max_words: int) -> Encoding:
        if self._realizer is None:
            raise ModelError(
                f"the model {self.info.header['name']} has not learned to realize lemmas: "
                "use another, such as en, or train one: syntagma train --realize"
            )
        if not isinstance(lemmas, Problem):
            if isinstance(lemmas, str):
                raise ProblemError("lemmas are a list, not one string: split it into lemmas first")
            lemmas = Problem.of(
                Word(lemma=each) if isinstance(each, str) else each for each in lemmas
            )
        _check_size(lemmas, max_words)
        problem, alternatives = self._realizer.inflect(lemmas)
        return encode(problem, self._vocabulary, alternatives=alternatives)

    def _search(
        self, encoding: Encoding, budget: SearchBudget, n_best: int | None
    ) -> list[Linearization]:
        [found] = self._strategy.search([encoding], budget, n_best)
        if isinstance(found, SyntagmaError):
            raise found
        return found

    def _search_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        encode: Callable[[Words], Encoding],
        budget: SearchBudget,
        n_best: int | None,
        threads: int,
        on_error: Literal["raise", "yield"],
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        check_range("threads", threads, MAX_THREADS)
        if on_error not in ("raise", "yield"):
            raise ValueError(f"on_error must be 'raise' or 'yield', not {on_error!r}")

        def encoded(item: Words | SyntagmaError) -> Encoding | SyntagmaError:
            if isinstance(item, SyntagmaError):
                return item
            try:
                return encode(item)
            except SyntagmaError as error:
                return error

        def run(
            batch: Sequence[Words | SyntagmaError],
        ) -> list[list[Linearization] | SyntagmaError]:
            items = [encoded(item) for item in batch]
            encodings = [item for item in items if isinstance(item, Encoding)]
            searches = self._strategy.search(encodings, budget, n_best)
            return [item if isinstance(item, SyntagmaError) else next(searches) for item in items]

        ahead = threads > 1 or isinstance(problems, Sequence)
        size = self._strategy.batch if ahead else 1
        for results in _in_order(run, _batches(problems, size), threads):
            for result in results:
                if isinstance(result, SyntagmaError) and on_error == "raise":
                    raise result
                yield result


def _problem(words: Words) -> Problem:
    return words if isinstance(words, Problem) else Problem.of(words)


def _check_size(problem: Problem, max_words: int) -> None:
    if len(problem.words) > max_words:
        raise ProblemError(
            f"the bag has {len(problem.words)} words, more than the limit of {max_words}; "
            "raise max_words (--max-words) to order it all the same"
        )


def _check_forms(problem: Problem) -> None:
    for index, word in enumerate(problem.words, start=1):
        if not word.form:
            raise ProblemError(
                f"{name_word(problem.words, index)} has a lemma but no form: "
                "give its form, or realize the problem (syntagma realize)"
            )


def _check_order(problem: Problem, order: Sequence[str] | Sequence[int]) -> None:
    """An order to be scored must use every word exactly once."""
    words = problem.words
    if isinstance(order, str):
        raise ProblemError("an order is a list of words, not one string: split it into words first")
    if len({type(item) for item in order}) > 1:
        raise ProblemError("an order is given by forms or by indices, not by both")
    if order and isinstance(order[0], int):
        if sorted(order) != list(range(1, len(words) + 1)):
            raise ProblemError(f"an order by indices must hold each of 1 to {len(words)} once")
        return
    missing = Counter(word.form for word in words)
    missing.subtract(str(form) for form in order)
    for form, count in missing.items():
        if count > 0:
            raise ProblemError(f"the word {form!r} of the bag is missing in the given order")
        if count < 0:
            raise ProblemError(f"the given order uses {form!r} more often than the bag holds it")


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items, the last of which may be shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _in_order(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Map over the items on threads: results in order, only a short window of items under way."""
    if threads == 1:
        yield from map(function, items)
        return
    under_way: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                under_way.append(pool.submit(function, item))
                if len(under_way) >= 4 * threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
