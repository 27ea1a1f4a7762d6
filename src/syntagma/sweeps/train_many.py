"""`train_many`: trains, measures and packs a model for every treebank of a collection."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syntagma.arguments import check_range
from syntagma.engines import Engine, check_engine
from syntagma.errors import OutputError, SyntagmaError, TrainingError, shown, visible
from syntagma.files.locking import locked
from syntagma.files.paths import check_path
from syntagma.files.writing import atomic_write
from syntagma.models.packaging import check_name
from syntagma.neural.settings import NeuralSettings
from syntagma.sweeps.collection import find_treebanks
from syntagma.sweeps.job import (
    Record,
    TrainingJob,
    changed_settings,
    check_cores,
    is_done,
    markdown_table,
    read_json,
    write_json,
)
from syntagma.sweeps.work import TrainingOutcome, describe_error, work_in_processes, work_with_ray
from syntagma.training.learners import check_learner
from syntagma.treebanks.settings import MAX_SENTENCES, Settings

_CONDITIONS = ("none", "pos", "half", "tree", "labelled")


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
        text = ""
        if self.figures:
            headings = ["sentences", "epochs", *_CONDITIONS, "realize", "on", "MB", "CPU min"]
            rows = [[name, *_cells(record)] for name, record in self.figures.items()]
            text = markdown_table(["treebank", *headings], rows)
        if self.failed:
            text += "\n" * bool(text) + "failed:\n\n"
            text += "".join(f"- {visible(name)}: {error}\n" for name, error in self.failed.items())
        return text


def _cells(record: Record) -> list[str]:
    training, measured = record["training"], record["measured"]
    bleu = {each["condition"]: each["bleu"] for each in measured["conditions"]}
    bleu["realize"] = measured.get("realization", {}).get("bleu")
    seconds = training["cpu_seconds"]
    return [
        f"{training['sentences']:,}",
        str(training["epochs"]),
        *(_shown(bleu.get(name), 2) for name in (*_CONDITIONS, "realize")),
        measured["on"],
        _shown(training["size"] / 1e6, 1),
        _shown(None if seconds is None else seconds / 60, 1),
    ]


def _shown(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


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
    cores = check_cores(jobs, address)
    settings = NeuralSettings() if settings is None else settings
    if not isinstance(settings, Settings):
        raise TrainingError(f"settings must be those of a learner, not {shown(settings)}")
    if limit is not None:
        limit = check_range("limit", limit, MAX_SENTENCES)
    check_path(output, "output")
    output = Path(output)
    found = find_treebanks(folders)
    all_jobs = [TrainingJob(each, output / each.name, settings, limit) for each in found.treebanks]
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write to {output}: {error.strerror or error}") from error
    with locked(output / "table.json"):
        _check_settings(output, all_jobs)
        missing, kept, failed = _find_missing(all_jobs)
        if missing and engine == "processes":  # a cluster has packages of its own
            check_learner(settings)
        on_start(len(all_jobs), len(kept))
        for name, why in failed.items():
            on_treebank(name, why)
        outcomes: Iterator[TrainingOutcome] = iter(())
        if missing and engine == "processes":
            outcomes = work_in_processes(missing, cores, on_progress)
        elif missing:
            outcomes = work_with_ray(missing, cores, address)
        for outcome in outcomes:
            if outcome.record is None:
                failed[outcome.name] = outcome.error
            on_treebank(outcome.name, outcome.error)
        figures = {
            job.treebank.name: record
            for job in all_jobs
            if job.treebank.name not in failed and (record := read_json(job.figures)) is not None
        }
        report = TrainManyReport(
            output, figures, dict(sorted(failed.items())), tuple(kept), found.without_training
        )
        with atomic_write(output / "table.md", "w") as file:
            file.write(report.table())
        about = {"failed": report.failed, "left_out": list(report.left_out)}
        write_json(output / "table.json", {"treebanks": figures, **about})
    return report


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


def _find_missing(
    jobs: Sequence[TrainingJob],
) -> tuple[list[TrainingJob], list[str], dict[str, str]]:
    """The jobs that are to be done, and the names of those that are done, or cannot be, and why."""
    missing, kept, failed = [], [], {}
    for job in jobs:
        name = job.treebank.name
        try:
            check_name(job.model_name)
            if job.folder.resolve() == job.treebank.folder.resolve():
                raise OutputError(f"{job.folder} holds the treebank itself: choose another output")
            if is_done(job):
                kept.append(name)
            else:
                missing.append(job)
        except (SyntagmaError, OSError) as error:
            failed[name] = describe_error(error, job.folder, job.log)
    missing.sort(key=_size, reverse=True)  # none of the largest is left alone at the end
    return missing, kept, failed


def _size(job: TrainingJob) -> int:
    return sum(os.path.getsize(file) for file in job.treebank.train if file.exists())
