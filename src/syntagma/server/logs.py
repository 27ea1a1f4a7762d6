"""Logs as lines of JSON on standard error.

No line holds text of a user: neither words nor paths nor query strings, nor the messages of
exceptions, which may quote them.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

LOG: Final = logging.getLogger("syntagma.server")


class JsonLines(logging.Formatter):
    """One object per record: time, level, event, and the fields that the record has in `fields`."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, Any] = getattr(record, "fields", {})
        line: dict[str, Any] = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            # Records of other packages have a message with arguments, which may hold anything.
            "event": record.getMessage() if record.name == LOG.name else record.name,
            **fields,
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


def set_up_logs(level: int = logging.INFO) -> None:
    """Send the logs of the server, and the errors of the packages below it, to standard error.

    uvicorn's warnings are about requests that it refuses, which `connection` logs itself.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.raiseExceptions = False  # nobody reads standard error any more: go on
    for name, lowest in ((LOG.name, level), ("uvicorn", logging.ERROR), ("asyncio", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(lowest)
        logger.propagate = False
