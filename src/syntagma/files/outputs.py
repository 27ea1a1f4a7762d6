"""Checks of output files before any work is done: they can be written, and none is an input.

`writing` writes them.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from syntagma.errors import OutputError
from syntagma.files import temporary
from syntagma.files.reading import source_name

Name = str | os.PathLike[str]


def check_output(path: Name, inputs: Iterable[Name | None] = ()) -> None:
    """Raise `OutputError` if this file cannot be written, or if it is one of the inputs.

    An input is recognised under any name: relative, a symbolic or a hard link, "-" for a standard
    input that was redirected from it. Inputs that are None, missing or pipes are ignored.
    """
    try:
        _check_place(Path(os.path.realpath(path)), path)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"cannot write {os.fspath(path)}: {reason}") from error
    for given in inputs:
        if given is not None and _is_same_file(path, given):
            raise OutputError(
                f"cannot write {os.fspath(path)}: it is also an input ({source_name(given)}), "
                "which would be lost; choose another output"
            )


def check_stdout(inputs: Iterable[Name]) -> None:
    """Raise `OutputError` if standard output is appended to an input, which would never end."""
    try:
        output = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):  # ValueError: a standard output without a descriptor
        return
    for given in inputs:
        if stat.S_ISREG(output.st_mode) and _are_same(output, _stat(given)):
            raise OutputError(
                f"cannot write to standard output: it is also an input ({source_name(given)}); "
                "redirect it to another file"
            )


def _check_place(path: Path, name: Name) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise OutputError(f"cannot write {os.fspath(name)}: it is a folder")
    if mode is not None and not os.access(path, os.W_OK):
        raise OutputError(f"cannot write {os.fspath(name)}: Permission denied")
    if mode is not None and not stat.S_ISREG(mode):
        return  # a device or a pipe, which is written directly
    if not path.parent.is_dir():
        raise OutputError(f"cannot write {os.fspath(name)}: there is no folder {path.parent}")
    # Whether a file can be created depends on more than permissions: ask the system.
    probe = temporary.unused_name(path.parent, ".tmp")
    with temporary.undisturbed():
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.unlink(probe)


def _is_same_file(path: Name, given: Name) -> bool:
    mine = _stat(path)
    if mine is not None and stat.S_ISREG(mine.st_mode):
        return _are_same(mine, _stat(given))
    # Two links to the same missing file are the same as well; so is a file that appears later.
    return (
        os.fspath(given) != "-" and os.path.realpath(path) == os.path.realpath(given) != os.devnull
    )


def _stat(name: Name) -> os.stat_result | None:
    try:
        if os.fspath(name) == "-":
            return os.fstat(sys.stdin.fileno())
        return os.stat(name)
    except (OSError, ValueError, AttributeError):  # a standard input that is closed or replaced
        return None


def _are_same(mine: os.stat_result | None, other: os.stat_result | None) -> bool:
    return mine is not None and other is not None and os.path.samestat(mine, other)
