"""JSON lines in and out: one problem or result per line; the schema is in docs/guide/formats.md.

    {"words": ["the", {"form": "dog", "tag": "NN", "head": 3, "deprel": "nsubj"}, "barks"],
     "before": [[1, 2]], "first": 1, "last": 3, "id": "s1"}

Indices of words are 1-based. Only "words" is required; a bare list of words is also a problem.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from syntagma.errors import FormatError, ProblemError, shown
from syntagma.files.reading import Lines, Place
from syntagma.formats.auto import auto_line
from syntagma.formats.text import T, join_phrases, read_each
from syntagma.problem.limits import (
    MAX_CONSTRAINTS,
    MAX_DIGITS,
    MAX_JSON_VALUES,
    MAX_WORDS,
    check_limit,
)
from syntagma.problem.problem import Problem
from syntagma.problem.validation import check_id
from syntagma.problem.word import Word
from syntagma.results.acceptance import Acceptance
from syntagma.results.linearization import Linearization
from syntagma.results.realization import Realization

_PROBLEM_KEYS = ("words", "before", "first", "last", "id")
_WORD_KEYS = ("form", "tag", "head", "deprel", "lemma", "features", "upos")
_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
}


class SchemaError(ProblemError):
    """A value that violates the schema. The message begins with its `path`; `field` is the path of
    what is to be changed, by default the same."""

    def __init__(self, message: str, path: str = "", *, field: str | None = None) -> None:
        super().__init__(
            f"{path}: {message}" if path else message, field=path if field is None else field
        )


def read_jsonl(
    lines: Lines, source: str, *, lemmas: bool = False
) -> Iterator[Problem | FormatError]:
    """Read one problem per line; a bad line yields a `FormatError` in its place.

    A plain string is a form, or, if `lemmas`, a lemma.
    """
    return _read_values(lines, source, lambda value, place: problem_from_json(value, lemmas, place))


def read_orders(
    lines: Lines, source: str, split: Callable[[str], list[str]]
) -> Iterator[tuple[Problem, list[str] | list[int]] | FormatError]:
    """Read one problem per line with an order of its words, under the key "order": a list of forms
    or indices, or a string, which `split` splits into words.

    Without "words", the words are those of the order.
    """
    return _read_values(lines, source, lambda value, place: order_from_json(value, split, place))


def _read_values(
    lines: Lines, source: str, read: Callable[[Any, Place], T]
) -> Iterator[T | FormatError]:
    """What `read` makes of the value of each line; the error of a bad value has its id."""

    def read_line(line: str, place: Place) -> T:
        value = _parse(line)
        try:
            return read(value, place)
        except ProblemError as error:
            raise FormatError(str(error), *place, id=_id_of(value)) from error

    return read_each(lines, source, read_line)


def _id_of(value: object) -> str | None:
    """The id of a problem that is bad for another reason."""
    id = value.get("id") if isinstance(value, dict) else None
    try:
        if isinstance(id, str):
            check_id(id)
            return id
    except ProblemError:
        pass
    return None


def _parse(line: str) -> object:
    if not line.strip():
        raise SchemaError("blank line; every line must hold one problem")
    try:
        return parse_json(line)
    except json.JSONDecodeError as error:
        raise SchemaError(
            f"not JSON: {error.msg} at column {error.colno}; every line must hold one whole problem"
        ) from error


def parse_json(text: str) -> Any:
    """The value of a JSON text, within the limits; duplicate keys, and numbers that are not finite
    or very long, are refused.

    Raises `SchemaError`, or `JSONDecodeError` if it is not JSON at all.
    """
    # Brackets and colons within strings count, too: the limit is far above what a problem needs.
    if text.count("[") + text.count("{") > MAX_JSON_VALUES or text.count(":") > MAX_JSON_VALUES:
        raise SchemaError(
            f"more lists and objects, or more keys, than the limit of {MAX_JSON_VALUES}"
        )
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_int=_parse_integer,
            parse_constant=_reject_constant,
        )
    except RecursionError:
        raise SchemaError(
            "JSON nested too deeply: the features of a word are the innermost object of a problem"
        ) from None


def _parse_integer(text: str) -> int:
    if len(text) > MAX_DIGITS + 1:
        raise SchemaError(f"a number with too many digits ({len(text)}): {text[:12]}…")
    return int(text)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise SchemaError(f"duplicate key {shown(twice)}")
    return value


def _reject_constant(name: str) -> None:
    raise SchemaError(f"not JSON: {name}")


def problem_from_json(value: Any, lemmas: bool = False, place: Place | None = None) -> Problem:
    """The problem that a value of JSON describes. Raises `ProblemError`."""
    if isinstance(value, list):
        value = {"words": value}
    if not isinstance(value, dict):
        raise SchemaError(f"expected an object or a list of words, found {_kind(value)}")
    _check_keys(value, _PROBLEM_KEYS, "")
    if "words" not in value:
        raise SchemaError("the key 'words' is missing", field="words")
    words, before = value["words"], value.get("before", [])
    for name, items in (("words", words), ("before", before)):
        if not isinstance(items, list):
            raise SchemaError(f"expected a list, found {_kind(items)}", name)
    check_limit(len(words), MAX_WORDS, "the bag", "words")
    check_limit(len(before), MAX_CONSTRAINTS, "`before`", "pairs", "before")
    return Problem(
        tuple(_word(word, f"words[{index}]", lemmas) for index, word in enumerate(words)),
        tuple(_pair(pair, index) for index, pair in enumerate(before)),
        _integer(value.get("first"), "first"),
        _integer(value.get("last"), "last"),
        _string(value.get("id"), "id"),
        origin=place,
    )


def order_from_json(
    value: Any, split: Callable[[str], list[str]], place: Place | None = None
) -> tuple[Problem, list[str] | list[int]]:
    """The problem, and the order of its words, that a value of JSON describes. Raises
    `ProblemError`."""
    if not isinstance(value, dict):
        raise SchemaError(f"expected an object with the key 'order', found {_kind(value)}")
    _check_keys(value, (*_PROBLEM_KEYS, "order"), "")
    if "order" not in value:
        raise SchemaError("the key 'order' is missing", field="order")
    value = dict(value)
    order = value.pop("order")
    written = isinstance(order, str)
    if not isinstance(order, (str, list)):
        raise SchemaError(f"expected a string or a list, found {_kind(order)}", "order")
    items: list[Any] = split(order) if isinstance(order, str) else order
    check_limit(len(items), MAX_WORDS, "the order", "words", "order")
    for index, item in enumerate(items):
        if not isinstance(item, str) and type(item) is not int:
            message = f"expected a form or an index of a word, found {_kind(item)}"
            raise SchemaError(message, f"order[{index}]")
    if "words" not in value and not all(isinstance(item, str) for item in items):
        message = "the key 'words' is missing, which an order by indices needs"
        raise SchemaError(message, field="words")
    problem = problem_from_json({"words": items, **value}, place=place)
    return problem, join_phrases(items, problem) if written else items


def _word(value: object, path: str, lemmas: bool) -> Word:
    if isinstance(value, str):
        return Word(lemma=value) if lemmas else Word(value)
    if not isinstance(value, dict):
        raise SchemaError(f"expected a string or an object, found {_kind(value)}", path)
    _check_keys(value, _WORD_KEYS, path)
    form = _string(value.get("form"), f"{path}.form")
    lemma = _string(value.get("lemma"), f"{path}.lemma")
    if form is None and lemma is None:
        missing = "keys 'form' and 'lemma' are" if lemmas else "key 'form' is"
        raise SchemaError(f"the {missing} missing", path)
    return Word(
        form or "",
        _string(value.get("tag"), f"{path}.tag"),
        _integer(value.get("head"), f"{path}.head"),
        _string(value.get("deprel"), f"{path}.deprel"),
        lemma,
        _features(value.get("features"), f"{path}.features"),
        _string(value.get("upos"), f"{path}.upos"),
    )


def _features(value: object, path: str) -> str | dict[str, str] | None:
    if not isinstance(value, dict):
        return _string(value, path)
    for name, each in sorted(value.items(), key=lambda item: item[0].lower()):
        if not isinstance(each, str):
            raise SchemaError(f"expected a string, found {_kind(each)}", _member(path, name))
    return value


def _pair(value: object, index: int) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2 and type(value[0]) is type(value[1]) is int:
        return value[0], value[1]
    raise SchemaError("expected a pair of word indices such as [1, 2]", f"before[{index}]")


def _integer(value: object, path: str) -> int | None:
    if value is None or type(value) is int:
        return value
    raise SchemaError(f"expected an integer, found {_kind(value)}", path)


def _string(value: object, path: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise SchemaError(f"expected a string, found {_kind(value)}", path)


def _kind(value: object) -> str:
    """The JSON type of a value, for messages."""
    return _KINDS.get(type(value), "an object")


def _check_keys(value: dict[str, object], known: Sequence[str], path: str) -> None:
    for key in value:
        if key not in known:
            raise SchemaError(
                f"unknown key {shown(key)}; known are {', '.join(known)}",
                path,
                field=_member(path, key),
            )


def _member(path: str, key: str) -> str:
    """The path of a value by its key, which may be any string."""
    if not key.isidentifier() or len(key) >= 40:
        return f"{path}[{shown(key)}]"
    return f"{path}.{key}" if path else key


Result = Linearization | Realization


def write_jsonl(result: Result | Sequence[Result], **more: object) -> str:
    """One result, or the n best of one problem, as a line of JSON with its line end; `more` keys
    come last."""
    if isinstance(result, Sequence):
        id = _id(result[0]) if result else None
        value = {"id": id, "n_best": [*map(_result, result)], **more}
    else:
        value = {"id": _id(result), **_result(result), **more}
    return json.dumps(value, ensure_ascii=False) + "\n"


def write_acceptance(acceptance: Acceptance, **more: object) -> str:
    """An acceptance as a line of JSON with its line end, and `more` keys; infinite numbers become
    null."""
    given, hint, adjacency = acceptance.given, acceptance.hint, acceptance.adjacency
    value: dict[str, object] = {
        "id": acceptance.best.problem.id,
        "text": acceptance.text,
        "verdict": acceptance.verdict,
        "accepted": acceptance.accepted,
        "loss": _finite(acceptance.loss),
        "allowed": acceptance.allowed,
        "margin": acceptance.margin,
        "share": acceptance.share,
    }
    if acceptance.narrowed:
        value["narrowed"] = True
    if adjacency is not None:
        after, word = adjacency
        value["where"] = {"position": acceptance.position, "after": after, "word": word}
        value["continuation"] = acceptance.continuation
    if acceptance.costs:
        value["costs"] = [*map(_finite, acceptance.costs)]
    if acceptance.broken:
        value["broken"] = acceptance.broken
    value["best"] = _result(acceptance.best)
    value["given"] = None if given is None else _result(given)
    if hint is not None:
        value["hint"] = _result(hint)
    return json.dumps({**value, **more}, ensure_ascii=False) + "\n"


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _id(result: Result) -> str | None:
    return (result.linearization if isinstance(result, Realization) else result).problem.id


def _result(result: Result) -> dict[str, object]:
    spelling = result.spelling if isinstance(result, Realization) else None
    order = result.linearization if isinstance(result, Realization) else result
    words: list[dict[str, object]] = []
    for place, token in enumerate(order.tokens):
        word = order.problem.words[token.source - 1]
        fields: dict[str, object] = {"form": token.form, "tag": token.tag}
        if word.upos is not None:
            fields["upos"] = word.upos
        fields |= {"head": token.head, "deprel": token.deprel, "source": token.source}
        if spelling:
            fields |= {"lemma": word.lemma, "features": word.features}
            fields["space_after"] = spelling.spaces[place]
        words.append(fields)
    value: dict[str, object] = {"text": result.text, "score": order.score}
    if order.fluency is not None:
        value |= {"syntax": order.syntax, "fluency": order.fluency}
    if len(order.parts) > 1:
        value["parts"] = order.parts
    if not order.finished:
        value |= {"finished": False, "left_out": order.left_out}
    if order.narrowed:
        value["narrowed"] = True
    if not order.projective:
        value["projective"] = False
    value["words"] = words
    if order.derivations:
        value["derivations"] = [*map(auto_line, order.derivations)]
    if spelling and spelling.contractions:
        value["contractions"] = [asdict(each) for each in spelling.contractions]
    return value
