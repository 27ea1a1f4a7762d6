"""A training run and its folder: measuring epochs, keeping the best model, stopping and resuming.

`train` drives the run; what an epoch learns is decided by its learner (`learners`).
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from syntagma.errors import TrainingError
from syntagma.evaluation.evaluate import evaluate
from syntagma.language_model.packed import LanguageModel
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.container import read_container, write_container
from syntagma.models.model import StoredScorer, build_model
from syntagma.models.saving import save_model
from syntagma.neural.settings import REALIZE
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import inflect_sentence
from syntagma.training.learners import Learner
from syntagma.transition.budget import SearchBudget
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence


@dataclass(frozen=True, slots=True)
class Epoch:
    """The outcome of one epoch: dev BLEU per condition, the learner's own figures, CPU time."""

    number: int
    bleu: dict[str, float]
    figures: dict[str, float]
    cpu_seconds: float

    @property
    def mean_bleu(self) -> float:
        return sum(self.bleu.values()) / len(self.bleu)


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """All epochs and the number of the one that was kept."""

    epochs: tuple[Epoch, ...]
    best: int


@dataclass(slots=True)
class Run:
    """A training run; until it is finished, its folder holds a checkpoint and the best model."""

    output: Path
    header: dict[str, Any]
    learner: Learner
    vocabulary: Vocabulary
    dev_sentences: Sequence[Sentence]
    dev_conditions: Sequence[str]
    threads: int
    realizer: Realizer | None
    language_model: LanguageModel | None
    epochs: list[Epoch] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.output.with_name(self.output.name + ".training")

    def resume(self) -> None:
        """Continue after the last whole epoch of the same run, if there is one."""
        state = self.folder / "state"
        if not state.is_file():
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise TrainingError(f"cannot write to {self.folder}: {error.strerror}") from error
            return
        header, arrays = read_container(state)
        if header["run"] != self.header:
            raise TrainingError(
                f"{self.folder} holds a training run with other data or settings; "
                "repeat its command to continue it, or remove the folder to start again"
            )
        self.learner.restore(arrays)
        self.epochs = [Epoch(**epoch) for epoch in header["epochs"]]

    def measure(self, stored: StoredScorer) -> dict[str, float]:
        """Dev BLEU per condition; for realisation, of lemmas inflected before they are ordered."""
        linearizer = Linearizer(build_model(self.header, self.vocabulary, stored))
        return measure_dev(
            linearizer,
            self.dev_sentences,
            self.dev_conditions,
            self.learner.budget,
            self.realizer,
            self.threads,
        )

    def close_epoch(self, epoch: Epoch, stored: StoredScorer) -> None:
        """Write the model if it is the best so far, then the checkpoint.

        In this order: a run that is interrupted in between repeats the epoch and its model.
        """
        self.epochs.append(epoch)
        if _best(self.epochs) == epoch:
            save_model(
                self.folder / "best",
                {**self.header, "figures": {"dev": epoch.bleu, "epoch": epoch.number}},
                self.vocabulary,
                stored,
                self.realizer,
                self.language_model,
            )
        write_container(
            self.folder / "state",
            {"run": self.header, "epochs": [asdict(epoch) for epoch in self.epochs]},
            self.learner.state(),
        )

    def finish(self) -> TrainingReport:
        """Move the best model to its place and remove the folder."""
        best = self.folder / "best"
        if best.exists():  # else an earlier call was interrupted between these two steps
            best.replace(self.output)
        shutil.rmtree(self.folder)
        return TrainingReport(tuple(self.epochs), _best(self.epochs).number)


def measure_dev(
    linearizer: Linearizer,
    sentences: Sequence[Sentence],
    conditions: Sequence[str],
    budget: SearchBudget,
    realizer: Realizer | None,
    threads: int = 1,
) -> dict[str, float]:
    """Dev BLEU per condition; with a realizer, of labelled trees of inflected lemmas, too."""

    def bleu(sentences: Sequence[Sentence], *conditions: str) -> dict[str, float]:
        report = evaluate(linearizer, sentences, conditions, **asdict(budget), threads=threads)
        return {figures.condition: round(figures.bleu, 2) for figures in report.figures}

    found = bleu(sentences, *(name for name in conditions if name != REALIZE))
    if realizer is not None:
        inflected = [inflect_sentence(realizer, each) for each in sentences]
        found[REALIZE] = bleu(inflected, "labelled")["labelled"]
    return found


def _best(epochs: Sequence[Epoch]) -> Epoch:
    return max(epochs, key=lambda epoch: (epoch.mean_bleu, -epoch.number))
