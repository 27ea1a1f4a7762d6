"""Reading text files: compression, encodings, damage."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest

from syntagma.errors import FormatError
from syntagma.files.reading import _lines, open_regular, open_text
from syntagma.problem.limits import MAX_LINE

PACKERS = {"plain": bytes, "gzip": gzip.compress, "xz": lzma.compress}


def lines_of(path: Path) -> list[str]:
    """The lines of a file, errors as their messages without the place of the file."""
    return [str(line).replace(str(path.parent), "") for line in open_text(path)]


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_compression_is_known_by_content(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(pack("cats sleep\nÉté\n".encode()))
    assert lines_of(path) == ["cats sleep", "Été"]


def test_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbfa b\r\n\r\nc\x0bd\x85e\n no end".replace(b"\x85", b"\xc2\x85"))
    assert lines_of(path) == ["a b", "", "c\x0bd\x85e", " no end"]


def test_a_line_that_is_not_utf8_is_an_error_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"good\ncaf\xe9 noir\ngood\n")
    assert lines_of(path) == [
        "good",
        "/words.txt:2: not UTF-8: byte 0xe9 at column 4; convert the file to UTF-8",
        "good",
    ]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress], ids=["gzip", "xz"])
@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_a_damaged_archive_ends_in_an_error(
    tmp_path: Path, pack: Callable[[bytes], bytes], damage: str
) -> None:
    packed = bytearray(pack(os.urandom(50_000).hex().encode() + b"\nlast\n"))
    middle = len(packed) // 2
    if damage == "cut":
        del packed[middle:]
    else:
        packed[middle : middle + 8] = b"\xff" * 8
    path = tmp_path / "words.gz"
    path.write_bytes(packed)
    last = list(open_text(path))[-1]
    assert isinstance(last, FormatError)
    assert "damaged or cut off" in str(last)
    assert "\n" not in str(last)


def test_lines_before_the_cut_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "words.gz"
    path.write_bytes(gzip.compress(b"cats sleep\n" * 3)[:-6])
    *lines, error = lines_of(path)
    assert lines == ["cats sleep"] * 3
    assert error.startswith("/words.gz:3: ")


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="No such file"):
        open_text(tmp_path / "nothing")
    with pytest.raises(FormatError, match="directory"):
        open_text(tmp_path)


def bomb(pack: Callable[[bytes], bytes]) -> bytes:
    """A line of 48 MiB between two short ones."""
    return pack(b"one\n" + b"a" * (48 << 20) + b"\nthree\n")


@pytest.mark.parametrize(
    "pack",
    [
        pytest.param(lambda data: gzip.compress(data, 1), id="gzip"),
        pytest.param(lambda data: lzma.compress(data, preset=0), id="xz", marks=pytest.mark.slow),
        pytest.param(lambda data: data, id="plain"),
    ],
)
def test_memory_is_bounded_at_a_line_beyond_the_limit(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(bomb(pack))
    tracemalloc.start()
    first, error, *rest = map(str, open_text(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert first == "one"
    assert error.startswith(f"{path}:2: the line is longer than the limit of 8 MiB")
    assert rest == (["three"] if pack(b"") == b"" else [])  # plain: it is skipped
    assert peak < 4 * MAX_LINE


def test_a_line_beyond_the_limit_is_reported_before_the_rest_of_it_is_read() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.given += len(buffer)
            buffer[:] = b"a" * len(buffer)
            return len(buffer)

    stream = Endless()
    error = next(_lines(cast(BinaryIO, stream), "<stdin>"))
    assert isinstance(error, FormatError)
    assert stream.given < 2 * MAX_LINE


class EndlessGzip:
    """Zeros without end, of which a thousand take one byte."""

    def __init__(self) -> None:
        self.packer = zlib.compressobj(9, zlib.DEFLATED, 31)

    def pack(self, data: bytes) -> bytes:
        return self.packer.compress(data) + self.packer.flush(zlib.Z_SYNC_FLUSH)


class EndlessXz(EndlessGzip):
    def __init__(self) -> None:
        self.stream = lzma.compress(b"a" * (1 << 20), preset=0)

    def pack(self, data: bytes) -> bytes:
        return self.stream  # streams may follow each other


@pytest.mark.parametrize("kind", [EndlessGzip, EndlessXz])
def test_a_compressed_file_is_not_read_beyond_a_line_that_is_too_long(
    kind: type[EndlessGzip],
) -> None:
    class Archive(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.given += 1
            assert self.given < 1000, "read on and on"
            data = endless.pack(bytes(1 << 20))[: len(buffer)]
            buffer[: len(data)] = data
            return len(data)

    endless = kind()
    (error,) = _lines(cast(BinaryIO, Archive()), "words")
    assert str(error) == (
        "words:1: the line is longer than the limit of 8 MiB: a compressed file is not read beyond "
        "such a line"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_what_must_be_a_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path(os.devnull), tmp_path):
        with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
            open_regular(path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none")
    (tmp_path / "words").write_bytes(b"one")
    with open_regular(tmp_path / "words") as file:
        assert file.read() == b"one"


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
@pytest.mark.parametrize("more", [0, 1])
def test_the_limit_of_a_line_is_exact(
    tmp_path: Path, end: bytes, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syntagma.files.reading.MAX_LINE", 1 << 20)
    path = tmp_path / "words"
    path.write_bytes(b"a" * ((1 << 20) + more) + end + b"b" * bool(end))
    first, *rest = open_text(path)
    assert isinstance(first, FormatError) == bool(more)
    assert rest == ["b"] * bool(end)


def test_xz_streams_and_padding(tmp_path: Path) -> None:
    path = tmp_path / "words.xz"
    stream = lzma.compress("käse\n".encode())
    path.write_bytes(stream + bytes(1 << 17) + stream + bytes(4))
    assert lines_of(path) == ["käse", "käse"]


def test_an_xz_file_that_needs_too_much_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.xz"
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 20}]
    packed = bytearray(lzma.compress(b"one\n", filters=filters))
    # The size of the dictionary is declared in the header of the block, which has a checksum.
    at = packed.index(b"\x21\x01", 12)
    packed[at + 2] = 38  # 2 GiB
    size = (packed[12] + 1) * 4
    packed[12 + size - 4 : 12 + size] = zlib.crc32(packed[12 : 12 + size - 4]).to_bytes(4, "little")
    path.write_bytes(packed)
    (error,) = open_text(path)
    assert isinstance(error, FormatError)
    assert "emory" in str(error)


def test_other_archives_are_named(tmp_path: Path) -> None:
    path = tmp_path / "words.bz2"
    path.write_bytes(bz2.compress(b"one two\n"))
    (error,) = open_text(path)
    assert isinstance(error, FormatError)
    assert str(error).startswith(f"{path}: compressed with bzip2: only gzip and xz are read")


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_replaced_standard_input_stays_open(
    pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced = io.TextIOWrapper(io.BytesIO(pack(b"cats sleep\n")))
    monkeypatch.setattr("sys.stdin", replaced)
    assert list(open_text("-")) == ["cats sleep"]
    assert list(open_text("-")) == []
    assert not replaced.closed
