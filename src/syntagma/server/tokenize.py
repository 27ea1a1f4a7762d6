"""Splitting text into words, as `--tokenize` does on the command line: a call for the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from syntagma.formats.json_schema import Schema
from syntagma.problem.limits import MAX_CHARACTERS
from syntagma.server.faults import Fault
from syntagma.server.requests import parse_body

REQUEST: Final[Schema] = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {
        "text": {"type": "string", "maxLength": MAX_CHARACTERS, "description": "English text"}
    },
}
ANSWER: Final[Schema] = {
    "type": "object",
    "required": ["words"],
    "additionalProperties": False,
    "properties": {"words": {"type": "array", "items": {"type": "string"}}},
}


def read_text(data: bytes) -> list[str]:
    """The text of a request. Raises `Fault`."""
    value: Any = parse_body(data)
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(text, str) or len(value) > 1:
        raise Fault("invalid", 'expected an object with the key "text", a string, alone', "text")
    if len(text) > MAX_CHARACTERS:
        raise Fault("invalid", f"text: more than {MAX_CHARACTERS} characters, the limit", "text")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Fault("invalid", "text: contains half of a surrogate pair", "text") from None
    return [text]


def split(texts: Sequence[str]) -> list[str]:
    """The words of each text, as JSON."""
    from syntagma.formats.tokenization import words

    return [json.dumps({"words": words(text)}, ensure_ascii=False) for text in texts]
