"""Logs as lines of JSON on standard error, and warnings, which go into answers instead.

No line holds text of a user: neither words nor paths nor query strings, nor the messages of
exceptions and warnings, which may quote them.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from syntagma.errors import SyntagmaWarning, as_line

LOG: Final = logging.getLogger("syntagma.server")
# The lowest level that is logged. Warnings of uvicorn and python_multipart are about requests that
# they refuse, and may quote them. Errors of uvicorn are about answers that end before they are
# whole; the gate logs those.
LEVELS: Final = {
    LOG.name: logging.INFO,
    "asyncio": logging.ERROR,
    "python_multipart": logging.CRITICAL,
    "uvicorn": logging.CRITICAL,
}
_here = threading.local()


class JsonLines(logging.Formatter):
    """One object per record: time, level, event, and the fields that the record has in `fields`."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            # Records of other packages have a message with arguments, which may hold anything.
            "event": record.getMessage() if record.name == LOG.name else record.name,
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line |= describe_exception(record.exc_info[1])
        return json.dumps(line, ensure_ascii=True)


def describe_exception(error: BaseException) -> dict[str, Any]:
    """The type of an exception and where it was raised, without its message."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "exception": type(error).__name__,
        "trace": [f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in frames],
    }


def log(event: str, level: int = logging.INFO, **fields: object) -> None:
    LOG.log(level, event, extra={"fields": fields})


def set_up_logs() -> None:
    """Send the logs of the server, and the errors of the packages below it, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.raiseExceptions = False  # nobody reads standard error any more: go on
    for name, lowest in LEVELS.items():
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(lowest)
        logger.propagate = False


@contextmanager
def collected() -> Iterator[dict[str, None]]:
    """The distinct warnings of this thread, in order, as they come."""
    found: dict[str, None] = {}
    _here.found = found
    try:
        yield found
    finally:
        del _here.found


def collect_warnings() -> None:
    """From now on, warnings of the package go to the thread that collects them, or nowhere; others
    are logged without their text.

    `warnings.catch_warnings` would not do: what it sets holds for all threads.
    """
    warnings.simplefilter("always", SyntagmaWarning)

    def show(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, *more: Any
    ) -> None:
        if not issubclass(category, SyntagmaWarning):
            place = f"{Path(filename).name}:{lineno}"
            log("warning", logging.WARNING, category=category.__name__, place=place)
        elif (found := getattr(_here, "found", None)) is not None:
            found[as_line(str(message))] = None

    warnings.showwarning = cast(Any, show)
