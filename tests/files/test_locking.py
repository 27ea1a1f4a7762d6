"""Locks on outputs, held by threads and by real processes, some of which are killed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from syntagma.errors import OutputError, SyntagmaWarning
from syntagma.files import locking
from syntagma.files.locking import locked

HOLD = """
import sys
from pathlib import Path
from syntagma.files.locking import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def hold(output: Path) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(output)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    return holder


def test_another_process_holds_it(tmp_path: Path) -> None:
    output = tmp_path / "model"
    (tmp_path / "link").symlink_to(output)
    with hold(output) as holder:
        for name in (output, tmp_path / "link"):
            with pytest.raises(OutputError) as caught, locked(name):
                pass
            assert str(caught.value) == (
                f"cannot write {name}: another training with this output is under way "
                f"(process {holder.pid}); wait for it, or choose another output"
            )
        with locked(tmp_path / "other"):
            pass
        holder.communicate("")
    with locked(output):
        pass
    assert os.listdir(tmp_path) == ["link"]


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    output = tmp_path / "model"
    with hold(output) as holder:
        holder.kill()
    with locked(output):
        pass
    assert os.listdir(tmp_path) == []


def test_one_of_many_threads_at_a_time(tmp_path: Path) -> None:
    """Holders remove the file of their lock: nobody may take a removed file for the lock."""
    inside = entered = refused = 0
    most = 0
    counts = threading.Lock()

    def work() -> None:
        nonlocal inside, entered, refused, most
        for _ in range(100):
            try:
                with locked(tmp_path / "model"):
                    with counts:
                        inside += 1
                        entered += 1
                        most = max(most, inside)
                    with counts:
                        inside -= 1
            except OutputError:
                with counts:
                    refused += 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, entered + refused) == (1, 400)
    assert os.listdir(tmp_path) == []


def test_a_device_has_no_lock() -> None:
    with locked(Path(os.devnull)), locked(Path(os.devnull)):
        pass


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int, shared: bool) -> bool:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(locking, "_lock", fail)
    with pytest.warns(SyntagmaWarning, match="has no locks"), locked(tmp_path / "model"):
        pass
    assert os.listdir(tmp_path) == []


def test_a_shared_lock_excludes_only_those_who_want_it_alone(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with locking.lock_file(path, tmp_path, "job", shared=True):
        with locking.lock_file(path, tmp_path, "job", shared=True):
            pass
        with (
            pytest.raises(OutputError, match="another job with this output is under way;"),
            locking.lock_file(path, tmp_path, "job"),
        ):
            pass
    with locking.lock_file(path, tmp_path, "job"):
        refused = pytest.raises(OutputError, match=f"process {os.getpid()}")
        with refused, locking.lock_file(path, tmp_path, "job", shared=True):
            pass
    assert os.listdir(tmp_path) == []
