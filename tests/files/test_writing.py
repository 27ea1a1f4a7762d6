"""Output files: checked before any work, written whole or not at all; failing disks."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from syntagma.errors import OutputError
from syntagma.files.writing import atomic_write, check_output


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


# ---- outputs are checked before any work ------------------------------------------------------


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "given"
    path.write_text("precious")
    (tmp_path / "folder").mkdir()
    (tmp_path / "soft").symlink_to("given")
    (tmp_path / "soft-soft").symlink_to(tmp_path / "soft")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.link(path, tmp_path / "hard")
    return path


NAMES = ["given", "./given", "folder/../given", "soft", "soft-soft", "hard", "loop/loop/given"]


@pytest.mark.parametrize("output", NAMES)
@pytest.mark.parametrize("name", NAMES)
def test_an_input_under_any_name(given: Path, output: str, name: str) -> None:
    with pytest.raises(OutputError, match="it is also an input"):
        check_output(output, ["folder/none", None, Path(name)])
    with pytest.raises(OutputError, match="it is also an input"):
        check_output(given.parent / output, [name])


def test_a_missing_input_is_the_same_file_as_well(given: Path) -> None:
    """It may be a link whose target appears, or the message of its reader would come too late."""
    (given.parent / "dangling").symlink_to("later")
    with pytest.raises(OutputError, match="it is also an input"):
        check_output("dangling", ["later"])


def test_redirected_standard_input(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with given.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(OutputError, match=r"it is also an input \(<stdin>\)"):
            check_output("hard", ["-"])
        check_output("other", ["-"])
    monkeypatch.setattr("sys.stdin", None)
    check_output("hard", ["-"])


def test_good_outputs_leave_no_trace(given: Path) -> None:
    before = sorted(os.listdir())
    for output in ("new", "folder/new", "loop/new", given.with_name("new"), os.devnull):
        check_output(output, ["given", "soft", os.devnull, "none"])
    (given.parent / "given.copy").write_text("precious")
    check_output("given.copy", ["given"])
    os.unlink("given.copy")
    assert sorted(os.listdir()) == before
    assert os.listdir("folder") == []


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("folder", "it is a folder"),
        ("folder/", "it is a folder"),
        (".", "it is a folder"),
        ("no/new", "there is no folder .*no"),
        ("given/new", "Not a directory"),
        ("n" * 300, "File name too long"),
        ("self", "Too many levels"),
        ("a\0b", "null"),
    ],
)
def test_places_that_cannot_be_written(given: Path, output: str, reason: str) -> None:
    (given.parent / "self").symlink_to("self")
    with pytest.raises(OutputError, match=reason):
        check_output(output)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder nobody can write to")
def test_a_folder_that_takes_no_files() -> None:
    """Not even from root, to whom permissions mean nothing."""
    with pytest.raises(OutputError, match="cannot write /proc/self/new: "):
        check_output("/proc/self/new")


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is writable for root")
def test_permissions(given: Path) -> None:
    given.chmod(0o400)
    with pytest.raises(OutputError, match="Permission denied"):
        check_output("given")
    given.with_name("folder").chmod(0o500)
    with pytest.raises(OutputError, match="Permission denied"):
        check_output("folder/new")
