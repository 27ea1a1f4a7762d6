"""The JSON that `jsonl` reads and writes, as JSON Schema (2020-12): for docs/guide/formats.md and
the OpenAPI document of the server.

What the schema accepts is a valid problem, unless its parts are inconsistent: indices of missing
words, cycles of heads, several roots, contradictory order constraints, a feature given twice.
`tests/formats/test_json_schema.py` compares the two.
"""

from __future__ import annotations

from typing import Any, Final

from syntagma.problem.limits import MAX_CHARACTERS, MAX_CONSTRAINTS, MAX_DIGITS, MAX_WORDS

Schema = dict[str, Any]

LARGEST: Final = 10**MAX_DIGITS - 1
FORM: Final[Schema] = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_CHARACTERS,
    # Words separated by single spaces, no other line or tab; at least one character is no space.
    "pattern": r"^(?=.*\S)[^ \t\n\r]+( [^ \t\n\r]+)*$",
    "description": "a word, or a phrase with single spaces that is kept together",
}
INDEX: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": LARGEST}


def _or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def _array(items: Schema, **limits: Any) -> Schema:
    return {"type": "array", **limits, "items": items}


def _object(required: dict[str, Schema], **more: Schema) -> Schema:
    return {
        "type": "object",
        "required": list(required),
        "additionalProperties": False,
        "properties": {**required, **more},
    }


def _symbol(about: str) -> Schema:
    return {**_or_null(FORM), "pattern": r"^\S+$", "description": about}


FEATURES: Final[Schema] = {
    "description": 'morphological features: "Number=Plur|Person=3", or an object',
    "anyOf": [
        {
            "type": ["string", "null"],
            "maxLength": MAX_CHARACTERS,
            "pattern": r"^([^\s|=]+=[^\s|]+(\|[^\s|=]+=[^\s|]+)*)?$",
        },
        {
            "type": "object",
            "propertyNames": {"pattern": r"^[^\s|=]+$"},
            "additionalProperties": {"type": "string", "pattern": r"^[^\s|]+$"},
        },
    ],
}
WORD_FIELDS: Final[dict[str, Schema]] = {
    "form": _or_null(FORM),
    "tag": _symbol("part of speech in the tag set of the model"),
    "head": {
        "type": ["integer", "null"],
        "minimum": 0,
        "maximum": LARGEST,
        "description": "index of the head, 0: the root",
    },
    "deprel": _symbol("label of the arc to the head"),
    "lemma": {**_or_null(FORM), "description": "to be inflected, by `realize`, without a form"},
    "features": FEATURES,
    "upos": _symbol("universal part of speech; a model reads it if it has learned it"),
}


def word_schema(*, lemmas: bool = True) -> Schema:
    """A word: a string, or an object with a form or, if `lemmas`, with a lemma."""
    given: list[Schema] = [
        {"required": [key], "properties": {key: {"type": "string"}}}
        for key in (("form", "lemma") if lemmas else ("form",))
    ]
    closed = {"type": "object", "anyOf": given, "additionalProperties": False}
    return {"anyOf": [FORM, {**closed, "properties": WORD_FIELDS}]}


def problem_fields(word: Schema, words: int = MAX_WORDS) -> dict[str, Schema]:
    """The keys of a problem of at most so many words."""
    index = {"anyOf": [INDEX, {"type": "null"}]}
    return {
        "words": _array(word, minItems=1, maxItems=words),
        "before": _array(
            _array(INDEX, minItems=2, maxItems=2),
            maxItems=MAX_CONSTRAINTS,
            uniqueItems=True,
            description="pairs [a, b]: word a stands somewhere before word b",
        ),
        "first": {**index, "description": "the word that the sentence begins with"},
        "last": {**index, "description": "the word that the sentence ends with"},
        "id": {
            "type": ["string", "null"],
            "maxLength": MAX_CHARACTERS,
            "pattern": r"^(?=.*\S)[^\n\r]*$",
            "description": "carried over to the result",
        },
    }


