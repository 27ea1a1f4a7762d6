"""The public API of ordering: a `Linearizer` orders, realizes and scores with one model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, overload

from syntagma.arguments import check_range, is_collection
from syntagma.errors import ArgumentError, ModelError, SyntagmaError, shown
from syntagma.linearizer.inputs import Order, Words, as_problem, warn_of_phrase
from syntagma.linearizer.solver import Solver
from syntagma.linearizer.streams import OnError, check_on_error, solve_in_order
from syntagma.models.container import content_mark
from syntagma.models.header import Header
from syntagma.models.loading import DEFAULT_MODELS, SHIPPED, load_model, model_path
from syntagma.models.model import Model
from syntagma.problem.word import TagColumn
from syntagma.request import MAX_THREADS, Operation, Request, SearchName
from syntagma.results.linearization import Linearization
from syntagma.results.n_best import NBest
from syntagma.results.realization import Realization

if TYPE_CHECKING:
    from typing import Unpack

    from syntagma.results.acceptance import Acceptance

Result = Linearization | NBest[Linearization]


class ScoreOptions(TypedDict, total=False):
    """Options of `score`; `Request` explains and checks them all."""

    beam: int | None
    timeout: float | None
    projective: bool


class JudgeOptions(ScoreOptions, total=False):
    """Options of `accept`."""

    margin: float | None
    max_words: int


class SearchOptions(ScoreOptions, total=False):
    """Options of `order` and `realize`."""

    expansions: int | None
    max_words: int


class ListOptions(SearchOptions, total=False):
    """Options of `order_many` and `realize_many`."""

    n_best: int | None
    diverse: bool


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


@dataclass(frozen=True, slots=True)
class Origin:
    """A model file as it was when it was loaded.

    A shipped model is known by its name, so that it is found wherever the package is installed.
    """

    name: str  # of a shipped model, or ""
    path: str  # absolute, or "" for a shipped model
    mark: str

    @classmethod
    def of(cls, path: Path) -> Origin:
        path = path.absolute()
        mark = content_mark(path)
        if path.parent == SHIPPED and path.suffix == ".syntagma":
            return cls(path.stem, "", mark)
        return cls("", str(path), mark)

    @property
    def file(self) -> Path:
        return SHIPPED / f"{self.name}.syntagma" if self.name else Path(self.path)

    def check(self) -> None:
        """Raise `ModelError` if the file is no longer the one that was loaded."""
        if content_mark(self.file) != self.mark:
            raise ModelError(
                f"{self.file}: not the model that the linearizer was loaded from: "
                "the file has changed since; load it again"
            )


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
        self.lifts = strategy.lifts  # whether orders of given trees may be non-projective

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
        self, words: Words, *, n_best: None = None, **options: Unpack[SearchOptions]
    ) -> Linearization: ...
    @overload
    def order(
        self, words: Words, *, n_best: int, diverse: bool = False, **options: Unpack[SearchOptions]
    ) -> NBest[Linearization]: ...
    def order(
        self,
        words: Words,
        *,
        n_best: int | None = None,
        diverse: bool = False,
        **options: Unpack[SearchOptions],
    ) -> Linearization | NBest[Linearization]:
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

        A model that has learned to (`lifts`) may make subtrees of given arcs discontinuous, as its
        language does. With `projective`, every subtree is contiguous.

        A best-first search has no beam. It ends after `timeout` seconds (5 by default) or after
        that many `expansions` of edges, which gives the same result on any machine. A result that
        is not `finished` by then may leave words out.
        """
        warn_of_phrase(words)
        found: Linearization | NBest[Linearization] = self._solve_one(
            words, "order", n_best=n_best, diverse=diverse, **options
        )
        return found

    def order_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        *,
        threads: int = 1,
        on_error: OnError = "raise",
        **options: Unpack[ListOptions],
    ) -> Iterator[Linearization | NBest[Linearization] | SyntagmaError]:
        """Order a stream of problems; results come in the same order.

        Errors, including those that the readers yield in place of a problem, are raised, or with
        `on_error="yield"` take the place of the result.

        Several threads read a few problems ahead. One thread reads ahead only in a sequence, where
        batches are encoded faster, never in an iterator.
        """
        request = Request(operation="order", search=self.search, **options)
        return self.solve(problems, request, threads=threads, on_error=on_error)

    @overload
    def realize(
        self, lemmas: Words, *, n_best: None = None, **options: Unpack[SearchOptions]
    ) -> Realization: ...
    @overload
    def realize(
        self, lemmas: Words, *, n_best: int, diverse: bool = False, **options: Unpack[SearchOptions]
    ) -> NBest[Realization]: ...
    def realize(
        self,
        lemmas: Words,
        *,
        n_best: int | None = None,
        diverse: bool = False,
        **options: Unpack[SearchOptions],
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
        warn_of_phrase(lemmas)
        found: Realization | NBest[Realization] = self._solve_one(
            lemmas, "realize", n_best=n_best, diverse=diverse, **options
        )
        return found

    def realize_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        *,
        threads: int = 1,
        on_error: OnError = "raise",
        **options: Unpack[ListOptions],
    ) -> Iterator[Realization | NBest[Realization] | SyntagmaError]:
        """Realize many problems, as `order_many` orders them."""
        request = Request(operation="realize", search=self.search, **options)
        return self.solve(problems, request, threads=threads, on_error=on_error)

    def spell(self, linearization: Linearization) -> Realization:
        """Detokenise a linearization: spaces where they belong, contractions.

        A model that has not learned its language's spelling follows what most languages do.
        """
        if not isinstance(linearization, Linearization):
            raise ArgumentError(f"spell takes a result of order, not {shown(linearization)}")
        return self._solver.spell(linearization)

    def score(self, words: Words, order: Order, **options: Unpack[ScoreOptions]) -> Linearization:
        """The best tree that the beam finds for a given order of the words, with its score.

        The order is given as forms or as 1-based indices. Scores of different orders of the same
        problem can be compared. With `projective`, orders that make given subtrees discontinuous
        have none, as with models that have not learned such orders.
        """
        found: Linearization = self._solve_one(
            (words, order), "score", max_words=self.max_words, **options
        )
        return found

    def accept(self, words: Words, order: Order, **options: Unpack[JudgeOptions]) -> Acceptance:
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
        warn_of_phrase(words)
        found: Acceptance = self._solve_one((words, order), "accept", **options)
        return found

    def accept_many(
        self,
        orders: Iterable[tuple[Words, Order] | SyntagmaError],
        *,
        threads: int = 1,
        on_error: OnError = "raise",
        **options: Unpack[JudgeOptions],
    ) -> Iterator[Acceptance | SyntagmaError]:
        """Judge a stream of pairs, words and an order, as `accept` does; results come in the same
        order. Errors are those of `order_many`."""
        request = Request(operation="accept", search=self.search, **options)
        return self.solve(orders, request, threads=threads, on_error=on_error)

    def solve(
        self,
        items: Iterable[Any],
        request: Request,
        *,
        threads: int = 1,
        on_error: OnError = "raise",
    ) -> Iterator[Any]:
        """Answer a request for each item of a stream; results come in the same order.

        An item is a `Problem` or a list of words; to `score` or `accept`, a pair of it and an
        order. All other methods are short forms of this one.
        """
        self._solver.check(request)
        check_range("threads", threads, MAX_THREADS)
        check_on_error(on_error)
        if not is_collection(items):
            pairs = request.operation in ("score", "accept")
            what = (
                "orders are given as a list of pairs, words and an order"
                if pairs
                else "problems are given as a list, each a list of words or a Problem"
            )
            raise ArgumentError(f"{what}, not as {shown(items)}")
        size = 1 if request.operation == "accept" else self._solver.strategy.batch
        return solve_in_order(
            partial(self._solver.solve, request=request), items, size, threads, on_error
        )

    def _solve_one(self, item: Any, operation: Operation, **options: Any) -> Any:
        request = Request(operation=operation, search=self.search, **options)
        self._solver.check(request)
        [result] = self._solver.solve([item], request)
        if isinstance(result, SyntagmaError):
            raise result
        return result

    def beam(self, words: Words) -> int:
        """The beam width that the model chooses for a problem: a wider one gains little."""
        problem = as_problem(words)
        return self._solver.strategy.beam(all(word.head is not None for word in problem.words))
