"""Temporary files are known, and gone when their time is over; real signals are in cli/."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from syntagma.files import temporary
from syntagma.files.writing import atomic_write

# In a process of its own, since nothing can be written after `abandon`.
ABANDON = """
import os, sys
from pathlib import Path
from syntagma.files import temporary
from syntagma.files.locking import locked
from syntagma.files.writing import atomic_write
here = Path(sys.argv[1])
with atomic_write(here / "done") as stream: stream.write(b"done")
folder = here / "folder"
temporary.note(folder)
(folder / "deeper").mkdir(parents=True)
(folder / "deeper" / "file").touch()
with atomic_write(here / "half") as stream:
    with locked(here / "half"):
        stream.write(b"half")
        print(len(os.listdir(here)))
        sys.stdout.flush()
        temporary.abandon()
        os._exit(0)
"""


def test_abandoned_files(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ABANDON, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "4\n"
    assert os.listdir(tmp_path) == ["done"]


def test_nothing_is_remembered(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a"), atomic_write(tmp_path / "b", "w"):
        assert len(temporary._paths) == 2
    assert not temporary._paths
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_two_writers_of_one_file(tmp_path: Path) -> None:
    """Even in one process: the last to finish wins, with all that it wrote."""
    path = tmp_path / "out"
    with atomic_write(path, "w") as last:
        last.write("la")
        with atomic_write(path, "w") as first:
            first.write("first")
        assert path.read_text() == "first"
        last.write("st")
    assert path.read_text() == "last"
    assert os.listdir(tmp_path) == ["out"]


def test_a_long_name(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    with atomic_write(path) as stream:
        stream.write(b"words")
    assert path.read_bytes() == b"words"
