"""A search over training settings: which are tried, how one trial runs, and what is found.

Ray Tune decides which trials run when, and which are stopped early (`tune`). A trial keeps its
measured epochs in a file: the next run reports them again and goes on where training stopped.
"""

from __future__ import annotations

import random
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import prod
from pathlib import Path
from typing import Any

from syntagma.errors import SyntagmaError, SyntagmaWarning, TrainingError
from syntagma.neural.settings import AdaptedSettings, NeuralSettings
from syntagma.sweeps.job import (
    Record,
    differing_settings,
    read_json,
    settings_from_json,
    settings_to_json,
    write_json,
)
from syntagma.sweeps.work import describe_error
from syntagma.training.run import BEST, Epoch, has_checkpoint, keep_freed_memory
from syntagma.training.train import train

# What is tried, around the defaults; of epochs, multiples of what the treebank decides.
SPACE: dict[str, tuple[float, ...]] = {
    "width": (96, 128, 160, 192, 256),
    "dropout": (0.2, 0.3, 0.4, 0.5),
    "word_dropout": (0.1, 0.2, 0.3, 0.4),
    "learning_rate": (7.5e-4, 1e-3, 1.5e-3, 2e-3, 3e-3),
    "epochs": (0.5, 1, 2),
}
MODEL = "model.syntagma"
RECORD = "trial.json"
LOG = "log.txt"


@dataclass(frozen=True, slots=True)
class Trial:
    """One of the settings that were tried, and how far it came.

    `bleu` is the mean dev BLEU of its best epoch, None if none was measured. A trial that is not
    `finished` was stopped: others were ahead of it, or the time was up.
    """

    number: int
    settings: NeuralSettings
    bleu: float | None = None
    best_epoch: int | None = None
    last_epoch: int = 0
    finished: bool = False
    error: str = ""


def draw_settings(given: NeuralSettings, planned: AdaptedSettings, count: int) -> list[Record]:
    """The settings of so many trials, all different; first those that the treebank decides.

    Settings that are given stay as they are. The first trials of a longer search are those of a
    shorter one.
    """
    names = [field.name for field in fields(NeuralSettings)]
    centre = NeuralSettings(**{name: getattr(planned, name) for name in names})
    defaults = NeuralSettings()
    choices = {
        name: sorted({_value(name, each, planned) for each in values})
        for name, values in SPACE.items()
        if getattr(given, name) == getattr(defaults, name)
    }
    rng = random.Random(given.seed)
    tried = {tuple(getattr(centre, name) for name in choices): centre}
    beside = any(getattr(centre, name) not in values for name, values in choices.items())
    possible = prod(map(len, choices.values())) + beside
    while len(tried) < min(count, possible):
        drawn: Record = {name: rng.choice(values) for name, values in choices.items()}
        tried.setdefault(tuple(drawn.values()), replace(centre, **drawn))
    return [settings_to_json(each) for each in tried.values()]


def _value(name: str, choice: float, planned: AdaptedSettings) -> float:
    return max(1, round(choice * planned.epochs)) if name == "epochs" else choice


