"""The output folder of a batch job: shards that are done, those that are missing, the manifest.

    part-00000.jsonl, part-00001.jsonl, …   one file for each shard
    _rejected.jsonl                         problems without a result, with place and reason
    _manifest.json                          settings, inputs, shards with checksums and counts
    _unfinished/                            what is not final; removed after the manifest

Spark, Arrow and pandas skip names that begin with "_" when they read the folder.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from syntagma.batches.job import (
    EXTENSIONS,
    Assignment,
    BatchJob,
    Done,
    Plan,
    Rejection,
    ShardOutcome,
    fields_of,
)
from syntagma.batches.plan import check_inputs, make_plan
from syntagma.batches.storage import UNFINISHED, Storage, save
from syntagma.batches.writers import Checked
from syntagma.errors import OutputError

MANIFEST = "_manifest.json"
REJECTED = "_rejected.jsonl"
VERSION = 1  # of the manifest
_PLAN = f"{UNFINISHED}/plan.json"
_DONE = f"{UNFINISHED}/done"


class Folder:
    """The output folder of one job."""

    def __init__(self, storage: Storage, job: BatchJob, files: list[tuple[str, str]]) -> None:
        self._storage = storage
        self._job = job
        self._files = files
        self._run = os.urandom(8).hex()
        self.plan = Plan((), ())
        self.complete = False  # with a manifest that says what there is
        self.done: dict[int, Done] = {}
        self._rejected_known = False  # whether those that an older manifest counts are there

    def open(self) -> None:
        """Read how far the job is, or begin it.

        Raises `OutputError` if the folder holds something else, or was made with other settings or
        inputs.
        """
        storage = self._storage
        # Listed first: what another part of the job puts there meanwhile is not foreign.
        foreign = [
            name for name in storage.names() if name != UNFINISHED and not name.startswith(".")
        ]
        manifest = self._read(MANIFEST)
        known = manifest or self._read(_PLAN)
        if known is None:
            if foreign:
                raise OutputError(
                    f"{storage.name} is not empty, and holds no batch job ({foreign[0]}): "
                    "choose another output"
                )
            self.plan = make_plan(self._files, self._job)
            begun = {"version": VERSION, "settings": self._job.to_json(), **asdict(self.plan)}
            save(storage, _PLAN, json.dumps(begun).encode())
            return
        finished: dict[int, Done] = {}
        try:
            different = self._job.difference_from(known["settings"])
            self.plan = Plan.from_json(known)
            if manifest is not None:
                finished = {each["number"]: fields_of(Done, each) for each in manifest["shards"]}
                rejected = manifest["rejected"]
                self.complete = self._rejected_known = storage.holds(
                    REJECTED, rejected["bytes"], rejected["sha256"]
                )
        except (AttributeError, KeyError, TypeError) as error:
            raise self._unreadable(_PLAN if manifest is None else MANIFEST, error) from error
        if different:
            raise OutputError(
                f"{storage.name} was made with {different}: give the same settings, or "
                "choose another output"
            )
        check_inputs(self.plan, self._files, self._job, storage.name)
        self.done = {
            number: done
            for number, done in finished.items()
            if self._rejected_known or not done.rejected
        }
        for name in storage.names(_DONE):
            digits, _, kind = name.partition(".")
            if kind == "json" and digits.isdecimal():
                # A damaged note is ignored.
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    note = json.loads(storage.read(f"{_DONE}/{name}") or "")
                    self.done[int(digits)] = fields_of(Done, note)

    def _read(self, name: str) -> dict[str, Any] | None:
        content = self._storage.read(name)
        if content is None:
            return None
        try:
            value = json.loads(content)
            if not isinstance(value, dict) or value.get("version") != VERSION:
                raise ValueError("it was written by another version, or another program")
        except ValueError as error:
            raise self._unreadable(name, error) from error
        return value

    def _unreadable(self, name: str, error: Exception) -> OutputError:
        place = f"{self._storage.name}/{name}"
        return OutputError(f"{place} is no file of a batch job ({error}): choose another output")

    def missing(self, part: tuple[int, int] | None) -> list[Assignment]:
        """The shards, or those of a part of the job, that are not done, in order.

        Those whose files are missing or damaged are not done.
        """
        number, parts = part or (1, 1)
        wanted = [each for each in self.plan.shards if each.number % parts == number - 1]
        for shard in wanted:
            done = self.done.get(shard.number)
            if done and not self._storage.holds(done.file, done.bytes, done.sha256):
                del self.done[shard.number]
                self.complete = False
        width = max(5, len(str(len(self.plan.shards) - 1)))
        extension = EXTENSIONS[self._job.format] + ".gz" * self._job.gzip
        return [
            Assignment(
                **asdict(shard),
                run=self._run,
                name=f"part-{shard.number:0{width}d}{extension}",
                source=self.plan.inputs[shard.input].source,
                address=self._files[shard.input][1],
                format=self.plan.inputs[shard.input].format,
            )
            for shard in wanted
            if shard.number not in self.done
        ]

    def clean(self) -> None:
        """Remove what earlier runs have left half written."""
        for name in self._storage.names(UNFINISHED):
            if name.startswith(("part-", "new-")):
                self._storage.remove(f"{UNFINISHED}/{name}")

    def commit(self, outcome: ShardOutcome, done: Done) -> None:
        """Move the files of a shard to their names, then note that it is done."""
        storage, number = self._storage, outcome.number
        rejected = f"{_DONE}/{number:05d}.rejected"
        if outcome.rejected_written:
            storage.move(outcome.rejected_written, rejected)
        else:
            storage.remove(rejected)
        storage.move(outcome.written, done.file)
        save(storage, f"{_DONE}/{number:05d}.json", json.dumps(asdict(done)).encode())
        self.done[number] = done

    def finish(self) -> None:
        """All shards are done: write what was rejected, the manifest, and remove the rest."""
        storage = self._storage
        if self.complete and not storage.names(UNFINISHED):
            return
        new = f"{UNFINISHED}/rejected"
        count = 0
        with storage.create(new) as file:
            checked = Checked(file)
            for line in self._rejections():
                checked.write(line)
                count += 1
        storage.move(new, REJECTED)
        rejected = {
            "file": REJECTED,
            "bytes": checked.size,
            "sha256": checked.sha256,
            "records": count,
        }
        head = {
            "version": VERSION,
            "settings": self._job.to_json(),
            "totals": self.totals(),
            "rejected": rejected,
            "inputs": [asdict(each) for each in self.plan.inputs],
        }
        shards = ",\n".join(
            json.dumps({**asdict(shard), **asdict(self.done[shard.number])})
            for shard in self.plan.shards
        )  # one per line
        text = json.dumps(head, indent=1, ensure_ascii=False)
        save(storage, MANIFEST, f'{text[:-2]},\n "shards": [\n{shards}\n ]\n}}\n'.encode())
        storage.remove(UNFINISHED)
        self.complete = True

    def _rejections(self) -> Iterator[bytes]:
        """The lines of inputs that are damaged, then those of records, shard by shard."""
        for each in self.plan.inputs:
            if each.fault is not None:
                fault = Rejection(each.source, each.fault_line, None, None, each.fault)
                yield fault.as_line()
        older: dict[int, list[bytes]] = {}
        if self._rejected_known:
            for line in (self._storage.read(REJECTED) or b"").splitlines(keepends=True):
                older.setdefault(json.loads(line)["shard"], []).append(line)
        for number, done in sorted(self.done.items()):
            if done.rejected:
                new = self._storage.read(f"{_DONE}/{number:05d}.rejected")
                lines = older.get(number, []) if new is None else new.splitlines(keepends=True)
                if len(lines) != done.rejected:
                    raise OutputError(
                        f"{self._storage.name}/{REJECTED} lacks records of {done.file}: remove "
                        "that file and run the job again"
                    )
                yield from lines

    def totals(self) -> dict[str, int]:
        """The counts of the shards that are done."""
        done = self.done.values()
        names = ("results", "rejected", "unfinished", "narrowed", "bytes")
        counts = {name: sum(getattr(each, name) for each in done) for name in names}
        problems = counts["results"] + counts["rejected"]
        return {"shards": len(self.done), "problems": problems, **counts}
