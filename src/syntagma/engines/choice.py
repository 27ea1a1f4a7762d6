"""The engines that one can choose from, and how many workers they may have."""

from __future__ import annotations

import os
from typing import Literal, get_args

from syntagma.errors import ArgumentError, shown

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
