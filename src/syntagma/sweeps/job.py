"""What is to be done for one treebank, and where its files are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from syntagma.best_first.settings import BestFirstSettings
from syntagma.files.reading import fingerprint
from syntagma.linear.settings import LinearSettings
from syntagma.neural.settings import NeuralSettings
from syntagma.sweeps.collection import FoundTreebank
from syntagma.treebanks.settings import Settings

_SETTINGS: tuple[type[Settings], ...] = (NeuralSettings, LinearSettings, BestFirstSettings)


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
        for part in ("train", "dev", "test"):
            value["treebank"][part] = [*map(os.path.abspath, value["treebank"][part])]
        return TrainingJob.from_json({**value, "folder": os.path.abspath(self.folder)})

    def to_json(self) -> dict[str, Any]:
        treebank = {
            name: list(map(str, value)) if isinstance(value, tuple) else value
            for name, value in asdict(self.treebank).items()
        }
        return {
            "treebank": treebank,
            "folder": str(self.folder),
            "settings": settings_to_json(self.settings),
            "limit": self.limit,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TrainingJob:
        treebank: dict[str, Any] = {
            name: tuple(map(Path, each)) if isinstance(each, list) else each
            for name, each in value["treebank"].items()
        }
        return cls(
            FoundTreebank(**treebank),
            Path(value["folder"]),
            settings_from_json(value["settings"]),
            value["limit"],
        )


def settings_to_json(settings: Settings) -> dict[str, Any]:
    return {"scorer": settings.SCORER, **asdict(settings)}


def settings_from_json(value: Mapping[str, Any]) -> Settings:
    [kind] = [each for each in _SETTINGS if value["scorer"] == each.SCORER]
    return kind(**{name: each for name, each in value.items() if name != "scorer"})


def differing_settings(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """How two settings differ, for messages.

    >>> differing_settings({"epochs": 5, "seed": 1}, {"epochs": 9, "seed": 1})
    'epochs 5, now 9'
    """
    names = [name for name in sorted({*there, *here}) if there.get(name) != here.get(name)]
    return "; ".join(
        name
        if isinstance(here.get(name), list)  # checksums
        else f"{name} {_shown(there.get(name))}, now {_shown(here.get(name))}"
        for name in names
    )


def _shown(value: object) -> str:
    return "open" if value is None else str(value)


def describe_files(files: Iterable[Path]) -> list[dict[str, str]]:
    """Names and checksums."""
    return [{"name": file.name, "sha256": fingerprint(file)} for file in files]
