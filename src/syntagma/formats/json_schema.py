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
# Words separated by single spaces, no other line or tab; at least one character is no space.
_FORM: Final = r"^(?=.*\S)[^ \t\n\r]+( [^ \t\n\r]+)*$"
_SYMBOL: Final = r"^\S+$"
_FEATURES: Final = r"^([^\s|=]+=[^\s|]+(\|[^\s|=]+=[^\s|]+)*)?$"
_LINE: Final = r"^(?=.*\S)[^\n\r]*$"

FORM: Final[Schema] = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_CHARACTERS,
    "pattern": _FORM,
    "description": "a word, or a phrase with single spaces that is kept together",
}
INDEX: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": LARGEST}


def _or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def _symbol(about: str) -> Schema:
    return {
        "type": ["string", "null"],
        "minLength": 1,
        "maxLength": MAX_CHARACTERS,
        "pattern": _SYMBOL,
        "description": about,
    }


FEATURES: Final[Schema] = {
    "description": 'morphological features: "Number=Plur|Person=3", or an object',
    "anyOf": [
        {"type": ["string", "null"], "maxLength": MAX_CHARACTERS, "pattern": _FEATURES},
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
    about = {
        "type": "object",
        "anyOf": given,
        "additionalProperties": False,
        "properties": WORD_FIELDS,
    }
    return {"anyOf": [FORM, about]}


def problem_fields(word: Schema, words: int = MAX_WORDS) -> dict[str, Schema]:
    """The keys of a problem of at most so many words."""
    index = {"anyOf": [INDEX, {"type": "null"}]}
    return {
        "words": {"type": "array", "minItems": 1, "maxItems": words, "items": word},
        "before": {
            "type": "array",
            "maxItems": MAX_CONSTRAINTS,
            "uniqueItems": True,
            "description": "pairs [a, b]: word a stands somewhere before word b",
            "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": INDEX},
        },
        "first": {**index, "description": "the word that the sentence begins with"},
        "last": {**index, "description": "the word that the sentence ends with"},
        "id": {
            "type": ["string", "null"],
            "maxLength": MAX_CHARACTERS,
            "pattern": _LINE,
            "description": "carried over to the result",
        },
    }


def order_field(words: int = MAX_WORDS) -> Schema:
    """An order of the words of a problem, to be scored or judged."""
    return {
        "description": "an order of the words: a text, or a list of forms or of indices",
        "anyOf": [
            {"type": "string", "minLength": 1},
            {"type": "array", "minItems": 1, "maxItems": words, "items": FORM},
            {"type": "array", "minItems": 1, "maxItems": words, "items": INDEX},
        ],
    }


# A problem as JSON lines hold it.
_FIELDS: Final = problem_fields({"$ref": "#/$defs/word"})
PROBLEM: Final[Schema] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A problem",
    "$defs": {"word": word_schema(), "words": _FIELDS["words"]},
    "anyOf": [
        {"$ref": "#/$defs/words"},
        {
            "type": "object",
            "required": ["words"],
            "additionalProperties": False,
            "properties": {**_FIELDS, "words": {"$ref": "#/$defs/words"}},
        },
    ],
}

_TOKEN_FIELDS: Final[dict[str, Schema]] = {
    "form": {"type": "string"},
    "tag": {"type": ["string", "null"]},
    "head": {"type": "integer", "description": "position of the head in the result, 0: the root"},
    "deprel": {"type": ["string", "null"]},
    "source": {"type": "integer", "description": "index of the word in the problem"},
}
_SPELLED_FIELDS: Final[dict[str, Schema]] = {
    "lemma": {"type": ["string", "null"]},
    "features": {"type": ["string", "null"]},
    "space_after": {"type": "boolean"},
}


def _object(required: dict[str, Schema], **more: Schema) -> Schema:
    return {
        "type": "object",
        "required": list(required),
        "additionalProperties": False,
        "properties": {**required, **more},
    }


def _sentence() -> tuple[dict[str, Schema], dict[str, Schema]]:
    """The keys that the result of a search always has, and those that it may have."""
    number = {"type": "number"}
    word = {
        "type": "object",
        "required": list(_TOKEN_FIELDS),
        "additionalProperties": False,
        "properties": {**_TOKEN_FIELDS, "upos": {"type": "string"}, **_SPELLED_FIELDS},
    }
    always: dict[str, Schema] = {
        "text": {"type": "string"},
        "score": {**number, "description": "higher is better"},
        "words": {"type": "array", "items": word},
    }
    span = {"first": {"type": "integer"}, "last": {"type": "integer"}, "text": {"type": "string"}}
    sometimes: dict[str, Schema] = {
        "syntax": {**number, "description": "part of the score, with a language model"},
        "fluency": {**number, "description": "part of the score, with a language model"},
        "parts": {
            "type": "object",
            "additionalProperties": number,
            "description": "what each judge contributed to the score, if there are several",
        },
        "finished": {"const": False, "description": "the search ran out of time"},
        "left_out": {"type": "array", "items": {"type": "integer"}},
        "narrowed": {"const": True, "description": "a time limit narrowed the beam"},
        "projective": {"const": False, "description": "arcs cross: a subtree is discontinuous"},
        "derivations": {"type": "array", "items": {"type": "string"}},
        "contractions": {"type": "array", "items": _object(span)},
    }
    return always, sometimes


_ALWAYS, _SOMETIMES = _sentence()
_ID: Final[dict[str, Schema]] = {"id": {"type": ["string", "null"]}}
SENTENCE: Final = _object(_ALWAYS, **_SOMETIMES)
RESULT: Final = _object({**_ID, **_ALWAYS}, **_SOMETIMES)
N_BEST: Final = _object({**_ID, "n_best": {"type": "array", "items": SENTENCE}})
_OR_NULL: Final[Schema] = {"type": ["number", "null"]}
ACCEPTANCE: Final = _object(
    {
        **_ID,
        "text": {"type": "string", "description": "the order that was judged"},
        "verdict": {"enum": ["same", "as good", "worse"]},
        "accepted": {"type": "boolean"},
        "loss": {**_OR_NULL, "description": "how much lower it scores; null: it is not possible"},
        "allowed": {"type": "number", "description": "the largest loss that is accepted"},
        "margin": {"type": "number", "description": "loss for each pair of neighbours"},
        "share": {"type": "number", "description": "share of adjacencies that are right"},
        "best": SENTENCE,
        "given": {"anyOf": [SENTENCE, {"type": "null"}]},
    },
    narrowed={"const": True, "description": "a time limit narrowed the beam"},
    where=_object(
        {
            "position": {"type": "integer", "minimum": 1},
            "after": {"type": ["string", "null"]},
            "word": {"type": "string"},
        }
    ),
    continuation={"type": "array", "items": {"type": "string"}},
    costs={"type": "array", "items": _OR_NULL},
    broken={"type": "array", "items": {"type": "string"}},
    hint=SENTENCE,
)
