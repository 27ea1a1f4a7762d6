"""`tune`: searches for the settings that make the best model of a treebank, on Ray Tune.

Trials that fall behind are stopped by ASHA (Li et al. 2020, "A System for Massively Parallel
Hyperparameter Tuning"): a trial goes on after a fifth, two fifths and four fifths of its epochs
only if it is among the better half of those that came as far. `search` has the trials.
"""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syntagma.arguments import check_range
from syntagma.engines import connected, import_ray, ray_reason
from syntagma.errors import ArgumentError, SyntagmaWarning, TrainingError, shown
from syntagma.files import temporary
from syntagma.files.locking import locked
from syntagma.files.paths import check_path
from syntagma.files.writing import atomic_write, check_output
from syntagma.neural.settings import AdaptedSettings, NeuralSettings
from syntagma.sweeps.job import (
    Record,
    check_cores,
    describe_files,
    differing_settings,
    markdown_table,
    read_json,
    settings_to_json,
    write_json,
)
from syntagma.sweeps.search import (
    RECORD,
    SPACE,
    Trial,
    best_trial,
    check_settings,
    draw_settings,
    model_of,
    note_error,
    note_stop,
    read_trial,
    run_trial,
    trial_state,
)
from syntagma.training.data import TrainingPlan
from syntagma.training.train import train as train_model
from syntagma.treebanks.corpus import corpus_files

TRIALS = 20
MAX_TRIALS = 1000
_GRACE = 20  # percent of its epochs that each trial may run
_ALL = 101  # percent; at 100, a trial ends by itself
_FAILURES = 2  # of the process of a trial, after each of which it goes on
_ENVIRONMENT = {
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",  # the trials keep their own files
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
    "RAY_AIR_NEW_OUTPUT": "0",  # the other kind of output prints even if it is told to be silent
}


@dataclass(frozen=True, slots=True)
class TuningReport:
    """All trials of a search, and the number of the one whose model was kept."""

    trials: tuple[Trial, ...]
    best: int

    def table(self) -> str:
        """The trials as a table in Markdown, the best first."""
        ranked = sorted(
            self.trials, key=lambda each: (bool(each.error), -(each.bleu or 0), each.number)
        )
        headings = [
            "trial",
            *(name.replace("_", " ") for name in SPACE),
            "best",
            "dev BLEU",
            "state",
        ]
        return markdown_table(
            headings,
            [
                [
                    str(each.number),
                    *(f"{getattr(each.settings, name):g}" for name in SPACE),
                    str(each.best_epoch or "-"),
                    "-" if each.bleu is None else f"{each.bleu:.2f}",
                    trial_state(each),
                ]
                for each in ranked
            ],
        )


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
    cores = check_cores(jobs, address)
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
            on_trial(read_trial(tasks[number - 1]))

        temporary.remove(folder / "ray")  # of a run that was killed
        search_with_ray(tasks, folder, cores=cores, address=address, seconds=seconds, on_end=end)
        temporary.remove(folder / "ray")
        found = tuple(map(read_trial, tasks))
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


def search_with_ray(
    tasks: Sequence[Record],
    folder: Path,
    *,
    cores: int,
    address: str | None,
    seconds: float | None,
    on_end: Callable[[int], object],
) -> None:
    """Run the trials of these tasks; `on_end` is called with the number of each that has ended.

    After so many seconds, all of them are stopped.
    """
    ray = import_ray("tune", "tune")
    from ray import tune
    from ray.tune.schedulers import ASHAScheduler

    class Progress(tune.Callback):  # type: ignore[misc]
        def on_trial_complete(
            self, iteration: int, trials: list[Any], trial: Any, **info: Any
        ) -> None:
            on_end(trial.config["task"]["number"])

        def on_trial_error(
            self, iteration: int, trials: list[Any], trial: Any, **info: Any
        ) -> None:
            note_error(trial.config["task"], "its process died, perhaps for lack of memory")
            on_end(trial.config["task"]["number"])

    with connected(ray, address, cores), _environment():
        tuner = tune.Tuner(
            tune.with_resources(_run, {"cpu": 1}),
            param_space={"task": tune.grid_search(list(tasks))},
            tune_config=tune.TuneConfig(
                scheduler=ASHAScheduler(
                    time_attr="percent",
                    metric="bleu",
                    mode="max",
                    max_t=_ALL,
                    grace_period=_GRACE,
                    reduction_factor=2,
                ),
                time_budget_s=seconds,
                trial_dirname_creator=lambda trial: f"trial-{trial.config['task']['number']}",
            ),
            run_config=tune.RunConfig(
                name="ray",
                storage_path=str(folder),
                verbose=0,
                callbacks=[Progress()],
                failure_config=tune.FailureConfig(max_failures=_FAILURES),
            ),
        )
        try:
            tuner.fit()
        except (ray.exceptions.RayError, tune.TuneError) as error:
            raise TrainingError(
                f"Ray has given up ({ray_reason(error)}); the same command resumes"
            ) from error


def _run(config: dict[str, Any]) -> None:
    from ray import tune

    run_trial(config["task"], tune.report)


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _ENVIRONMENT}
    os.environ.update(_ENVIRONMENT)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
