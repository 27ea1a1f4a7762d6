"""The engines to choose from, how many workers they may have, and the connection to Ray."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, get_args

from syntagma.errors import ArgumentError, OutputError, missing_package, shown

Engine = Literal["processes", "ray"]
MAX_JOBS = 4096


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


@contextmanager
def connected(ray: Any, address: str | None, cores: int) -> Iterator[bool]:
    """Connect to a cluster, or start one with so many cores on this machine, unless the caller has.

    Yields whether it was started.
    """
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
