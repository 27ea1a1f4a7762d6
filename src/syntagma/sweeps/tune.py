"""`tune`: searches for the settings that make the best model of a treebank."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from syntagma.arguments import check_range
from syntagma.engines import MAX_JOBS, available_cores, import_ray
from syntagma.errors import ArgumentError, SyntagmaWarning, TrainingError, shown
from syntagma.files import temporary
from syntagma.files.locking import locked
from syntagma.files.paths import check_path
from syntagma.files.writing import atomic_write, check_output
from syntagma.neural.settings import AdaptedSettings, NeuralSettings
from syntagma.sweeps.job import describe_files, differing_settings, settings_to_json
from syntagma.sweeps.ray_tune import search_with_ray
from syntagma.sweeps.record import Record, read_json, write_json
from syntagma.sweeps.search import (
    RECORD,
    Trial,
    best_trial,
    check_settings,
    draw_settings,
    model_of,
    note_stop,
    read_trial,
    trials_table,
)
from syntagma.training.data import TrainingPlan
from syntagma.training.train import train as train_model
from syntagma.treebanks.corpus import corpus_files

TRIALS = 20
MAX_TRIALS = 1000


@dataclass(frozen=True, slots=True)
class TuningReport:
    """All trials of a search, and the number of the one whose model was kept."""

    trials: tuple[Trial, ...]
    best: int

    def table(self) -> str:
        """The trials as a table in Markdown, the best first."""
        return trials_table(self.trials)


def tune(
    train: str | Path | Sequence[str | Path],
    dev: str | Path | Sequence[str | Path] | None,
    output: str | Path,
    *,
    settings: NeuralSettings | None = None,
    trials: int = TRIALS,
    minutes: float | None = None,
    jobs: int | None = None,
    address: str | None = None,
    name: str = "",
    language: str = "",
    licence: str = "",
    attribution: str = "",
    on_plan: Callable[[TrainingPlan], object] = lambda plan: None,
    on_start: Callable[[int], object] = lambda trials: None,
    on_trial: Callable[[Trial], object] = lambda trial: None,
) -> TuningReport:
    """Train neural models with several settings, and write the best on `dev` to `output`.

    The first trial has the settings that `train` would choose, and runs to its end unless the time
    is up; the others vary width, dropout, word dropout, learning rate and epochs, as far as
    `settings` leave them at their defaults. Ray Tune runs `jobs` trials at a time, by default one
    per core, or as many as the cluster at `address` can, and stops those that fall behind. The
    budget is a number of `trials` and, if given, of `minutes` by the clock.

    A folder `<output>.tuning` keeps the trials. The same call resumes those that were interrupted,
    also with more trials or minutes; other data or settings raise `TrainingError`. Remove the
    folder when no more trials are wanted. `on_start` is called with the number of trials,
    `on_trial` with each that has ended. All other arguments are those of `train`.
    """
    settings = NeuralSettings() if settings is None else settings
    if not isinstance(settings, NeuralSettings):
        raise TrainingError(f"settings must be NeuralSettings, not {shown(settings)}")
    trials = check_range("trials", trials, MAX_TRIALS)
    if minutes is not None and not (isinstance(minutes, int | float) and minutes > 0):
        raise ArgumentError(f"minutes must be a number above 0, not {shown(minutes)}")
    if address is not None and jobs is not None:
        raise ArgumentError("jobs (--jobs) is for this machine: a cluster uses the cores it has")
    cores = check_range("jobs", available_cores() if jobs is None else jobs, MAX_JOBS)
    check_path(output, "output")
    output = Path(output)
    train_files = corpus_files(train, "train")
    dev_files = [] if dev is None else corpus_files(dev, "dev")
    check_output(output, [*train_files, *dev_files])
    import_ray("tune", "tune")
    folder = output.with_name(output.name + ".tuning").absolute()
    about = {
        "name": name or output.stem,
        "language": language,
        "licence": licence,
        "attribution": attribution,
    }
    with locked(output):
        planned = _plan(train_files, dev_files, folder, settings, on_plan)
        _check_folder(folder, train_files, dev_files, settings, about)
        numbers = (int(path.parent.name[6:]) for path in folder.glob(f"trial-[0-9]*/{RECORD}"))
        known = max(numbers, default=0)  # fewer would lose the best of them
        chosen = draw_settings(settings, planned, max(trials, known))
        tasks: list[Record] = [
            {
                "number": number,
                "folder": str(folder / f"trial-{number:03d}"),
                "settings": drawn,
                "train": [*map(os.path.abspath, train_files)],
                "dev": [*map(os.path.abspath, dev_files)],
                "about": about,
            }
            for number, drawn in enumerate(chosen, start=1)
        ]
        for each in tasks:
            check_settings(each)
        on_start(len(tasks))
        seconds = None if minutes is None else 60 * minutes
        started = time.monotonic()

        def time_is_up() -> bool:
            return seconds is not None and time.monotonic() - started >= seconds

        def end(number: int) -> None:
            if not time_is_up():
                note_stop(tasks[number - 1])
            on_trial(_read(tasks[number - 1]))

        temporary.remove(folder / "ray")  # of a run that was killed
        search_with_ray(tasks, folder, cores=cores, address=address, seconds=seconds, on_end=end)
        temporary.remove(folder / "ray")
        found = tuple(map(_read, tasks))
        best = best_trial(found)
        if best is None:
            reasons = sorted({each.error for each in found if each.error})
            why = "; ".join(reasons) or "the time was up before the first measurement"
            raise TrainingError(f"no trial produced a model: {why}")
        if not best.finished:
            hint = ". The same command resumes it" if time_is_up() else ""
            warnings.warn(
                f"trial {best.number}, the best, was not finished: its model of epoch "
                f"{best.best_epoch} has no margin for `syntagma accept`{hint}",
                SyntagmaWarning,
                stacklevel=2,
            )
        content = model_of(Path(tasks[best.number - 1]["folder"]), best).read_bytes()
        with atomic_write(output) as stream:
            stream.write(content)
        report = TuningReport(found, best.number)
        with atomic_write(folder / "trials.md", "w") as page:
            page.write(report.table())
    return report


def _read(task: Record) -> Trial:
    return read_trial(Path(task["folder"]), task["number"], task["settings"])


class _Planned(Exception):
    """Ends a training once its plan is known."""


def _plan(
    train: Sequence[Path],
    dev: Sequence[Path],
    folder: Path,
    settings: NeuralSettings,
    on_plan: Callable[[TrainingPlan], object],
) -> AdaptedSettings:
    """What `train` would decide for this treebank; faults of its files are found here."""
    plans: list[TrainingPlan] = []

    def stop(plan: TrainingPlan) -> None:
        plans.append(plan)
        raise _Planned

    folder.mkdir(exist_ok=True)
    try:
        train_model(train, dev or None, folder / "plan", settings=settings, on_plan=stop)
    except _Planned:
        pass
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()
    on_plan(plans[0])
    planned = plans[0].settings
    assert isinstance(planned, AdaptedSettings)
    return planned


def _check_folder(
    folder: Path,
    train: Sequence[Path],
    dev: Sequence[Path],
    settings: NeuralSettings,
    about: Record,
) -> None:
    """Raise if the folder holds another search; else note what this one is about."""
    asked = {
        **settings_to_json(settings),
        "training set": [each["sha256"] for each in describe_files(train)],
        "development set": [each["sha256"] for each in describe_files(dev)],
        **about,
    }
    file = folder / "search.json"
    known = read_json(file)
    if known is None:
        folder.mkdir(exist_ok=True)
        write_json(file, asked)
    elif known != asked:
        raise TrainingError(
            f"{folder} holds a search with other data or settings "
            f"({differing_settings(known, asked)}); repeat its command to continue it, or remove "
            "the folder to start again"
        )
