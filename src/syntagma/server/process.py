"""The server as a process: its socket, its models, its threads, its signals.

uvicorn runs in a thread of its own, where it takes no signals; those come to the main thread. Only
its documented settings and `Server.serve` are used. What these cannot do, such as limiting the time
of a header, is the task of a proxy in front: docs/guide/server.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from time import monotonic
from typing import Final

import uvicorn

from syntagma import __version__
from syntagma.errors import ArgumentError, visible
from syntagma.judges.judging import JudgeErrors
from syntagma.request import Operation
from syntagma.server.app import build_app
from syntagma.server.fair_queue import FairQueue, QueuedRequest
from syntagma.server.faults import Fault
from syntagma.server.gate import MAX_HEADER, WARM_UP
from syntagma.server.limits import Limits
from syntagma.server.logs import collect_warnings, log, set_up_logs
from syntagma.server.operations import Problems, read_request
from syntagma.server.security import Access, host_in_url
from syntagma.server.served import Served, load_models
from syntagma.server.service import Service

SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")
BACKLOG: Final = 1024  # connections that wait to be accepted
KEEP_ALIVE: Final = 5  # seconds that a connection may be idle between two requests
LAST_ANSWERS: Final = 30  # seconds for clients to read them when the server stops
AT_ONCE: Final = 0.5  # seconds for answers that the server stops at once
# For the warm-up: long enough for every part of the search, short enough to take no time.
SENTENCE: Final = ("She", "read", "the", "old", "book", "in", "a", "garden", ".")
LONGEST: Final = 60.0  # seconds
REQUESTS: Final = 10  # after so many, later ones are no faster
ENOUGH: Final = 0.2  # seconds of requests, if the model is slow


def listen(host: str, port: int, unread: int | None = None) -> socket.socket:
    """A socket at this address. Where the system can, connections end whose clients read nothing
    for so many seconds (`unread`) although there is something to be read. Raises `ArgumentError`.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        # What `create_server` adds to the reason repeats the address.
        reason = str(error.strerror or error).partition(" (while")[0]
        raise ArgumentError(
            f"cannot listen on {host_in_url(host)}:{port}: {reason}; "
            "choose another with --host and --port"
        ) from error
    if unread is not None and hasattr(socket, "TCP_USER_TIMEOUT"):  # of Linux
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * unread)
    # Header and body of an answer are written one by one. Only for sockets that name their protocol
    # does asyncio turn Nagle's algorithm off, by which the body waits for the client to confirm the
    # header, often for 40 ms.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=made.detach())


def serve(
    host: str,
    port: int,
    models: Sequence[str],
    threads: int,
    access: Access,
    limits: Limits,
    judge: str | None = None,
    judge_weight: float | None = None,
    judge_errors: JudgeErrors = "raise",
) -> None:
    """Serve until a signal comes: the first ends what is running, a second one ends at once."""
    with listen(host, port, limits.answer_seconds) as listening:
        served = load_models(models, judge, judge_weight, judge_errors)
        set_up_logs()
        collect_warnings()
        queue = FairQueue(threads)
        try:
            service = Service(served, queue, limits)
            warm_up_threads(service)
            _Server(service, access, listening).run()
        finally:
            queue.close()


