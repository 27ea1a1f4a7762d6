"""Solves one shard at a time with a model: what a worker of either engine does."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from syntagma.batches.cutting import Piece, SliceReader
from syntagma.batches.job import BatchJob
from syntagma.batches.shards import Assignment, Rejection, ShardOutcome
from syntagma.batches.storage import UNFINISHED, Storage, reason
from syntagma.batches.tries import Tries
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
from syntagma.results.n_best import NBest
from syntagma.results.realization import Realization

CHUNK = 256  # problems that are solved together, between two signs of life
PATIENCE = 3600.0  # seconds for a chunk, apart from time limits: then the process hangs

Item = Problem | tuple[Problem, list[Any]] | FormatError
Tick = Callable[[int], object]


def load_linearizer(job: BatchJob) -> Linearizer:
    """The model of a job; raises `ModelError` if it is not the one that the job began with."""
    if content_mark(model_path(job.model)) != job.model_checksum:
        raise ModelError(
            f"the model {job.model} is not the one that this job was started with; every machine "
            "must have the same one"
        )
    return load(job.model, search=job.request.search, language_model=job.language_model)


@dataclass(slots=True)
class _Counts:
    results: int = 0
    rejected: int = 0
    unfinished: int = 0
    narrowed: int = 0

    def add(self, best: Linearization) -> None:
        self.results += 1
        self.unfinished += not best.finished
        self.narrowed += best.narrowed


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
        counts = _Counts()
        try:
            with (
                _warnings_collected() as collected,
                self._storage.create(name) as file,
                self._storage.create(rejected_name) as rejected,
            ):
                piece = self._piece(assignment)
                checked = Checked(file)
                writer = open_writer(self._job, self._linearizer.tag_column, checked)
                for place, result in self._results(assignment, piece, tries, tick):
                    if not isinstance(result, Rejection):
                        result = _write(writer, result, place, assignment)
                    if isinstance(result, Rejection):
                        counts.rejected += 1
                        rejected.write(result.as_line())
                    else:
                        counts.add(_best(result))
                writer.close()
            self._check(assignment, piece, counts)
        except BaseException:
            self._reader.close()
            with contextlib.suppress(OutputError):
                self._storage.remove(name)
                self._storage.remove(rejected_name)
            raise
        if not counts.rejected:
            self._storage.remove(rejected_name)
            rejected_name = ""
        return ShardOutcome(
            assignment.number,
            name,
            rejected_name,
            checked.size,
            checked.sha256,
            **asdict(counts),
            warnings=tuple(collected.values()),
        )

    def _piece(self, assignment: Assignment) -> Piece:
        try:
            return self._reader.piece(assignment.address, assignment.start, assignment.size)
        except reading_faults() as error:
            raise _unreadable(error, assignment) from error

    def _check(self, assignment: Assignment, piece: Piece, counts: _Counts) -> None:
        if piece.fault is not None:
            raise _unreadable(piece.fault, assignment) from piece.fault
        found = counts.results + counts.rejected
        if piece.sha256 != assignment.input_sha256 or found != assignment.records:
            raise FormatError(
                "the input has changed since the job was planned, or is damaged: restore it, or "
                "choose another output",
                assignment.source,
            )

    def _results(
        self, assignment: Assignment, piece: Piece, tries: Tries, tick: Tick
    ) -> Iterator[tuple[Place, Results | Rejection]]:
        """The result of each record, or why there is none, with the place of the record."""
        # The reader of CoNLL-U may report two faults of a last block that is not UTF-8.
        read = enumerate(self._items(assignment, piece))
        items = ((index, item) for index, item in read if index < assignment.records)
        while chunk := [*islice(items, CHUNK)]:
            if tries.careful:
                results = [self._carefully(tries, index, item) for index, item in chunk]
            else:
                results = self._solve_chunk([item for _, item in chunk])
            for (_, item), result in zip(chunk, results, strict=True):
                place = _place(assignment, item)
                if isinstance(result, SyntagmaError):
                    yield place, _rejection(assignment, item, place, result)
                else:
                    yield place, result
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
        if isinstance(result, SyntagmaError):
            return result
        if isinstance(result, Linearization):
            return self._linearizer.spell(result)
        return NBest(self._linearizer.spell(each) for each in result)


def _best(result: Results) -> Linearization:
    best: Result = result[0] if isinstance(result, Sequence) else result
    return best.linearization if isinstance(best, Realization) else best


def _place(assignment: Assignment, item: Item) -> Place:
    """The place of a record in its file; readers count the lines of the shard."""
    place = place_of(item[0] if isinstance(item, tuple) else item)
    line = assignment.line - 1
    if place is None or place.line is None:
        return Place(assignment.source)
    return Place(assignment.source, line + place.line)


def _rejection(assignment: Assignment, item: Item, place: Place, error: SyntagmaError) -> Rejection:
    reason = error.message if isinstance(error, FormatError) else str(error)
    problem = item[0] if isinstance(item, tuple) else item
    id = problem.id if isinstance(problem, Problem) else None
    return Rejection(assignment.source, place.line, id, assignment.number, reason)


def _write(
    writer: Writer, result: Results, place: Place, assignment: Assignment
) -> Results | Rejection:
    """A result that has been written, or why it cannot be."""
    try:
        writer.add(result, place)
        return result
    except (OSError, SyntagmaError):
        raise
    except Exception as error:
        id = _best(result).problem.id
        return Rejection(assignment.source, place.line, id, assignment.number, _described(error))


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
