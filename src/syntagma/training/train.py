"""Training: epochs over a treebank, model selection on a development set, stop and resume.

What an epoch does is the learner's business: that of `linear_training`, `neural_training` or
`best_first_training`.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy.typing as npt

from syntagma.best_first.model import StoredEdges
from syntagma.best_first.settings import BestFirstSettings
from syntagma.best_first.training import GuidedLearner
from syntagma.errors import FormatError, TrainingError
from syntagma.evaluation.evaluate import evaluate
from syntagma.formats.auto import auto_line
from syntagma.formats.problems import guess_format
from syntagma.language_model.packed import LanguageModel
from syntagma.linear.settings import LinearSettings
from syntagma.linear.training import PerceptronLearner
from syntagma.linearizer import Linearizer, model_path
from syntagma.models.container import read_container, write_container
from syntagma.models.model import LANGUAGE_MODEL, Model, Stored, build_model, load_model, save_model
from syntagma.neural.settings import REALIZE, NeuralSettings
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import inflect_sentence, learn_realizer
from syntagma.transition.budget import SearchBudget
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.ccgbank import is_ccgbank, read_ccgbank
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence, read_treebank
from syntagma.version import VERSION

DEV_SENTENCES = 300


@dataclass(frozen=True, slots=True)
class Epoch:
    """One epoch's outcome: dev BLEU per condition, the learner's own figures, CPU time."""

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


class Learner(Protocol):
    """A scorer under training: for how many epochs, and with what budget it is measured."""

    epochs: int
    budget: SearchBudget

    def begin(
        self, sentences: Sequence[Sentence], pretrain: Sequence[Sequence[Sentence]]
    ) -> Vocabulary:
        """Take in the data, once, before all else; the vocabulary is the model's."""

    def describe(self) -> dict[str, Any]:
        """What the model's header says of the scorer, and its file needs to be read."""

    def pass_over(self, number: int, on_sentence: Callable[[], None]) -> dict[str, float]:
        """Epoch `number`, counted from 1, and its figures."""

    def stored(self) -> Stored | StoredEdges:
        """The scorer as a model would have it now."""

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything needed to go on later in another process, to the same end."""

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None: ...


def train(
    train: str | Path,
    dev: str | Path,
    output: str | Path,
    *,
    settings: Settings | None = None,
    pretrain: Sequence[str | Path] = (),
    start: str | Path | None = None,
    name: str = "",
    language: str = "",
    licence: str = "",
    attribution: str = "",
    threads: int = 1,
    on_sentence: Callable[[], None] = lambda: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
    on_faults: Callable[[Sequence[FormatError]], None] = lambda faults: None,
) -> TrainingReport:
    """Train a model and write it to `output`; the epoch that is best on `dev` is kept.

    The settings say which scorer the model has, by default a neural one. `pretrain` are further
    treebanks that a neural one learns from first; they may be machine-made, so a faulty sentence is
    left out, and the faults of each file are reported to `on_faults`. `start` is a neural model, a
    file or the name of one that is shipped, to go on from instead of a new one: it keeps its words,
    tags, labels, dimensions and language model, and learns new tags and labels.

    Until it is finished, a folder `<output>.training` holds the state after the last whole epoch;
    the same call goes on from there and ends with the same model. The number of threads has no
    influence on a linear model; that of a neural one may change its rounding.
    """
    settings = settings or NeuralSettings()
    if threads < 1:
        raise TrainingError(f"threads must be at least 1, not {threads}")
    for given, option in ((pretrain, "pretrain"), (start, "start")):
        if given and not settings.PRETRAINS:
            raise TrainingError(
                f"a scorer of the kind {settings.SCORER} learns from one treebank and from nothing "
                f"else: leave out {option} (--{option}) or train a neural one"
            )
    if Path(output).is_dir():
        raise TrainingError(f"cannot write the model to {output}: it is a folder")
    begun = _start(start, settings) if start is not None else None
    sentences = _read(train, settings)
    realizer = None
    if isinstance(settings, NeuralSettings) and settings.realize:
        realizer = learn_realizer(sentences, language)
    learner = _learner(settings, threads, begun, realizer)
    dev_sentences = _spread(_read(dev, settings), DEV_SENTENCES)
    further, left_out = [], []
    for path in pretrain:
        faults: list[FormatError] = []
        further.append(read_treebank(path, settings.tag_column, faults=faults))
        left_out.append(len(faults))
        if faults:
            on_faults(faults)
    vocabulary = learner.begin(sentences, further)
    header = {
        "name": name or Path(output).stem,
        "language": language,
        "licence": licence,
        "attribution": attribution,
        "data": [
            _describe_data(train, sentences),
            *(
                {**_describe_data(path, each), "use": "pre-training", "left_out": faulty}
                for path, each, faulty in zip(pretrain, further, left_out, strict=True)
            ),
        ],
        **(_describe_start(start, begun) if start is not None and begun else {}),
        "tag_column": settings.tag_column,
        "scorer": settings.SCORER,
        **learner.describe(),
        "settings": asdict(settings),
        "created_with": VERSION,
    }
    fluent = begun.language_model if begun is not None else None
    if begun is not None and fluent is not None:
        header[LANGUAGE_MODEL] = begun.header[LANGUAGE_MODEL]
    language_model = fluent.language_model if fluent is not None else None
    run = _Run(
        Path(output), header, settings, learner, vocabulary, threads, realizer, language_model
    )
    run.resume()
    while len(run.epochs) < learner.epochs:
        number = len(run.epochs) + 1
        started = time.process_time()
        figures = learner.pass_over(number, on_sentence)
        cpu_seconds = time.process_time() - started
        stored = learner.stored()
        epoch = Epoch(number, run.measure(stored, dev_sentences), figures, cpu_seconds)
        run.close_epoch(epoch, stored)
        on_epoch(epoch)
    return run.finish()


def _read(path: str | Path, settings: Settings) -> list[Sentence]:
    """A treebank, or a CCGbank where derivations are to be learned from."""
    ccg = isinstance(settings, BestFirstSettings) and settings.grammar == "ccg"
    if is_ccgbank(path) and not ccg:
        raise TrainingError(
            f"{path} is a CCGbank, from which only CCG models learn: use the grammar ccg "
            "(--search best-first --grammar ccg), or a treebank in CoNLL-U"
        )
    if ccg and guess_format(path) == "conllu":
        raise TrainingError(
            f"{path} is a treebank, but CCG models learn from derivations: use a CCGbank (.auto), "
            "or the grammar dependency (--grammar dependency)"
        )
    if ccg:
        return [each.sentence for each in read_ccgbank(path)]
    return read_treebank(path, settings.tag_column)


def _start(start: str | Path, settings: Settings) -> Model:
    """The model to start from, if it can be gone on from."""
    model = load_model(model_path(start))
    if model.header.get("scorer") != settings.SCORER:
        raise TrainingError(f"{start} (--start) has no {settings.SCORER} scorer to go on from")
    if model.header["tag_column"] != settings.tag_column:
        raise TrainingError(
            f"{start} (--start) reads tags from {model.header['tag_column']}, not from "
            f"{settings.tag_column}: change the tag column (--tag-column)"
        )
    return model


def _learner(
    settings: Settings, threads: int, start: Model | None, realizer: Realizer | None
) -> Learner:
    """PyTorch is imported only where a network is trained."""
    if isinstance(settings, LinearSettings):
        return PerceptronLearner(settings, threads)
    if isinstance(settings, BestFirstSettings):
        return GuidedLearner(settings)
    if find_spec("torch") is None:
        raise TrainingError(
            "a neural scorer is trained with PyTorch, which is not installed: "
            "pip install 'syntagma[train]'"
        )
    inflect = partial(inflect_sentence, realizer) if realizer is not None else None
    neural_training = import_module("syntagma.neural.training")
    learner: Learner = neural_training.NeuralLearner(
        settings, threads, None if start is None else start.scorer, inflect
    )
    return learner


class _Run:
    """A training run and its folder."""

    def __init__(
        self,
        output: Path,
        header: dict[str, Any],
        settings: Settings,
        learner: Learner,
        vocabulary: Vocabulary,
        threads: int,
        realizer: Realizer | None,
        language_model: LanguageModel | None,
    ) -> None:
        self.output = output
        self.folder = output.with_name(output.name + ".training")
        self.header = header
        self.settings = settings
        self.learner = learner
        self.vocabulary = vocabulary
        self.threads = threads
        self.realizer = realizer
        self.language_model = language_model
        self.epochs: list[Epoch] = []

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

    def measure(
        self, stored: Stored | StoredEdges, sentences: Sequence[Sentence]
    ) -> dict[str, float]:
        """Dev BLEU per condition; lemmas as if they were inflected before they are ordered."""
        linearizer = Linearizer(build_model(self.header, self.vocabulary, stored))

        def measured(sentences: Sequence[Sentence], *conditions: str) -> dict[str, float]:
            report = evaluate(
                linearizer,
                sentences,
                conditions,
                **asdict(self.learner.budget),
                threads=self.threads,
            )
            return {figures.condition: round(figures.bleu, 2) for figures in report.figures}

        given = [name for name in self.settings.dev_conditions if name != REALIZE]
        found = measured(sentences, *given)
        if self.realizer is not None:
            inflected = [inflect_sentence(self.realizer, each) for each in sentences]
            found[REALIZE] = measured(inflected, "labelled")["labelled"]
        return found

    def close_epoch(self, epoch: Epoch, stored: Stored | StoredEdges) -> None:
        """Keep the model if it is the best so far, then the state from which to go on.

        In this order: a run that is cut off in between repeats the epoch and its model.
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
        described: dict[str, Any] = {
            "forms": sentence.forms,
            "tags": sentence.tags,
            "heads": sentence.heads,
            "deprels": sentence.deprels,
            "id": sentence.id,
        }
        if sentence.derivation is not None:
            described["derivation"] = auto_line(sentence.derivation)
        digest.update(json.dumps(described).encode())
    return {
        "name": Path(path).name,
        "sha256": digest.hexdigest(),
        "sentences": len(sentences),
        "words": sum(len(sentence.forms) for sentence in sentences),
    }


def _describe_start(path: str | Path, model: Model) -> dict[str, Any]:
    """Where the model to start from comes from: its data are the new one's, too."""
    kept = ("name", "licence", "attribution", "data", "start", "settings", "created_with")
    digest = hashlib.sha256(model_path(path).read_bytes()).hexdigest()
    described = {field: model.header[field] for field in kept if field in model.header}
    return {"start": {**described, "sha256": digest}}
