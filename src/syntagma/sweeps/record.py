"""The file `figures.json` of a treebank: what was asked for, what is done, and the figures.

It is written when training begins, and again after each step, so that the next run knows what is
missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from syntagma import __version__
from syntagma.errors import OutputError, TrainingError
from syntagma.files.reading import fingerprint
from syntagma.files.writing import atomic_write
from syntagma.sweeps.job import TrainingJob, describe_files, differing_settings, settings_to_json
from syntagma.training.run import has_checkpoint

Record = dict[str, Any]


def read_record(job: TrainingJob) -> Record | None:
    """The record of earlier runs; None if the treebank is new."""
    return read_json(job.figures)


def write_record(job: TrainingJob, record: Record) -> None:
    write_json(job.figures, record)


def read_json(path: Path) -> Record | None:
    """The content of a file that `write_json` has written; None if there is none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise OutputError(f"{path} cannot be read ({error}): move it away") from error
    if not isinstance(value, dict):
        raise OutputError(f"{path} was not written by Syntagma: move it away")
    return value


def write_json(path: Path, value: Record) -> None:
    with atomic_write(path, "w") as file:
        file.write(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def new_record(job: TrainingJob) -> Record:
    """What is known before training."""
    treebank = job.treebank
    return {
        "treebank": treebank.name,
        "language": treebank.language,
        "syntagma": __version__,
        "settings": settings_to_json(job.settings),
        "data": {"train": describe_files(treebank.train), "dev": describe_files(treebank.dev)},
    }


def changed_settings(job: TrainingJob) -> str:
    """How the settings of the model that is there, or half there, differ; empty if they do not."""
    record = read_record(job)
    if record is None or not (job.model.exists() or has_checkpoint(job.model)):
        return ""
    return differing_settings(record.get("settings", {}), settings_to_json(job.settings))


def trained_record(job: TrainingJob) -> Record | None:
    """The record of a model that is trained; None if it is still to be trained.

    Raise if it was not made here, or from other data.
    """
    if not job.model.exists() or has_checkpoint(job.model):
        return None
    record = read_record(job)
    if record is None:
        raise OutputError(
            f"{job.model} was not written by train-many: move it away, or choose another output"
        )
    now = new_record(job)["data"]
    for part in ("train", "dev"):
        if record.get("data", {}).get(part) != now[part]:
            raise TrainingError(
                f"the {part} files have changed since {job.model} was trained: remove {job.folder} "
                "to train it again, or choose another output"
            )
    return record


def has_figures(job: TrainingJob, record: Record) -> bool:
    """Whether the figures are those of this model, on these data."""
    measured = record.get("measured")
    return measured is not None and all(
        measured.get(name) == value for name, value in measured_on(job).items()
    )


def measured_on(job: TrainingJob) -> Record:
    """What the figures depend on."""
    part = "test" if job.treebank.test else "dev" if job.treebank.dev else "held out"
    return {
        "model_sha256": fingerprint(job.model),
        "on": part,
        "data": describe_files(job.treebank.test or job.treebank.dev),
        "limit": job.limit,
    }


def is_packed(job: TrainingJob, record: Record) -> bool:
    """Whether the package holds this model with these figures."""
    packed = record.get("package")
    return (
        packed is not None
        and packed.get("model_sha256") == record["measured"]["model_sha256"]
        and (job.package / "pyproject.toml").is_file()
    )


def is_done(job: TrainingJob) -> bool:
    """Whether nothing is left to do; raises as `trained_record` does."""
    record = trained_record(job)
    return record is not None and has_figures(job, record) and is_packed(job, record)


_CONDITIONS = ("none", "pos", "half", "tree", "labelled")
_TEXT = ("treebank", "on", "state")  # columns of text, the others are of numbers
_WIDE = 10_000  # characters: nothing is wrapped


def figures_table(records: Mapping[str, Record], failed: Mapping[str, str]) -> str:
    """BLEU by condition of each treebank, and below it the errors of those that failed."""
    text = ""
    if records:
        headings = ["sentences", "epochs", *_CONDITIONS, "realize", "on", "MB", "CPU min"]
        rows = [[name, *_cells(record)] for name, record in records.items()]
        text = markdown_table(["treebank", *headings], rows)
    if failed:
        text += "\n" * bool(text) + "failed:\n\n"
        text += "".join(f"- {name}: {error}\n" for name, error in failed.items())
    return text


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown whose columns are aligned."""
    table = Table(box=MARKDOWN)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in _TEXT else "right")
    for row in rows:
        table.add_row(*row)
    console = Console(width=_WIDE, color_system=None, markup=False)
    with console.capture() as captured:
        console.print(table, highlight=False)
    return "".join(f"{line.strip()}\n" for line in captured.get().splitlines() if line.strip())


def _cells(record: Record) -> list[str]:
    training, measured = record["training"], record["measured"]
    bleu = {each["condition"]: each["bleu"] for each in measured["conditions"]}
    return [
        f"{training['sentences']:,}",
        str(training["epochs"]),
        *(_shown(bleu.get(name), 2) for name in _CONDITIONS),
        _shown(measured.get("realization", {}).get("bleu"), 2),
        measured["on"],
        _shown(training["size"] / 1e6, 1),
        "-" if training["cpu_seconds"] is None else _shown(training["cpu_seconds"] / 60, 1),
    ]


def _shown(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
