"""The work for one treebank: its model is trained, measured and packed.

Each step is left out if an earlier run has done it. A process on this machine, or a task of Ray,
does the work for each treebank. A worker process runs this module as a program: it reads one job
from standard input and answers on standard output, one JSON value per line. It exits as soon as its
standard input ends.

Ray repeats tasks whose process or machine dies; training then resumes after its last complete
epoch. All machines of a cluster must reach treebanks and output by the same paths.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from syntagma import __version__
from syntagma.engines import (
    connected,
    end_worker,
    import_ray,
    open_answers,
    ray_reason,
    send,
    start_worker,
)
from syntagma.errors import SyntagmaError, SyntagmaWarning, as_line
from syntagma.evaluation.evaluate import evaluate, main_conditions
from syntagma.evaluation.realization import evaluate_realization, lemma_problems
from syntagma.evaluation.report import report_as_dict
from syntagma.files import temporary
from syntagma.linearizer.linearizer import load
from syntagma.models.header import heads_of
from syntagma.models.loading import load_model
from syntagma.models.packaging import package
from syntagma.neural.settings import NeuralSettings
from syntagma.sweeps.collection import read_licence
from syntagma.sweeps.job import (
    Record,
    TrainingJob,
    has_figures,
    is_packed,
    measured_on,
    new_record,
    trained_record,
    write_json,
)
from syntagma.training.data import TrainingPlan
from syntagma.training.run import Epoch, TrainingReport, keep_freed_memory
from syntagma.training.train import train
from syntagma.treebanks.corpus import read_corpus

PARENT_GONE = 3  # exit code of a worker
_RETRIES = 3  # of a Ray task
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
    return as_line(" ".join(text.split()))


def _work(job: TrainingJob, tell: Tell, log: IO[str], noted: list[str]) -> Record:
    known = trained_record(job)
    record = new_record(job) if known is None else known

    def keep() -> None:
        write_json(job.figures, record)

    def keep_warnings() -> None:
        record["warnings"] = list(noted)
        keep()

    if known is None:
        keep()
        report = _train(job, tell, log, keep_warnings)
        record["warnings"] = list(noted)
        cpu_seconds = sum(epoch.cpu_seconds for epoch in report.epochs)
        record["training"] = _describe_training(job, round(cpu_seconds, 1))
        keep()
    elif "training" not in record:  # killed right after the model was written
        record["training"] = _describe_training(job, None)
    if not has_figures(job, record):
        record["measured"] = {**measured_on(job), "syntagma": __version__, **_measure(job, tell)}
        record.pop("package", None)
        print(f"measured on {record['measured']['on']}", file=log)
        keep()
    if not is_packed(job, record):
        tell("packing")
        record["package"] = _pack(job, record)
        print(f"packed as {record['package']['distribution']}", file=log)
        keep()
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


def _describe_training(job: TrainingJob, cpu_seconds: float | None) -> Record:
    """What the header of the model says about its training."""
    header = load_model(job.model, search=None).header
    return {
        "sentences": sum(entry["sentences"] for entry in header["data"]),
        "epochs": header["settings"]["epochs"],
        "best_epoch": header["figures"]["epoch"],
        "size": job.model.stat().st_size,
        "cpu_seconds": cpu_seconds,
    }


def _measure(job: TrainingJob, tell: Tell) -> Record:
    """The figures of the model on its test set, else on its development set; if that was held out
    of the training set, those of training."""
    tell("measuring")
    linearizer = load(job.model, search="best-first" if job.settings.SCORER == "edges" else "beam")
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
        line = as_line(" ".join(str(message).split()))
        if line not in noted:
            print("warning:", line, file=log)
            if issubclass(category, SyntagmaWarning):
                noted.append(line)

    with warnings.catch_warnings():
        warnings.simplefilter("always", SyntagmaWarning)
        warnings.showwarning = show
        yield noted


def work_in_processes(
    jobs: Sequence[TrainingJob], processes: int, tell: Callable[[str, str], object]
) -> Iterator[TrainingOutcome]:
    """The outcomes of the jobs, as they come, from at most this many processes at a time.

    A process that dies is an outcome of its own job. `tell` is called with the name of a treebank
    and what is being done for it, by any thread.
    """
    running = _Running()
    pool = ThreadPoolExecutor(processes)
    try:
        futures = [pool.submit(running.work, job, tell) for job in jobs]
        for future in as_completed(futures):
            yield future.result()
    finally:
        running.stop()
        pool.shutdown(cancel_futures=True)


class _Running:
    """The processes that are at work; all of them end when it is stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def work(self, job: TrainingJob, tell: Callable[[str, str], object]) -> TrainingOutcome:
        """The outcome of a job that is done by a process of its own."""
        name = job.treebank.name
        try:
            job.folder.mkdir(parents=True, exist_ok=True)
            log = open(job.log, "ab")  # noqa: SIM115
        except OSError as error:
            return TrainingOutcome(name, error=f"cannot write {job.log}: {error.strerror or error}")
        with log:
            with self._lock:
                if self._stopped:
                    return TrainingOutcome(name, error="stopped")
                try:
                    process = start_worker("syntagma.sweeps.work", log.fileno())
                except OSError as error:
                    why = f"cannot start its process: {error.strerror or error}"
                    return TrainingOutcome(name, error=why)
                self._processes.add(process)
            try:
                return _converse(process, job, lambda text: tell(name, text))
            finally:
                process.kill()
                end_worker(process)
                with self._lock:
                    self._processes.remove(process)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._processes:
                process.kill()


