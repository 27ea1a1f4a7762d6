"""What the server refuses: every limit, its default, and the option of `syntagma serve` that sets it.

The table in docs/guide/server.md is written from `LIMITS`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Final

from syntagma.errors import ArgumentError
from syntagma.transition.budget import MAX_BEAM, MAX_THREADS, check_range

MIB: Final = 1 << 20


def _limit(default: int, most: int, status: str, about: str) -> int:
    value: int = field(default=default, metadata={"most": most, "status": status, "about": about})
    return value


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server; each is an integer from 1 to its greatest value."""

    words: int = _limit(256, 10_000, "422", "words of a problem")
    problems: int = _limit(1_000, 100_000, "422", "problems of a batch")
    body: int = _limit(4 * MIB, 256 * MIB, "413", "bytes of a request body")
    bodies: int = _limit(64 * MIB, 4096 * MIB, "503", "bytes of all request bodies at a time")
    beam: int = _limit(128, MAX_BEAM, "422", "beam width that a request may ask for")
    n_best: int = _limit(50, MAX_BEAM, "422", "results per problem that a request may ask for")
    queue: int = _limit(128, 10_000, "429", "requests that wait or run at a time")
    seconds: int = _limit(60, 3_600, "503", "seconds from the end of a request to its answer")
    body_seconds: int = _limit(20, 3_600, "408", "seconds in which the body must arrive")
    header_seconds: int = _limit(10, 3_600, "–", "seconds in which the header must arrive")
    write_seconds: int = _limit(20, 3_600, "–", "seconds in which the client must read the answer")
    connections: int = _limit(256, 10_000, "503", "open connections")
    grace: int = _limit(20, 3_600, "503", "seconds that SIGTERM leaves to what is running")

    def __post_init__(self) -> None:
        for each in fields(self):
            check_range(each.name, getattr(self, each.name), each.metadata["most"])
        if self.body > self.bodies:
            raise ArgumentError(
                f"bodies must be at least as large as body ({self.body}), not {self.bodies}"
            )


def check_threads(threads: int) -> int:
    return check_range("threads", threads, MAX_THREADS)
