"""The OpenAPI document: what FastAPI makes of the routes, with the schemas of `schemas`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from syntagma.formats.json_schema import Schema
from syntagma.server.limits import Limits
from syntagma.server.schemas import ANSWERS, ERROR, EXAMPLES, answer_schema, request_schema
from syntagma.server.tokenize import ANSWER, REQUEST
from syntagma.server.udpipe import FORM, INPUTS, MULTIPART, OUTPUTS

JSON: Final = "application/json"
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
    503: "the server is busy or stopping, or the time limit was reached",
}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a route."""
    content = {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        status: {"description": _ABOUT_STATUS[status], "content": content}
        for status in (*statuses, 401, 403, 421)
    }


ERRORS_OF_WORK: Final = (400, 408, 413, 415, 422, 429, 503)


def documented(operation: str) -> dict[str, Any]:
    """What FastAPI's decorators need to document an operation."""
    examples = {name: {"value": value} for name, value in EXAMPLES[operation].items()}
    name = operation.capitalize()
    request = {"schema": {"$ref": f"#/components/schemas/{name}Request"}, "examples": examples}
    answer = {"schema": {"$ref": f"#/components/schemas/{name}Answer"}}
    return {
        "operation_id": operation,
        "summary": SUMMARIES[operation],
        "tags": ["v1"],
        "responses": {
            200: {"description": "the answer", "content": {JSON: answer}},
            **errors(*ERRORS_OF_WORK),
        },
        "openapi_extra": {"requestBody": {"required": True, "content": {JSON: request}}},
    }


def documented_process(method: str) -> dict[str, Any]:
    """The same for `/process`, whose parameters are in the address or in a form."""
    fields: dict[str, Schema] = {
        "data": {"type": "string", "description": "sentences, in the format of `input`"},
        "model": {"type": "string", "description": "name of a model"},
        "input": {"enum": list(INPUTS), "default": "conllu"},
        "output": {"enum": list(OUTPUTS), "default": "conllu"},
        "tokenizer": {
            "type": "string",
            "description": "if given, whatever its value, `data` is plain English text",
        },
    }
    answer: Schema = {
        "type": "object",
        "required": ["model", "acknowledgements", "result"],
        "additionalProperties": False,
        "properties": {
            "model": {"type": "string"},
            "acknowledgements": {"type": "array", "items": {"type": "string"}},
            "result": {"type": "string"},
        },
    }
    extra: dict[str, Any]
    if method == "get":
        extra = {
            "parameters": [
                {
                    "name": name,
                    "in": "query",
                    "required": name == "data",
                    "schema": schema,
                    "description": schema.get("description", "format"),
                }
                for name, schema in fields.items()
            ]
        }
    else:
        form: Schema = {"type": "object", "required": ["data"], "properties": fields}
        extra = {
            "requestBody": {
                "required": True,
                "content": {FORM: {"schema": form}, MULTIPART: {"schema": form}},
            }
        }
    return {
        "operation_id": f"process_{method}",
        "summary": "Order the sentences of a treebank",
        "tags": ["as UDPipe"],
        "responses": {
            200: {"description": "the sentences in order", "content": {JSON: {"schema": answer}}},
            **errors(*ERRORS_OF_WORK),
        },
        "openapi_extra": extra,
    }


def complete(
    document: dict[str, Any], options: Mapping[str, type[BaseModel]], limits: Limits, *, token: bool
) -> dict[str, Any]:
    """Add the schemas of problems and results, and the token, to the document of the routes."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in [each for each in schemas if "ValidationError" in each]:
        del schemas[name]
    schemas["Error"] = ERROR
    for operation in ANSWERS:
        name = operation.capitalize()
        schemas[f"{name}Request"] = request_schema(operation, options[operation], limits)
        schemas[f"{name}Answer"] = answer_schema(ANSWERS[operation])
    schemas["TokenizeRequest"], schemas["TokenizeAnswer"] = REQUEST, ANSWER
    if token:
        bearer = {"type": "http", "scheme": "bearer"}
        document["components"]["securitySchemes"] = {"token": bearer}
        document["security"] = [{"token": []}]
    return document
