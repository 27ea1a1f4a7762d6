"""The work for one treebank: its model is trained, measured and packed.

Each step is left out if an earlier run has done it. Which process does the work is decided by the
engines in `processes`.
"""

from __future__ import annotations

import contextlib
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from syntagma import __version__
from syntagma.errors import SyntagmaError, SyntagmaWarning
from syntagma.evaluation.evaluate import evaluate, main_conditions
from syntagma.evaluation.realization import evaluate_realization, lemma_problems
from syntagma.evaluation.report import report_as_dict
from syntagma.linearizer.linearizer import load
from syntagma.models.header import heads_of
from syntagma.models.loading import load_model
from syntagma.models.packaging import package
from syntagma.neural.settings import NeuralSettings
from syntagma.sweeps.collection import read_licence
from syntagma.sweeps.job import TrainingJob
from syntagma.sweeps.record import (
    Record,
    has_figures,
    is_packed,
    measured_on,
    new_record,
    trained_record,
    write_record,
)
from syntagma.training.data import TrainingPlan
from syntagma.training.run import Epoch, TrainingReport, keep_freed_memory
from syntagma.training.train import train
from syntagma.treebanks.corpus import read_corpus

SEED = 1  # of the shuffling of test sentences, as `syntagma evaluate` has it

Tell = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """How the work for a treebank ended: with a record, or with an error on one line."""

    name: str
    record: Record | None = None
    error: str = ""


def run_job(job: TrainingJob, tell: Tell) -> TrainingOutcome:
    """Do what is missing for a treebank; `tell` is told what is being done.

    An error is an outcome like any other, so that it does not stop other treebanks. This is done in
    a process of our own: it changes the process's allocator and warnings.
    """
    name = job.treebank.name
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        with open(job.log, "a", encoding="utf-8", buffering=1) as log:
            try:
                with _warnings_in(log) as noted:
                    return TrainingOutcome(name, _work(job, tell, log, noted))
            except Exception as error:
                if not isinstance(error, SyntagmaError | MemoryError | OSError):
                    traceback.print_exception(error, file=log)
                line = describe_error(error, job.folder, job.log)
                print("error:", line, file=log)
                return TrainingOutcome(name, error=line)
    except OSError as error:
        return TrainingOutcome(name, error=describe_error(error, job.folder, job.log))


def describe_error(error: Exception, folder: Path, log: Path) -> str:
    """An error on one line; the log has the traceback of a bug."""
    if isinstance(error, SyntagmaError):
        text = str(error)
    elif isinstance(error, OSError):
        text = f"{error.filename or folder}: {error.strerror or error}"
    elif isinstance(error, MemoryError):
        text = "out of memory: run fewer trainings at a time (--jobs)"
    else:
        text = f"{type(error).__name__}: {error} (a bug; {log} shows where)"
    return " ".join(text.split())


def _work(job: TrainingJob, tell: Tell, log: IO[str], noted: list[str]) -> Record:
    record = trained_record(job)
    if record is None:
        record = begun = new_record(job)
        write_record(job, record)

        def note_warnings() -> None:
            begun["warnings"] = list(noted)
            write_record(job, begun)

        report = _train(job, tell, log, note_warnings)
        cpu_seconds = sum(epoch.cpu_seconds for epoch in report.epochs)
        record["warnings"] = list(noted)
        record["training"] = {**_describe_training(job), "cpu_seconds": round(cpu_seconds, 1)}
        write_record(job, record)
    elif "training" not in record:  # killed right after the model was written
        record["training"] = {**_describe_training(job), "cpu_seconds": None}
    if not has_figures(job, record):
        record["measured"] = {**measured_on(job), "syntagma": __version__, **_measure(job, tell)}
        record.pop("package", None)
        print(f"measured on {record['measured']['on']}", file=log)
        write_record(job, record)
    if not is_packed(job, record):
        tell("packing")
        record["package"] = _pack(job, record)
        print(f"packed as {record['package']['distribution']}", file=log)
        write_record(job, record)
    return record


def _train(
    job: TrainingJob, tell: Tell, log: IO[str], on_data: Callable[[], None]
) -> TrainingReport:
    """Train the model, or resume; `on_data` is called when its data are read and checked."""
    if isinstance(job.settings, NeuralSettings):
        keep_freed_memory()
    licence = read_licence(job.treebank.folder)
    planned: list[int | None] = []

    def announce(plan: TrainingPlan) -> None:
        planned.append(plan.settings.epochs)
        on_data()
        for line in plan.lines():
            print(line, file=log)

    def show(epoch: Epoch) -> None:
        print(epoch.line(), file=log)
        tell(f"epoch {epoch.number} of {planned[0]}")

    tell("reading")
    return train(
        job.treebank.train,
        job.treebank.dev or None,
        job.model,
        settings=job.settings,
        name=job.model_name,
        language=job.treebank.language,
        licence=licence.name,
        attribution=licence.authors,
        on_plan=announce,
        on_epoch=show,
    )


def _describe_training(job: TrainingJob) -> Record:
    """What the header of the model says about its training."""
    header = load_model(job.model, search=None).header
    return {
        "sentences": sum(entry["sentences"] for entry in header["data"]),
        "epochs": header["settings"]["epochs"],
        "best_epoch": header["figures"]["epoch"],
        "size": job.model.stat().st_size,
    }


def _measure(job: TrainingJob, tell: Tell) -> Record:
    """The figures of the model on its test set, else on its development set; if that was held out
    of the training set, those of training."""
    tell("measuring")
    linearizer = load(job.model, search=_search(job))
    files = job.treebank.test or job.treebank.dev
    if not files:
        figures = linearizer.info.header["figures"]["dev"]
        return {"conditions": [{"condition": each, "bleu": figures[each]} for each in figures]}
    heads = heads_of(linearizer.info.header)
    sentences = read_corpus(files, linearizer.tag_column, heads)[: job.limit]
    conditions = main_conditions(linearizer)
    report = evaluate(linearizer, sentences, conditions, seed=SEED)
    found = {"conditions": report_as_dict(report)["conditions"]}
    if linearizer.realizes:
        tell("measuring realisation")
        problems = lemma_problems(sentences, SEED)
        realized = evaluate_realization(linearizer, problems, sentences, seed=SEED)
        found["realization"] = realized.to_json()
    return found


def _search(job: TrainingJob) -> Any:
    return "best-first" if job.settings.SCORER == "edges" else "beam"


def _pack(job: TrainingJob, record: Record) -> Record:
    measured = record["measured"]
    [about, *others] = measured["data"] or [{}]
    records = []
    if about:  # figures of a held-out part are in the header
        version = measured.get("syntagma", record["syntagma"])  # of the one that measured
        shared = {"data": about if not others else [about, *others], "syntagma": version}
        records.append({**shared, "conditions": measured["conditions"]})
        if "realization" in measured:
            records.append({**shared, **measured["realization"]})
    distribution = package(
        job.model,
        job.package,
        name=job.model_name,
        figures=records,
        licence_text=read_licence(job.treebank.folder).text,
    )
    return {"distribution": distribution, "model_sha256": measured["model_sha256"]}


@contextlib.contextmanager
def _warnings_in(log: IO[str]) -> Iterator[list[str]]:
    """Warnings of the package go to the log, each once, and into a list."""
    noted: list[str] = []

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        line = " ".join(str(message).split())
        if line not in noted:
            print("warning:", line, file=log)
            if issubclass(category, SyntagmaWarning):
                noted.append(line)

    with warnings.catch_warnings():
        warnings.simplefilter("always", SyntagmaWarning)
        warnings.showwarning = show
        yield noted