class _Server:
    """uvicorn's server in a thread, and how it stops: requests that come while others are being
    finished are refused with an answer."""

    def __init__(self, service: Service, access: Access, listening: socket.socket) -> None:
        self._service = service
        self._listening = listening
        self._token = access.token
        self._server = uvicorn.Server(
            uvicorn.Config(
                build_app(service, access),
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=BACKLOG,
                limit_concurrency=service.limits.connections + 1,  # uvicorn refuses the last
                timeout_keep_alive=KEEP_ALIVE,
                timeout_graceful_shutdown=LAST_ANSWERS,
                h11_max_incomplete_event_size=MAX_HEADER,
            )
        )
        self._loop = asyncio.new_event_loop()
        self._finishing: asyncio.Task[None] | None = None

    def run(self) -> None:
        """Serve, and stop at signals other than those the caller had ignored, as `nohup` does."""
        signal.set_wakeup_fd(-1)  # the thread of the command line that ends the process
        for name in SIGNALS:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, partial(self._on_signal, name))
        with ThreadPoolExecutor(1, thread_name_prefix="server") as executor:
            running = executor.submit(self._run_loop)
            while wait([running], timeout=1).not_done:
                pass  # without a timeout, Windows would not notice signals
            running.result()

    def _run_loop(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._serving = asyncio.ensure_future(self._server.serve(sockets=[self._listening]))
        host, port = self._listening.getsockname()[:2]
        await warm_up_connections(host, port, self._token)
        url = f"http://{host_in_url(host)}:{port}/"
        log("started", version=__version__, address=url, threads=len(self._service.queue.threads))
        print(
            f"Serving {visible(self._service.models.default)} at {url} (Ctrl-C to stop)", flush=True
        )
        with contextlib.suppress(asyncio.CancelledError):
            await self._serving
        log("stopped")

    def _on_signal(self, name: str, *frame: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._end, name)

    def _end(self, name: str) -> None:
        if self._finishing is not None:
            log("stopping at once", signal=name)
            self._service.queue.close()
            self._server.should_exit = True
            self._loop.call_later(AT_ONCE, self._serving.cancel)
            return
        log("stopping", signal=name, active=self._service.active)
        self._finishing = self._loop.create_task(self._finish())

    async def _finish(self) -> None:
        if not await self._service.stop():
            log("out of grace", active=self._service.active)
            self._service.queue.close()
        self._server.should_exit = True


# Work that is done before the first request, so that it is as fast as those after it. The
# interpreter and the packages, from the parser of HTTP to the metrics, take longer for what they do
# for the first time.


def warm_up_threads(service: Service) -> None:
    """Let every thread run every operation of every model, and one ask the judge."""
    threads, models = service.queue.threads, service.models.values()
    together = threading.Barrier(len(threads))

    def run(items: object) -> list[None]:
        together.wait(LONGEST)  # so that each thread has one of the jobs
        for served in models:
            for name in served.operations:
                _try(service, served, name)
        return [None]

    def ask_judge(items: object) -> list[None]:
        for served in models:
            if served.linearizer.judge:
                _try(service, served, "order", judge=True)
        return [None]

    deadline = monotonic() + LONGEST
    jobs = [QueuedRequest(lambda: [None], run, deadline) for _ in threads]
    if any(served.linearizer.judge for served in models):
        jobs.append(QueuedRequest(lambda: [None], ask_judge, deadline, aside=lambda: True))
    for job in jobs:
        service.queue.submit(job)
    for job in jobs:
        job.future.result()


def _try(service: Service, served: Served, name: Operation, **options: object) -> None:
    """Run an operation once."""
    options["model"] = served.name
    request = read_request(name, options, service.models, service.limits)[1]
    order = {"order": list(SENTENCE)} if name in ("score", "accept") else {}
    with contextlib.suppress(Fault):  # a model may have no margin for `accept`
        Problems(served, request, service.limits).solve([{"words": list(SENTENCE), **order}])


async def warm_up_connections(host: str, port: int, token: bytes | None) -> None:
    """Send a few requests to this address, each over a connection of its own."""
    body = json.dumps({"words": SENTENCE}).encode()
    headers = {
        b"Host": b"localhost",
        b"Content-Type": b"application/json",
        b"Content-Length": b"%d" % len(body),
        b"Authorization": b"Bearer " + (token or b"none"),
        WARM_UP[0]: WARM_UP[1],
        b"Connection": b"close",
    }
    lines = [b"POST /v1/order HTTP/1.1", *map(b": ".join, headers.items()), b"", body]
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(ENOUGH):
            for _ in range(REQUESTS):
                reader, writer = await asyncio.open_connection(host, port)
                writer.write(b"\r\n".join(lines))
                await reader.read()
                writer.close()
                await writer.wait_closed()
