"""The file `figures.json` of a treebank: what was asked for, what is done, and the figures.

It is written when training begins, and again after each step, so that the next run knows what is
missing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
        "data": {
            "train": describe_files(treebank.train),
            "dev": describe_files(treebank.dev),
        },
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


def is_measured(job: TrainingJob, record: Record) -> bool:
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
    return record is not None and is_measured(job, record) and is_packed(job, record)
