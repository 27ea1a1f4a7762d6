"""What a request asks for: problems ordered, realized or scored with a model, written as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from syntagma.errors import SyntagmaError
from syntagma.formats.jsonl import write_jsonl
from syntagma.linearizer.linearizer import Linearizer
from syntagma.results.linearization import Linearization
from syntagma.server.faults import Fault, fault_of
from syntagma.server.limits import Limits
from syntagma.server.requests import read_problem

Answer = str | Fault  # of one problem: JSON, or what is wrong
Solve = Callable[[Sequence[object]], list[Answer]]


def order(linearizer: Linearizer, options: dict[str, Any], limits: Limits) -> Solve:
    written = options.pop("text")
    options.pop("diverse")

    def solve(values: Sequence[object]) -> list[Answer]:
        problems = [read_problem(each, lemmas=False, limits=limits) for each in values]
        results = linearizer.order_many(
            [each for each in problems if not isinstance(each, Fault)],
            **options,
            max_words=min(limits.words, linearizer.max_words),
            on_error="yield",
        )
        return [each if isinstance(each, Fault) else _show(next(results)) for each in problems]

    def _show(result: Any) -> Answer:
        if isinstance(result, SyntagmaError):
            return fault_of(result, "words")
        if written:
            if isinstance(result, Linearization):
                return write_jsonl(linearizer.spell(result))
            return write_jsonl([linearizer.spell(each) for each in result])
        return write_jsonl(result)

    return solve


def realize(linearizer: Linearizer, options: dict[str, Any], limits: Limits) -> Solve:
    options.pop("diverse")

    def solve(values: Sequence[object]) -> list[Answer]:
        problems = [read_problem(each, lemmas=True, limits=limits) for each in values]
        results = linearizer.realize_many(
            [each for each in problems if not isinstance(each, Fault)],
            **options,
            max_words=min(limits.words, linearizer.max_words),
            on_error="yield",
        )
        return [each if isinstance(each, Fault) else _show(next(results)) for each in problems]

    def _show(result: Any) -> Answer:
        return (
            fault_of(result, "words") if isinstance(result, SyntagmaError) else write_jsonl(result)
        )

    return solve


OPERATIONS: dict[str, Callable[[Linearizer, dict[str, Any], Limits], Solve]] = {
    "order": order,
    "realize": realize,
}
