"""Paths as callers give them: one, or a list of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from syntagma.errors import ArgumentError, shown
from syntagma.problem.collection import is_collection


def check_path(path: Any, name: str) -> None:
    """Raise unless this is one path."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise ArgumentError(f"{name} must be the path of a file, not {shown(path)}")
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise ArgumentError(f"{name} must be the path of a file; {shown(path)} cannot be one")


def as_paths(paths: Any, name: str) -> list[str | Path]:
    """A list of paths; a single path is a list of one."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    if not is_collection(paths):
        raise ArgumentError(f"{name} must be a list of paths, not {shown(paths)}")
    found = list(paths)
    for path in found:
        check_path(path, name)
    return found
