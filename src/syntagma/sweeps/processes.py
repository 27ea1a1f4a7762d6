"""The processes engine: a process on this machine for each treebank, some at a time.

Memory is given back after each treebank.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from syntagma.engines.worker_process import send, start_worker
from syntagma.sweeps.job import TrainingJob
from syntagma.sweeps.work import Outcome


def work_in_processes(
    jobs: Sequence[TrainingJob], processes: int, tell: Callable[[str, str], object]
) -> Iterator[Outcome]:
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

    def work(self, job: TrainingJob, tell: Callable[[str, str], object]) -> Outcome:
        """The outcome of a job that is done by a process of its own."""
        name = job.treebank.name
        try:
            job.folder.mkdir(parents=True, exist_ok=True)
            log = open(job.log, "ab")  # noqa: SIM115
        except OSError as error:
            return Outcome(name, error=f"cannot write {job.log}: {error.strerror or error}")
        with log:
            with self._lock:
                if self._stopped:
                    return Outcome(name, error="stopped")
                try:
                    process = start_worker("syntagma.sweeps.worker", log.fileno())
                except OSError as error:
                    why = f"cannot start its process: {error.strerror or error}"
                    return Outcome(name, error=why)
                self._processes.add(process)
            try:
                return _converse(process, job, lambda text: tell(name, text))
            finally:
                process.kill()
                process.wait()
                _close(process)
                with self._lock:
                    self._processes.remove(process)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._processes:
                process.kill()


def _converse(
    process: subprocess.Popen[str], job: TrainingJob, tell: Callable[[str], object]
) -> Outcome:
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
            return Outcome(**answer["outcome"])
        tell(answer["at"])
    return _death(process, job)


def _close(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # a broken pipe, with something left to flush
                pipe.close()


def _death(process: subprocess.Popen[str], job: TrainingJob) -> Outcome:
    code = process.wait()
    how = f"ended with exit code {code}"
    if code < 0:
        how = f"was killed by signal {-code}, perhaps for lack of memory"
    return Outcome(job.treebank.name, error=f"its process {how}; see {job.log}")