def run_trial(task: Mapping[str, Any], report: Callable[[Record], object]) -> None:
    """Train with the settings of a trial; `report` is called with the figures of each measured
    epoch, those of earlier runs included, and may end the process.

    The first trial, with the settings of `train`, reports its last figures only, so that it is
    never stopped early: the best trial is at least as good, unless the time is up.
    """
    folder = Path(task["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    settings = settings_from_json(task["settings"])
    record = read_json(folder / RECORD) or _new_record(task)
    record["error"] = ""
    model = folder / MODEL
    if record["epochs"] and model.exists() and not has_checkpoint(model):
        record["finished"] = True  # killed right after the model was written
        write_json(folder / RECORD, record)

    def report_some(measured: list[Record]) -> None:
        # The last epoch is reported when its model is in place.
        if task["number"] != 1 and measured[-1]["number"] != settings.epochs:
            report(_figures(measured, settings.epochs))

    def note(epoch: Epoch) -> None:
        if epoch.bleu:
            record["epochs"].append(_described(epoch))
            write_json(folder / RECORD, record)
            report_some(record["epochs"])

    for count in range(len(record["epochs"])):
        report_some(record["epochs"][: count + 1])
    if not record["finished"]:
        if record.get("stopped"):
            return
        keep_freed_memory()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntagmaWarning)  # given once, before all trials
            try:
                found = train(
                    task["train"],
                    task["dev"] or None,
                    model,
                    settings=settings,
                    **task["about"],
                    on_epoch=note,
                )
            except Exception as error:
                log = folder / LOG
                if not isinstance(error, SyntagmaError | MemoryError | OSError):
                    with open(log, "a", encoding="utf-8") as stream:
                        traceback.print_exception(error, file=stream)
                note_error(task, describe_error(error, folder, log))
                return
        record["epochs"] = [_described(epoch) for epoch in found.epochs if epoch.bleu]
        record["finished"] = True
        write_json(folder / RECORD, record)
    report(_figures(record["epochs"], settings.epochs))


def note_error(task: Mapping[str, Any], error: str) -> None:
    """Note that a trial has failed; the next run tries it again."""
    file = Path(task["folder"]) / RECORD
    record = read_json(file) or _new_record(task)
    write_json(file, {**record, "error": " ".join(error.split())})


def note_stop(task: Mapping[str, Any]) -> None:
    """Note that a trial which has ended was behind: later runs do not go on with it."""
    file = Path(task["folder"]) / RECORD
    record = read_json(file)
    if record is not None and record["epochs"] and not (record["finished"] or record["error"]):
        write_json(file, {**record, "stopped": True})


def check_settings(task: Mapping[str, Any]) -> None:
    """Raise if an earlier run tried other settings under this number."""
    record = read_json(Path(task["folder"]) / RECORD)
    if record is not None and record["settings"] != task["settings"]:
        raise TrainingError(
            f"{task['folder']} holds a trial of other settings "
            f"({differing_settings(record['settings'], task['settings'])}), perhaps of another "
            "version: remove it to run the trial again"
        )


def _new_record(task: Mapping[str, Any]) -> Record:
    return {
        "number": task["number"],
        "settings": task["settings"],
        "epochs": [],
        "finished": False,
        "error": "",
    }


def _described(epoch: Epoch) -> Record:
    return {**asdict(epoch), "mean_bleu": round(epoch.mean_bleu, 3)}


def _figures(measured: list[Record], epochs: int | None) -> Record:
    """What the search compares: the best epoch so far, by how much of the training is done."""
    return {
        "bleu": max(each["mean_bleu"] for each in measured),
        "percent": 100 * measured[-1]["number"] / (epochs or 1),
    }


def read_trial(task: Mapping[str, Any]) -> Trial:
    """A trial as its file tells."""
    settings = settings_from_json(task["settings"])
    assert isinstance(settings, NeuralSettings)
    record = read_json(Path(task["folder"]) / RECORD)
    if record is None:
        return Trial(task["number"], settings)
    measured = record["epochs"]
    best: Record = max(measured, key=lambda each: (each["mean_bleu"], -each["number"]), default={})
    return Trial(
        task["number"],
        settings,
        best.get("mean_bleu"),
        best.get("number"),
        measured[-1]["number"] if measured else 0,
        record["finished"],
        record["error"],
    )


def best_trial(trials: Iterable[Trial]) -> Trial | None:
    """The trial with the highest dev BLEU; the first of equals."""
    measured = [each for each in trials if each.bleu is not None and not each.error]
    return max(measured, key=lambda each: (each.bleu, -each.number), default=None)


def model_of(folder: Path, trial: Trial) -> Path:
    """The best model of a trial, finished or not."""
    return folder / MODEL if trial.finished else folder / f"{MODEL}.training" / BEST


def trial_state(trial: Trial) -> str:
    """How a trial ended, in a few words."""
    if trial.error:
        return f"failed: {trial.error}"
    if trial.finished:
        return "finished"
    return f"stopped after epoch {trial.last_epoch}" if trial.last_epoch else "not measured"
