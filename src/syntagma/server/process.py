"""The server as a process: its socket, its models, its threads, its signals."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import uvicorn

from syntagma import __version__
from syntagma.errors import ArgumentError
from syntagma.server.app import build_app
from syntagma.server.connection import connection_config
from syntagma.server.fair_queue import FairQueue
from syntagma.server.limits import Limits
from syntagma.server.logs import log, set_up_logs
from syntagma.server.notices import collect_warnings
from syntagma.server.security import Access, host_in_url
from syntagma.server.served import load_models
from syntagma.server.service import Service
from syntagma.server.warm_up import warm_up_connections, warm_up_threads

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int


def listen(address: Address) -> socket.socket:
    """A socket at this address. Raises `ArgumentError`."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family, backlog=1024)
    except OSError as error:
        # What `create_server` adds to the reason repeats the address.
        reason = str(error.strerror or error).partition(" (while")[0]
        raise ArgumentError(
            f"cannot listen on {host_in_url(address.host)}:{address.port}: {reason}; "
            "choose another with --host and --port"
        ) from error


def serve(
    address: Address, models: Sequence[str], threads: int, access: Access, limits: Limits
) -> None:
    """Serve until a signal comes: the first ends what is running, a second one ends at once."""
    with listen(address) as listening:
        served = load_models(models)
        set_up_logs()
        collect_warnings()
        queue = FairQueue(threads)
        service = Service(served, queue, limits)
        warm_up_threads(service)
        try:
            asyncio.run(_serve(listening, service, access))
        finally:
            queue.close()


async def _serve(listening: socket.socket, service: Service, access: Access) -> None:
    config = connection_config(build_app(service, access), service.limits, service.metrics)
    server = _Server(config, service)
    _end_on_signals(server)
    await warm_up_connections(config, access.token)
    await server.serve(sockets=[listening])
    log("stopped")


def _end_on_signals(server: _Server) -> None:
    """Stop at a signal, unless the caller had it ignored, as `nohup` does."""
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is None or signal.getsignal(number) is signal.SIG_IGN:
            continue
        try:
            loop.add_signal_handler(number, server.end, name)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_, name=name: loop.call_soon_threadsafe(server.end, name))


class _Server(uvicorn.Server):
    """uvicorn's server with another way to stop: requests that come while others are being
    finished are still refused with an answer."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service
        self._stopping: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        url = f"http://{host_in_url(host)}:{port}/"
        log("started", version=__version__, address=url, threads=len(self._service.queue.threads))
        print(f"Serving {self._service.models.default} at {url} (Ctrl-C to stop)", flush=True)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # the signals are ours

    def end(self, name: str) -> None:
        if self._stopping is not None:
            log("stopping at once", signal=name)
            self._service.queue.close()
            self.should_exit = self.force_exit = True
            return
        log("stopping", signal=name, active=self._service.active)
        self._stopping = asyncio.get_running_loop().create_task(self._finish())

    async def _finish(self) -> None:
        if not await self._service.stop():
            log("out of grace", active=self._service.active)
            self._service.queue.close()
        self.should_exit = True
