"""What is to be done for one treebank and what is done already: the file `figures.json`.

It is written when training begins, and again after each step, so that the next run knows what is
missing. Settings as JSON and tables in Markdown, which `tune` needs, too, are here as well.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from syntagma import __version__
from syntagma.arguments import check_range
from syntagma.best_first.settings import BestFirstSettings
from syntagma.engines import MAX_JOBS, available_cores
from syntagma.errors import ArgumentError, OutputError, TrainingError, visible
from syntagma.files.reading import fingerprint, open_regular
from syntagma.files.writing import atomic_write
from syntagma.linear.settings import LinearSettings
from syntagma.neural.settings import NeuralSettings
from syntagma.sweeps.collection import PARTS, FoundTreebank
from syntagma.training.run import has_checkpoint
from syntagma.treebanks.settings import Settings

Record = dict[str, Any]

_SETTINGS = {each.SCORER: each for each in (NeuralSettings, LinearSettings, BestFirstSettings)}


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """The training of a treebank, with what comes after it, and the folder that it fills."""

    treebank: FoundTreebank
    folder: Path
    settings: Settings
    limit: int | None = None  # of the sentences that the model is measured on

    @property
    def model(self) -> Path:
        return self.folder / f"{self.treebank.name}.syntagma"

    @property
    def figures(self) -> Path:
        return self.folder / "figures.json"

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    @property
    def package(self) -> Path:
        return self.folder / "package"

    @property
    def model_name(self) -> str:
        """The name by which the packaged model is loaded.

        >>> treebank = FoundTreebank("fr_sequoia", "fr", (Path("train"),))
        >>> TrainingJob(treebank, Path("fr"), LinearSettings()).model_name
        'fr-sequoia'
        """
        return re.sub(r"[^a-z0-9]+", "-", self.treebank.name.lower()).strip("-")

    def absolute(self) -> TrainingJob:
        """The same for a process that runs in another folder."""
        value = self.to_json()
        for part in PARTS:
            value["treebank"][part] = [*map(os.path.abspath, value["treebank"][part])]
        return TrainingJob.from_json({**value, "folder": os.path.abspath(self.folder)})

    def to_json(self) -> dict[str, Any]:
        value = {**asdict(self), "settings": settings_to_json(self.settings)}
        plain: dict[str, Any] = json.loads(json.dumps(value, default=str))  # paths as strings
        return plain

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TrainingJob:
        files = {part: tuple(map(Path, value["treebank"][part])) for part in PARTS}
        treebank = FoundTreebank(**{**value["treebank"], **files})
        settings = settings_from_json(value["settings"])
        return cls(treebank, Path(value["folder"]), settings, value["limit"])


def settings_to_json(settings: Settings) -> dict[str, Any]:
    return {"scorer": settings.SCORER, **asdict(settings)}


def settings_from_json(value: Mapping[str, Any]) -> Settings:
    given = dict(value)
    return _SETTINGS[given.pop("scorer")](**given)


def differing_settings(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """How two settings differ, for messages.

    >>> differing_settings({"epochs": 5, "seed": 1}, {"epochs": 9, "seed": 1})
    'epochs 5, now 9'
    """

    def shown(value: object) -> str:
        return "open" if value is None else str(value)

    return "; ".join(
        name
        if isinstance(here.get(name), list)  # checksums
        else f"{name} {shown(there.get(name))}, now {shown(here.get(name))}"
        for name in sorted({*there, *here})
        if there.get(name) != here.get(name)
    )


def check_cores(jobs: int | None, address: str | None) -> int:
    """The number of jobs at a time on this machine; raise if a cluster is to do them."""
    if address is not None and jobs is not None:
        raise ArgumentError("jobs (--jobs) is for this machine: a cluster uses the cores it has")
    return check_range("jobs", available_cores() if jobs is None else jobs, MAX_JOBS)


def describe_files(files: Iterable[Path]) -> list[dict[str, str]]:
    """Names and checksums."""
    return [{"name": file.name, "sha256": fingerprint(file)} for file in files]


def read_json(path: Path) -> Record | None:
    """The content of a file that `write_json` has written; None if there is none."""
    try:
        with TextIOWrapper(open_regular(path), encoding="utf-8") as file:
            value = json.load(file)
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
    record = read_json(job.figures)
    if record is None or not (job.model.exists() or has_checkpoint(job.model)):
        return ""
    return differing_settings(record.get("settings", {}), settings_to_json(job.settings))


def trained_record(job: TrainingJob) -> Record | None:
    """The record of a model that is trained; None if it is still to be trained.

    Raise if it was not made here, or from other data.
    """
    if not job.model.exists() or has_checkpoint(job.model):
        return None
    record = read_json(job.figures)
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
    now = measured_on(job)
    return "measured" in record and now.items() <= record["measured"].items()


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


_TEXT = ("treebank", "on", "state")  # columns of text, the others are of numbers
_WIDE = 10_000  # characters: nothing is wrapped


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown whose columns are aligned."""
    table = Table(box=MARKDOWN)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in _TEXT else "right")
    for row in rows:
        table.add_row(*map(visible, row))
    console = Console(width=_WIDE, color_system=None, markup=False)
    with console.capture() as captured:
        console.print(table, highlight=False)
    return "".join(f"{line.strip()}\n" for line in captured.get().splitlines() if line.strip())
