"""Every limit of a server: its default, its range, and how a request beyond it is answered.

docs/guide/server.md lists them; the options of `syntagma serve` are made from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Final

from syntagma.arguments import check_range
from syntagma.errors import ArgumentError, shown
from syntagma.problem.limits import MAX_CHARACTERS
from syntagma.request import MAX_BEAM

MIB: Final = 1 << 20
HOUR: Final = 3_600
SMALL: Final = 1024  # so many small bodies or answers fill the memory for all of them


def _limit(default: int, most: int, status: str, about: str) -> int:
    value: int = field(default=default, metadata={"most": most, "status": status, "about": about})
    return value


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server; each is an integer from 1 to its greatest value."""

    words: int = _limit(256, 10_000, "422", "words of a problem")
    word_characters: int = _limit(
        1_000, MAX_CHARACTERS, "422", "characters of a form, lemma, tag, label or of features"
    )
    characters: int = _limit(50_000, 10_000_000, "422", "characters of a problem, all of these")
    problems: int = _limit(1_000, 100_000, "422", "problems of a batch")
    beam: int = _limit(128, MAX_BEAM, "422", "beam width that a request may ask for")
    n_best: int = _limit(50, MAX_BEAM, "422", "results per problem that a request may ask for")
    answer: int = _limit(32 * MIB, 1024 * MIB, "422", "bytes of an answer")
    answers: int = _limit(64 * MIB, 4096 * MIB, "503", "bytes of all answers in memory")
    body: int = _limit(4 * MIB, 256 * MIB, "413", "bytes of a request body")
    bodies: int = _limit(64 * MIB, 4096 * MIB, "503", "bytes of all request bodies in memory")
    queue: int = _limit(128, 10_000, "429", "requests that wait or run")
    seconds: int = _limit(60, HOUR, "503", "seconds that a request may wait and run")
    body_seconds: int = _limit(20, HOUR, "408", "seconds for a request body to arrive")
    answer_seconds: int = _limit(60, HOUR, "cut off", "seconds for a client to read an answer")
    connections: int = _limit(256, 10_000, "503", "open connections")
    grace: int = _limit(20, HOUR, "503", "seconds to finish what is running at a stop")

    def __post_init__(self) -> None:
        for each in fields(self):
            check_range(each.name, getattr(self, each.name), each.metadata["most"])
        for one, several, what in (("body", "bodies", "request"), ("answer", "answers", "answer")):
            size, room = getattr(self, one), getattr(self, several)
            if size > room:
                raise ArgumentError(
                    f"{several} must be at least {one} ({size}), not {room}: "
                    f"no {what} of the full size would fit"
                )


def is_small(size: int, most: int) -> bool:
    """Whether a body or an answer is let in even if all of them have reached their limit, so that
    large ones keep no small ones out. There are no more of them than connections."""
    return size <= most // SMALL


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
