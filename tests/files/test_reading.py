"""Reading text files: compression, encodings, damage."""

from __future__ import annotations

import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from syntagma.errors import FormatError
from syntagma.files.reading import open_text

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
