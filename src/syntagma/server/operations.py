"""What requests ask for: problems ordered or realized, orders scored or judged; text split.

Problems are read, and results written, as the command line does it (`formats.jsonl`). Options are
those of `Request`, within the limits of the server.
"""

from __future__ import annotations

import json
import math
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from syntagma.arguments import check_range
from syntagma.errors import ArgumentError, ModelError, ProblemError, SyntagmaError, shown
from syntagma.formats.json_schema import Schema
from syntagma.formats.jsonl import (
    SchemaError,
    order_from_json,
    parse_json,
    problem_from_json,
    write_acceptance,
    write_jsonl,
)
from syntagma.formats.text import split_bag
from syntagma.problem.limits import MAX_CHARACTERS
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.request import OPTIONS, Operation, Request
from syntagma.server.faults import Fault, fault_of
from syntagma.server.limits import Limits
from syntagma.server.logs import collected
from syntagma.server.served import Models, Served

TEXTS: Final = ("form", "lemma", "tag", "upos", "deprel", "features")  # of a word
POWER: Final = 1.5  # of the number of words: about 1 for full trees, 2 for bags of words
JSON: Final = "application/json"
# Of the seconds of a request, for the search of a single problem. It ends a little late, and its
# result is to be written.
SHARE: Final = 0.8
Result = tuple[bytes | Fault, list[str]]  # of one problem: its answer, or what is wrong; warnings
Cancelled = Callable[[], bool]  # whether nobody waits for the answer any more

READERS: Final[dict[Operation, Callable[[Any], Any]]] = {
    "order": problem_from_json,
    "realize": partial(problem_from_json, lemmas=True),
    "score": partial(order_from_json, split=split_bag),
    "accept": partial(order_from_json, split=split_bag),
}
# The options of each operation: those of a request, which model, and whether to spell.
_OWN: Final = ("expansions", "max_words")  # the server's limits decide on these
TAKEN: Final[dict[Operation, tuple[str, ...]]] = {
    operation: (
        "model",
        *(name for name in options if name not in _OWN),
        *(("text",) if operation == "order" else ()),
    )
    for operation, options in OPTIONS.items()
}


def option_schemas(limits: Limits) -> dict[str, Schema]:
    """All options as JSON Schema."""
    count = {"type": ["integer", "null"], "minimum": 1}
    number = {"type": ["number", "null"]}
    flag = {"type": "boolean", "default": False}
    rows: tuple[tuple[str, Schema, str], ...] = (
        ("model", {"type": ["string", "null"]}, "name of a model; by default that of the server"),
        ("n_best", {**count, "maximum": limits.n_best}, "number of different results, at most"),
        ("diverse", flag, "with n_best: prefer results that differ in meaning or emphasis"),
        ("beam", {**count, "maximum": limits.beam}, "beam width; by default the model's"),
        (
            "timeout",
            {**number, "exclusiveMinimum": 0, "maximum": limits.seconds},
            "seconds per problem; the beam is narrowed to keep them",
        ),
        ("projective", flag, "never make subtrees of given arcs discontinuous"),
        ("judge", flag, "ask the judge of the model, which `/v1/models` names; needs --judge"),
        ("text", flag, "detokenise: natural spacing"),
        ("margin", {**number, "minimum": 0}, "loss per pair of neighbours that is accepted"),
    )
    return {name: {**schema, "description": about} for name, schema, about in rows}


def read_request(
    operation: Operation, options: object, models: Models, limits: Limits
) -> tuple[Served, Request, bool]:
    """The model that the options name, the request to it, and whether to spell its results. Raises
    `Fault` at the first option that is wrong."""
    if not isinstance(options, dict):
        raise Fault("invalid", "options: expected an object", "options")
    known = TAKEN[operation]
    for name in options:
        if name not in known:
            raise Fault(
                "invalid",
                f"options: unknown option {shown(name)}; known are {', '.join(known)}",
                f"options.{name}" if name.isidentifier() else f"options[{shown(name)}]",
            )
    served = models.choose(options.get("model"))
    served.check(operation)
    given = {"judge": False} if "judge" in known else {}  # unless it is asked for
    given |= {name: value for name, value in options.items() if name not in ("model", "text")}
    try:
        for name, most in (("n_best", limits.n_best), ("beam", limits.beam)):
            if options.get(name) is not None:
                check_range(name, options[name], most)
        if isinstance(seconds := options.get("timeout"), int | float) and seconds > limits.seconds:
            message = f"timeout must be at most {limits.seconds} seconds, not {shown(seconds)}"
            raise ArgumentError(message, field="timeout")
        request = Request(
            operation=operation,
            search=served.linearizer.search,
            max_words=min(limits.words, served.linearizer.max_words),
            **given,
        )
        if not isinstance(text := options.get("text", False), bool):
            raise ArgumentError(f"text must be true or false, not {shown(text)}", field="text")
    except ArgumentError as error:
        message = error.renamed("options.{}".format)
        raise Fault("invalid", message, f"options.{error.field}") from None
    if options.get("judge") and served.linearizer.judge is None:
        message = f"options.judge: the model {served.name} has no judge (syntagma serve --judge)"
        raise Fault("invalid", message, "options.judge")
    return served, request, text


