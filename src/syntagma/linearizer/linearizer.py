"""The public API of ordering: a `Linearizer` orders, realizes and scores with one model.

Each item is encoded, searched and finished (`solve`). What callers give is read in `inputs`,
streams of it in `streams`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, overload

from syntagma.arguments import check_range, is_collection
from syntagma.errors import ArgumentError, ModelError, SyntagmaError, brief, shown
from syntagma.linearizer.alternatives import CANDIDATES, choose, rule_of
from syntagma.linearizer.inputs import (
    Order,
    UnknownNotices,
    Words,
    as_lemmas,
    as_order,
    as_pair,
    as_problem,
    check_forms,
    check_size,
    read,
    warn_of_phrase,
)
from syntagma.linearizer.reparsing import PARSING_BEAM, Parsing, reparse
from syntagma.linearizer.streams import OnError, solve_in_order
from syntagma.models.container import content_mark
from syntagma.models.header import Header, scorer_name
from syntagma.models.installed import SHIPPED
from syntagma.models.loading import DEFAULT_MODELS, load_model, model_path
from syntagma.models.model import Model
from syntagma.problem.problem import Problem
from syntagma.problem.word import UPOS_TAGS, TagColumn
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.letters import capitalised
from syntagma.realization.realizer import likeliest_first
from syntagma.request import MAX_BEAM, MAX_THREADS, Operation, Request, SearchName
from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, Realization
from syntagma.transition._clock import Clock
from syntagma.transition.encoding import Encoding, encode
from syntagma.transition.lifting import liftings_of_order

if TYPE_CHECKING:
    from typing import Unpack

    from syntagma.judges.judging import JudgeErrors, SentenceJudge, SentenceModel
    from syntagma.results.acceptance import Acceptance


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
    judge: bool


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

    @property
    def name(self) -> str:
        """The name of a shipped model, or the file name of another. The header of a model that was
        made from another one may have the name of that."""
        if self.path is None:
            return str(self.header.get("name", "-"))
        return self.path.stem if self.path.parent == SHIPPED else self.path.name


def load(
    model: str | Path | None = None,
    *,
    search: SearchName = "beam",
    language_model: bool = True,
    judge: str | PathLike[str] | SentenceModel | None = None,
    judge_weight: float | None = None,
    judge_errors: JudgeErrors = "raise",
) -> Linearizer:
    """Load a shipped model by name, or any model by its path; by default `en`, or `en-best-first`
    for best-first search.

    A model is made for one of the two searches. `language_model=False` leaves out the language
    model, if the model has one.

    `judge` is a pretrained language model that chooses among the best orders: `"smollm2"`, the path
    of a GGUF file (both need `pip install 'syntagma[judge]'`), `"hf:FOLDER"` with a folder of
    transformers (`pip install 'syntagma[judge-torch]'`), or an object with a method `log_probs`
    that takes a list of sentences and returns the log-probability of each. `judge_weight` replaces
    the weight of these log-probabilities. With `judge_errors="warn"`, a problem on which the judge
    fails is not judged, and a `SyntagmaWarning` says why.

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
    if judge is None and judge_weight is not None:
        raise ArgumentError("judge_weight goes with a judge: name one", field="judge_weight")
    if judge is None and judge_errors != "raise":
        raise ArgumentError("judge_errors goes with a judge: name one", field="judge_errors")
    if judge is not None and search != "beam":
        raise ArgumentError("a judge goes with beam search", field="judge")
    path = model_path(DEFAULT_MODELS[search] if model is None else model)
    loaded = load_model(path, search=search, language_model=language_model)
    if judge is None:
        return Linearizer(loaded, path)
    from syntagma.judges.opening import open_judge

    linearizer = Linearizer(loaded, path, open_judge(judge, judge_weight, judge_errors))
    if isinstance(judge, (str, PathLike)):
        linearizer._judge_options = fspath(judge), judge_weight, judge_errors
    return linearizer


def read_info(model: str | Path) -> ModelInfo:
    """What a model is, whichever search it is for."""
    path = model_path(model)
    return Linearizer(load_model(path, search=None), path).info


@lru_cache(maxsize=2)
def _load_again(
    file: str,
    mark: str,
    search: SearchName,
    language_model: bool,
    judge: str | None = None,
    judge_weight: float | None = None,
    judge_errors: JudgeErrors = "raise",
) -> Linearizer:
    """The linearizer that was pickled. It is kept, because a pool sends it with every task."""
    _check_unchanged(SHIPPED / file, mark)
    return load(
        SHIPPED / file,
        search=search,
        language_model=language_model,
        judge=judge,
        judge_weight=judge_weight,
        judge_errors=judge_errors,
    )


