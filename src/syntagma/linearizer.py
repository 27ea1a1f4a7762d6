"""The linearizer: orders problems with a model. The search itself is compiled, in core/."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from syntagma.core import Search, beam_search, depth_first_search
from syntagma.encoding import Encoding, decode, encode
from syntagma.errors import ModelError, ProblemError, SyntagmaError, UnsatisfiableError, name_words
from syntagma.linearization import Linearization
from syntagma.model import Model, load_model
from syntagma.problem import Problem, TagColumn, Word

Words = Problem | Iterable[str | Word]
Result = Linearization | list[Linearization]
T = TypeVar("T")
R = TypeVar("R")

MAX_BEAM = 1024
# States that the last resort may expand where a partial tree and order constraints leave the whole
# beam without a legal move: a few seconds at most.
WORK_LIMIT = 500_000
_MODELS = Path(__file__).parent / "models"


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a model is: its header, and its file."""

    header: dict[str, Any]
    path: Path | None
    size: int


def load(model: str | Path = "en", *, language_model: bool = True) -> Linearizer:
    """Load a shipped model by name or any model by its path.

    Without `language_model`, the one that the model may have is left out.

    >>> import syntagma
    >>> english = syntagma.load("en")
    >>> english.order(["send", "you", "me", "Can", "report", "the", "?"]).text
    'Can you send me the report ?'
    """
    path = model_path(model)
    return Linearizer(load_model(path, language_model=language_model), path)


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

    def __init__(self, model: Model, path: Path | None = None) -> None:
        self._model = model
        size = path.stat().st_size if path else 0
        self.info = ModelInfo(model.header, path, size)
        self.tag_column: TagColumn = model.header["tag_column"]
        self.max_words = model.scorer.max_words
        self.has_language_model = model.fluent is not None

    @overload
    def order(
        self, words: Words, *, n_best: None = None, beam: int | None = None, max_words: int = 512
    ) -> Linearization: ...
    @overload
    def order(
        self, words: Words, *, n_best: int, beam: int | None = None, max_words: int = 512
    ) -> list[Linearization]: ...
    def order(
        self,
        words: Words,
        *,
        n_best: int | None = None,
        beam: int | None = None,
        max_words: int = 512,
    ) -> Result:
        """The best order of the words with its tree.

        With `n_best`, a list of at most that many different orders, best first; a wider beam finds
        more of them. By default the model chooses the beam, see `beam`. The time taken grows with
        the beam and with about the square of the number of words.
        """
        self._check(n_best, beam, max_words)
        encoding = self._encode(words, max_words)
        search = self._model.search(encoding, self._width(encoding, beam, n_best))
        found = self._search(encoding, search, n_best or 1)
        return found[0] if n_best is None else found

    def order_many(
        self,
        problems: Iterable[Words | SyntagmaError],
        *,
        n_best: int | None = None,
        beam: int | None = None,
        threads: int = 1,
        max_words: int = 512,
        on_error: Literal["raise", "yield"] = "raise",
    ) -> Iterator[Result | SyntagmaError]:
        """Order many problems, in the order in which they come, reading no further than needed.

        Errors (also those that come in the place of a problem, as the readers yield them) are
        raised, or take the place of the result with `on_error="yield"`.

        Several threads read a few problems ahead. On one thread, an iterator is not read ahead; a
        sequence is, because some can be prepared faster together.
        """
        _check_range("threads", threads, 256)
        if on_error not in ("raise", "yield"):
            raise ValueError(f"on_error must be 'raise' or 'yield', not {on_error!r}")
        self._check(n_best, beam, max_words)

        def encoded(item: Words | SyntagmaError) -> Encoding | SyntagmaError:
            if isinstance(item, SyntagmaError):
                return item
            try:
                return self._encode(item, max_words)
            except SyntagmaError as error:
                return error

        def run(batch: Sequence[Words | SyntagmaError]) -> list[Result | SyntagmaError]:
            items = [encoded(item) for item in batch]
            encodings = [item for item in items if isinstance(item, Encoding)]
            widths = [self._width(encoding, beam, n_best) for encoding in encodings]
            searches = self._model.searches(encodings, widths)
            results: list[Result | SyntagmaError] = []
            for item in items:
                if isinstance(item, SyntagmaError):
                    results.append(item)
                    continue
                try:
                    found = self._search(item, next(searches), n_best or 1)
                    results.append(found[0] if n_best is None else found)
                except SyntagmaError as error:
                    results.append(error)
            return results

        ahead = threads > 1 or isinstance(problems, Sequence)
        size = self._model.scorer.batch if ahead else 1
        for results in _in_order(run, _batches(problems, size), threads):
            for result in results:
                if isinstance(result, SyntagmaError) and on_error == "raise":
                    raise result
                yield result

    def score(
        self, words: Words, order: Sequence[str] | Sequence[int], *, beam: int | None = None
    ) -> Linearization:
        """The best tree that the beam finds for a given order of the words, with its score.

        The order is given as forms or as 1-based indices. Scores of different orders of the same
        problem can be compared.
        """
        self._check(None, beam, 1)
        problem = _problem(words)
        if len(problem.words) > self.max_words:
            raise ProblemError(
                f"the bag has {len(problem.words)} words, more than {self.max_words}"
            )
        _check_order(problem, order)
        encoding = encode(problem, self._model.vocabulary, order)
        search = self._model.search(encoding, self._width(encoding, beam, None))
        [found] = self._search(encoding, search, 1)
        return found

    def beam(self, words: Words) -> int:
        """The beam that the model chooses for a problem: little is to be gained beyond it."""
        return self._model.scorer.beam(_problem(words))

    def _width(self, encoding: Encoding, beam: int | None, n_best: int | None) -> int:
        """The model's choice where no beam is given, or wider if so many orders are asked for."""
        return beam or max(self._model.scorer.beam(encoding.problem), n_best or 1)

    def _check(self, n_best: int | None, beam: int | None, max_words: int) -> None:
        if n_best is not None:
            _check_range("n_best", n_best, MAX_BEAM)
        if beam is not None:
            _check_range("beam", beam, MAX_BEAM)
        _check_range("max_words", max_words, self.max_words)

    def _encode(self, words: Words, max_words: int) -> Encoding:
        problem = _problem(words)
        if len(problem.words) > max_words:
            raise ProblemError(
                f"the bag has {len(problem.words)} words, more than the limit of {max_words}; "
                "raise max_words (--max-words) to order it all the same"
            )
        return encode(problem, self._model.vocabulary)

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
            decode(encoding, self._model.vocabulary, score, search.finish(actions))
            for score, actions in found
        ]
        fluent = self._model.fluent
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
            found, exhausted = depth_first_search(Search(encoding.encoded, 1), WORK_LIMIT // 10)
            if not found and exhausted:
                return self._smallest_conflict(smaller)
        return problem


def _problem(words: Words) -> Problem:
    return words if isinstance(words, Problem) else Problem.of(words)


def _check_range(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ValueError(f"{name} must be between 1 and {most}, not {value}")


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


def _constraints(problem: Problem) -> str:
    """The order constraints in words."""
    texts = [name_words(problem.words, pair, " before ") for pair in problem.before]
    texts += [
        f"{name_words(problem.words, [index])} {name}"
        for name, index in (("first", problem.first), ("last", problem.last))
        if index is not None
    ]
    return "; ".join(texts)


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
