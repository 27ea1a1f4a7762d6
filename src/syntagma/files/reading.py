"""Text files line by line, compressed or not, and places in them; `formats` interprets the lines.

All readers take lines as `open_text` yields them: a line that cannot be decoded yields a
`FormatError` in its place, so that one bad line does not end a batch. So does a line that is longer
than `limits.MAX_LINE`: no more is held in memory. Such a line ends a compressed file, which might
unpack to any size.
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
from typing import Any, BinaryIO, NamedTuple, cast

from syntagma.errors import LONGEST_SHOWN, FormatError, ModelError, shown, visible
from syntagma.problem.limits import MAX_LINE

Lines = Iterable[str | FormatError]

_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\x00"
_OTHER_MAGIC = {b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "Zstandard", b"PK\x03\x04": "zip"}
_XZ_MEMORY = 256 << 20  # the default of xz -9 needs a quarter of it
_CHUNK = 1 << 16


def source_name(path: str | os.PathLike[str]) -> str:
    """The name of an input in messages; "-" is standard input."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def open_text(path: str | os.PathLike[str]) -> Iterator[str | FormatError]:
    """The lines of a UTF-8 file, without their line ends; "-" is standard input.

    The file is opened at once: one that cannot be opened raises `FormatError`. Gzip and xz are
    recognised by their first bytes and decompressed. A line that is not UTF-8 yields a
    `FormatError` in its place; so do a line that is too long, beyond which no compressed file is
    read, and the end of a damaged or truncated archive.
    """
    source = source_name(path)
    try:
        return _lines(sys.stdin.buffer if source == "<stdin>" else open(path, "rb"), source)
    except OSError as error:
        raise FormatError(f"cannot read the file: {error.strerror or error}", source) from error


def _lines(raw: BinaryIO, source: str) -> Iterator[str | FormatError]:
    # A standard input that was replaced may lack `peek`.
    buffered = (
        raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
    )
    try:
        stream = unpacked(buffered, source)
        yield from decoded_lines(stream, source, packed=stream is not buffered)
    except FormatError as error:
        yield error
    except reading_faults() as error:
        yield unreadable(error, source, None)
    finally:
        if source != "<stdin>":
            raw.close()
        elif buffered is not raw and not raw.closed:
            buffered.detach()  # else its end would close standard input


def decoded_lines(
    stream: BinaryIO, source: str, *, from_start: bool = True, packed: bool = False
) -> Iterator[str | FormatError]:
    """The lines of UTF-8 bytes, as `open_text` yields them; the first one has the number 1.

    `from_start` says whether the stream begins where its file does: a byte order mark may stand
    there, and nowhere else. `packed` says whether the bytes are those of a compressed file.
    """
    number = 0
    try:
        while line := stream.readline(MAX_LINE + 2):
            number += 1
            if number == 1 and from_start:
                line = line.removeprefix(codecs.BOM_UTF8)
            line, whole = line.removesuffix(b"\n"), line[-1:] == b"\n"
            line = line.removesuffix(b"\r")
            if len(line) > MAX_LINE:
                yield too_long(source, number, packed=packed and not whole)
                if packed and not whole:
                    return
                while not whole and (rest := stream.readline(1 << 20)):
                    whole = rest[-1:] == b"\n"
                continue
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError as error:
                what = f"byte 0x{line[error.start]:02x} at column {error.start + 1}"
                message = f"not UTF-8: {what}; convert the file to UTF-8"
                yield FormatError(message, source, number)
    except reading_faults() as error:
        yield unreadable(error, source, number or None)


def too_long(source: str, line: int, *, packed: bool) -> FormatError:
    """The error of a line that is longer than the limit."""
    message = f"the line is longer than the limit of {MAX_LINE >> 20} MiB"
    beyond = ": a compressed file is not read beyond such a line" if packed else ""
    return FormatError(message + beyond, source, line)


def reading_faults() -> tuple[type[Exception], ...]:
    """The exceptions of a file that is damaged, truncated or unreachable."""
    # Decompressing xz loads the module; if it is not loaded, its error was not raised.
    lzma = sys.modules.get("lzma")
    return OSError, EOFError, zlib.error, *((lzma.LZMAError,) if lzma else ())


def unreadable(error: Exception, source: str, line: int | None) -> FormatError:
    """The error of a file that cannot be read beyond this line."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FormatError(f"the file is damaged or cut off after this line: {reason}", source, line)


def unpacked(raw: io.BufferedReader, source: str) -> BinaryIO:
    """What a file holds: decompressed if its first bytes are those of gzip or xz."""
    start = raw.peek(len(_XZ_MAGIC))
    if start.startswith(_GZIP_MAGIC):
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if start.startswith(_XZ_MAGIC):
        return io.BufferedReader(_XzReader(raw), _CHUNK)
    for magic, name in _OTHER_MAGIC.items():
        if start.startswith(magic):
            message = f"compressed with {name}: only gzip and xz are read; decompress it first"
            raise FormatError(message, source)
    return cast(BinaryIO, raw)


class _XzReader(io.RawIOBase):
    """What an xz file unpacks to; unlike `lzma.LZMAFile`, with a memory limit."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._open_stream()

    def _open_stream(self) -> None:
        import lzma

        self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
        self._after_stream = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            packed = b""
            if self._unpacker.eof:  # zeros and another stream may follow
                packed = self._after_stream.lstrip(b"\0")
                while not packed and (packed := self._packed.read(_CHUNK)):
                    packed = packed.lstrip(b"\0")
                if not packed:
                    return 0
                self._open_stream()
            elif self._unpacker.needs_input and not (packed := self._packed.read(_CHUNK)):
                raise EOFError("the archive ends before its end-of-stream marker")
            unpacked = self._unpacker.decompress(packed, len(buffer))
            self._after_stream = self._unpacker.unused_data
            if unpacked:
                buffer[: len(unpacked)] = unpacked
                return len(unpacked)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file that must be a regular one. Raises `OSError`.

    It never waits: a named pipe without a writer would keep `open` waiting for one.
    """
    of_system = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, os.O_RDONLY | of_system)
    with contextlib.ExitStack() as unless_regular:
        unless_regular.callback(os.close, descriptor)
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        unless_regular.pop_all()
    return open(descriptor, "rb")


def fingerprint(path: str | Path) -> str:
    """The SHA-256 of a file, in hexadecimal: what identifies it in signatures and headers."""
    import hashlib

    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error


class Place(NamedTuple):
    """A source and, where one is known, a line, counted from 1.

    >>> str(Place("bags.txt", 3))
    'bags.txt:3'
    """

    source: str
    line: int | None = None

    def __str__(self) -> str:
        source = visible(self.source)
        return source if self.line is None else f"{source}:{self.line}"


def about_sentence(id: str | None) -> str:
    """How a message on a sentence with this id begins.

    >>> about_sentence("s1")
    'sentence s1: '
    """
    if not id:
        return ""
    return f"sentence {id if len(id) <= LONGEST_SHOWN and id.isprintable() else shown(id)}: "
