"""Text files line by line, compressed or not; `formats` interprets the lines.

All readers take lines as `open_text` yields them: a line that cannot be decoded yields a
`FormatError` in its place, so that one bad line does not end a batch.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO, cast

from syntagma.errors import FormatError

Lines = Iterable[str | FormatError]

_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\x00"


def source_name(path: str | os.PathLike[str]) -> str:
    """The name of an input in messages; "-" is standard input."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def open_text(path: str | os.PathLike[str]) -> Iterator[str | FormatError]:
    """The lines of a UTF-8 file, without their line ends; "-" is standard input.

    The file is opened at once: one that cannot be opened raises `FormatError`. Gzip and xz are
    recognised by their first bytes and decompressed. A line that is not UTF-8 yields a
    `FormatError` in its place; so does the end of a damaged or truncated archive.
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
    # Decompressing xz loads the module; if it is not loaded, its error was not raised.
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
