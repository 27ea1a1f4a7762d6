"""Bodies of requests: one problem or a batch, and options. The schema of a problem is that of JSON
lines, and so is the code that reads it (`formats.jsonl`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from syntagma.errors import ProblemError
from syntagma.files.place import Place
from syntagma.formats.jsonl import _parse, _problem, _SchemaError
from syntagma.problem.problem import Problem
from syntagma.server.faults import Fault, fault_of
from syntagma.server.limits import Limits


@dataclass(frozen=True, slots=True)
class Body:
    """The content of a request, whose problems have not been looked at."""

    problems: Sequence[object]
    options: object
    batch: bool


def read_body(data: bytes, limits: Limits) -> Body:
    """Parse a body. Raises `Fault`."""
    try:
        value = _parse(data.decode())
    except UnicodeDecodeError as error:
        raise Fault("invalid_json", f"not UTF-8 at byte {error.start + 1}") from None
    except _SchemaError as error:
        raise Fault("invalid_json", str(error)) from None
    if not isinstance(value, dict):
        return Body([value], {}, batch=False)
    rest: dict[str, Any] = dict(value)
    options = rest.pop("options", {})
    if "problems" not in rest:
        return Body([rest], options, batch=False)
    problems = rest.pop("problems")
    if rest:
        raise Fault("invalid", "a batch has the keys problems and options only", next(iter(rest)))
    if not isinstance(problems, list):
        raise Fault("invalid", "problems: expected a list", "problems")
    if len(problems) > limits.problems:
        raise Fault(
            "invalid",
            f"problems: {len(problems)} problems, more than the limit of {limits.problems}",
            "problems",
        )
    return Body(problems, options, batch=True)


def read_problem(value: object, *, lemmas: bool, limits: Limits) -> Problem | Fault:
    """A problem, or why it is none."""
    try:
        problem = _problem(value, lemmas, Place("request", 1))
    except _SchemaError as error:
        field = re.match(r"([\w.\[\]]+): ", str(error))
        return Fault("invalid", str(error), field[1] if field else None)
    except ProblemError as error:
        return fault_of(error, "words")
    if len(problem.words) > limits.words:
        count = len(problem.words)
        return Fault("invalid", f"{count} words, more than the limit of {limits.words}", "words")
    return problem
