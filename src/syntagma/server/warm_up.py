"""Work that is done once before the first request, so that it is as fast as those after it."""

from __future__ import annotations

import threading
from time import monotonic

from syntagma.server.fair_queue import Job
from syntagma.server.operations import OPERATIONS
from syntagma.server.options import read_options
from syntagma.server.served import Served
from syntagma.server.service import Service

# Long enough for every part of the search, short enough to take no time.
SENTENCE = ("She", "read", "the", "old", "book", "in", "a", "garden", ".")
LONGEST = 60.0  # seconds


def warm_up(service: Service) -> None:
    """Let every thread run every operation of every model."""
    threads = service.queue.threads
    together = threading.Barrier(len(threads))

    def run(items: object) -> list[None]:
        together.wait(LONGEST)  # so that each thread has one of the jobs
        for served in service.models:
            _warm_up(service, served)
        return [None]

    jobs = [Job(lambda: [None], run, monotonic() + LONGEST) for _ in threads]
    for job in jobs:
        service.queue.submit(job)
    for job in jobs:
        job.future.result()


def _warm_up(service: Service, served: Served) -> None:
    for name in served.operations:
        options = read_options(service.options[name], {})
        del options["model"]
        problem = {"words": list(SENTENCE)}
        if name in ("score", "accept"):
            problem["order"] = list(SENTENCE)
        OPERATIONS[name](served.linearizer, options, service.limits).solve([problem])
