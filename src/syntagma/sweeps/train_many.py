"""`train_many`: trains, measures and packs a model for every treebank of a collection."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syntagma.arguments import check_range
from syntagma.engines import MAX_JOBS, Engine, available_cores, check_engine
from syntagma.errors import ArgumentError, OutputError, SyntagmaError, TrainingError, shown
from syntagma.files.locking import locked
from syntagma.files.paths import check_path
from syntagma.files.writing import atomic_write
from syntagma.models.packaging import check_name
from syntagma.neural.settings import NeuralSettings
from syntagma.sweeps.collection import FoundTreebank, find_treebanks
from syntagma.sweeps.job import TrainingJob
from syntagma.sweeps.processes import work_in_processes, work_with_ray
from syntagma.sweeps.record import (
    Record,
    changed_settings,
    figures_table,
    is_done,
    read_record,
    write_json,
)
from syntagma.sweeps.work import TrainingOutcome, describe_error
from syntagma.treebanks.settings import MAX_SENTENCES, Settings


@dataclass(frozen=True, slots=True)
class TrainManyReport:
    """What `train_many` found and did, each by the name of the treebank.

    `figures` are those of all treebanks that are done, as in their files `figures.json`, `failed`
    the errors of the others. Those in `kept` were done before. Those in `left_out` have no file to
    learn from.
    """

    output: Path
    figures: dict[str, dict[str, Any]]
    failed: dict[str, str]
    kept: tuple[str, ...]
    left_out: tuple[str, ...]

    def table(self) -> str:
        """BLEU of all treebanks as a table in Markdown, and what failed below it."""
        return figures_table(self.figures, self.failed)


def train_many(
    folders: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    settings: Settings | None = None,
    limit: int | None = None,
    jobs: int | None = None,
    engine: Engine = "processes",
    address: str | None = None,
    on_start: Callable[[int, int], object] = lambda treebanks, done: None,
    on_progress: Callable[[str, str], object] = lambda treebank, step: None,
    on_treebank: Callable[[str, str], object] = lambda treebank, error: None,
) -> TrainManyReport:
    """Train, measure and pack a model for each treebank below some folders.

    Treebanks are found by the names of their files, NAME-ud-train.conllu, -dev and -test, as in
    Universal Dependencies. In the folder `output`, each has a folder of its own with the model, its
    log, its figures and its package; `table.md` and `table.json` are about all of them. A model is
    measured on the test set, or on its first sentences up to `limit`; without one, on the
    development set.

    The same call again does what is missing: a model that is finished stays, a training that was
    interrupted resumes. With other settings it raises `TrainingError`. A treebank that fails does
    not stop the others: its error is in the report.

    The engine "processes" trains `jobs` treebanks at a time on this machine, by default one per
    core; "ray" makes a task of each treebank, on the cluster at `address` or on this machine. Each
    training uses one thread.

    For progress, `on_start` is called with the number of treebanks, and how many are done already,
    `on_progress` with the name of a treebank and what is being done for it (not with Ray), and
    `on_treebank` with each that is done or, with an error, failed.
    """
    check_engine(engine, address)
    if address is not None and jobs is not None:
        raise ArgumentError("jobs (--jobs) is for this machine: a cluster uses the cores it has")
    settings = NeuralSettings() if settings is None else settings
    if not isinstance(settings, Settings):
        raise TrainingError(f"settings must be those of a learner, not {shown(settings)}")
    if limit is not None:
        limit = check_range("limit", limit, MAX_SENTENCES)
    cores = check_range("jobs", available_cores() if jobs is None else jobs, MAX_JOBS)
    check_path(output, "output")
    output = Path(output)
    found = find_treebanks(folders)
    all_jobs = [TrainingJob(each, output / each.name, settings, limit) for each in found.treebanks]
    _make(output)
    with locked(output / "table.json"):
        _check_settings(output, all_jobs)
        state = _find_missing(all_jobs)
        on_start(len(all_jobs), len(state.kept))
        for name, error in state.failed.items():
            on_treebank(name, error)
        for outcome in _outcomes(state.missing, engine, address, cores, on_progress):
            if outcome.record is None:
                state.failed[outcome.name] = outcome.error
            on_treebank(outcome.name, outcome.error)
        figures = {
            job.treebank.name: record
            for job in all_jobs
            if job.treebank.name not in state.failed and (record := read_record(job)) is not None
        }
        report = TrainManyReport(
            output, figures, dict(sorted(state.failed.items())), state.kept, found.without_training
        )
        _write_tables(report)
    return report


@dataclass(slots=True)
class _State:
    """How far the treebanks are before a run."""

    missing: list[TrainingJob]  # the largest first, so that none of them is left alone at the end
    kept: tuple[str, ...]
    failed: dict[str, str]


def _find_missing(jobs: Sequence[TrainingJob]) -> _State:
    kept, missing, failed = [], [], {}
    for job in jobs:
        try:
            check_name(job.model_name)
            _check_place(job)
            if is_done(job):
                kept.append(job.treebank.name)
            else:
                missing.append(job)
        except (SyntagmaError, OSError) as error:
            failed[job.treebank.name] = describe_error(error, job.folder, job.log)
    missing.sort(key=lambda job: -_size(job.treebank))
    return _State(missing, tuple(kept), failed)


def _size(treebank: FoundTreebank) -> int:
    return sum(os.path.getsize(file) for file in treebank.train if file.exists())


def _outcomes(
    jobs: Sequence[TrainingJob],
    engine: Engine,
    address: str | None,
    cores: int,
    on_progress: Callable[[str, str], object],
) -> Iterator[TrainingOutcome]:
    if not jobs:
        return iter(())
    if engine == "processes":
        return work_in_processes(jobs, cores, on_progress)
    return work_with_ray(jobs, cores, address)


def _check_settings(output: Path, jobs: Sequence[TrainingJob]) -> None:
    """Raise if models that are there were trained with other settings."""
    for job in jobs:
        difference = ""
        with contextlib.suppress(OutputError, OSError):  # of one treebank, found again below
            difference = changed_settings(job)
        if difference:
            raise TrainingError(
                f"{output} holds trainings with other settings ({job.treebank.name}: {difference});"
                " give the same settings to continue, or choose another output"
            )


def _check_place(job: TrainingJob) -> None:
    """Raise if the files would end up among those of the treebank."""
    if job.folder.resolve() == job.treebank.folder.resolve():
        raise OutputError(f"{job.folder} holds the treebank itself: choose another output")


def _make(output: Path) -> None:
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write to {output}: {error.strerror or error}") from error


def _write_tables(report: TrainManyReport) -> None:
    with atomic_write(report.output / "table.md", "w") as file:
        file.write(report.table())
    value: Record = {
        "treebanks": report.figures,
        "failed": report.failed,
        "left_out": list(report.left_out),
    }
    write_json(report.output / "table.json", value)
