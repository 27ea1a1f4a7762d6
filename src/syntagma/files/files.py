"""Files as lines in and as whole, safely written files out; what the lines mean is for the readers.

Every reader takes lines as `open_text` gives them: a line that cannot be decoded comes as a
`FormatError` object in its place, so that one bad line does not end a batch.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast, overload

from syntagma.errors import FormatError, OutputError

Lines = Iterable[str | FormatError]

_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\x00"


def source_name(path: str | os.PathLike[str]) -> str:
    """How messages call an input; "-" is the standard input."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def open_text(path: str | os.PathLike[str]) -> Iterator[str | FormatError]:
    """The lines of a UTF-8 file, without their line ends; "-" is the standard input.

    Gzip and xz are recognised by their first bytes and unpacked. A line that is not UTF-8, and the
    end of an archive that is damaged or cut off, come as `FormatError` objects. A file that cannot
    be opened raises `FormatError`.
    """
    source = source_name(path)
    try:
        if source == "<stdin>":
            return _lines(sys.stdin.buffer, source, close=False)
        return _lines(open(path, "rb"), source, close=True)
    except OSError as error:
        raise FormatError(f"cannot read the file: {error.strerror or error}", source) from error


def _lines(raw: BinaryIO, source: str, *, close: bool) -> Iterator[str | FormatError]:
    number = 0
    try:
        for line in _unpacked(raw):
            number += 1
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError as error:
                yield FormatError(
                    f"not UTF-8: byte 0x{line[error.start]:02x} at column {error.start + 1}; "
                    "convert the file to UTF-8",
                    source,
                    number,
                )
    except (OSError, EOFError, zlib.error, _lzma_error()) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        yield FormatError(
            f"the file is damaged or cut off after this line: {reason}", source, number or None
        )
    finally:
        if close:
            raw.close()


def _lzma_error() -> type[Exception]:
    # Unpacking xz is what loads the module; without it the error cannot have been raised.
    lzma = sys.modules.get("lzma")
    return cast(type[Exception], lzma.LZMAError) if lzma else EOFError


def _unpacked(raw: BinaryIO) -> BinaryIO:
    if not isinstance(raw, io.BufferedReader):  # a standard input that was replaced
        raw = io.BufferedReader(cast(io.RawIOBase, raw))
    start = raw.peek(len(_XZ_MAGIC))
    if start.startswith(_GZIP_MAGIC):
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if start.startswith(_XZ_MAGIC):
        import lzma

        return cast(BinaryIO, lzma.LZMAFile(raw))
    return raw


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
    """Write a file that appears under its name only when it is complete and on the disk.

    Until then, and if anything fails, a file that had this name before stays as it was. A file that
    cannot be written raises `OutputError`. Devices and pipes are written directly.
    """
    return _atomic_write(Path(os.path.realpath(path)), mode)


@contextlib.contextmanager
def _atomic_write(path: Path, mode: Literal["w", "wb"]) -> Iterator[IO[Any]]:
    encoding: dict[str, Any] = {"encoding": "utf-8", "newline": "\n"} if mode == "w" else {}
    temporary: Path | None = None
    try:
        old_mode = _file_mode(path)
        if old_mode is not None and not stat.S_ISREG(old_mode) and not stat.S_ISDIR(old_mode):
            with open(path, mode, **encoding) as stream:
                yield stream
            return
        if old_mode is not None and stat.S_ISDIR(old_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        with open(temporary, mode, **encoding) as stream:
            if old_mode is not None:
                os.chmod(temporary, stat.S_IMODE(old_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
        temporary = None
        _sync_directory(path.parent)
    except BrokenPipeError:
        raise  # the reader of a pipe has gone; nothing is wrong with this file
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _file_mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _sync_directory(directory: Path) -> None:
    """Make the new name itself survive a crash, where the system allows that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
