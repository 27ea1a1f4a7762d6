"""What the tables of languages are made of: a training run and measurements, each kept as a file.

The file of a measurement is named after the model and the sentences that it depends on, so that a
run that was stopped resumes, and figures of another model never mix with those of this one.
"""

from __future__ import annotations

import hashlib
import json
import resource
import shlex
import subprocess
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import machine
import numpy as np
import samples
from records import measure

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.evaluation.realization import evaluate_realization, lemma_problems
from syntagma.files.reading import fingerprint
from syntagma.problem import trees
from syntagma.treebanks.treebank import Sentence

Split = Literal["dev", "test"]

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "languages" / "treebanks.toml"
SEED = 1


@dataclass(frozen=True, slots=True)
class Treebank:
    """A treebank of Universal Dependencies in its folder, and the model to be made of it."""

    name: str  # as its files begin: fr_sequoia
    folder: Path
    title: str = ""
    licence: str = ""
    attribution: str = ""
    licence_text: bool = False  # whether the package must hold the text of the licence
    package: bool = False
    model: str = ""  # a model that is there already

    @property
    def code(self) -> str:
        """The language, which is also the name of the model."""
        return self.name.partition("_")[0]

    def file(self, part: str) -> Path:
        return self.folder / f"{self.name}-ud-{part}.conllu"


