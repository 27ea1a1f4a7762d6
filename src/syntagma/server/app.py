"""The application: routes, and how a request becomes work for the queue and an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from fastapi import FastAPI, Request, Response

from syntagma import __version__
from syntagma.server.fair_queue import FairQueue, Job, OutOfTime
from syntagma.server.faults import Fault
from syntagma.server.limits import Limits
from syntagma.server.operations import OPERATIONS, Answer
from syntagma.server.options import options_models, read_options
from syntagma.server.page_files import PageFile, read_page
from syntagma.server.requests import read_body
from syntagma.server.served import Models


def build_app(models: Models, queue: FairQueue, limits: Limits | None = None) -> FastAPI:
    """The application that serves these models."""
    limits = limits or Limits()
    app = FastAPI(title="Syntagma", version=__version__, docs_url=None, redoc_url=None)
    files = read_page()
    options = options_models(limits)

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/v1/models")
    async def list_models() -> dict[str, Any]:
        return models.describe()

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return _file(files.get("index.html"), request)

    @app.get("/page/{path:path}", include_in_schema=False)
    async def page_file(path: str, request: Request) -> Response:
        return _file(files.get(path), request)

    def route(name: str) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            data = await request.body()
            content: list[Any] = []

            def open() -> list[object]:
                body = read_body(data, limits)
                chosen = read_options(options[name], body.options)
                served = models[chosen.pop("model")]
                content.append(body.batch)
                content.append(OPERATIONS[name](served.linearizer, chosen, limits))
                return list(body.problems)

            job: Job[object, Answer] = Job(
                open, lambda values: content[1](values), monotonic() + limits.seconds
            )
            queue.submit(job)
            try:
                answers = await asyncio.wrap_future(job.future)
            except OutOfTime:
                raise Fault("time_limit", f"not done within {limits.seconds} seconds") from None
            if content[0]:
                return _json(
                    '{"results": ['
                    + ", ".join(
                        each.as_json() if isinstance(each, Fault) else each.rstrip("\n")
                        for each in answers
                    )
                    + "]}\n"
                )
            [answer] = answers
            if isinstance(answer, Fault):
                raise answer
            return _json(answer)

        return handle

    for name in OPERATIONS:
        app.post(f"/v1/{name}", operation_id=name)(route(name))

    @app.exception_handler(Fault)
    async def fault(request: Request, fault: Fault) -> Response:
        return _json(fault.as_json() + "\n", fault.status)

    return app


def _json(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="application/json")


def _file(file: PageFile | None, request: Request) -> Response:
    if file is None:
        raise Fault("not_found", "there is no such page")
    headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.content_type, headers=headers)
