"""Work that is done once before the first request, so that it is as fast as those after it."""

from __future__ import annotations

import threading
from time import monotonic

from syntagma.server.fair_queue import FairQueue, Job
from syntagma.server.limits import Limits
from syntagma.server.operations import OPERATIONS, Operation
from syntagma.server.options import TAKEN
from syntagma.server.served import Models, Served

# Long enough for every part of the search, short enough to take no time.
SENTENCE = ("She", "read", "the", "old", "book", "in", "a", "garden", ".")
LONGEST = 60.0  # seconds


def warm_up(models: Models, queue: FairQueue) -> None:
    """Let every thread run every operation of every model."""
    together = threading.Barrier(len(queue.threads))

    def run(threads: object) -> list[None]:
        together.wait(LONGEST)  # so that each thread has one of the jobs
        for served in models:
            _warm_up(served)
        return [None]

    jobs = [Job(lambda: [None], run, monotonic() + LONGEST) for _ in queue.threads]
    for job in jobs:
        queue.submit(job)
    for job in jobs:
        job.future.result()


def _warm_up(served: Served) -> None:
    for name in served.operations:
        options = {key: None for key in TAKEN[name] if key != "model"}
        operation: Operation = OPERATIONS[name](served.linearizer, options, Limits())
        operation.solve([{"words": list(SENTENCE)}])
