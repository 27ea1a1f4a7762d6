"""The processes engine: worker processes on this machine, each fed by a thread of the driver.

A worker runs this module as a program. It reads assignments from standard input and answers on
standard output, one JSON value per line. It exits as soon as its standard input ends: the driver
is gone.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import IO, Any

from syntagma.batches.job import (
    Assignment,
    BatchJob,
    ShardOutcome,
    ShardOutcomes,
    error_answer,
    raise_error,
)
from syntagma.batches.solving import MAX_DEATHS, ShardSolver
from syntagma.batches.storage import open_storage
from syntagma.engines import available_cores, end_worker, open_answers, send, start_worker
from syntagma.errors import OutputError, SyntagmaError

_MAX_START_DEATHS = 3  # of workers in a row that die before they are ready


def solve_in_processes(
    job: BatchJob,
    output: str,
    assignments: Sequence[Assignment],
    jobs: int | None,
    tick: Callable[[int], object],
) -> ShardOutcomes:
    """The outcomes of the assignments, as they come, from this many worker processes, by default
    one per core.

    A worker that dies is replaced, and its shard tried again. An error that concerns the whole job,
    such as a full disk, ends all workers and is raised.
    """
    events: queue.SimpleQueue[int | ShardOutcome | BaseException | None] = queue.SimpleQueue()
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
            if isinstance(event, ShardOutcome):
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
        events: queue.SimpleQueue[int | ShardOutcome | BaseException | None],
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

    def _solve(self, assignment: Assignment) -> ShardOutcome:
        for _ in range(2 * MAX_DEATHS):  # the workers themselves give up before
            try:
                worker = self._ready_worker()
                _send(worker.stdin, asdict(assignment))
                while True:
                    answer = self._receive(worker)
                    if "outcome" in answer:
                        return ShardOutcome.from_json(answer["outcome"])
                    self._events.put(answer["tick"])
            except _Died:
                self._end()
        return ShardOutcome(assignment.number, failed="workers died on it again and again")

    def _ready_worker(self) -> subprocess.Popen[str]:
        if self._worker is not None:
            return self._worker
        for _ in range(_MAX_START_DEATHS):
            with self._lock:
                if self._stopped:
                    raise _Died
                worker = self._worker = start_worker("syntagma.batches.processes")
            try:
                _send(worker.stdin, self._start)
                self._receive(worker)
                return worker
            except _Died:
                code = self._end()
        cause = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        raise OutputError(
            f"worker processes end before they are ready ({cause}): is there memory for "
            "one model each? Fewer of them (--jobs) need less"
        )

    def _receive(self, worker: subprocess.Popen[str]) -> dict[str, Any]:
        assert worker.stdout is not None
        line = worker.stdout.readline()
        if not line.endswith("\n") or self._stopped:
            raise _Died
        answer: dict[str, Any] = json.loads(line)
        raise_error(answer)
        return answer

    def _end(self) -> int | None:
        with self._lock:
            worker, self._worker = self._worker, None
        return None if worker is None else end_worker(worker)


def _send(pipe: IO[str] | None, value: dict[str, Any]) -> None:
    assert pipe is not None
    try:
        send(pipe, value)
    except OSError:
        raise _Died from None


def _main() -> None:
    """The worker: run until the driver is gone."""
    answers = open_answers()
    received: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin, received), daemon=True).start()
    try:
        start = json.loads(received.get())
        storage = open_storage(start["output"])
        solver = ShardSolver(BatchJob.from_json(start["job"]), storage, expendable=True)
        send(answers, {"ready": True})
        while True:
            assignment = Assignment(**json.loads(received.get()))
            outcome = solver.solve(assignment, lambda count: send(answers, {"tick": count}))
            send(answers, {"outcome": asdict(outcome)})
    except BrokenPipeError:
        pass
    except Exception as error:
        if not isinstance(error, SyntagmaError):  # a bug: the driver reports it
            traceback.print_exc()
        send(answers, error_answer(error))
    os._exit(0)  # without waiting for the thread


def _receive(lines: Iterable[str], received: queue.SimpleQueue[str]) -> None:
    for line in lines:
        received.put(line)
    os._exit(0)


if __name__ == "__main__":
    _main()