def misplaced_option(operation: Operation, value: dict[str, Any]) -> Fault | None:
    """What is wrong with an object that has an option among the keys of a problem or a batch."""
    for name in value:
        if name in TAKEN[operation]:
            message = f"{name} is an option of the request, not of a problem: give options.{name}"
            return Fault("invalid", message, name)
    return None


def id_of(value: object) -> str | None:
    """The id of a problem that may be malformed, if it has a proper one."""
    try:
        return Problem((Word("_"),), id=value["id"]).id if isinstance(value, dict) else None
    except (KeyError, ProblemError):
        return None


def weight(value: Any) -> float:
    """About how long a problem takes, compared with others, before it has been looked at."""
    if isinstance(value, Problem):
        return math.pow(float(len(value.words)), POWER)
    words = value.get("words", value.get("order")) if isinstance(value, dict) else value
    count = len(words) if isinstance(words, list) else 10
    return math.pow(float(max(1, count)), POWER)


def size_of(result: Result) -> int:
    """About how many bytes of an answer it takes."""
    answer, warnings = result
    content = len(answer.message) if isinstance(answer, Fault) else len(answer)
    return content + sum(map(len, warnings))


class Work(NamedTuple):
    """What one request asks for: items, how to solve some of them, and the answer made of these."""

    name: str  # of the operation, in metrics and logs; if empty, it is not counted
    items: Sequence[Any]
    solve: Callable[[Sequence[Any], Cancelled], list[Result]]
    answer: Callable[[Sequence[Result]], list[bytes]]  # its parts
    judged: bool = False  # whether it waits for a judge


class Problems:
    """How problems of one request are read, solved and written: a batch of them, or one."""

    def __init__(
        self,
        served: Served,
        request: Request,
        limits: Limits,
        batch: bool = True,
        text: bool = False,
    ) -> None:
        self.linearizer = copy(served.linearizer)  # with warnings of this request alone
        self.request = request
        self.limits = limits
        self.batch = batch
        self.text = text

    def write(self, result: Any, **more: object) -> str:
        if self.request.operation == "accept":
            return write_acceptance(result, **more)
        if self.text:
            spell = self.linearizer.spell
            result = [*map(spell, result)] if isinstance(result, list) else spell(result)
        return write_jsonl(result, **more)

    def solve(self, items: Sequence[Any], cancelled: Cancelled | None = None) -> list[Result]:
        """The answers to some problems of the request."""
        with collected() as warnings:
            read = [self._read(item) for item in items]
            try:
                results = self.linearizer.solve(
                    [each for each in read if not isinstance(each, Fault)],
                    self.request,
                    on_error="yield",
                    cancelled=cancelled,
                )
                answers = [
                    each if isinstance(each, Fault) else self._write(next(results), warnings)
                    for each in read
                ]
            except (ArgumentError, ModelError) as error:  # the model does not take an option
                raise Fault("invalid", str(error), "options") from None
        for item, answer in zip(items, answers, strict=True):
            if self.batch and isinstance(answer, Fault):
                answer.id = id_of(item)
        return [(answer, [] if number else list(warnings)) for number, answer in enumerate(answers)]

    def answer(self, results: Sequence[Result]) -> list[bytes]:
        if not self.batch:
            return alone(results)
        parts = [b'{"results": [']
        for number, (answer, _) in enumerate(results):
            if isinstance(answer, Fault):
                answer = answer.within(f"problems[{number}]").as_json().encode()
            parts += [answer, b",\n"]
        warnings = dict.fromkeys(warning for _, noticed in results for warning in noticed)
        noted = f', "warnings": {_dumps(list(warnings))}' if warnings else ""
        return [*parts[:-1], f"]{noted}}}\n".encode()]

    def _read(self, value: Any) -> Any:
        is_problem = isinstance(value, dict) and ("words" in value or "order" in value)
        if is_problem and (fault := misplaced_option(self.request.operation, value)):
            return fault
        try:
            item = value if isinstance(value, Problem) else READERS[self.request.operation](value)
        except ProblemError as error:
            return Fault("invalid", str(error), error.field or None)
        problem = item[0] if isinstance(item, tuple) else item
        if (count := len(problem.words)) > self.limits.words:
            message = f"{count} words, more than the limit of {self.limits.words}"
            return Fault("invalid", message, "words")
        return self._too_long(problem) or item

    def _too_long(self, problem: Problem) -> Fault | None:
        """What is wrong with a problem that has too many characters."""
        total, most = len(problem.id or ""), self.limits.word_characters
        for index, word in enumerate(problem.words):
            for field in TEXTS:
                total += (count := len(getattr(word, field) or ""))
                if count > most:
                    message = (
                        f"{count} characters, more than the limit of {most} "
                        "(limit: word_characters)"
                    )
                    return Fault("invalid", message, f"words[{index}].{field}")
        if total > (most := self.limits.characters):
            message = (
                f"{total} characters in all, more than the limit of {most} (limit: characters)"
            )
            return Fault("invalid", message, "words")
        return None

    def _write(self, result: Any, warnings: dict[str, None]) -> bytes | Fault:
        if isinstance(result, SyntagmaError):
            return fault_of(result)
        noted = {"warnings": list(warnings)} if warnings and not self.batch else {}
        return self.write(result, **noted).removesuffix("\n").encode()


