"""A server of the shipped model and a browser for the tests of the page."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from references.visit import Visit

FOLDER = Path(__file__).parent
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
SERVE = [sys.executable, "-c", "from syntagma.cli import main; main()", "serve"]
PATIENCE = 20_000  # milliseconds: machines that run tests are often busy

Visiting = Callable[..., "Visit"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents and "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@contextmanager
def serving(port: int = 0) -> Iterator[str]:
    """A server in a process of its own; its address."""
    with subprocess.Popen(
        [*SERVE, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://" in line, f"the server did not start: {line!r}"
        try:
            yield next(word for word in line.split() if word.startswith("http://"))
        finally:
            process.send_signal(signal.SIGTERM)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Closed after each module: while Playwright is open, no other test can run an event loop."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visiting(browser: Any, server: str) -> Iterator[Visiting]:
    """Opens tabs, each with its own storage, and checks at the end that the page asked no other
    host and complained of nothing but refused requests."""
    from references.visit import Visit, expect

    visits: list[Visit] = []
    contexts: list[Any] = []

    def open_tab(fragment: str | None = "", *, address: str = server, **options: Any) -> Visit:
        options = {
            "viewport": {"width": 1280, "height": 900},
            "reduced_motion": "reduce",
            **options,
        }
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        visit = Visit(context.new_page(), address)
        visits.append(visit)
        if fragment is not None:
            visit.open(fragment)
        return visit

    expect.set_options(timeout=PATIENCE)
    yield open_tab
    for context in contexts:
        context.close()
    for visit in visits:
        assert visit.hosts <= {visit.address.split("/")[2]}
        assert [text for text in visit.complaints if "Failed to load resource" not in text] == []


@pytest.fixture
def visit(visiting: Visiting) -> Visit:
    return visiting()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, the checker of accessibility."""
    source = Path(sys.prefix) / "node_modules/axe-core/axe.min.js"
    if not source.is_file():
        pytest.skip("axe-core is not installed (npm install --no-save --prefix .venv axe-core)")
    return source.read_text(encoding="utf-8")


class AnotherServer:
    """A server that a test may stop and start again, at the same address."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._port = 0

    def start(self) -> str:
        address = self._stack.enter_context(serving(self._port))
        self._port = int(address.rstrip("/").rsplit(":", 1)[1])
        return address

    def stop(self) -> None:
        self._stack.close()


@pytest.fixture
def another_server() -> Iterator[AnotherServer]:
    server = AnotherServer()
    yield server
    server.stop()
