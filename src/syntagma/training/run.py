"""A training run and its folder: measuring epochs, keeping the best model, stopping and resuming.

`train` drives the run; what an epoch learns is decided by its learner (`learners`). The checkpoint
holds checksums of what the run reads, so that no other run resumes it.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy.typing as npt

from syntagma.ccg.derivation import Derivation
from syntagma.errors import ModelError, OutputError, TrainingError
from syntagma.evaluation.evaluate import evaluate
from syntagma.files import temporary
from syntagma.files.locking import locked
from syntagma.files.writing import check_output, sync_directory
from syntagma.formats.auto import auto_line
from syntagma.language_model.balance import Balance
from syntagma.language_model.packed import LanguageModel
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.container import read_container, write_container
from syntagma.models.header import LANGUAGE_MODEL
from syntagma.models.model import StoredScorer, build_model, save_model
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import inflect_sentence
from syntagma.request import Request
from syntagma.training.learners import Learner
from syntagma.training.margin import write_margins
from syntagma.transition.strategy import WeightedLanguageModel
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.settings import REALIZE
from syntagma.treebanks.treebank import Sentence

CHECKPOINT = "state"  # files of the folder
BEST = "best"

MEASUREMENTS = 10  # of a run with at least as many epochs; each takes about as long as an epoch

_INFLECTED = 300  # sentences by which other inflection is noticed
_SHOWN = 5  # differences that a message lists
_LONGEST = 40  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Epoch:
    """The outcome of one epoch: dev BLEU per condition, or nothing if it was not measured, the
    learner's own figures, and the CPU time of learning."""

    number: int
    bleu: dict[str, float]
    figures: dict[str, float]
    cpu_seconds: float

    @property
    def mean_bleu(self) -> float:
        return sum(self.bleu.values()) / len(self.bleu)

    def line(self) -> str:
        """The line that reports the epoch."""
        bleu = ", ".join(f"{condition} {bleu:.2f}" for condition, bleu in self.bleu.items())
        measured = f"dev BLEU {bleu}; " if bleu else ""
        shares = {"correct": "without update", "found": "found"}
        others = "".join(
            f"{100 * value:.1f}% {shares[name]}, " if name in shares else f"{name} {value:.4g}, "
            for name, value in self.figures.items()
        )
        return f"epoch {self.number}: {measured}{others}{self.cpu_seconds:.0f} s CPU"


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """All epochs and the number of the one that was kept."""

    epochs: tuple[Epoch, ...]
    best: int


@contextlib.contextmanager
def open_folder(output: Path, inputs: Iterable[str | os.PathLike[str]]) -> Iterator[Path]:
    """The folder of a run with this output, for this run alone.

    Raise if the output cannot be written or is an input, if another training with this output is
    under way, or if the folder holds anything else. Without a checkpoint, the folder is removed at
    the end.
    """
    inputs = list(inputs)
    check_output(output, inputs)
    if output.exists() and not output.is_file():
        raise OutputError(f"cannot write the model to {output}: it is not a regular file")
    folder = _folder_of(output)
    _check_folder(folder, inputs)
    with locked(output):
        try:
            with temporary.undisturbed:
                folder.mkdir(exist_ok=True)
                if not (folder / CHECKPOINT).is_file():
                    temporary.note(folder)
        except OSError as error:
            raise TrainingError(f"cannot write to {folder}: {error.strerror}") from error
        try:
            yield folder
        finally:
            temporary.forget(folder)
            if not (folder / CHECKPOINT).is_file():
                remove_folder(folder)


def has_checkpoint(output: Path) -> bool:
    """Whether an interrupted run with this output can be resumed."""
    return (_folder_of(output) / CHECKPOINT).is_file()


def _folder_of(output: Path) -> Path:
    if output.is_symlink():  # the model will be where the link points to
        output = Path(os.path.realpath(output))
    return output.with_name(output.name + ".training")


def _check_folder(folder: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise if the folder holds anything that does not belong to a run: it will be removed."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise TrainingError(
            f"training needs a folder {folder}, but a file has this name: move it, or choose "
            "another output"
        )
    for path in inputs:
        if Path(os.path.realpath(folder)) in Path(os.path.realpath(path)).parents:
            raise TrainingError(
                f"{path} is in {folder}, which will be removed: move it, or choose another output"
            )
    for path in folder.iterdir():
        if not _belongs_to_run(path):
            raise TrainingError(
                f"{folder} holds {path.name}, which does not belong to a training run: move it, "
                "or choose another output"
            )


def _belongs_to_run(path: Path) -> bool:
    left_behind = path.name.startswith(".") and path.name.endswith(".tmp")
    return path.name in (CHECKPOINT, BEST) or left_behind


def remove_folder(folder: Path) -> None:
    """Remove the folder of a run; what does not belong to the run stays, and so does the folder."""
    with contextlib.suppress(OSError):
        # The checkpoint goes last: as long as it is there, the same command removes the rest.
        for path in sorted(folder.iterdir(), key=lambda path: path.name == CHECKPOINT):
            if _belongs_to_run(path):
                path.unlink()
        folder.rmdir()


