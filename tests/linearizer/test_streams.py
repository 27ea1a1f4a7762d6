"""What can be read ahead: regular files, not what waits for an answer."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from syntagma.linearizer.streams import Stored, is_stored


def test_a_regular_file_is_stored(tmp_path: Path) -> None:
    file, pipe = tmp_path / "bags.txt", tmp_path / "pipe"
    file.write_text("")
    os.mkfifo(pipe)
    assert is_stored(file)
    assert is_stored(str(file))
    assert not is_stored(pipe)
    assert not is_stored(tmp_path)
    assert not is_stored(tmp_path / "missing")


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bags.txt"
    file.write_text("")
    with file.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert is_stored("-")
    assert not is_stored("-")  # closed
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream, os.fdopen(writing, "w"):
        monkeypatch.setattr("sys.stdin", stream)
        assert not is_stored("-")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert not is_stored("-")


def test_stored_items_come_one_by_one() -> None:
    items = Stored(iter([1, 2, 3]))
    assert iter(items) is items
    assert next(items) == 1
    assert list(items) == [2, 3]
