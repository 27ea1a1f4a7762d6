"""Worker processes that talk to their parent: one JSON value per line, over standard streams.

They are started as programs of their own, not forked: neither the threads of the caller nor the way
its main module is written matter. What a worker does is decided by its module.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any, TextIO

from syntagma import errors

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def start_worker(module: str, stderr: int | None = None) -> subprocess.Popen[str]:
    """Start a module of this package as a worker with one thread."""
    environment = dict(os.environ)
    for name in _THREADS:
        environment[name] = "1"  # one process per core
    home = str(Path(errors.__file__).parents[1])
    known = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = f"{known}{os.pathsep}{home}" if known else home
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        encoding="utf-8",
        env=environment,
    )


def open_answers() -> TextIO:
    """In a worker, the stream of its answers; to be called first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all: the parent decides
    answers = open(os.dup(1), "w", encoding="utf-8", newline="\n")  # noqa: SIM115
    os.dup2(2, 1)  # stray prints must not end up among the answers
    return answers


def end_worker(process: subprocess.Popen[str]) -> int:
    """Close the pipes of a worker, which ends it, and return its exit code."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # a broken pipe, with something left to flush
                pipe.close()
    return process.wait()


def send(stream: IO[str], value: dict[str, Any]) -> None:
    """Write a value for the other end to read at once."""
    stream.write(json.dumps(value) + "\n")
    stream.flush()
