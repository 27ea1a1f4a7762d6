"""Writing files whole or not at all: failing disks, and what is left behind."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from syntagma.errors import OutputError
from syntagma.files.writing import atomic_write


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
