"""`syntagma serve`: an HTTP service and a page."""

import os
from typing import Annotated

import typer

from syntagma.cli import options


def serve(
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="Port; 0 takes a free one.")
    ] = 8000,
    model: Annotated[
        list[str],
        typer.Option(
            "--model", "-m", metavar="NAME", help="A model to serve; repeatable, default first."
        ),
    ] = ["en"],  # noqa: B006 (never mutated)
    threads: options.Threads = os.cpu_count() or 1,
    debug: options.Debug = False,
) -> None:
    """Serve models over HTTP, with a page to play with.

    \b
    On this machine only, at http://127.0.0.1:8000/:
        syntagma serve
    """
    from syntagma.server.limits import Limits
    from syntagma.server.process import run

    run(host, port, model, threads, Limits())
