"""Training: epochs over a treebank, model selection on a development set, stop and resume.

The perceptron itself is compiled, in core/learning.pyx; what is given of a sentence at each visit
is drawn in `conditions`.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from syntagma.conditions import CONDITIONS, MAIN_CONDITIONS, constrain, draw_condition
from syntagma.core import Learner, Update
from syntagma.encoding import encode_training
from syntagma.errors import TrainingError
from syntagma.evaluation import evaluate
from syntagma.linear_model import StoredWeights
from syntagma.linearizer import MAX_BEAM, Linearizer
from syntagma.model import build_model, save_model
from syntagma.model_file import read_container, write_container
from syntagma.problem import TagColumn
from syntagma.templates import FEATURE_SETS, FeatureSet, templates
from syntagma.treebank import Sentence, read_treebank
from syntagma.version import VERSION
from syntagma.vocabulary import Vocabulary

# Sentences searched with the same weights before they are updated: threads share the work of a
# batch, and its size, unlike their number, may influence the model.
BATCH = 8
DEV_SENTENCES = 300


@dataclass(frozen=True, slots=True)
class Settings:
    """What a model depends on, besides the data."""

    features: FeatureSet = "p16+"
    condition: str = "mixed"  # or one of conditions.CONDITIONS
    update: Literal["early", "max-violation"] = "max-violation"
    epochs: int = 10
    beam: int = 16
    seed: int = 1
    tag_column: TagColumn = "xpos"
    max_features: int = 4_000_000

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("features", self.features, tuple(FEATURE_SETS)),
            ("condition", self.condition, ("mixed", *CONDITIONS)),
            ("update", self.update, ("early", "max-violation")),
            ("tag_column", self.tag_column, ("xpos", "upos")),
        ):
            if value not in choices:
                raise TrainingError(f"{name} {value!r} is not one of {', '.join(choices)}")
        for name, number, most in (
            ("epochs", self.epochs, 10_000),
            ("beam", self.beam, MAX_BEAM),
            ("max_features", self.max_features, 1 << 28),
        ):
            if not 1 <= number <= most:
                raise TrainingError(f"{name} must be between 1 and {most}, not {number}")


@dataclass(frozen=True, slots=True)
class Epoch:
    """One epoch's outcome: dev BLEU per condition, share of sentences without update, CPU time."""

    number: int
    bleu: dict[str, float]
    correct: float
    cpu_seconds: float

    @property
    def mean_bleu(self) -> float:
        return sum(self.bleu.values()) / len(self.bleu)


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """All epochs and the number of the one that was kept."""

    epochs: tuple[Epoch, ...]
    best: int


def train(
    train: str | Path,
    dev: str | Path,
    output: str | Path,
    *,
    settings: Settings | None = None,
    name: str = "",
    language: str = "",
    licence: str = "",
    attribution: str = "",
    threads: int = 1,
    on_sentence: Callable[[], None] = lambda: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
) -> TrainingReport:
    """Train a model and write it to `output`; the epoch that is best on `dev` is kept.

    Until it is finished, a folder `<output>.training` holds the state after the last whole epoch;
    the same call goes on from there and ends with the same model. The number of threads has no
    influence on the model.
    """
    settings = settings or Settings()
    if threads < 1:
        raise TrainingError(f"threads must be at least 1, not {threads}")
    if Path(output).is_dir():
        raise TrainingError(f"cannot write the model to {output}: it is a folder")
    sentences = read_treebank(train, settings.tag_column)
    dev_sentences = _spread(read_treebank(dev, settings.tag_column), DEV_SENTENCES)
    header = {
        "name": name or Path(output).stem,
        "language": language,
        "licence": licence,
        "attribution": attribution,
        "data": [_describe_data(train, sentences)],
        "tag_column": settings.tag_column,
        "feature_set": settings.features,
        "templates": list(templates(settings.features).texts),
        "settings": asdict(settings),
        "created_with": VERSION,
    }
    run = _Run(Path(output), header, settings, sentences, threads)
    run.resume()
    while len(run.epochs) < settings.epochs:
        correct, cpu_seconds = run.pass_over(on_sentence)
        weights = run.weights()
        bleu = run.measure(weights, dev_sentences)
        epoch = Epoch(len(run.epochs) + 1, bleu, correct, cpu_seconds)
        run.close_epoch(epoch, weights)
        on_epoch(epoch)
    return run.finish()


