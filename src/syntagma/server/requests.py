"""Bodies of requests: one problem or a batch, beside it options."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from syntagma.formats.jsonl import SchemaError, parse_json
from syntagma.server.faults import Fault
from syntagma.server.limits import Limits

CONTENT_TYPE = "application/json"


@dataclass(frozen=True, slots=True)
class Body:
    """The content of a request, whose problems have not been looked at."""

    problems: Sequence[object]
    options: object
    batch: bool


def check_content_type(content_type: str | None) -> None:
    """Refuse a body that does not say that it is JSON: a page of another origin can send such a
    body without being asked for its permission."""
    if (content_type or "").partition(";")[0].strip().lower() != CONTENT_TYPE:
        raise Fault(
            "unsupported_media_type", f"the body must be JSON: Content-Type: {CONTENT_TYPE}"
        )


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


def read_body(data: bytes, limits: Limits) -> Body:
    """One problem, or a list of them under the key "problems". Raises `Fault`."""
    value = parse_body(data)
    if not isinstance(value, dict):
        return Body([value], {}, batch=False)
    options = value.pop("options", {})
    if "problems" not in value:
        return Body([value], options, batch=False)
    problems = value.pop("problems")
    if value:
        raise Fault("invalid", "a batch has the keys problems and options alone", "problems")
    if not isinstance(problems, list):
        raise Fault("invalid", "problems: expected a list", "problems")
    if not 0 < len(problems) <= limits.problems:
        raise Fault(
            "invalid",
            f"problems: {len(problems)} problems; a batch has 1 to {limits.problems}",
            "problems",
        )
    return Body(problems, options, batch=True)
