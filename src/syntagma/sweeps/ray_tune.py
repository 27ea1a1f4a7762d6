"""The search on Ray Tune: which trials run at a time, and which are stopped early.

Trials that fall behind are stopped by ASHA (Li et al. 2020, "A System for Massively Parallel
Hyperparameter Tuning"): a trial goes on after a fifth, two fifths and four fifths of its epochs
only if it is among the better half of those that came as far.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from syntagma.engines import connected, import_ray, ray_reason
from syntagma.errors import TrainingError
from syntagma.sweeps.record import Record
from syntagma.sweeps.search import note_error, run_trial

_GRACE = 20  # percent of its epochs that each trial may run
_ALL = 101  # percent; at 100, a trial ends by itself
_FAILURES = 2  # of the process of a trial, after each of which it goes on
_ENVIRONMENT = {
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",  # the trials keep their own files
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
    "RAY_AIR_NEW_OUTPUT": "0",  # the other kind of output prints even if it is told to be silent
}


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
