"""A register of temporary files: a process that is killed by a signal can remove them all.

The library handles no signals. The command line does (`cli/process.py`), and calls `abandon`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from pathlib import Path

_PATIENCE = 5.0  # seconds that `abandon` waits for a step in progress

# Held for a short step that `abandon` waits for, such as creating a file and noting its name.
undisturbed = threading.RLock()

_paths: dict[Path, None] = {}


def note(path: Path) -> None:
    """Let `abandon` remove this file or folder."""
    with undisturbed:
        _paths[path] = None


def forget(path: Path) -> None:
    """Let `abandon` leave this file or folder where it is."""
    with undisturbed:
        _paths.pop(path, None)


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that it holds, if it is there."""
    with undisturbed:
        forget(path)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                os.unlink(path)


def unused_name(folder: Path, suffix: str = "") -> Path:
    """A name in this folder that no other process or thread will choose."""
    return folder / f".syntagma-{os.urandom(8).hex()}{suffix}"


def abandon() -> None:
    """Remove all temporary files; the process must exit right after.

    May be called in any thread. No other thread can create or rename a file from then on.
    """
    undisturbed.acquire(timeout=_PATIENCE)
    for path in list(_paths):
        remove(path)
