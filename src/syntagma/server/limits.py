"""Every limit of a server: its default, its range, and how a request beyond it is answered.

docs/guide/server.md lists them; the options of `syntagma serve` are made from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Final

from syntagma.arguments import check_range
from syntagma.errors import ArgumentError, shown
from syntagma.request import MAX_BEAM

MIB: Final = 1 << 20
HOUR: Final = 3_600


def _limit(default: int, most: int, status: str, about: str) -> int:
    value: int = field(default=default, metadata={"most": most, "status": status, "about": about})
    return value


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server; each is an integer from 1 to its greatest value."""

    words: int = _limit(256, 10_000, "422", "words of a problem")
    problems: int = _limit(1_000, 100_000, "422", "problems of a batch")
    beam: int = _limit(128, MAX_BEAM, "422", "beam width that a request may ask for")
    n_best: int = _limit(50, MAX_BEAM, "422", "results per problem that a request may ask for")
    answer: int = _limit(32 * MIB, 1024 * MIB, "422", "bytes of an answer")
    body: int = _limit(4 * MIB, 256 * MIB, "413", "bytes of a request body")
    bodies: int = _limit(64 * MIB, 4096 * MIB, "503", "bytes of all request bodies in memory")
    queue: int = _limit(128, 10_000, "429", "requests that wait or run")
    seconds: int = _limit(60, HOUR, "503", "seconds that a request may wait and run")
    body_seconds: int = _limit(20, HOUR, "408", "seconds for a request body to arrive")
    connections: int = _limit(256, 10_000, "503", "open connections")
    grace: int = _limit(20, HOUR, "503", "seconds to finish what is running at a stop")

    def __post_init__(self) -> None:
        for each in fields(self):
            check_range(each.name, getattr(self, each.name), each.metadata["most"])
        if self.body > self.bodies:
            raise ArgumentError(
                f"bodies must be at least body ({self.body}), not {self.bodies}: "
                "no request of the full size would fit"
            )


def read_limits(settings: Iterable[str]) -> Limits:
    """The limits with those changed that the settings name, as in `words=100`."""
    known = [each.name for each in fields(Limits)]
    changed: dict[str, int] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in known or not value.isdecimal():
            raise ArgumentError(
                f"a limit is set as NAME=N, where NAME is one of {', '.join(known)}, "
                f"not by {shown(setting)}"
            )
        changed[name] = int(value[:12])
    return Limits(**changed)