class _Run:
    """A training run and its folder."""

    def __init__(
        self,
        output: Path,
        header: dict[str, Any],
        settings: Settings,
        sentences: Sequence[Sentence],
        threads: int,
    ) -> None:
        self.output = output
        self.folder = output.with_name(output.name + ".training")
        self.header = header
        self.settings = settings
        self.sentences = sentences
        self.threads = threads
        self.epochs: list[Epoch] = []
        self.vocabulary = Vocabulary.of_treebank(sentences)
        self.learner = Learner(
            templates(settings.features), self.vocabulary.label_index, self.vocabulary.label_pool
        )

    def resume(self) -> None:
        """Go on from the last whole epoch of the same run, if there is one."""
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
                "repeat its command to go on, or remove the folder to start anew"
            )
        self.learner.restore(arrays)
        self.epochs = [Epoch(**epoch) for epoch in header["epochs"]]

    def pass_over(self, on_sentence: Callable[[], None]) -> tuple[float, float]:
        """One epoch: (share of sentences that needed no update, CPU seconds)."""
        number = len(self.epochs) + 1
        rng = random.Random(f"{self.settings.seed}:epoch:{number}")
        visits = list(range(len(self.sentences)))
        rng.shuffle(visits)
        correct = 0
        started = time.process_time()
        with ThreadPoolExecutor(self.threads) as pool:
            for start in range(0, len(visits), BATCH):
                learn = partial(self._learn, number)
                batch = visits[start : start + BATCH]
                updates = list(pool.map(learn, batch))  # all of them, before weights change
                for update in updates:
                    self.learner.apply(update)
                    correct += update.correct
                    on_sentence()
        return correct / len(visits), time.process_time() - started

    def _learn(self, number: int, index: int) -> Update:
        """Visit a sentence in epoch `number`."""
        sentence = self.sentences[index]
        rng = random.Random(f"{self.settings.seed}:{number}:{index}")
        if self.settings.condition == "mixed":
            condition = draw_condition(rng)
        else:
            condition = CONDITIONS[self.settings.condition]
        problem = constrain(sentence, condition, rng, shuffle=False)
        encoding, reference = encode_training(sentence, problem, self.vocabulary)
        return self.learner.learn(
            encoding.encoded,
            reference.order,
            reference.heads,
            reference.labels,
            reference.tags,
            self.settings.beam,
            self.settings.update == "max-violation",
        )

    def weights(self) -> StoredWeights:
        """The weights as a model would have them now."""
        return StoredWeights.of(*self.learner.averaged(), self.settings.max_features)

    def measure(self, weights: StoredWeights, sentences: Sequence[Sentence]) -> dict[str, float]:
        """Dev BLEU per condition."""
        mixed = self.settings.condition == "mixed"
        conditions = MAIN_CONDITIONS if mixed else (self.settings.condition,)
        model = build_model(self.header, self.vocabulary, weights)
        report = evaluate(
            Linearizer(model), sentences, conditions, beam=self.settings.beam, threads=self.threads
        )
        return {figures.condition: round(figures.bleu, 2) for figures in report.figures}

    def close_epoch(self, epoch: Epoch, weights: StoredWeights) -> None:
        """Keep the model if it is the best so far, then the state from which to go on.

        In this order: a run that is cut off in between repeats the epoch and its model.
        """
        self.epochs.append(epoch)
        if _best(self.epochs) == epoch:
            save_model(
                self.folder / "best",
                {**self.header, "figures": {"dev": epoch.bleu, "epoch": epoch.number}},
                self.vocabulary,
                weights,
            )
        write_container(
            self.folder / "state",
            {"run": self.header, "epochs": [asdict(epoch) for epoch in self.epochs]},
            self.learner.state(),
        )

    def finish(self) -> TrainingReport:
        best = self.folder / "best"
        if best.exists():  # else a run that ended here was cut off while it tidied up
            best.replace(self.output)
        shutil.rmtree(self.folder)
        return TrainingReport(tuple(self.epochs), _best(self.epochs).number)


def _best(epochs: Sequence[Epoch]) -> Epoch:
    return max(epochs, key=lambda epoch: (epoch.mean_bleu, -epoch.number))


def _spread(sentences: Sequence[Sentence], count: int) -> Sequence[Sentence]:
    """`count` sentences, evenly spaced: treebanks are sorted by genre."""
    if len(sentences) <= count:
        return sentences
    return [sentences[i * len(sentences) // count] for i in range(count)]


def _describe_data(path: str | Path, sentences: Sequence[Sentence]) -> dict[str, Any]:
    digest = hashlib.sha256()
    for sentence in sentences:
        digest.update(json.dumps(asdict(sentence)).encode())
    return {
        "name": Path(path).name,
        "sha256": digest.hexdigest(),
        "sentences": len(sentences),
        "words": sum(len(sentence.forms) for sentence in sentences),
    }
