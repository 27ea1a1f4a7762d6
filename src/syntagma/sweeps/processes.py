"""The engines of many trainings: a process on this machine for each treebank, or a Ray task.

A worker process runs this module as a program. It reads one job from standard input and answers on
standard output, one JSON value per line. It exits as soon as its standard input ends.

Ray repeats tasks whose process or machine dies; training then resumes after its last complete
epoch. All machines of a cluster must reach treebanks and output by the same paths.
"""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from typing import IO, Any

from syntagma.engines import (
    connected,
    end_worker,
    import_ray,
    open_answers,
    ray_reason,
    send,
    start_worker,
)
from syntagma.files import temporary
from syntagma.sweeps.job import TrainingJob
from syntagma.sweeps.work import TrainingOutcome, run_job

PARENT_GONE = 3  # exit code of a worker
_RETRIES = 3  # of a Ray task


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
                    process = start_worker("syntagma.sweeps.processes", log.fileno())
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
    try:
        send(process.stdin, job.to_json())  # left open, which keeps the worker going
    except OSError:
        return _death(process, job)
    for line in process.stdout:
        if not line.endswith("\n"):
            break
        answer: dict[str, Any] = json.loads(line)
        if "outcome" in answer:
            return TrainingOutcome(**answer["outcome"])
        tell(answer["at"])
    return _death(process, job)


def _death(process: subprocess.Popen[str], job: TrainingJob) -> TrainingOutcome:
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