def _check_unchanged(path: Path, mark: str) -> None:
    if content_mark(path) != mark:
        raise ModelError(
            f"{path}: not the model that the linearizer was loaded from: "
            "the file has changed since; load it again"
        )


class Linearizer:
    """Orders words with one model. Safe to use from several threads.

    It can be pickled, so that the processes of a pool can use it: it is then loaded again from its
    model file, which must be the same there, once per process.
    """

    def __init__(
        self, model: Model, path: Path | None = None, judge: SentenceJudge | None = None
    ) -> None:
        self._model = model
        self._path = None if path is None else path.absolute()
        self._mark = None if path is None else content_mark(path)
        self.info = ModelInfo(model.header, path, path.stat().st_size if path else 0)
        self.tag_column: TagColumn = model.header["tag_column"]
        self.has_language_model = model.language_model is not None
        self._detokenizer = model.realizer.detokenizer if model.realizer else Detokenizer()
        self.judge = judge and replace(judge, spell=lambda result: self.spell(result).text)
        # As `load` takes them.
        self._judge_options: tuple[str, float | None, JudgeErrors] | None = None
        self._strategy = strategy = model.strategy(self.judge)
        self.search = strategy.name
        self.max_words = strategy.max_words
        self.takes_arcs = strategy.takes_arcs  # a CCG model keeps no given heads or labels
        self.lifts = strategy.lifts  # whether orders of given trees may be non-projective
        vocabulary = model.vocabulary
        self.tags: tuple[str, ...] = vocabulary.tags
        self.labels: tuple[str, ...] = vocabulary.labels
        # What it reads besides: UPOS tags and values of features; empty if it does not.
        self.upos: tuple[str, ...] = vocabulary.upos
        self.features: tuple[str, ...] = vocabulary.features
        self.realizes = model.realizer is not None
        self._rule = rule_of(scorer_name(model.header))
        self._unknown = self._notices()

    def _notices(self) -> UnknownNotices:
        name = str(self.info.header.get("name", ""))
        vocabulary = self._model.vocabulary
        return UnknownNotices(name, self.tag_column, vocabulary, takes_labels=self.takes_arcs)

    def __repr__(self) -> str:
        without = "" if self.has_language_model else ", no language model"
        name = brief(str(self.info.header.get("name", "-")))
        judge = f", judge {brief(self.judge.about['judge'])}" if self.judge else ""
        return f"<Linearizer {name}: {self.search} search{without}{judge}>"

    def __reduce__(self) -> tuple[Callable[..., Linearizer], tuple[Any, ...]]:
        if self._path is None or self._mark is None:
            raise ModelError(
                "a linearizer that was not loaded from a file cannot be pickled: "
                "save its model and load it by its path"
            )
        if self.judge is not None and self._judge_options is None:
            raise ModelError(
                "a linearizer whose judge is an object cannot be pickled: "
                "give the judge by its name or its file"
            )
        _check_unchanged(self._path, self._mark)
        # A shipped model is found wherever the package is installed.
        file = self._path.name if self._path.parent == SHIPPED else str(self._path)
        kept = (file, self._mark, self.search, self.has_language_model)
        return _load_again, (*kept, *(self._judge_options or ()))

    def __copy__(self) -> Linearizer:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._unknown = self._notices()  # each user of a server has warnings of its own
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

        With `diverse`, orders that differ in meaning or emphasis come before variants: the best
        one, then each time that of the highest score, where one that differs from another before it
        by less than 0.2 of `difference` counts as up to 2 lower, unless it is within 1 of the best.
        They lose at most 10, so there may be fewer than asked for. Scores of a linear model have no
        such scale: orders that are alike are left out.

        With `timeout`, the beam is narrowed as needed to end in about that many seconds; a result
        that this may have changed is `narrowed`. It is complete all the same.

        A model that has learned to (`lifts`) may make subtrees of given arcs discontinuous, as its
        language does. With `projective`, every subtree is contiguous.

        With `judge=False`, a judge that was loaded with the model is not asked.

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
        spelling = self._detokenizer.spell(
            linearization.words, linearization.model_tags or linearization.tags
        )
        return Realization(linearization, spelling)

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
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[Any]:
        """Answer a request for each item of a stream; results come in the same order.

        An item is a `Problem` or a list of words; to `score` or `accept`, a pair of it and an
        order. All other methods are short forms of this one.

        `cancelled` is called many times a second, on any thread. Once it returns true, what is
        under way ends and `CancelledError` is raised.
        """
        self._check(request)
        check_range("threads", threads, MAX_THREADS)
        if not isinstance(on_error, str) or on_error not in ("raise", "yield"):
            raise ArgumentError(f"on_error must be 'raise' or 'yield', not {shown(on_error)}")
        if not is_collection(items):
            pairs = request.operation in ("score", "accept")
            what = (
                "orders are given as a list of pairs, words and an order"
                if pairs
                else "problems are given as a list, each a list of words or a Problem"
            )
            raise ArgumentError(f"{what}, not as {shown(items)}")
        alone = request.operation == "accept" or request.seconds is not None
        return solve_in_order(
            partial(self._solve_batch, request=request, cancelled=cancelled),
            items,
            1 if alone else self._strategy.batch,
            threads,
            on_error,
        )

    def beam(self, words: Words) -> int:
        """The beam width that the model chooses for a problem: a wider one gains little."""
        problem = as_problem(words)
        return self._strategy.beam(all(word.head is not None for word in problem.words))

    def _solve_one(self, item: Any, operation: Operation, **options: Any) -> Any:
        request = Request(operation=operation, search=self.search, **options)
        [result] = self.solve([item], request)
        return result

    def _check(self, request: Request) -> None:
        """Raise if this model cannot answer the request."""
        name = brief(str(self.info.header.get("name", "-")))
        if request.operation == "score":
            self._strategy.beam(is_tree=False)  # raises if the search has none, and cannot score
        if request.operation == "accept" and self.search != "beam":
            raise ModelError(
                "a best-first search does not score given orders, so it cannot judge them: "
                "use a model for beam search"
            )
        if request.operation == "accept" and request.margin is None and self._model.margin is None:
            raise ModelError(
                f"the model {name} has no margin for acceptable orders: give one "
                "(margin=, --margin), or let the model learn one: syntagma fit-margin"
            )
        if request.operation == "realize" and not self.realizes:
            advice = "use another, such as en, or train one: syntagma train --realize"
            if self.search == "best-first":
                advice = "train one: syntagma train --search best-first --realize"
            raise ModelError(f"the model {name} has not learned to realize lemmas: {advice}")
        if request.search != self.search:
            raise ArgumentError(
                f"the request is for {request.search} search, the model {name} for {self.search}",
                field="search",
            )
        check_range("max_words", request.max_words, self.max_words)

    def _solve_batch(
        self, items: Sequence[Any], request: Request, cancelled: Callable[[], bool] | None
    ) -> Iterator[Any]:
        """A result or an error for each item, in order. With a time limit, there is one item."""
        clock = Clock(request.seconds, cancelled)
        begin: Callable[[Any, Request], Encoding | Acceptance] = self._encode
        if request.operation == "accept":
            begin = partial(self._accept, clock=clock)
        begun: list[Encoding | Acceptance | SyntagmaError] = []
        for item in items:
            try:
                if isinstance(item, SyntagmaError):  # of a reader, in place of an item
                    raise item
                begun.append(begin(item, request))
            except SyntagmaError as error:
                begun.append(error)
        searches = self._strategy.search(
            [each for each in begun if isinstance(each, Encoding)],
            request,
            CANDIDATES if request.diverse else request.n_best or 1,
            clock,
        )
        for each in begun:
            if not isinstance(each, Encoding):
                yield each
            elif isinstance(found := next(searches), SyntagmaError):
                yield found
            elif request.operation == "realize":
                yield self._realize(found, each, request, clock)
            elif request.diverse:
                yield choose(found, request.n_best or 1, self._rule)
            else:
                yield found[0] if request.n_best is None else NBest(found)

    def _encode(self, item: Any, request: Request) -> Encoding:
        """The problem of an item in numbers."""
        order = alternatives = None
        if request.operation == "realize":
            problem = read(as_lemmas, item, "words")
        elif request.operation == "score":
            problem, order = as_pair(item)
        else:
            problem = item if isinstance(item, Problem) else read(Problem.of, item, "words")
        check_size(problem, request.max_words, self.max_words)
        given, words = problem, problem.words
        if realizer := self._model.realizer if request.operation == "realize" else None:
            problem, alternatives = realizer.inflect(realizer.as_given(given))
            if not self._strategy.chooses_forms:
                alternatives = likeliest_first(alternatives)  # all but the first wait for `settle`
            # A UPOS tag from which inflection derived a tag does not count as unknown.
            words = [
                word if word.tag is not None and word.tag not in UPOS_TAGS else inflected
                for word, inflected in zip(words, problem.words, strict=True)
            ]
        else:
            check_forms(problem)
            if order is not None:
                order = as_order(problem, order)
        self._unknown.check(words)
        if order is not None:
            return self._encode_order(problem, order, request)
        lifting = self.lifts and not request.projective
        encoding = encode(
            problem, self._model.vocabulary, alternatives=alternatives, lifting=lifting
        )
        if alternatives is not None:
            # Tags that inflection put in place of given ones are not for the output.
            encoding.problem = given.with_forms([word.form for word in problem.words])
        return encoding

    def _encode_order(
        self, problem: Problem, order: Sequence[str] | Sequence[int], request: Request
    ) -> Encoding:
        """A problem whose order is given, in numbers."""
        lifting = self.lifts and not request.projective
        encoding = encode(problem, self._model.vocabulary, order, lifting=lifting)
        if lifting:
            encoding.liftings = tuple(liftings_of_order(encoding, order))
        return encoding

    def _realize(
        self, found: list[Linearization], encoding: Encoding, request: Request, clock: Clock
    ) -> Realization | NBest[Realization]:
        """The sentences that a search found, each text once.

        If some were the same, the search is asked for more, until there are enough or no others.
        """
        wanted = asked = request.n_best or 1
        realized = self._settle(found, encoding)
        if request.diverse:
            chosen = choose(realized, wanted, self._rule)
            return NBest(self._parse(chosen, encoding, request, clock))
        while len(realized) < wanted and len(found) >= asked and asked < MAX_BEAM:
            if clock.over:
                break
            asked = min(4 * asked, MAX_BEAM)
            found = self._search(encoding, request, asked, clock)
            realized = self._settle(found, encoding)
        best = NBest(self._parse(realized[:wanted], encoding, request, clock))
        return best[0] if request.n_best is None else best

    def _parse(
        self, realized: Sequence[Realization], encoding: Encoding, request: Request, clock: Clock
    ) -> Iterator[Realization]:
        """The sentences with the trees of their words, where the search has read other forms."""
        if self.search != "beam" or self._model.scorer.chooses_forms:
            yield from realized
            return
        narrow = replace(request, beam=PARSING_BEAM, judge=False)

        def parse(sentences: Sequence[Parsing]) -> list[Linearization | None]:
            if clock.over:
                return [None] * len(sentences)
            encodings = [self._encode_order(*each, request) for each in sentences]
            searched = self._strategy.search(encodings, narrow, 1, clock)
            return [
                None if isinstance(each, SyntagmaError) or each[0].narrowed else each[0]
                for each in searched
            ]

        for start in range(0, len(realized), self._strategy.batch):
            batch = list(realized[start : start + self._strategy.batch])
            problems = [self._to_parse(each.linearization.problem, encoding) for each in batch]
            found = [
                (each.linearization, problem)
                for each, problem in zip(batch, problems, strict=True)
                if problem is not None
            ]
            trees = iter(reparse(found, parse))
            for each, problem in zip(batch, problems, strict=True):
                yield each if problem is None else replace(each, linearization=next(trees))

    def _to_parse(self, problem: Problem, encoding: Encoding) -> Problem | None:
        """The problem of a sentence as it is to be parsed again; None if the search has read these
        forms, or everything is given."""
        if not any(None in (word.head, word.deprel, word.tag) for word in problem.words):
            return None
        pairs = zip(problem.words, encoding.problem.words, strict=True)
        if all(capitalised(word.form) == capitalised(read.form) for word, read in pairs):
            return None
        assert self._model.realizer is not None
        problem = self._model.realizer.as_realized(problem)
        loose = any(None in (word.head, word.deprel, word.tag) for word in problem.words)
        return problem if loose else None

    def _settle(self, found: Iterable[Linearization], encoding: Encoding) -> list[Realization]:
        assert self._model.realizer is not None
        assert encoding.alternatives is not None
        realizer, chosen = self._model.realizer, self._strategy.chooses_forms
        texts: dict[str, Realization] = {}
        for each in found:
            settled = realizer.settle(each, encoding.alternatives, chosen=chosen)
            realization = self.spell(settled)
            texts.setdefault(realization.text, realization)
        return list(texts.values())

    def _search(
        self, encoding: Encoding, request: Request, n_best: int, clock: Clock
    ) -> list[Linearization]:
        [found] = self._strategy.search([encoding], request, n_best, clock)
        if isinstance(found, SyntagmaError):
            raise found
        return found

    def _accept(self, item: Any, request: Request, clock: Clock) -> Acceptance:
        from syntagma.linearizer.acceptance import accept  # ordering does not need it

        problem, order = as_pair(item)
        unfixed = self._encode(problem, request)
        unjudged = replace(request, operation="order", margin=None, judge=False)
        given = as_order(problem, order)
        liftings = unfixed.liftings
        if liftings is not None:
            liftings = tuple(liftings_of_order(unfixed, given))

        def search(beginning: Sequence[str], n_best: int, clock: Clock) -> list[Linearization]:
            encoding = unfixed
            if beginning:
                encoding = encode(problem, self._model.vocabulary, beginning)
                encoding.liftings = liftings
            return self._search(encoding, unjudged, n_best, clock)

        words = [problem.words[at - 1].form if isinstance(at, int) else at for at in given]
        margin = request.margin
        if margin is None:
            assert self._model.margin is not None
            margin = self._model.margin.loss
        return accept(problem, words, search, float(margin), clock)
