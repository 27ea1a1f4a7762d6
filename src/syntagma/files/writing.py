"""Output files: checked before any work is done, and written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Literal

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
        obstacle = _obstacle(Path(os.path.realpath(path)))
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        obstacle = getattr(error, "strerror", None) or str(error)
    if obstacle:
        raise OutputError(f"cannot write {os.fspath(path)}: {obstacle}")
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
        if _is_regular(output.st_mode) and _is(output, given):
            raise OutputError(
                f"cannot write to standard output: it is also an input ({source_name(given)}); "
                "redirect it to another file"
            )


def _obstacle(path: Path) -> str | None:
    """Why this file cannot be written, if it cannot."""
    mode = _mode(path)
    if mode is not None and stat.S_ISDIR(mode):
        return "it is a folder"
    if mode is not None and not os.access(path, os.W_OK):
        return "Permission denied"
    if not _is_regular(mode):
        return None  # a device or a pipe, which is written directly
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    # Whether a file can be created depends on more than permissions: ask the system.
    probe = temporary.unused_name(path.parent, ".tmp")
    with temporary.undisturbed:
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.unlink(probe)
    return None


def _is_same_file(path: Name, given: Name) -> bool:
    mine = _stat(path)
    if mine is not None and stat.S_ISREG(mine.st_mode):
        return _is(mine, given)
    # Two links to the same missing file are the same as well; so is a file that appears later.
    return (
        os.fspath(given) != "-" and os.path.realpath(path) == os.path.realpath(given) != os.devnull
    )


def _is(mine: os.stat_result, given: Name) -> bool:
    other = _stat(given)
    return other is not None and os.path.samestat(mine, other)


def _stat(name: Name) -> os.stat_result | None:
    try:
        return os.fstat(sys.stdin.fileno()) if os.fspath(name) == "-" else os.stat(name)
    except (OSError, ValueError, AttributeError):  # a standard input that is closed or replaced
        return None


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _is_regular(mode: int | None) -> bool:
    """Whether this is the mode of a regular file, or of one that does not exist yet."""
    return mode is None or stat.S_ISREG(mode)


@contextlib.contextmanager
def atomic_write(path: Name, mode: Literal["w", "wb"] = "wb") -> Iterator[IO[Any]]:
    """Write a file that appears under its name only when it is complete and on disk.

    Until then, and if anything fails, an existing file stays as it was. Of several
    writers of one file, the last to finish wins. A file that cannot be written raises
    `OutputError`. Devices and pipes are written directly.
    """
    path = Path(os.path.realpath(path))
    encoding: dict[str, Any] = {"encoding": "utf-8", "newline": "\n"} if mode == "w" else {}
    unfinished: Path | None = None
    try:
        old_mode = _mode(path)
        if not _is_regular(old_mode):  # opening a folder fails
            with open(path, mode, **encoding) as stream:
                yield stream
            return
        unfinished = temporary.unused_name(path.parent, ".tmp")
        with temporary.undisturbed:
            stream = open(unfinished, mode.replace("w", "x"), **encoding)  # noqa: SIM115
            temporary.note(unfinished)
        with stream:
            if old_mode is not None:
                os.chmod(unfinished, stat.S_IMODE(old_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with temporary.undisturbed:
            os.replace(unfinished, path)
            temporary.forget(unfinished)
            unfinished = None
        sync_directory(path.parent)
    except BrokenPipeError:
        raise  # the reader of a pipe has closed it: not an error of this file
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if unfinished is not None:
            temporary.remove(unfinished)


def sync_directory(directory: Path) -> None:
    """Make a new name survive a crash, where the system allows it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
