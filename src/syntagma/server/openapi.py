"""The OpenAPI document: the schemas of `formats.json_schema`, within the limits of a server, and
examples. The page that shows it is in `reference`."""

from __future__ import annotations

from typing import Any, Final

from syntagma import __version__
from syntagma.formats.json_schema import (
    ACCEPTANCE,
    N_BEST,
    RESULT,
    Schema,
    order_field,
    problem_fields,
    word_schema,
)
from syntagma.problem.limits import MAX_CHARACTERS
from syntagma.request import Operation
from syntagma.server.faults import CODES
from syntagma.server.limits import Limits
from syntagma.server.operations import JSON, TAKEN, option_schemas
from syntagma.server.udpipe import FORM, INPUTS, MULTIPART, OUTPUTS

DESCRIPTION: Final = """\
Syntagma puts words in order: a bag of words and any syntax you know go in, the sentence and its
dependency tree come out. Problems and results are those of the command line
(`syntagma order --input-format json --format json`).

Send one problem, or up to a thousand under the key `problems`: then `results` holds a result or an
error for each. Errors are JSON, too: a code, a line for people, and the field that caused it.
"""
SUMMARIES: Final = {
    "order": "Order words",
    "realize": "Make a sentence from lemmas",
    "score": "Score a given order",
    "accept": "Judge a given order",
    "tokenize": "Split English text into words",
}
_ABOUT_STATUS: Final = {
    400: "not JSON, or not valid HTTP",
    401: "the token is missing or wrong",
    403: "the request comes from a page of another origin",
    408: "the body arrived too slowly",
    413: "the body is too large",
    415: "the body is of another type",
    421: "the server is not known by this name",
    422: "the request does not fit the schema or the limits, or the problem has no solution",
    429: "the queue is full; the header Retry-After says when to try again",
    431: "the request line and the headers are too large",
    503: "the server is busy or stopping, or the time limit was reached",
}
_WORK: Final = (400, 408, 413, 415, 422, 429, 503)  # what may happen to requests for work
BOOK: Final = ["She", "read", "the", "book", "."]
DOG: Final = ["barked", "the", "dog"]
TREE: Final[list[dict[str, Any]]] = [
    {"form": "barked", "tag": "VBD", "head": 0, "deprel": "root"},
    {"form": "dog", "tag": "NN", "head": 1, "deprel": "nsubj"},
    {"form": "the", "tag": "DT", "head": 2, "deprel": "det"},
]
# Requests that work when they are pasted; a test sends each.
EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "order": {
        "A bag of words": {"words": ["book", "read", "the", "She", "."]},
        "Order constraints": {"words": DOG, "first": 2, "before": [[3, 1]]},
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
        "One order": {"words": DOG, "order": "the dog barked"},
        "Two orders": {
            "problems": [{"words": DOG, "order": [2, 3, 1]}, {"words": DOG, "order": DOG}]
        },
    },
    "tokenize": {"Raw text": {"text": "The dog didn't bark."}},
    "accept": {
        "Is it a good order?": {"words": BOOK, "order": "She read the book ."},
        "Where does it go wrong?": {"words": BOOK, "order": ["She", "the", "read", "book", "."]},
    },
}


def _object(properties: dict[str, Schema], *required: str) -> Schema:
    """An object with these keys and no other."""
    closed: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**closed, "required": list(required)} if required else closed


_STRING: Final[Schema] = {"type": "string"}
_STRINGS: Final[Schema] = {"type": "array", "items": _STRING}
_REFUSED: Final[Schema] = {"$ref": "#/components/schemas/Error"}
_FAULT_FIELDS: Final[dict[str, Schema]] = {
    "code": {"enum": list(CODES)},
    "message": {**_STRING, "description": "what is wrong, in one line"},
    "field": {
        "type": ["string", "null"],
        "description": "path of the cause in the request, as in words[2].head",
    },
}
_FAULT: Final[Schema] = _object(_FAULT_FIELDS, *_FAULT_FIELDS)
WARNINGS: Final[Schema] = {
    **_STRINGS,
    "description": "what was accepted but makes results worse, such as unknown tags",
}
ANSWERS: Final[dict[Operation, list[Schema]]] = {
    "order": [RESULT, N_BEST],
    "realize": [RESULT, N_BEST],
    "score": [RESULT],
    "accept": [ACCEPTANCE],
}