def read_body(operation: Operation, data: bytes, models: Models, limits: Limits) -> Work:
    """One problem, or a list of them under the key "problems", and beside it options. Raises
    `Fault`."""
    value = parse_body(data)
    options = value.pop("options", {}) if isinstance(value, dict) else {}
    batch = isinstance(value, dict) and "problems" in value
    problems = [value]
    if batch:
        problems = value.pop("problems")
        if value:
            if fault := misplaced_option(operation, value):
                raise fault
            raise Fault("invalid", "a batch has the keys problems and options alone", "problems")
        if not isinstance(problems, list):
            raise Fault("invalid", "problems: expected a list", "problems")
        if not 0 < len(problems) <= limits.problems:
            raise Fault(
                "invalid",
                f"problems: {len(problems)} problems; a batch has 1 to {limits.problems}",
                "problems",
            )
    served, request, text = read_request(operation, options, models, limits)
    limited = (request.search == "beam" and operation != "accept") or request.timeout is not None
    if limited and not batch:
        # The search itself keeps the time. In a batch the queue does, between problems, which
        # are then encoded together. An order is judged in less detail if time is limited.
        most = SHARE * limits.seconds
        request = replace(request, timeout=min(request.timeout or most, most))
    way = Problems(served, request, limits, batch, text)
    return Work(operation, problems, way.solve, way.answer, options.get("judge", False))


def alone(results: Sequence[Result]) -> list[bytes]:
    """The answer to a single problem."""
    [(answer, _)] = results
    if isinstance(answer, Fault):
        raise answer
    return [answer, b"\n"]


def read_text_body(data: bytes) -> Work:
    """Text to be split into words, as `--tokenize` does on the command line: a call for the page.
    Raises `Fault`."""
    value = parse_body(data)
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(text, str) or len(value) > 1:
        raise Fault("invalid", 'expected an object with the key "text", a string, alone', "text")
    if len(text) > MAX_CHARACTERS:
        raise Fault("invalid", f"text: more than {MAX_CHARACTERS} characters, the limit", "text")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Fault("invalid", "text: contains half of a surrogate pair", "text") from None

    def solve(texts: Sequence[str], cancelled: Cancelled) -> list[Result]:
        from syntagma.formats.tokenization import words

        return [(_dumps({"words": words(text)}).encode(), []) for text in texts]

    return Work("", [text], solve, alone)


def check_content_type(content_type: str) -> None:
    """Refuse a body that does not say that it is JSON: a page of another origin can send such a
    body without being asked for its permission."""
    if content_type.partition(";")[0].strip().lower() != JSON:
        raise Fault("unsupported_media_type", f"the body must be JSON: Content-Type: {JSON}")


def parse_body(data: bytes) -> Any:
    """The value of a body of JSON. Raises `Fault`."""
    if data.startswith(BOM_UTF8):
        raise Fault("invalid_json", "the body begins with a byte order mark (BOM): leave it out")
    try:
        return parse_json(data.decode())
    except UnicodeDecodeError as error:
        raise Fault("invalid_json", f"not UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Fault("invalid_json", f"not JSON: {error.msg} at {place}") from None
    except SchemaError as error:
        raise Fault("invalid_json", str(error)) from None


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
