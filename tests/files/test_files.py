"""Files: every kind of bad input and failing disk, and what is left behind."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from syntagma.errors import FormatError, OutputError
from syntagma.files.reading import open_text
from syntagma.files.writing import atomic_write
from syntagma.formats.problems import guess_format, read_problems
from syntagma.problem.problem import Problem

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
    with pytest.raises(FormatError, match="No such file"):
        read_problems(tmp_path / "nothing")


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_standard_input(monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(b"dog the\n\xff\n"))))
    problem, error = read_problems("-")
    assert isinstance(problem, Problem)
    assert str(error).startswith("<stdin>:2: not UTF-8")


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.conllu", "conllu"),
        ("a.conllu.xz", "conllu"),
        ("a.jsonl.gz", "jsonl"),
        ("a.json", "jsonl"),
        ("a.CoNLLU", "conllu"),
        ("a.txt", "text"),
        ("conllu", "text"),
        ("-", "text"),
    ],
)
def test_formats_are_guessed_from_names(name: str, format: str) -> None:
    assert guess_format(name) == format


@pytest.mark.parametrize("name", ["a.conllu", "a.jsonl", "a.txt"])
def test_an_empty_file_is_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.touch()
    (error,) = read_problems(path)
    assert str(error) == f"{path}: empty file: no problems"


def test_written_files_appear_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(0o640)
    with atomic_write(path, "w") as stream:
        stream.write("été\n")
        assert path.read_text() == "old"
    assert path.read_bytes() == "été\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out.txt"]


def test_links_are_kept(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    with atomic_write(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def fail_with(code: int) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize("step", ["fsync", "replace", "write"])
def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    if step != "write":
        monkeypatch.setattr(os, step, fail_with(errno.ENOSPC))

    def write() -> None:
        with atomic_write(path) as stream:
            stream.write(b"new")
            if step == "write":
                fail_with(errno.ENOSPC)()

    with pytest.raises(OutputError, match=r"out\.txt: No space left on device"):
        write()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_devices_are_written_directly() -> None:
    with (
        pytest.raises(OutputError, match="No space left"),
        atomic_write("/dev/full", "w") as stream,
    ):
        stream.write("words\n")
    with atomic_write("/dev/null") as nowhere:
        nowhere.write(b"words\n")
    assert not os.path.isfile("/dev/null")


def test_another_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")

    def write() -> None:
        with atomic_write(path) as stream:
            stream.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="directory"), atomic_write(tmp_path):
        pass
    with pytest.raises(OutputError, match="No such file"), atomic_write(tmp_path / "no" / "out"):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="Not a directory"), atomic_write(tmp_path / "file" / "x"):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is writable for root")
def test_a_folder_without_write_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="Permission denied"), atomic_write(tmp_path / "out"):
        pass
