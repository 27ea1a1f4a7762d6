"""What the engines of batch jobs and of many trainings share: worker processes and Ray.

Workers talk to their parent over standard streams, one JSON value per line. They are started as
programs of their own, not forked: neither the threads of the caller nor the way its main module is
written matter. What a worker does is decided by its module.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal, TextIO, get_args

from syntagma.errors import ArgumentError, OutputError, missing_package, shown

Engine = Literal["processes", "ray"]
MAX_JOBS = 4096
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def check_engine(engine: object, address: str | None) -> None:
    """Raise if there is no such engine, or if it has no address."""
    if engine not in get_args(Engine):
        raise ArgumentError(f"engine must be processes or ray, not {shown(engine)}")
    if address is not None and engine != "ray":
        raise ArgumentError("address goes with engine='ray' (--engine ray)")


def available_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def import_ray(user: str, part: Literal["data", "tune"] | None = None) -> Any:
    """The package, with a part of it; `user` is what needs it, for the message if it is missing."""
    try:
        import ray

        if part == "data":
            import ray.data
        elif part == "tune":
            import ray.tune
    except ImportError as error:
        raise missing_package(user, "ray", "ray", error) from error
    return ray


@contextlib.contextmanager
def connected(ray: Any, address: str | None, cores: int) -> Iterator[bool]:
    """Connect to a cluster, or start one with this many cores on this machine, and yield whether
    one was started. A connection of the caller is used as it is."""
    if ray.is_initialized():
        yield False
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report to its makers
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is None:
            ray.init(address="local", num_cpus=cores, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except Exception as error:  # Ray raises bare ones, for example if a node starts too slowly
        where = "Ray does not start" if address is None else f"no Ray cluster at {address}"
        raise OutputError(f"{where}: {ray_reason(error)}") from error
    try:
        yield address is None
    finally:
        ray.shutdown()


def ray_reason(error: BaseException) -> str:
    """What an error of Ray says, on one short line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def start_worker(module: str, stderr: int | None = None) -> subprocess.Popen[str]:
    """Start a module of this package as a worker with one thread."""
    environment = {**os.environ, **dict.fromkeys(_THREADS, "1")}  # one process per core
    home = str(Path(__file__).parents[1])
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
