"""Solves one shard at a time with a model: what a worker of either engine does.

A problem that kills workers is found and skipped. A worker notes that it begins a shard, and
removes the note when it ends in whatever way it can control. So a note of the same run of the
driver is that of a worker that died. Notes of other runs are ignored: the whole job was stopped.
After two deaths the records are solved one at a time, each noted before; one on which workers die
twice is skipped.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from syntagma.batches.job import Assignment, BatchJob, Done, Rejection, ShardOutcome
from syntagma.batches.plan import Piece, SliceReader
from syntagma.batches.storage import UNFINISHED, Storage, reason
from syntagma.batches.writers import Checked, Writer, open_writer
from syntagma.errors import (
    FormatError,
    ModelError,
    OutputError,
    ProblemError,
    SyntagmaError,
    SyntagmaWarning,
)
from syntagma.files.reading import Place, decoded_lines, reading_faults
from syntagma.formats.conllu import Lemmas
from syntagma.formats.problems import ordered_of, place_of, problems_of
from syntagma.formats.results import Result, Results
from syntagma.formats.text import split_bag
from syntagma.linearizer.linearizer import Linearizer, load
from syntagma.models.container import content_mark
from syntagma.models.loading import model_path
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, Realization

CHUNK = 256  # problems that are solved together, between two signs of life
PATIENCE = 3600.0  # seconds for a chunk, apart from time limits: then the process hangs
CAREFUL_AFTER = 2  # deaths
STRIKES = 2  # deaths on one record, after which it is skipped
MAX_DEATHS = 50  # on one shard: then it is left undone, and named

Item = Problem | tuple[Problem, list[Any]] | FormatError
Tick = Callable[[int], object]


def load_linearizer(job: BatchJob) -> Linearizer:
    """The model of a job, with its judge; raises `ModelError` if one of them is not the one that
    the job began with."""
    if content_mark(model_path(job.model)) != job.model_checksum:
        raise ModelError(
            f"the model {job.model} is not the one that this job was started with; every machine "
            "must have the same one"
        )
    linearizer = load(
        job.model,
        search=job.request.search,
        language_model=job.language_model,
        judge=job.judge,
        judge_weight=job.judge_weight,
        judge_errors=job.judge_errors,
    )
    found = judge_signature(linearizer)
    if job.judge_signature not in (None, found):
        raise ModelError(
            f"the judge is {found}, but this job was started with {job.judge_signature}; every "
            "machine must have the same one, and the same runtime"
        )
    return linearizer


def judge_signature(linearizer: Linearizer) -> str | None:
    """Which judge there is, its weights and its runtime."""
    return " ".join(linearizer.judge.about.values()) if linearizer.judge else None


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


class ShardSolver:
    """Solves shards of a job. The outputs wait in the folder of what is unfinished; only the driver
    moves them to their names, so that no shard is ever written twice."""

    def __init__(self, job: BatchJob, storage: Storage, *, expendable: bool = False) -> None:
        """`expendable` says that the process, if it hangs, may be ended, as another takes over."""
        self._job = job
        self._storage = storage
        self._expendable = expendable
        self._linearizer = load_linearizer(job)
        self._reader = SliceReader()

    def solve(self, assignment: Assignment, tick: Tick = lambda count: None) -> ShardOutcome:
        """Solve a shard; `tick` is told how many problems are done since the last time."""
        tries = Tries.begin(self._storage, assignment.run, assignment.number)
        try:
            if tries.hopeless:
                return ShardOutcome(assignment.number, failed=f"{tries.deaths} workers died on it")
            return self._solve(assignment, tries, tick)
        except FormatError as error:
            return ShardOutcome(assignment.number, failed=str(error))
        finally:
            if self._expendable:
                faulthandler.cancel_dump_traceback_later()
            tries.end()

    def _solve(self, assignment: Assignment, tries: Tries, tick: Tick) -> ShardOutcome:
        name = f"{UNFINISHED}/{assignment.name}.{os.urandom(4).hex()}"
        rejected_name = f"{name}.rejected"
        counts = dict.fromkeys(("results", "rejected", "unfinished", "narrowed"), 0)
        try:
            with (
                _warnings_collected() as collected,
                self._storage.create(name) as file,
                self._storage.create(rejected_name) as rejected,
            ):
                piece = self._piece(assignment)
                checked = Checked(file)
                writer = open_writer(self._job, self._linearizer.tag_column, checked)
                for item, result in self._results(assignment, piece, tries, tick):
                    problem = item[0] if isinstance(item, tuple) else item
                    place = _place(assignment, problem)
                    fault = _write(writer, result, place)
                    if fault is None:
                        counts["results"] += 1
                        best = _best(result)
                        counts["unfinished"] += not best.finished
                        counts["narrowed"] += best.narrowed
                    else:
                        counts["rejected"] += 1
                        at = (place.source, place.line, problem.id)
                        line = Rejection(*at, assignment.number, fault)
                        rejected.write(line.as_line())
                writer.close()
            _check(assignment, piece, counts["results"] + counts["rejected"])
        except BaseException:
            self._reader.close()
            with contextlib.suppress(OutputError):
                self._storage.remove(name)
                self._storage.remove(rejected_name)
            raise
        if not counts["rejected"]:
            self._storage.remove(rejected_name)
            rejected_name = ""
        done = Done(assignment.name, checked.size, checked.sha256, **counts)
        warned = tuple(collected.values())
        return ShardOutcome(assignment.number, name, rejected_name, done, warned)

    def _piece(self, assignment: Assignment) -> Piece:
        try:
            return self._reader.piece(assignment.address, assignment.start, assignment.size)
        except reading_faults() as error:
            raise _unreadable(error, assignment) from error

    def _results(
        self, assignment: Assignment, piece: Piece, tries: Tries, tick: Tick
    ) -> Iterator[tuple[Item, Any]]:
        """Each record with its result, or the error that says why there is none."""
        # The reader of CoNLL-U may report two faults of a last block that is not UTF-8.
        read = enumerate(self._items(assignment, piece))
        items = ((index, item) for index, item in read if index < assignment.records)
        while chunk := [*islice(items, CHUNK)]:
            if tries.careful:
                results = [self._carefully(tries, index, item) for index, item in chunk]
            else:
                results = self._solve_chunk([item for _, item in chunk])
            yield from zip((item for _, item in chunk), results, strict=True)
            tick(len(chunk))

    def _items(self, assignment: Assignment, piece: Piece) -> Iterator[Item]:
        job = self._job
        split: Callable[[str], list[str]] = split_bag
        if job.tokenize:
            from syntagma.formats.tokenization import words

            split = words
        source, format = assignment.source, assignment.format
        lines = decoded_lines(piece.lines(), source, from_start=assignment.start == 0)
        tag_column = self._linearizer.tag_column
        if job.request.operation == "score":
            return ordered_of(lines, source, format, tag_column, split)
        lemmas: Lemmas | None = "column" if job.request.operation == "realize" else None
        return problems_of(lines, source, format, tag_column, lemmas, split)

    def _carefully(self, tries: Tries, index: int, item: Item) -> Results | SyntagmaError:
        if tries.is_deadly(index):
            return ProblemError(
                f"{tries.strikes[index]} worker processes died on this problem; to find out why, "
                "try it alone"
            )
        tries.note(index)
        return self._solve_chunk([item])[0]

    def _solve_chunk(self, items: list[Item]) -> list[Results | SyntagmaError]:
        if self._expendable:
            seconds = PATIENCE + 2 * len(items) * (self._job.request.timeout or 0)
            faulthandler.dump_traceback_later(seconds, exit=True, file=2)
        try:
            return self._solve_together(items)
        except (OSError, SyntagmaError):
            raise
        except Exception as error:  # a bug, or memory: only one of them may be to blame
            if len(items) > 1:
                return [result for item in items for result in self._solve_chunk([item])]
            return [ProblemError(_described(error))]

    def _solve_together(self, items: list[Any]) -> list[Results | SyntagmaError]:
        found = [*self._linearizer.solve(items, self._job.request, on_error="yield")]
        return [self._spelled(result) for result in found] if self._job.detokenize else found

    def _spelled(self, result: Any) -> Results | SyntagmaError:
        if isinstance(result, NBest):
            return NBest(map(self._linearizer.spell, result))
        return result if isinstance(result, SyntagmaError) else self._linearizer.spell(result)


def _check(assignment: Assignment, piece: Piece, records: int) -> None:
    if piece.fault is not None:
        raise _unreadable(piece.fault, assignment) from piece.fault
    if piece.sha256 != assignment.input_sha256 or records != assignment.records:
        raise FormatError(
            "the input has changed since the job was planned, or is damaged: restore it, or "
            "choose another output",
            assignment.source,
        )


def _best(result: Results) -> Linearization:
    best: Result = result[0] if isinstance(result, Sequence) else result
    return best.linearization if isinstance(best, Realization) else best


def _place(assignment: Assignment, problem: Problem | FormatError) -> Place:
    """The place of a record in its file; readers count the lines of the shard."""
    place = place_of(problem)
    if place is None or place.line is None:
        return Place(assignment.source)
    return Place(assignment.source, assignment.line - 1 + place.line)


def _write(writer: Writer, result: Results | SyntagmaError, place: Place) -> str | None:
    """Write a result; if there is none, or if it cannot be written, say why."""
    if isinstance(result, SyntagmaError):
        return result.message if isinstance(result, FormatError) else str(result)
    try:
        writer.add(result, place)
        return None
    except (OSError, SyntagmaError):
        raise
    except Exception as error:
        return _described(error)


def _described(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "out of memory: take a smaller beam, or limit max_words"
    return f"{type(error).__name__}: {error} (a bug of Syntagma)"


def _unreadable(error: Exception, assignment: Assignment) -> FormatError:
    return FormatError(f"cannot be read any more: {reason(error)}", assignment.source)


@contextlib.contextmanager
def _warnings_collected() -> Iterator[dict[str, tuple[str, str]]]:
    """Keep the first warning of the package on each topic, by text and topic; show all others."""
    collected: dict[str, tuple[str, str]] = {}

    def collect(message: Warning | str, category: type[Warning], *more: Any, **place: Any) -> None:
        if issubclass(category, SyntagmaWarning):
            text, topic = str(message), str(getattr(message, "topic", ""))
            collected.setdefault(topic or text, (text, topic))
        else:
            show(message, category, *more, **place)

    with warnings.catch_warnings():
        warnings.simplefilter("always", SyntagmaWarning)
        show, warnings.showwarning = warnings.showwarning, collect
        yield collected