@dataclass(slots=True)
class Run:
    """A training run; until it is finished, its folder holds a checkpoint and the best model."""

    output: Path
    folder: Path
    header: dict[str, Any]
    inputs: Mapping[str, str]
    learner: Learner
    vocabulary: Vocabulary
    dev_sentences: Sequence[Sentence]
    dev_conditions: Sequence[str]
    threads: int
    realizer: Realizer | None
    language_model: LanguageModel | None
    epochs: list[Epoch] = field(default_factory=list)

    def resume(self) -> None:
        """Continue after the last whole epoch of the same run, if there is one."""
        if not (self.folder / CHECKPOINT).is_file():
            return
        header, arrays = self._read(CHECKPOINT)
        if (self.folder / BEST).exists():
            self._read(BEST)
        there = header.get("run", {}), header.get("inputs", {})
        if differences := list_differences(there, (self.header, self.inputs)):
            raise TrainingError(
                f"{self.folder} holds a training run with other data or settings ({differences}); "
                "repeat its command to continue it, or remove the folder to start again"
            )
        self.learner.restore(arrays)
        self.epochs = [Epoch(**epoch) for epoch in header["epochs"]]

    def _read(self, file: str) -> tuple[dict[str, Any], Mapping[str, npt.NDArray[Any]]]:
        """A file of the folder; if it is damaged, the run cannot be resumed."""
        try:
            return read_container(self.folder / file)
        except ModelError as error:
            if isinstance(error.__cause__, OSError):
                raise
            raise TrainingError(
                f"{self.folder} holds a training run that was interrupted, but its file {file} is "
                f"damaged: delete the folder {self.folder} to start training again"
            ) from error

    def learn(self, on_sentence: Callable[[], None], on_epoch: Callable[[Epoch], None]) -> None:
        """Run the remaining epochs."""
        for number in range(len(self.epochs) + 1, self.learner.epochs + 1):
            started = time.process_time()
            figures = self.learner.pass_over(number, on_sentence)
            cpu_seconds = time.process_time() - started
            stored = self.learner.stored()
            bleu = self.measure(stored) if is_measured(number, self.learner.epochs) else {}
            epoch = Epoch(number, bleu, figures, cpu_seconds)
            self.close_epoch(epoch, stored)
            on_epoch(epoch)

    def measure(self, stored: StoredScorer) -> dict[str, float]:
        """Dev BLEU per condition; for realisation, of lemmas inflected before they are ordered."""
        model = build_model(self.header, self.vocabulary, stored)
        if model.search == "best-first" and self.language_model is not None:
            weighted = WeightedLanguageModel(self.language_model, Balance(0, 0, 0, 0))
            model = replace(model, language_model=weighted)
        return measure_dev(
            Linearizer(model),
            self.dev_sentences,
            self.dev_conditions,
            self.learner.request,
            self.realizer,
            self.threads,
            labelled=not self.vocabulary.unlabelled,
        )

    def close_epoch(self, epoch: Epoch, stored: StoredScorer) -> None:
        """Write the model if it is the best so far, then the checkpoint.

        In this order: a run that is interrupted in between repeats the epoch and its model.
        """
        self.epochs.append(epoch)
        if epoch.bleu and _best(self.epochs) == epoch:
            save_model(
                self.folder / BEST,
                {**self.header, "figures": {"dev": epoch.bleu, "epoch": epoch.number}},
                self.vocabulary,
                stored,
                self.realizer,
                self.language_model,
            )
        write_container(
            self.folder / CHECKPOINT,
            {
                "run": self.header,
                "inputs": self.inputs,
                "epochs": [asdict(epoch) for epoch in self.epochs],
            },
            self.learner.state(),
        )
        temporary.forget(self.folder)

    def finish(self) -> TrainingReport:
        """Move the best model, with a margin of acceptable orders, to its place and remove the
        folder."""
        best = self.folder / BEST
        if best.exists() and self.header.get("search", "beam") == "beam":
            write_margins(best, best, self.dev_sentences, threads=self.threads)
        with temporary.undisturbed:
            if best.exists():  # else an earlier call was interrupted between these two steps
                best.replace(self.output)
                sync_directory(self.output.parent)
            remove_folder(self.folder)
        return TrainingReport(tuple(self.epochs), _best(self.epochs).number)


