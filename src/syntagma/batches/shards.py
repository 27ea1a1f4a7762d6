"""Messages between a driver and its workers: what is to be done, and what has been done.

They are plain JSON, whichever engine carries them.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import asdict, dataclass
from typing import Any

from syntagma import errors
from syntagma.errors import SyntagmaError
from syntagma.formats.problems import InputFormat


@dataclass(frozen=True, slots=True)
class Assignment:
    """A shard to be solved: a range of records of a file, and the name of its output."""

    number: int
    run: str  # identifies the driver's run
    name: str
    source: str
    address: str
    format: InputFormat
    start: int
    size: int
    line: int
    records: int
    input_sha256: str

    @property
    def label(self) -> str:
        """The shard as messages name it."""
        count = f"{self.records} problem{'s' * (self.records != 1)}"
        return f"shard {self.number} ({self.source}, {count} from line {self.line})"


@dataclass(frozen=True, slots=True)
class ShardOutcome:
    """What became of a shard: two files that wait to be moved to their names, and counts.

    If `failed` says why, there are no files.
    """

    number: int
    written: str = ""
    rejected_written: str = ""
    bytes: int = 0
    sha256: str = ""
    results: int = 0
    rejected: int = 0
    unfinished: int = 0
    narrowed: int = 0
    warnings: tuple[tuple[str, str], ...] = ()  # message and topic
    failed: str = ""

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ShardOutcome:
        warnings = tuple((text, topic) for text, topic in value["warnings"])
        return cls(**{**value, "warnings": warnings})


ShardOutcomes = Generator[ShardOutcome, None, None]  # of an engine; closed, it ends all workers


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record without a result: where it stands, and why."""

    source: str
    line: int | None
    id: str | None
    shard: int | None  # None: a whole input that is damaged
    reason: str

    def as_line(self) -> bytes:
        """A line of JSON."""
        return (json.dumps(asdict(self), ensure_ascii=False) + "\n").encode()


def error_of(kind: str, message: str) -> Exception:
    """An error that ends the job, as a worker reports it: by the name of its class."""
    known = getattr(errors, kind, None)
    if isinstance(known, type) and issubclass(known, SyntagmaError):
        return known(message)
    return RuntimeError(f"{kind}: {message}")
