"""JSON lines in and out: one problem, or one result, a line; the schema is in docs/formats.md.

    {"words": ["the", {"form": "dog", "tag": "NN", "head": 3, "deprel": "nsubj"}, "barks"],
     "before": [[1, 2]], "first": 1, "last": 3, "id": "s1"}

Indices of words are 1-based. Only "words" is needed; a bare list of words is a problem, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from syntagma.errors import FormatError, ProblemError
from syntagma.formats.auto import auto_line
from syntagma.formats.files import Lines
from syntagma.linearization import Linearization
from syntagma.problem import Problem, Word

_PROBLEM_KEYS = ("words", "before", "first", "last", "id")
_WORD_KEYS = ("form", "tag", "head", "deprel")


class _SchemaError(Exception):
    """A value that is not what the schema says; the message names its path."""


def read_jsonl(lines: Lines, source: str) -> Iterator[Problem | FormatError]:
    """The problems of JSON lines; one that is bad comes as a `FormatError` in its place."""
    for number, line in enumerate(lines, start=1):
        if isinstance(line, FormatError):
            yield line
            continue
        try:
            yield _problem(_parse(line))
        except (_SchemaError, ProblemError) as error:
            yield FormatError(str(error), source, number)


def _parse(line: str) -> object:
    if not line.strip():
        raise _SchemaError("blank line; every line must hold one problem")
    try:
        return json.loads(
            line, object_pairs_hook=_without_duplicates, parse_constant=_reject_constant
        )
    except json.JSONDecodeError as error:
        raise _SchemaError(
            f"not JSON: {error.msg} at column {error.colno}; every line must hold one whole problem"
        ) from error
    except (RecursionError, ValueError) as error:
        raise _SchemaError(
            "not JSON that can be read: nested too deep or too long a number"
        ) from error


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _SchemaError(f"duplicate key {twice!r}")
    return value


def _reject_constant(name: str) -> None:
    raise _SchemaError(f"not JSON: {name}")


def _problem(value: object) -> Problem:
    if isinstance(value, list):
        value = {"words": value}
    if not isinstance(value, dict):
        raise _SchemaError(f"expected an object or a list of words, found {_kind(value)}")
    _check_keys(value, _PROBLEM_KEYS, "")
    if "words" not in value:
        raise _SchemaError("the key 'words' is missing")
    return Problem(
        tuple(
            _word(word, f"words[{index}]")
            for index, word in enumerate(_list(value["words"], "words"))
        ),
        tuple(
            _pair(pair, f"before[{index}]")
            for index, pair in enumerate(_list(value.get("before", []), "before"))
        ),
        _integer(value.get("first"), "first"),
        _integer(value.get("last"), "last"),
        _string(value.get("id"), "id"),
    )


def _word(value: object, path: str) -> Word:
    if isinstance(value, str):
        return Word(value)
    if not isinstance(value, dict):
        raise _SchemaError(f"{path}: expected a string or an object, found {_kind(value)}")
    _check_keys(value, _WORD_KEYS, f"{path}: ")
    form = _string(value.get("form"), f"{path}.form")
    if form is None:
        raise _SchemaError(f"{path}: the key 'form' is missing")
    return Word(
        form,
        _string(value.get("tag"), f"{path}.tag"),
        _integer(value.get("head"), f"{path}.head"),
        _string(value.get("deprel"), f"{path}.deprel"),
    )


def _pair(value: object, path: str) -> tuple[int, int]:
    match value:
        case [int(earlier), int(later)] if not isinstance(value, dict):
            if not isinstance(earlier, bool) and not isinstance(later, bool):
                return earlier, later
    raise _SchemaError(f"{path}: expected a pair of word indices such as [1, 2]")


def _list(value: object, path: str) -> list[object]:
    if not isinstance(value, list):
        raise _SchemaError(f"{path}: expected a list, found {_kind(value)}")
    return value


def _integer(value: object, path: str) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise _SchemaError(f"{path}: expected an integer, found {_kind(value)}")


def _string(value: object, path: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _SchemaError(f"{path}: expected a string, found {_kind(value)}")


def _kind(value: object) -> str:
    """What JSON calls a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "an object"


def _check_keys(value: dict[str, object], known: Sequence[str], where: str) -> None:
    for key in value:
        if key not in known:
            raise _SchemaError(f"{where}unknown key {key!r}; known are {', '.join(known)}")


def write_jsonl(result: Linearization | Sequence[Linearization]) -> str:
    """A result, or the n-best results of one problem, as a line of JSON with its line end."""
    if isinstance(result, Linearization):
        value = {"id": result.problem.id, **_result(result)}
    else:
        id = result[0].problem.id if result else None
        value = {"id": id, "n_best": [_result(linearization) for linearization in result]}
    return json.dumps(value, ensure_ascii=False) + "\n"


def _result(linearization: Linearization) -> dict[str, object]:
    fluency, derivations = linearization.fluency, linearization.derivations
    return {
        "text": linearization.text,
        "score": linearization.score,
        **({} if fluency is None else {"syntax": linearization.syntax, "fluency": fluency}),
        **(
            {}
            if linearization.finished
            else {"finished": False, "left_out": linearization.left_out}
        ),
        "words": [
            {
                "form": token.form,
                "tag": token.tag,
                "head": token.head,
                "deprel": token.deprel,
                "source": token.source,
            }
            for token in linearization.tokens
        ],
        **({"derivations": [*map(auto_line, derivations)]} if derivations else {}),
    }
