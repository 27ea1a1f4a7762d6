"""`syntagma serve`: an HTTP service and a page to play with."""

import os
from pathlib import Path
from typing import Annotated

import typer

from syntagma.cli import options
from syntagma.errors import missing_package

CORES = os.cpu_count() or 1


def serve(
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="Address to listen on; one that other machines can reach needs --token-file.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            "--port", "-p", min=0, max=65535, metavar="N", help="Port; 0 takes a free one."
        ),
    ] = 8000,
    model: Annotated[
        list[str],
        typer.Option(
            "--model",
            "-m",
            metavar="NAME",
            help="Name of an installed model, or a model file; repeatable, the default first.",
        ),
    ] = ["en"],  # noqa: B006 (never mutated)
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="NAME|FILE",
            help="Pretrained language model for requests that ask for it (judge: true): smollm2, "
            "or a GGUF file. Needs the extra judge.",
        ),
    ] = None,
    judge_weight: options.JudgeWeight = None,
    judge_errors: options.JudgeErrors = "raise",
    threads: Annotated[
        int,
        typer.Option(
            "--threads",
            "-t",
            min=1,
            max=options.MAX_THREADS,
            metavar="N",
            help="Number of threads that order words. Default: one for each core.",
            show_default=False,
        ),
    ] = CORES,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help="File with a token that requests must have (Authorization: Bearer TOKEN).",
        ),
    ] = None,
    allow_host: Annotated[
        list[str],
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Another name of this server, such as that of a proxy in front; repeatable.",
        ),
    ] = [],  # noqa: B006
    allow_origin: Annotated[
        list[str],
        typer.Option(
            "--allow-origin",
            metavar="ORIGIN",
            help="Let web pages of this origin use the server (CORS); repeatable.",
        ),
    ] = [],  # noqa: B006
    limit: Annotated[
        list[str],
        typer.Option(
            "--limit",
            metavar="NAME=N",
            help="Change a limit, such as words=100 or seconds=10; repeatable. "
            "docs/guide/server.md lists them.",
        ),
    ] = [],  # noqa: B006
    debug: options.Debug = False,
) -> None:
    """Serve models over HTTP, with a page to play with.

    The page is at the address that is printed, the documentation of the service at /docs. Requests
    and answers are the JSON of the other commands. Logs are lines of JSON on standard error; no
    words of a request are logged or stored.

    \b
    For this machine only, at http://127.0.0.1:8000/:
        syntagma serve
    Ask it:
        curl http://127.0.0.1:8000/v1/order -H 'Content-Type: application/json' \\
            -d '{"words": ["dog", "the", "barked"]}'
    Models of your own; requests choose one by its name:
        syntagma serve --model en --model ./my.syntagma
    Requests may ask a pretrained language model, too:
        syntagma serve --judge smollm2
    For other machines, with a token:
        (umask 077; openssl rand -hex 32 > token)
        syntagma serve --host 0.0.0.0 --token-file token
    Smaller limits:
        syntagma serve --limit words=60 --limit seconds=10

    SIGTERM and Ctrl-C finish what is running and refuse what is new; a second one ends at once.
    """
    from syntagma.server.limits import read_limits
    from syntagma.server.security import Access, read_token

    token = None if token_file is None else read_token(token_file)
    access = Access.of(host, token, allow_host, allow_origin)
    limits = read_limits(limit)
    try:
        from syntagma.server.process import serve as serve_models
    except ImportError as error:
        if (error.name or "").startswith("syntagma"):
            raise
        package = (error.name or "").partition(".")[0]
        raise missing_package("syntagma serve", package, "server", error) from error
    serve_models(host, port, model, threads, access, limits, judge, judge_weight, judge_errors)
