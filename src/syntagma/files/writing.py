"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal, overload

from syntagma.errors import OutputError
from syntagma.files import temporary


@overload
def atomic_write(
    path: str | os.PathLike[str], mode: Literal["w"]
) -> contextlib.AbstractContextManager[IO[str]]: ...


@overload
def atomic_write(
    path: str | os.PathLike[str], mode: Literal["wb"] = "wb"
) -> contextlib.AbstractContextManager[IO[bytes]]: ...


def atomic_write(
    path: str | os.PathLike[str], mode: Literal["w", "wb"] = "wb"
) -> contextlib.AbstractContextManager[IO[Any]]:
    """Write a file that appears under its name only when it is complete and on disk.

    Until then, and if anything fails, an existing file stays as it was. Of several
    writers of one file, the last to finish wins. A file that cannot be written raises
    `OutputError`. Devices and pipes are written directly.
    """
    return _atomic_write(Path(os.path.realpath(path)), mode)


@contextlib.contextmanager
def _atomic_write(path: Path, mode: Literal["w", "wb"]) -> Iterator[IO[Any]]:
    encoding: dict[str, Any] = {"encoding": "utf-8", "newline": "\n"} if mode == "w" else {}
    unfinished: Path | None = None
    try:
        old_mode = _file_mode(path)
        if old_mode is not None and not stat.S_ISREG(old_mode) and not stat.S_ISDIR(old_mode):
            with open(path, mode, **encoding) as stream:
                yield stream
            return
        if old_mode is not None and stat.S_ISDIR(old_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        unfinished = temporary.unused_name(path.parent, ".tmp")
        with temporary.undisturbed():
            stream = open(unfinished, mode.replace("w", "x"), **encoding)  # noqa: SIM115
            temporary.note(unfinished)
        with stream:
            if old_mode is not None:
                os.chmod(unfinished, stat.S_IMODE(old_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with temporary.undisturbed():
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


def _file_mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def sync_directory(directory: Path) -> None:
    """Make a new name survive a crash, where the system allows it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
