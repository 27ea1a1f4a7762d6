"""The plan of a batch job: its inputs and the shards that they are cut into.

It depends on the settings and on the inputs' content only, so that every run of the job, on
whatever machines, has the same shards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any

from syntagma.batches.cutting import Cut, cut_file
from syntagma.batches.job import BatchJob
from syntagma.batches.storage import input_mark
from syntagma.errors import ArgumentError, FormatError, OutputError
from syntagma.formats.problems import InputFormat, guess_format


@dataclass(frozen=True, slots=True)
class Input:
    """An input file: its name for messages, what identifies its content, and any damage."""

    source: str
    format: InputFormat
    mark: str
    sha256: str
    records: int
    fault: str | None = None
    fault_line: int | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """A range of records of one input, numbered through the job."""

    number: int
    input: int  # index of the file
    start: int
    size: int
    line: int
    records: int
    input_sha256: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The inputs of a job and its shards."""

    inputs: tuple[Input, ...]
    shards: tuple[Shard, ...]

    @property
    def records(self) -> int:
        return sum(shard.records for shard in self.shards)

    def to_json(self) -> dict[str, Any]:
        return {
            "inputs": [asdict(each) for each in self.inputs],
            "shards": [asdict(each) for each in self.shards],
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Plan:
        names = Shard.__slots__
        return cls(
            tuple(Input(**each) for each in value["inputs"]),
            tuple(Shard(**{name: each[name] for name in names}) for each in value["shards"]),
        )


def make_plan(files: Iterable[tuple[str, str]], job: BatchJob) -> Plan:
    """Cut these files, each a name and an address, into shards."""
    inputs: list[Input] = []
    shards: list[Shard] = []
    for source, address in files:
        found, cuts = _examine(source, address, job)
        shards += [
            Shard(len(shards) + index, len(inputs), *astuple(cut)) for index, cut in enumerate(cuts)
        ]
        inputs.append(found)
    if not shards:
        faults = [each for each in inputs if each.fault is not None]
        if faults:
            raise FormatError(faults[0].fault or "", faults[0].source, faults[0].fault_line)
        raise ArgumentError("the inputs are empty: there is no problem to solve")
    return Plan(tuple(inputs), tuple(shards))


def check_inputs(plan: Plan, files: list[tuple[str, str]], job: BatchJob, output: str) -> None:
    """Raise `OutputError` unless these files hold what the plan was made for.

    A file is read again only if its size or the time of its last change differ.
    """
    if len(files) != len(plan.inputs):
        count = len(plan.inputs)
        raise OutputError(
            f"{output} was made with {count} input file{'s' * (count != 1)}, now there are "
            f"{len(files)}: give the same inputs, or choose another output"
        )
    for (source, address), known in zip(files, plan.inputs, strict=True):
        if source == known.source and input_mark(address, source) == known.mark:
            continue
        again, _ = _examine(source, address, job)
        if replace(again, source=known.source, mark=known.mark) != known:
            raise OutputError(
                f"{source} is not what {output} was made with ({known.source}): give the same "
                "inputs, or choose another output"
            )


def _examine(source: str, address: str, job: BatchJob) -> tuple[Input, tuple[Cut, ...]]:
    """An input, and the ranges of records that it is cut into."""
    format, mark = _format(source, job), input_mark(address, source)
    found = cut_file(address, source, format, job.shard_size)
    checksums = "".join(cut.sha256 for cut in found.cuts)
    described = Input(
        source,
        format,
        mark,
        hashlib.sha256(checksums.encode()).hexdigest(),
        sum(cut.records for cut in found.cuts),
        None if found.fault is None else found.fault.message,
        None if found.fault is None else found.fault.line,
    )
    return described, found.cuts


def _format(source: str, job: BatchJob) -> InputFormat:
    """The format of an input: the one given, or the one that its name implies."""
    if job.input_format is not None:
        return job.input_format
    format = guess_format(source)
    if format == "sr11" or source.lower().endswith(".parquet"):
        raise FormatError("a batch job reads text, JSON lines and CoNLL-U, not this format", source)
    return format
