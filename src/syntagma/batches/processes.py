"""The processes engine: worker processes on this machine, each fed by a thread of the driver."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import IO, Any

from syntagma.batches.job import BatchJob
from syntagma.batches.shards import Assignment, Outcome, Outcomes, error_of
from syntagma.batches.tries import MAX_DEATHS
from syntagma.engines.choice import available_cores
from syntagma.engines.worker_process import send, start_worker
from syntagma.errors import OutputError

_MAX_START_DEATHS = 3  # of workers in a row that die before they are ready


def solve_in_processes(
    job: BatchJob,
    output: str,
    assignments: Sequence[Assignment],
    jobs: int | None,
    tick: Callable[[int], object],
) -> Outcomes:
    """The outcomes of the assignments, as they come, from this many worker processes, by default
    one per core.

    A worker that dies is replaced, and its shard tried again. An error that concerns the whole job,
    such as a full disk, ends all workers and is raised.
    """
    events: queue.SimpleQueue[int | Outcome | BaseException | None] = queue.SimpleQueue()
    waiting: queue.SimpleQueue[Assignment] = queue.SimpleQueue()
    for assignment in assignments:
        waiting.put(assignment)
    count = min(jobs or available_cores(), len(assignments))
    feeders = [_Feeder(job, output, waiting, events) for _ in range(count)]
    try:
        for feeder in feeders:
            feeder.start()
        left = len(feeders)
        while left:
            event = events.get()
            if isinstance(event, Outcome):
                yield event
            elif isinstance(event, BaseException):
                raise event
            elif event is None:
                left -= 1
            else:
                tick(event)
    finally:
        for feeder in feeders:
            feeder.stop()
        for feeder in feeders:
            feeder.join()


class _Died(Exception):
    """A worker has ended without an answer."""


class _Feeder(threading.Thread):
    """Gives assignments to one worker at a time and passes on its answers."""

    def __init__(
        self,
        job: BatchJob,
        output: str,
        waiting: queue.SimpleQueue[Assignment],
        events: queue.SimpleQueue[int | Outcome | BaseException | None],
    ) -> None:
        super().__init__(daemon=True)
        self._start = {"job": job.to_json(), "output": output}
        self._waiting = waiting
        self._events = events
        self._worker: subprocess.Popen[str] | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def run(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            # Workers inherit it: Ctrl-C must not end them in a traceback while they start.
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            while not self._stopped:
                try:
                    assignment = self._waiting.get_nowait()
                except queue.Empty:
                    break
                self._events.put(self._solve(assignment))
            self._events.put(None)
        except BaseException as error:
            self._events.put(None if self._stopped else error)
        finally:
            self._end()

    def stop(self) -> None:
        """End the worker at once."""
        with self._lock:
            self._stopped = True
            if self._worker is not None:
                self._worker.kill()

    def _solve(self, assignment: Assignment) -> Outcome:
        for _ in range(2 * MAX_DEATHS):  # the workers themselves give up before
            try:
                worker = self._ready_worker()
                _send(worker.stdin, asdict(assignment))
                while True:
                    answer = self._receive(worker)
                    if "outcome" in answer:
                        return Outcome.from_json(answer["outcome"])
                    self._events.put(answer["tick"])
            except _Died:
                self._end()
        return Outcome(assignment.number, failed="workers died on it again and again")

    def _ready_worker(self) -> subprocess.Popen[str]:
        if self._worker is not None:
            return self._worker
        for _ in range(_MAX_START_DEATHS):
            with self._lock:
                if self._stopped:
                    raise _Died
                worker = self._worker = start_worker("syntagma.batches.worker")
            try:
                _send(worker.stdin, self._start)
                self._receive(worker)
                return worker
            except _Died:
                code = self._end()
        raise OutputError(
            f"worker processes end before they are ready ({_cause(code)}): is there memory for "
            "one model each? Fewer of them (--jobs) need less"
        )

    def _receive(self, worker: subprocess.Popen[str]) -> dict[str, Any]:
        assert worker.stdout is not None
        line = worker.stdout.readline()
        if not line.endswith("\n") or self._stopped:
            raise _Died
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise error_of(answer["error"], answer["message"])
        return answer

    def _end(self) -> int | None:
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is None:
            return None
        for pipe in (worker.stdin, worker.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # a broken pipe, with something left to flush
                    pipe.close()
        return worker.wait()


def _send(pipe: IO[str] | None, value: dict[str, Any]) -> None:
    assert pipe is not None
    try:
        send(pipe, value)
    except OSError:
        raise _Died from None


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        return f"signal {-code}"
    return f"exit code {code}"
