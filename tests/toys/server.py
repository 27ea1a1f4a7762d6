"""A server with the shipped model for tests, in this process or in one of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import IO, Any

from starlette.testclient import TestClient

from syntagma.linearizer.linearizer import load
from syntagma.server.app import build_app
from syntagma.server.fair_queue import FairQueue
from syntagma.server.limits import Limits
from syntagma.server.security import Access
from syntagma.server.served import Models, Served
from syntagma.server.service import Service
from toys.signals import restore_signals

COMMAND = [sys.executable, "-c", "from syntagma.cli import main; main()", "serve", "--port", "0"]


@lru_cache(maxsize=1)
def english() -> Models:
    return Models(en=Served("en", load("en")))


@contextmanager
def server(
    limits: Limits | None = None, access: Access | None = None, models: Models | None = None
) -> Iterator[TestClient]:
    """A client of a server in this process; `client.app_state["service"]` is its service."""
    queue = FairQueue(threads=2)
    service = Service(models or english(), queue, limits)
    try:
        client = TestClient(build_app(service, access), raise_server_exceptions=False)
        client.app_state["service"] = service
        yield client
    finally:
        queue.close()


class Running:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url
        self.host, port = url.removeprefix("http://").rstrip("/").split(":")
        self.port = int(port)

    def stop(self) -> tuple[int, list[dict[str, Any]]]:
        """End it by SIGTERM; its exit code and its log."""
        self.process.terminate()
        return self.wait()

    def wait(self) -> tuple[int, list[dict[str, Any]]]:
        _, log = self.process.communicate(timeout=60)
        return self.process.returncode, [json.loads(line) for line in log.splitlines()]


@contextmanager
def running(*arguments: str, command: Sequence[str] = COMMAND) -> Iterator[Running]:
    """A server process, ended in any case."""
    process = subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restore_signals,
    )
    try:
        assert process.stdout is not None
        yield Running(process, _address(process.stdout, process))
    finally:
        process.kill()
        process.communicate()


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Ask again until it holds; far longer than it takes."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} seconds"


def _address(output: IO[str], process: subprocess.Popen[str]) -> str:
    line = output.readline()
    assert line.startswith("Serving "), process.communicate()[1]
    return line.split(" at ")[1].split()[0]
