"""Work that is done before the first request, so that it is as fast as those after it.

Every thread runs every operation of every model. Then a few requests come over connections within
this process: the interpreter and the packages in between, from the parser of HTTP to the metrics,
take longer for what they do for the first time. They are neither counted nor logged.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from time import monotonic
from typing import Any, Final

import uvicorn
from uvicorn.server import ServerState

from syntagma.server.fair_queue import QueuedRequest
from syntagma.server.gate import WARM_UP
from syntagma.server.operations import OPERATIONS
from syntagma.server.options import read_options
from syntagma.server.served import Served
from syntagma.server.service import Service

# Long enough for every part of the search, short enough to take no time.
SENTENCE: Final = ("She", "read", "the", "old", "book", "in", "a", "garden", ".")
LONGEST: Final = 60.0  # seconds
REQUESTS: Final = 10  # after so many, later ones are no faster
ENOUGH: Final = 0.2  # seconds of requests, if the model is slow


def warm_up_threads(service: Service) -> None:
    """Let every thread run every operation of every model."""
    threads = service.queue.threads
    together = threading.Barrier(len(threads))

    def run(items: object) -> list[None]:
        together.wait(LONGEST)  # so that each thread has one of the jobs
        for served in service.models:
            _run_operations(service, served)
        return [None]

    jobs = [QueuedRequest(lambda: [None], run, monotonic() + LONGEST) for _ in threads]
    for job in jobs:
        service.queue.submit(job)
    for job in jobs:
        job.future.result()


def _run_operations(service: Service, served: Served) -> None:
    for name in served.operations:
        options = read_options(service.options[name], {})
        del options["model"]
        problem = {"words": list(SENTENCE)}
        if name in ("score", "accept"):
            problem["order"] = list(SENTENCE)
        OPERATIONS[name](served.linearizer, options, service.limits).solve([problem])


async def warm_up_connections(config: uvicorn.Config, token: bytes | None) -> None:
    """Answer a few requests, each over a connection of its own."""
    config.load()
    protocol: Any = config.http_protocol_class
    state = ServerState()
    loop = asyncio.get_running_loop()
    began = monotonic()
    for _ in range(REQUESTS):
        if monotonic() > began + ENOUGH:
            break
        ours, theirs = socket.socketpair()
        await loop.connect_accepted_socket(lambda: protocol(config, state, {WARM_UP: True}), ours)
        reader, writer = await asyncio.open_connection(sock=theirs)
        writer.write(_request(token))
        await reader.read()
        writer.close()
        await writer.wait_closed()


def _request(token: bytes | None) -> bytes:
    body = json.dumps({"words": SENTENCE}).encode()
    lines = (
        b"POST /v1/order HTTP/1.1",
        b"Host: localhost",
        b"Content-Type: application/json",
        b"Content-Length: %d" % len(body),
        b"Authorization: Bearer " + (token or b"none"),
        b"Connection: close",
    )
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