def openapi_document(limits: Limits, *, token: bool) -> dict[str, Any]:
    """The document of a server with these limits, which may want a token."""
    text = {**_STRING, "maxLength": MAX_CHARACTERS, "description": "English text"}
    schemas = {
        "Error": _object({"error": _FAULT}, "error"),
        "RefusedProblem": _object({"id": _STRING, "error": _FAULT}, "error"),
        "TokenizeRequest": _object({"text": text}, "text"),
        "TokenizeAnswer": _object({"words": _STRINGS}, "words"),
    }
    for operation, results in ANSWERS.items():
        name = operation.capitalize()
        schemas[f"{name}Request"] = _request_schema(operation, limits)
        schemas[f"{name}Answer"] = _answer_schema(results)
    state: Schema = {"type": "object", "additionalProperties": _STRING}
    anything: Schema = {"type": "object"}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Syntagma", "description": DESCRIPTION, "version": __version__},
        "servers": [{"url": "./"}],  # wherever a proxy puts it
        "paths": {
            "/healthz": {"get": _call("status", "Whether the process answers", state, None)},
            "/readyz": {"get": _call("status", "Whether the server takes requests", state, (503,))},
            "/metrics": {
                "get": _call("status", "Metrics for Prometheus", _STRING, kind="text/plain")
            },
            "/v1/models": {"get": _call("v1", "The models of the server", anything)},
            **{f"/v1/{name}": {"post": _operation(name)} for name in SUMMARIES},
            "/models": {"get": _call("as UDPipe", "The models", anything)},
            "/process": _process(),
        },
        "components": {"schemas": schemas},
    }
    if token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _call(
    tag: str,
    summary: str,
    answer: Schema,
    statuses: tuple[int, ...] | None = (),
    kind: str = JSON,
    **more: Any,
) -> dict[str, Any]:
    """What a call answers: a schema, or an error with one of the statuses; None: never an error."""
    responses: dict[str, Any] = {
        "200": {"description": "the answer", "content": {kind: {"schema": answer}}}
    }
    for status in () if statuses is None else (*statuses, 401, 403, 421, 431):
        about, content = _ABOUT_STATUS[status], {JSON: {"schema": _REFUSED}}
        responses[str(status)] = {"description": about, "content": content}
    return {"tags": [tag], "summary": summary, **more, "responses": responses}


def _operation(operation: str) -> dict[str, Any]:
    schemas = f"#/components/schemas/{operation.capitalize()}"
    examples = {name: {"value": value} for name, value in EXAMPLES[operation].items()}
    content = {JSON: {"schema": {"$ref": f"{schemas}Request"}, "examples": examples}}
    answer, body = {"$ref": f"{schemas}Answer"}, {"required": True, "content": content}
    summary = SUMMARIES[operation]
    return _call("v1", summary, answer, _WORK, operationId=operation, requestBody=body)


def _process() -> dict[str, Any]:
    """The calls of `/process`, whose parameters are in the address or in a form."""
    fields: dict[str, Schema] = {
        "data": {**_STRING, "description": "sentences, in the format of `input`"},
        "model": {**_STRING, "description": "name of a model"},
        "input": {"enum": list(INPUTS), "default": "conllu"},
        "output": {"enum": list(OUTPUTS), "default": "conllu"},
        "tokenizer": {
            **_STRING,
            "description": "if given, whatever its value, `data` is plain English text",
        },
    }
    about = "Order the sentences of a treebank"
    result = {"model": _STRING, "acknowledgements": _STRINGS, "result": _STRING}
    answer = _object(result, *result)
    parameters = [
        {"name": name, "in": "query", "required": name == "data", "schema": schema}
        | {"description": schema.get("description", "format")}
        for name, schema in fields.items()
    ]
    form: Schema = {"type": "object", "required": ["data"], "properties": fields}
    body = {"required": True, "content": {kind: {"schema": form} for kind in (FORM, MULTIPART)}}
    given: dict[str, Any] = {"get": {"parameters": parameters}, "post": {"requestBody": body}}
    return {
        method: _call("as UDPipe", about, answer, _WORK, operationId=f"process_{method}", **more)
        for method, more in given.items()
    }


def _request_schema(operation: Operation, limits: Limits) -> Schema:
    """The body of a request: a problem, or a batch of them, with options; or a bare list."""
    word = _shortened(word_schema(lemmas=operation == "realize"), limits.word_characters)
    fields = problem_fields(word, limits.words)
    required, bag = "words", [fields["words"]]
    if operation in ("score", "accept"):
        fields["order"] = order_field(limits.words)
        required, bag = "order", []
    options = option_schemas(limits)
    chosen = _object({name: options[name] for name in TAKEN[operation]})
    # In a batch, what is wrong with a problem is said in its place: it does not spoil the others.
    item = {"anyOf": [_object(fields, required), *bag, {}]}
    problems: Schema = {"type": "array", "minItems": 1, "maxItems": limits.problems, "items": item}
    one = _object({**fields, "options": chosen}, required)
    return {"anyOf": [one, _object({"problems": problems, "options": chosen}, "problems"), *bag]}


def _shortened(schema: Any, most: int) -> Any:
    """The schema with strings of at most so many characters, where it limits them."""
    if isinstance(schema, list):
        return [_shortened(each, most) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: most if key == "maxLength" else _shortened(value, most)
        for key, value in schema.items()
    }


def _answer_schema(results: list[Schema]) -> Schema:
    """An answer to one problem, or to a batch."""
    noted = [
        {**each, "properties": {**each["properties"], "warnings": WARNINGS}} for each in results
    ]
    refused = {"$ref": "#/components/schemas/RefusedProblem"}
    each_result: Schema = {"type": "array", "items": {"anyOf": [*results, refused]}}
    batch = _object({"results": each_result, "warnings": WARNINGS}, "results")
    return {"anyOf": [*noted, batch]}