def _converse(
    process: subprocess.Popen[str], job: TrainingJob, tell: Callable[[str], object]
) -> TrainingOutcome:
    """Give the job to a worker, and listen to it until the end."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):  # of a worker that has died
        send(process.stdin, job.to_json())  # left open, which keeps the worker going
    for line in process.stdout:
        if not line.endswith("\n"):
            break
        answer: dict[str, Any] = json.loads(line)
        if "outcome" in answer:
            return TrainingOutcome(**answer["outcome"])
        tell(answer["at"])
    code = process.wait()
    how = f"ended with exit code {code}"
    if code < 0:
        how = f"was killed by signal {-code}, perhaps for lack of memory"
    return TrainingOutcome(job.treebank.name, error=f"its process {how}; see {job.log}")


def _main() -> None:
    """The worker: do one job."""
    answers = open_answers()
    faulthandler.enable()
    job = TrainingJob.from_json(json.loads(sys.stdin.readline()))
    threading.Thread(target=_end_with_parent, args=(sys.stdin,), daemon=True).start()
    outcome = run_job(job, lambda text: send(answers, {"at": text}))
    send(answers, {"outcome": asdict(outcome)})


def _end_with_parent(stdin: IO[str]) -> None:
    stdin.read()
    temporary.abandon()
    os._exit(PARENT_GONE)


def work_with_ray(
    jobs: Sequence[TrainingJob], cores: int, address: str | None
) -> Iterator[TrainingOutcome]:
    """The outcomes of the jobs, as they come, from a cluster, or from so many cores here."""
    ray = import_ray("the engine ray")
    with connected(ray, address, cores):
        # A process for each call: what `run_job` does to its process cannot be undone.
        task = ray.remote(num_cpus=1, max_retries=_RETRIES, max_calls=1)(_attempt)
        waiting: dict[Any, str] = {}  # names of treebanks
        try:
            for job in jobs:
                waiting[task.remote(job.absolute().to_json())] = job.treebank.name
            while waiting:
                [done], _ = ray.wait(list(waiting), num_returns=1)
                name = waiting.pop(done)
                try:
                    outcome = TrainingOutcome(**ray.get(done))
                except ray.exceptions.RayError as error:
                    outcome = TrainingOutcome(name, error=f"Ray has given up: {ray_reason(error)}")
                yield outcome
        finally:
            for each in waiting:  # the session may be the caller's, and stay
                ray.cancel(each, force=True)


def _attempt(job: dict[str, Any]) -> dict[str, Any]:
    return asdict(run_job(TrainingJob.from_json(job), lambda text: None))


if __name__ == "__main__":
    _main()
