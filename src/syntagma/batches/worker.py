"""A worker process of the processes engine: reads assignments from standard input, answers on
standard output, one JSON value per line; `processes` is the other end.

It ends at once when its standard input does: the driver has ended, in whatever way.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from collections.abc import Iterable
from dataclasses import asdict
from typing import TextIO

from syntagma.batches.job import BatchJob
from syntagma.batches.shards import Assignment
from syntagma.batches.solving import ShardSolver
from syntagma.batches.storage import open_storage
from syntagma.engines.worker_process import open_answers, send
from syntagma.errors import SyntagmaError


def main() -> None:
    """Run until the driver is gone."""
    answers = open_answers()
    received: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin, received), daemon=True).start()
    try:
        _run(received, answers)
    except BrokenPipeError:
        pass
    except SyntagmaError as error:
        send(answers, {"error": type(error).__name__, "message": str(error)})
    except Exception as error:  # a bug: the driver reports it
        traceback.print_exc()
        send(answers, {"error": type(error).__name__, "message": str(error)})
    os._exit(0)  # without waiting for the thread


def _receive(lines: Iterable[str], received: queue.SimpleQueue[str]) -> None:
    for line in lines:
        received.put(line)
    os._exit(0)


def _run(received: queue.SimpleQueue[str], answers: TextIO) -> None:
    start = json.loads(received.get())
    storage = open_storage(start["output"])
    solver = ShardSolver(BatchJob.from_json(start["job"]), storage, expendable=True)
    send(answers, {"ready": True})
    while True:
        assignment = Assignment(**json.loads(received.get()))
        outcome = solver.solve(assignment, lambda count: send(answers, {"tick": count}))
        send(answers, {"outcome": asdict(outcome)})


if __name__ == "__main__":
    main()