def read_table(data: Path) -> tuple[str, dict[str, Treebank]]:
    """The version of the packages, and the treebanks that we know, by language."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    version = table.pop("version")
    treebanks = {}
    for code, entry in table.items():
        name = entry.pop("treebank")
        treebanks[code] = Treebank(name, data / name, **{"package": True, **entry})
    return version, treebanks


def find(name: str, known: Mapping[str, Treebank]) -> Treebank:
    """A treebank by its language or its name, or any other by its folder."""
    for code, treebank in known.items():
        if name in (code, treebank.name):
            return treebank
    folder = Path(name)
    files = sorted(folder.glob("*-ud-train.conllu"))
    if len(files) != 1:
        raise SystemExit(
            f"error: {name!r} is neither one of {', '.join(known)} nor a folder with one file "
            "*-ud-train.conllu"
        )
    stem = files[0].name.removesuffix("-ud-train.conllu")
    return Treebank(stem, folder, title=stem)


@dataclass(frozen=True)
class Workplace:
    """A folder with the models, logs and figures of all treebanks."""

    folder: Path
    split: Split
    unit: machine.Unit
    limit: int | None = None
    train_options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("models", "logs", "cells"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def measured(self, treebank: Treebank) -> dict[str, Any]:
        """Train and measure; what is there already is taken as it is."""
        training = None if treebank.model else self.train(treebank)
        return {
            "code": treebank.code,
            "title": treebank.title,
            **Measured(self, treebank, self.model(treebank)).figures(),
            "training": training,
        }

    def model(self, treebank: Treebank) -> str:
        """The model by its name or its path."""
        return treebank.model or str(self.folder / "models" / f"{treebank.name}.syntagma")

    def train(self, treebank: Treebank) -> dict[str, Any]:
        """Train a model by the command; its time is that of all attempts together.

        An attempt that was killed, and not merely interrupted, is not counted.
        """
        output = Path(self.model(treebank))
        kept = self.folder / "cells" / f"{treebank.name}-training.json"
        figures = samples.read_json(kept)
        if not output.exists():
            arguments = self.training_command(treebank, output)
            samples.say(f"{treebank.name}: training …")
            attempts = figures.setdefault("attempts", [])
            shown = ["syntagma", "train", *(Path(each).name for each in arguments[1:4]), "…"]
            figures["command"] = shlex.join([*shown, *self.train_options])
            before = self.unit.take()
            spent = Spent()
            log = self.folder / "logs" / f"{treebank.name}.log"
            try:
                with log.open("a", encoding="utf-8") as stream:
                    done = subprocess.run(
                        machine.command_line(*arguments), stdout=stream, stderr=subprocess.STDOUT
                    )
            finally:
                attempts.append({**spent.so_far(), "units_ms": before + self.unit.take()})
                samples.write_json(kept, figures)
            if done.returncode:
                last = log.read_text(encoding="utf-8").strip().rpartition("\n")[2]
                raise SystemExit(f"error: training on {treebank.name} failed ({log}): {last}")
        return figures

    def training_command(self, treebank: Treebank, output: Path) -> list[str]:
        return [
            "train",
            str(treebank.file("train")),
            str(treebank.file("dev")),
            f"--output={output}",
            f"--name={treebank.code}",
            f"--language={treebank.code}",
            f"--licence={treebank.licence}",
            f"--attribution={' '.join(treebank.attribution.split())}",
            *self.train_options,
        ]


class Spent:
    """The time that child processes take from now on."""

    def __init__(self) -> None:
        self._cpu, self._clock = self._children(), time.monotonic()

    def so_far(self) -> dict[str, float]:
        return {
            "cpu_seconds": round(self._children() - self._cpu, 1),
            "seconds": round(time.monotonic() - self._clock, 1),
        }

    @staticmethod
    def _children() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class Measured:
    """A model and the sentences that it is measured on."""

    workplace: Workplace
    treebank: Treebank
    model: str

    @cached_property
    def linearizer(self) -> syntagma.Linearizer:
        return syntagma.load(self.model)

    @cached_property
    def sentences(self) -> list[Sentence]:
        read = syntagma.read_treebank(self._data, self.linearizer.tag_column)
        return read[: self.workplace.limit]

    @property
    def _data(self) -> Path:
        return self.treebank.file(self.workplace.split)

    def figures(self) -> dict[str, Any]:
        """All figures of the model."""
        path = self.linearizer.info.path
        assert path is not None
        projectivity = self.cell("projectivity", self.projectivity)
        found = {
            "split": self.workplace.split,
            "data": {"name": self._data.name, "sha256": fingerprint(self._data)},
            "model": {
                "size": self.linearizer.info.size,
                "sha256": fingerprint(path),
                "lifting": self.linearizer.lifts,
                "realizes": self.linearizer.realizes,
                "settings": self.linearizer.info.header.get("settings", {}),
            },
            "syntagma": projectivity["syntagma"],
            "conditions": [
                *(self.cell(name, partial(self.order, name)) for name in ("none", "pos", "tree")),
                projectivity["free"],
            ],
            "projectivity": projectivity,
        }
        if self.linearizer.realizes:
            found["realization"] = self.cell("realization", self.realization)
        return found

    def cell(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """A measurement of this name; made if it is missing."""
        path = self.linearizer.info.path
        assert path is not None
        key = [fingerprint(path), fingerprint(self._data), self.workplace.limit]
        digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:12]
        stem = f"{self.treebank.name}-{self.workplace.split}-{name}-{digest}"
        file = self.workplace.folder / "cells" / f"{stem}.json"
        if not file.exists():
            samples.say(f"{self.treebank.name}: {name} …")
            samples.write_json(file, {**make(), "syntagma": syntagma.__version__})
        return samples.read_json(file)

    def order(self, condition: str, **options: Any) -> dict[str, Any]:
        unit = self.workplace.unit
        figures = measure(self.linearizer, self.sentences, condition, None, unit, **options)
        del figures["lengths"]
        return figures

    def realization(self) -> dict[str, Any]:
        problems = lemma_problems(self.sentences, SEED)

        def work() -> dict[str, Any]:
            with Ticker("realized", total=len(problems)) as ticker:
                return evaluate_realization(
                    self.linearizer,
                    problems,
                    self.sentences,
                    seed=SEED,
                    on_sentence=ticker.advance,
                ).to_json()

        figures, units = self.workplace.unit.around(work)
        return {**figures, "units_ms": units}

    def projectivity(self) -> dict[str, Any]:
        """Labelled trees ordered freely and, if that makes a difference, projectively."""
        outputs: list[list[str]] = []

        def keep(report: syntagma.Report) -> dict[str, Any]:
            outputs.append(list(report["labelled"].outputs))
            return {}

        crossing = [not trees.is_projective(sentence.heads) for sentence in self.sentences]
        found = {
            "nonprojective": share(crossing),
            "free": self.order("labelled", on_report=keep),
        }
        if self.linearizer.lifts:
            found["projective"] = self.order("labelled", projective=True, on_report=keep)
            golds = [sentence.text for sentence in self.sentences]
            free, projective = outputs
            interval = syntagma.paired_bootstrap(projective, free, golds)
            found["bleu_interval"] = [
                round(each, 3) for each in (interval.difference, interval.low, interval.high)
            ]
            found["exact_interval"] = exact_interval(projective, free, golds)
        return found


def share(flags: Sequence[bool]) -> float:
    """In percent.

    >>> share([True, False, False])
    33.33
    """
    return round(100 * sum(flags) / len(flags), 2)


def exact_interval(
    outputs_a: Sequence[str], outputs_b: Sequence[str], golds: Sequence[str], draws: int = 1000
) -> list[float]:
    """How many points of exact match the second outputs gain, with a paired bootstrap interval.

    >>> exact_interval(["a", "b"], ["a", "b"], ["a", "x"])
    [0.0, 0.0, 0.0]
    """
    gains = np.array(
        [(b == gold) - (a == gold) for a, b, gold in zip(outputs_a, outputs_b, golds, strict=True)]
    )
    rng = np.random.default_rng(SEED)
    chosen = rng.integers(len(gains), size=(draws, len(gains)))
    low, high = np.quantile(100 * gains[chosen].mean(axis=1), (0.025, 0.975))
    return [round(float(each), 3) for each in (100 * gains.mean(), low, high)]