def measure_dev(
    linearizer: Linearizer,
    sentences: Sequence[Sentence],
    conditions: Sequence[str],
    request: Request,
    realizer: Realizer | None,
    threads: int = 1,
    *,
    labelled: bool = True,
) -> dict[str, float]:
    """Dev BLEU per condition; with a realizer, of trees of inflected lemmas, too: labelled ones if
    the arcs of the model are `labelled`."""

    def bleu(sentences: Sequence[Sentence], *conditions: str) -> dict[str, float]:
        report = evaluate(
            linearizer,
            sentences,
            conditions,
            beam=request.beam,
            expansions=request.expansions,
            threads=threads,
        )
        return {figures.condition: round(figures.bleu, 2) for figures in report.figures}

    found = bleu(sentences, *(name for name in conditions if name != REALIZE))
    if realizer is not None:
        inflected = [inflect_sentence(realizer, each) for each in sentences]
        [found[REALIZE]] = bleu(inflected, "labelled" if labelled else "tree").values()
    return found


def is_measured(number: int, epochs: int) -> bool:
    """Whether an epoch is one of about MEASUREMENTS, evenly spaced, that end with the last.

    >>> [number for number in range(1, 31) if is_measured(number, 30)]
    [3, 6, 9, 12, 15, 18, 21, 24, 27, 30]
    """
    return (epochs - number) % max(1, epochs // MEASUREMENTS) == 0


def _best(epochs: Sequence[Epoch]) -> Epoch:
    measured = (epoch for epoch in epochs if epoch.bleu)
    return max(measured, key=lambda epoch: (epoch.mean_bleu, -epoch.number))


def digest_inputs(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    pretrain: Sequence[Sequence[Sentence]],
    realizer: Realizer | None,
) -> dict[str, str]:
    """A checksum of each input with all that its sentences hold, by the input's name in messages.

    The model to start from is described in the header of the run.
    """
    digests = {"training set": _digest(sentences), "development set": _digest(dev)}
    for number, treebank in enumerate(pretrain, start=1):
        digests[f"pre-training set {number}"] = _digest(treebank)
    if realizer is not None:
        # Inflection depends on the tables and rules of a language, too.
        sample = dev[:_INFLECTED]
        digests["inflection"] = _digest([inflect_sentence(realizer, each) for each in sample])
    return digests


def _digest(sentences: Sequence[Sentence]) -> str:
    digest = hashlib.sha256()
    names = [field.name for field in fields(Sentence)]
    for sentence in sentences:
        values = [_plain(getattr(sentence, name)) for name in names]
        digest.update(json.dumps(values).encode())
    return digest.hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Derivation):
        return auto_line(value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def list_differences(
    there: tuple[Mapping[str, Any], Mapping[str, str]],
    here: tuple[Mapping[str, Any], Mapping[str, str]],
) -> str:
    """How two runs differ, for a message; empty if one may resume the other.

    Each run is given by the header of its model and by the checksums of its inputs.
    """
    found = [*_other_inputs(there[1], here[1]), *_other_fields(there[0], here[0])]
    if len(found) > _SHOWN:
        found[_SHOWN:] = [f"{len(found) - _SHOWN} more"]
    return "; ".join(found)


def _other_inputs(there: Mapping[str, str], here: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*here, *there]):
        if name not in there:
            yield f"{name} here, none there"
        elif name not in here:
            yield f"{name} there, none here"
        elif there[name] != here[name]:
            yield f"the {name} has other content"


def _other_fields(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    """Other fields of the header. What sums up the data is compared by its checksums, what repeats
    a setting by the setting."""
    here = json.loads(json.dumps(here))  # as the checkpoint holds it
    repeated = {*here.get("settings", ()), "preset_changes"}
    for name in dict.fromkeys([*here, *there]):
        old, new = there.get(name), here.get(name)
        if old == new or name in repeated:
            continue
        if name == "settings" and isinstance(old, dict) and isinstance(new, dict):
            yield from _other_fields(old, new)
        elif name == "data":
            yield from _other_names(old, new)
        elif name == "start":
            yield "another model to start from"
        elif name == "created_with":
            yield f"version {_shown(old)} there, {_shown(new)} here"
        elif name == "templates":
            yield "other feature templates"
        elif name == LANGUAGE_MODEL:
            yield "another language model"
        elif isinstance(old, dict | list) or isinstance(new, dict | list):
            yield f"another {name.replace('_', ' ')}"
        else:
            yield f"{name.replace('_', ' ')}: {_shown(old)} there, {_shown(new)} here"


def _other_names(there: object, here: object) -> Iterator[str]:
    """Treebanks with other file names; other content is noticed by the checksums of the inputs."""
    names = [
        [each.get("name") for each in data] if isinstance(data, list) else []
        for data in (there, here)
    ]
    for old, new in zip(*names, strict=False):
        if old != new:
            yield f"file name: {_shown(old)} there, {_shown(new)} here"


def _shown(value: object) -> str:
    text = "none" if value in (None, "") else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def keep_freed_memory() -> None:
    """Make glibc keep freed blocks of up to 32 MB: page faults took a third of the time.

    Other C libraries have no such call. It cannot be undone, so that only processes of our own do
    it: the function `train` may run in somebody else's.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None:
        mmap_threshold, trim_threshold = -3, -1
        mallopt(mmap_threshold, 32 << 20)
        mallopt(trim_threshold, 1 << 30)
