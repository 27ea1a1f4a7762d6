"""Paths as callers give them: one, a list of them, or patterns that match several files."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

from syntagma.arguments import is_collection
from syntagma.errors import ArgumentError, FormatError, shown


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


def expand_paths(paths: Any, name: str, *, folders: bool = False) -> list[Path]:
    """The files of a path, of a pattern such as `wsj/0*.conllu`, or of a list of both.

    Paths keep their order; the files that a pattern matches are sorted by name, so that the result
    does not depend on the file system. `**` matches folders at any depth, and hidden files are
    matched only by a pattern that begins with a dot. The name of an existing file is never a
    pattern, and a file that is named twice counts once. Patterns match folders only if `folders`.
    A pattern without a match raises `FormatError`; a missing file is left to the reader.
    """
    found: dict[str, Path] = {}
    for given in as_paths(paths, name):
        pattern = os.fspath(given)
        matches = [pattern]
        if pattern != "-" and glob.has_magic(pattern) and not os.path.exists(pattern):
            matches = sorted(
                match
                for match in glob.glob(pattern, recursive=True)
                if folders or not os.path.isdir(match)
            )
            if not matches:
                kind = "file or folder" if folders else "file"
                raise FormatError(f"no {kind} matches this pattern; check its spelling", pattern)
        for match in matches:
            found.setdefault("-" if match == "-" else os.path.realpath(match), Path(match))
    return list(found.values())