def order_field(words: int = MAX_WORDS) -> Schema:
    """An order of the words of a problem, to be scored or judged."""
    return {
        "description": "an order of the words: a text, or a list of forms or of indices",
        "anyOf": [
            {"type": "string", "minLength": 1},
            _array(FORM, minItems=1, maxItems=words),
            _array(INDEX, minItems=1, maxItems=words),
        ],
    }


_FIELDS: Final = problem_fields({"$ref": "#/$defs/word"})
_WORDS: Final = {"$ref": "#/$defs/words"}
# A problem as JSON lines hold it.
PROBLEM: Final[Schema] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A problem",
    "$defs": {"word": word_schema(), "words": _FIELDS["words"]},
    "anyOf": [_WORDS, _object({"words": _WORDS}, **{**_FIELDS, "words": _WORDS})],
}

_TEXT: Final[Schema] = {"type": "string"}
_INTEGER: Final[Schema] = {"type": "integer"}
_NUMBER: Final[Schema] = {"type": "number"}
_NARROWED: Final[Schema] = {"const": True, "description": "a time limit narrowed the beam"}
_PART: Final = {**_NUMBER, "description": "part of the score, with a language model"}

_TOKEN: Final = _object(
    {
        "form": _TEXT,
        "tag": _or_null(_TEXT),
        "head": {**_INTEGER, "description": "position of the head in the result, 0: the root"},
        "deprel": _or_null(_TEXT),
        "source": {**_INTEGER, "description": "index of the word in the problem"},
    },
    upos=_TEXT,
    lemma=_or_null(_TEXT),
    features=_or_null(_TEXT),
    space_after={"type": "boolean"},
)
# The keys that the result of a search always has, and those that it may have.
_ALWAYS: Final[dict[str, Schema]] = {
    "text": _TEXT,
    "score": {**_NUMBER, "description": "higher is better"},
    "words": _array(_TOKEN),
}
_SOMETIMES: Final[dict[str, Schema]] = {
    "syntax": _PART,
    "fluency": _PART,
    "parts": {
        "type": "object",
        "additionalProperties": _NUMBER,
        "description": "what each judge contributed to the score, if there are several",
    },
    "finished": {"const": False, "description": "the search ran out of time"},
    "left_out": _array(_INTEGER),
    "narrowed": _NARROWED,
    "projective": {"const": False, "description": "arcs cross: a subtree is discontinuous"},
    "derivations": _array(_TEXT),
    "contractions": _array(_object({"first": _INTEGER, "last": _INTEGER, "text": _TEXT})),
}
_ID: Final = {"id": _or_null(_TEXT)}
SENTENCE: Final = _object(_ALWAYS, **_SOMETIMES)
RESULT: Final = _object({**_ID, **_ALWAYS}, **_SOMETIMES)
N_BEST: Final = _object({**_ID, "n_best": _array(SENTENCE)})
ACCEPTANCE: Final = _object(
    {
        **_ID,
        "text": {**_TEXT, "description": "the order that was judged"},
        "verdict": {"enum": ["same", "as good", "worse"]},
        "accepted": {"type": "boolean"},
        "loss": {
            **_or_null(_NUMBER),
            "description": "how much lower it scores; null: it is not possible",
        },
        "allowed": {**_NUMBER, "description": "the largest loss that is accepted"},
        "margin": {**_NUMBER, "description": "loss for each pair of neighbours"},
        "share": {**_NUMBER, "description": "share of adjacencies that are right"},
        "best": SENTENCE,
        "given": {"anyOf": [SENTENCE, {"type": "null"}]},
    },
    narrowed=_NARROWED,
    where=_object(
        {"position": {**_INTEGER, "minimum": 1}, "after": _or_null(_TEXT), "word": _TEXT}
    ),
    continuation=_array(_TEXT),
    costs=_array(_or_null(_NUMBER)),
    broken=_array(_TEXT),
    hint=SENTENCE,
)
