"""What requests ask for: problems ordered or realized, orders scored, with a model; as JSON.

Problems are read, and results written, as the command line does it (`formats.jsonl`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from syntagma.errors import ArgumentError, ModelError, ProblemError, SyntagmaError
from syntagma.formats.jsonl import (
    SchemaError,
    order_from_json,
    problem_from_json,
    write_acceptance,
    write_jsonl,
)
from syntagma.formats.text import split_bag
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization
from syntagma.server.faults import Fault, fault_of
from syntagma.server.limits import Limits
from syntagma.server.notices import collected

POWER: Final = 1.5  # of the number of words: about 1 for full trees, 2 for bags of words
Options = dict[str, Any]
Result = tuple[str | Fault, list[str]]  # of one problem: its answer, or what is wrong; warnings
Solve = Callable[[Sequence[object]], list[Result]]


def weight(value: Any) -> float:
    """About how long a problem takes, compared with others, before it has been looked at."""
    if isinstance(value, Problem):
        return math.pow(float(len(value.words)), POWER)
    words = value.get("words", value.get("order")) if isinstance(value, dict) else value
    count = len(words) if isinstance(words, list) else 10
    return math.pow(float(max(1, count)), POWER)


class Operation(ABC):
    """How one kind of request is answered: values of JSON to problems to results to JSON."""

    def __init__(self, linearizer: Linearizer, options: Options, limits: Limits) -> None:
        self.linearizer = linearizer
        self.limits = limits
        self.options = dict(options)
        self.size = 0  # bytes of the answer so far

    def read(self, value: Any) -> Any:
        """A problem. Raises `SchemaError` or `ProblemError`."""
        return problem_from_json(value)

    def words(self, item: Any) -> int:
        return len(item.words)

    @abstractmethod
    def run(self, items: Sequence[Any]) -> Iterable[Any]:
        """A result or an error for each problem."""

    def write(self, result: Any) -> str:
        return write_jsonl(result)

    def solve(self, values: Sequence[object]) -> list[Result]:
        """The answers to some problems of the request. Raises `Fault` if they become too long."""
        with collected() as warnings:
            items = [self._read(value) for value in values]
            answers = self._answers(items)
        self.size += sum(len(answer) for answer in answers if isinstance(answer, str))
        if self.size > self.limits.answer:
            raise Fault(
                "invalid",
                f"the answer has more bytes than the limit of {self.limits.answer}: send fewer "
                "problems, or ask for fewer results",
            )
        noticed = list(warnings)
        return [(answer, noticed if number == 0 else []) for number, answer in enumerate(answers)]

    def _answers(self, items: Sequence[Any]) -> list[str | Fault]:
        try:
            results = iter(self.run([item for item in items if not isinstance(item, Fault)]))
            return [
                each if isinstance(each, Fault) else self._write(next(results)) for each in items
            ]
        except (ArgumentError, ModelError) as error:  # the model does not take an option
            raise Fault("invalid", str(error), "options") from None

    def _read(self, value: object) -> Any:
        try:
            item = self.read(value)
        except (SchemaError, ProblemError) as error:
            return Fault("invalid", str(error), error.field or None)
        if (count := self.words(item)) > self.limits.words:
            return Fault(
                "invalid", f"{count} words, more than the limit of {self.limits.words}", "words"
            )
        return item

    def _write(self, result: Any) -> str | Fault:
        return fault_of(result) if isinstance(result, SyntagmaError) else self.write(result)


class Order(Operation):
    def __init__(self, linearizer: Linearizer, options: Options, limits: Limits) -> None:
        super().__init__(linearizer, options, limits)
        self.written = self.options.pop("text")

    def run(self, items: Sequence[Problem]) -> Iterable[Any]:
        most = min(self.limits.words, self.linearizer.max_words)
        return self.linearizer.order_many(items, **self.options, max_words=most, on_error="yield")

    def write(self, result: Any) -> str:
        if not self.written:
            return write_jsonl(result)
        if isinstance(result, Linearization):
            return write_jsonl(self.linearizer.spell(result))
        return write_jsonl([self.linearizer.spell(each) for each in result])


class Realize(Operation):
    def read(self, value: Any) -> Problem:
        return problem_from_json(value, lemmas=True)

    def run(self, items: Sequence[Problem]) -> Iterable[Any]:
        most = min(self.limits.words, self.linearizer.max_words)
        return self.linearizer.realize_many(items, **self.options, max_words=most, on_error="yield")


class Score(Operation):
    def read(self, value: Any) -> tuple[Problem, Any]:
        return order_from_json(value, split_bag)

    def words(self, item: tuple[Problem, Any]) -> int:
        return len(item[0].words)

    def run(self, items: Sequence[tuple[Problem, Any]]) -> Iterable[Any]:
        for problem, order in items:
            try:
                yield self.linearizer.score(problem, order, **self.options)
            except ProblemError as error:
                yield error


class Accept(Score):
    def run(self, items: Sequence[tuple[Problem, Any]]) -> Iterable[Any]:
        most = min(self.limits.words, self.linearizer.max_words)
        return self.linearizer.accept_many(items, **self.options, max_words=most, on_error="yield")

    def write(self, result: Any) -> str:
        return write_acceptance(result)


OPERATIONS: Final[dict[str, type[Operation]]] = {
    "order": Order,
    "realize": Realize,
    "score": Score,
    "accept": Accept,
}
