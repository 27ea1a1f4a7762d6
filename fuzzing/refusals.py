"""What a refusal must look like: an error of the package, in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from syntagma import SyntagmaError


@contextmanager
def refusal(path: Path | None = None) -> Iterator[None]:
    """Errors of the package are what a user is meant to see: one line that names the file."""
    try:
        yield
    except SyntagmaError as error:
        refused = error
    else:
        return
    assert len(str(refused).splitlines()) == 1, f"not one line: {refused!r}"
    assert path is None or str(path) in str(refused), f"does not name the file: {refused!r}"
