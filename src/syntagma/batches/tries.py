"""Notes on shards whose workers died, so that a record that kills workers is found and skipped.

A worker notes that it begins a shard, and removes the note when it ends in whatever way it can
control. A note of the same run of the driver is that of a worker that died. Notes of other runs are
ignored: the whole job was stopped. After two deaths the records are solved one at a time, each
noted before; one on which workers die twice is skipped.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from syntagma.batches.storage import UNFINISHED, Storage

CAREFUL_AFTER = 2  # deaths
STRIKES = 2  # deaths on one record, after which it is skipped
MAX_DEATHS = 50  # on one shard: then it is left undone, and named


@dataclass(slots=True)
class Tries:
    """The deaths of workers on one shard so far."""

    storage: Storage
    run: str
    number: int
    deaths: int = 0
    strikes: dict[int, int] = field(default_factory=dict)  # by the index of the record

    @classmethod
    def begin(cls, storage: Storage, run: str, number: int) -> Tries:
        """Note that a worker begins this shard."""
        tries = cls(storage, run, number)
        noted = storage.read(tries._name)
        if noted is not None:
            tries._learn(noted)
        tries.note()
        return tries

    @property
    def careful(self) -> bool:
        return self.deaths >= CAREFUL_AFTER

    @property
    def hopeless(self) -> bool:
        return self.deaths >= MAX_DEATHS

    def is_deadly(self, record: int) -> bool:
        return self.strikes.get(record, 0) >= STRIKES

    def note(self, record: int | None = None) -> None:
        """Note that the worker is alive, and the record that it takes up."""
        value = {"run": self.run, "deaths": self.deaths, "at": record, "strikes": self.strikes}
        self.storage.jot(self._name, json.dumps(value).encode())

    def end(self) -> None:
        """The worker lives: the note is removed."""
        self.storage.remove(self._name)

    @property
    def _name(self) -> str:
        return f"{UNFINISHED}/tries/{self.number:05d}.json"

    def _learn(self, noted: bytes) -> None:
        try:
            value = json.loads(noted)
            self.deaths = int(value["deaths"])
            self.strikes = {int(key): int(count) for key, count in value["strikes"].items()}
            if value["run"] == self.run:
                self.deaths += 1
                if value["at"] is not None:
                    self.strikes[value["at"]] = self.strikes.get(value["at"], 0) + 1
        except (ValueError, KeyError, TypeError, AttributeError):
            self.deaths = 1  # cut off while it was written
