"""Errors as the server answers them: a status, a code, one line, and the field that caused it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from syntagma.errors import ProblemError, SyntagmaError, UnsatisfiableError, as_line, brief

# The status of each code.
CODES: Final[Mapping[str, int]] = {
    "bad_request": 400,
    "invalid_json": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "request_timeout": 408,
    "too_large": 413,
    "unsupported_media_type": 415,
    "wrong_host": 421,
    "invalid": 422,
    "unsatisfiable": 422,
    "queue_full": 429,
    "header_too_large": 431,
    "internal": 500,
    "busy": 503,
    "stopping": 503,
    "time_limit": 503,
}


class Fault(Exception):
    """An error that ends a request, or one problem of a batch."""

    def __init__(
        self,
        code: str,
        message: str,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = CODES[code]
        self.message = as_line(message)
        self.field = None if field is None else brief(field)
        self.headers = dict(headers or {})
        self.id: str | None = None  # of the problem of a batch

    def within(self, path: str) -> Fault:
        """The fault of a part of the request, with its field as seen from the whole."""
        seen = Fault(self.code, self.message, f"{path}.{self.field}" if self.field else path)
        seen.id = self.id
        return seen

    def as_json(self) -> str:
        """The error as an object of JSON: the whole answer, or the result of one problem."""
        error = {"code": self.code, "message": self.message, "field": self.field}
        named = {} if self.id is None else {"id": self.id}
        return json.dumps({**named, "error": error}, ensure_ascii=False)


def fault_of(error: SyntagmaError) -> Fault:
    """The fault of a problem that was refused, or has no solution."""
    code = "unsatisfiable" if isinstance(error, UnsatisfiableError) else "invalid"
    field = error.field if isinstance(error, ProblemError) else ""
    return Fault(code, str(error), field or None)
