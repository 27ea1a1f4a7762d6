"""Schemas and examples of requests and answers, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

from syntagma.formats.json_schema import (
    ACCEPTANCE,
    N_BEST,
    RESULT,
    Schema,
    order_field,
    problem_fields,
    word_schema,
)
from syntagma.server.faults import CODES
from syntagma.server.limits import Limits

ERROR: Final[Schema] = {
    "type": "object",
    "required": ["error"],
    "additionalProperties": False,
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "field"],
            "additionalProperties": False,
            "properties": {
                "code": {"enum": list(CODES)},
                "message": {"type": "string", "description": "what is wrong, in one line"},
                "field": {
                    "type": ["string", "null"],
                    "description": "path of the cause in the request, as in words[2].head",
                },
            },
        }
    },
}
WARNINGS: Final[Schema] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "what was accepted but makes results worse, such as unknown tags",
}
TREE: Final[list[dict[str, Any]]] = [
    {"form": "barked", "tag": "VBD", "head": 0, "deprel": "root"},
    {"form": "dog", "tag": "NN", "head": 1, "deprel": "nsubj"},
    {"form": "the", "tag": "DT", "head": 2, "deprel": "det"},
]
# Requests that work when they are pasted; a test sends each.
EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "order": {
        "A bag of words": {"words": ["book", "read", "the", "She", "."]},
        "Order constraints": {"words": ["barked", "the", "dog"], "first": 2, "before": [[3, 1]]},
        "A dependency tree": {"words": TREE, "id": "s1"},
        "Three different orders": {
            "words": ["the", "dog", "bit", "the", "man", "."],
            "options": {"n_best": 3},
        },
        "A batch": {
            "problems": [["dog", "the", "barked"], {"words": ["sings", "she"], "id": "s2"}],
            "options": {"beam": 16},
        },
    },
    "realize": {
        "Lemmas": {"words": ["she", "sing", "a", "song", "."]},
        "A tree of lemmas": {
            "words": [
                {"lemma": "bark", "tag": "VBD", "head": 0},
                {"lemma": "dog", "tag": "NNS", "head": 1, "deprel": "nsubj"},
            ]
        },
    },
    "score": {
        "One order": {"words": ["barked", "the", "dog"], "order": "the dog barked"},
        "Two orders": {
            "problems": [
                {"words": ["barked", "the", "dog"], "order": [2, 3, 1]},
                {"words": ["barked", "the", "dog"], "order": ["barked", "the", "dog"]},
            ]
        },
    },
    "tokenize": {"Raw text": {"text": "The dog didn't bark."}},
    "accept": {
        "Is it a good order?": {
            "words": ["She", "read", "the", "book", "."],
            "order": "She read the book .",
        },
        "Where does it go wrong?": {
            "words": ["She", "read", "the", "book", "."],
            "order": ["She", "the", "read", "book", "."],
        },
    },
}


def request_schema(operation: str, options: type[BaseModel], limits: Limits) -> Schema:
    """The body of a request: a problem, or a batch of them, with options; or a bare list."""
    word = word_schema(lemmas=operation == "realize")
    fields = problem_fields(word, limits.words)
    required = ["words"]
    if operation in ("score", "accept"):
        fields["order"] = order_field(limits.words)
        required = ["order"]
    chosen = options_schema(options)
    one: Schema = {"type": "object", "required": required, "additionalProperties": False}
    problem = {**one, "properties": fields}
    bag = [] if "order" in fields else [fields["words"]]
    # In a batch, what is wrong with a problem is said in its place: it does not spoil the others.
    batch: Schema = {
        "type": "object",
        "required": ["problems"],
        "additionalProperties": False,
        "properties": {
            "problems": {
                "type": "array",
                "minItems": 1,
                "maxItems": limits.problems,
                "items": {"anyOf": [problem, *bag, {}]},
            },
            "options": chosen,
        },
    }
    return {"anyOf": [{**one, "properties": {**fields, "options": chosen}}, batch, *bag]}


def options_schema(options: type[BaseModel]) -> Schema:
    """The options of an operation as a schema that stands alone."""
    schema = options.model_json_schema()
    return {"type": "object", "additionalProperties": False, "properties": schema["properties"]}


def answer_schema(one: Schema) -> Schema:
    """An answer to one problem, or to a batch."""
    result = _with_warnings(one)
    batch: Schema = {
        "type": "object",
        "required": ["results"],
        "additionalProperties": False,
        "properties": {
            "results": {"type": "array", "items": {"anyOf": [one, ERROR]}},
            "warnings": WARNINGS,
        },
    }
    return {"anyOf": [*_alternatives(result), batch]}


def _alternatives(schema: Schema) -> list[Schema]:
    found: list[Schema] = schema.get("anyOf", [schema])
    return found


def _with_warnings(schema: Schema) -> Schema:
    return {
        "anyOf": [
            {**each, "properties": {**each["properties"], "warnings": WARNINGS}}
            for each in _alternatives(schema)
        ]
    }


ANSWERS: Final[dict[str, Schema]] = {
    "order": {"anyOf": [RESULT, N_BEST]},
    "realize": {"anyOf": [RESULT, N_BEST]},
    "score": RESULT,
    "accept": ACCEPTANCE,
}
