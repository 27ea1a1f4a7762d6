"""Warnings that decoding gives: for the answer, never for the log, since they quote the request."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from logging import WARNING
from pathlib import Path
from typing import TextIO

from syntagma.errors import SyntagmaWarning
from syntagma.server.logs import log

_here = threading.local()


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
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not issubclass(category, SyntagmaWarning):
            log(
                "warning",
                WARNING,
                category=category.__name__,
                place=f"{Path(filename).name}:{lineno}",
            )
        elif (found := getattr(_here, "found", None)) is not None:
            found[" ".join(str(message).splitlines())] = None

    warnings.showwarning = show
