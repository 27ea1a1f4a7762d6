"""The application: its routes, and how their requests become work for the queue and answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse

from syntagma import __version__
from syntagma.server import udpipe
from syntagma.server.faults import Fault, failure
from syntagma.server.gate import App, Gate
from syntagma.server.metrics import CONTENT_TYPE
from syntagma.server.openapi import DESCRIPTION, complete, documented, documented_process, errors
from syntagma.server.operations import OPERATIONS, Result, weight
from syntagma.server.options import read_options
from syntagma.server.page_files import PageFile, read_page
from syntagma.server.reference import STYLE, reference_page
from syntagma.server.requests import check_content_type, read_body
from syntagma.server.security import Access
from syntagma.server.service import Service, count
from syntagma.server.tokenize import read_text, split

Handler = Callable[[Request], Awaitable[Response]]


def build_app(service: Service, access: Access | None = None) -> App:
    """The application of a service, behind its gate."""
    access = access or Access()
    app = FastAPI(
        title="Syntagma",
        version=__version__,
        description=DESCRIPTION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    _add_status(app, service)
    for name in OPERATIONS:
        app.post(f"/v1/{name}", **documented(name))(_operation(service, name))
    _add_tokenizer(app, service)
    _add_udpipe(app, service)
    _add_page(app)

    _add_documentation(app, service, token=access.token is not None)

    @app.exception_handler(Fault)
    async def refuse(request: Request, fault: Fault) -> Response:
        return _json(fault.as_json() + "\n", fault.status, fault.headers)

    @app.exception_handler(HTTPException)
    async def refuse_route(request: Request, error: HTTPException) -> Response:
        if error.status_code == 405:
            fault = Fault("method_not_allowed", "this address does not take this method")
        else:
            fault = Fault("not_found", "there is nothing at this address; see /docs")
        return _json(fault.as_json() + "\n", fault.status, dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def fail(request: Request, error: Exception) -> Response:
        return _json(failure().as_json() + "\n", 500)  # the gate logs it

    return Gate(app, access, service.metrics)


def _add_status(app: FastAPI, service: Service) -> None:
    @app.get("/healthz", tags=["status"], summary="Whether the process answers")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get(
        "/readyz",
        tags=["status"],
        summary="Whether the server takes requests",
        responses=errors(503),
    )
    async def readiness() -> dict[str, str]:
        if service.stopping:
            raise Fault("stopping", "the server is stopping", headers={"Retry-After": "5"})
        return {"status": "ready"}

    text = {"text/plain": {"schema": {"type": "string"}}}

    @app.get(
        "/metrics",
        tags=["status"],
        summary="Metrics for Prometheus",
        response_class=PlainTextResponse,
        responses={200: {"description": "the metrics", "content": text}, **errors()},
    )
    async def metrics() -> Response:
        return Response(service.metrics.text(), media_type=CONTENT_TYPE)

    @app.get("/v1/models", tags=["v1"], summary="The models of the server", responses=errors())
    async def list_models() -> dict[str, Any]:
        return service.describe()


def _operation(service: Service, name: str) -> Handler:
    async def handle(request: Request) -> Response:
        check_content_type(request.headers.get("content-type"))
        async with service.admitted(request) as data:
            work = _Work(service, name, data)
            results = await service.answers(request, work.open, work.solve, weight)
        count(request, name, (answer for answer, _ in results))
        return work.answer(results)

    return handle


class _Work:
    """What one request asks for; known once its body has been read, on a thread of the queue."""

    def __init__(self, service: Service, name: str, data: bytes) -> None:
        self._service = service
        self._name = name
        self._data = data
        self._batch = False

    def open(self) -> list[object]:
        limits = self._service.limits
        body = read_body(self._data, limits)
        self._data = b""
        options = read_options(self._service.options[self._name], body.options)
        served = self._service.models[options.pop("model")]
        served.check(self._name)
        beam = served.linearizer.search == "beam"
        if beam and not body.batch and self._name != "accept":
            # The search itself keeps the time. In a batch the queue does, between problems, which
            # are then encoded together. An order is judged in less detail if time is limited.
            options["timeout"] = options["timeout"] or float(limits.seconds)
        self._batch = body.batch
        self._operation = OPERATIONS[self._name](served.linearizer, options, limits)
        return list(body.problems)

    def solve(self, values: Any) -> list[Result]:
        return self._operation.solve(values)

    def answer(self, results: list[Result]) -> Response:
        warnings = dict.fromkeys(text for _, texts in results for text in texts)
        noted = (
            f', "warnings": {json.dumps(list(warnings), ensure_ascii=False)}' if warnings else ""
        )
        if self._batch:
            items = (_item(answer, number) for number, (answer, _) in enumerate(results))
            return _json('{"results": [' + ",\n".join(items) + "]" + noted + "}\n")
        [(answer, _)] = results
        if isinstance(answer, Fault):
            raise answer
        return _json(answer.rstrip("\n")[:-1] + noted + "}\n")


def _item(answer: str | Fault, number: int) -> str:
    if isinstance(answer, Fault):
        return answer.within(f"problems[{number}]").as_json()
    return answer.rstrip("\n")


def _add_tokenizer(app: FastAPI, service: Service) -> None:
    async def tokenize(request: Request) -> Response:
        check_content_type(request.headers.get("content-type"))
        async with service.admitted(request) as data:
            [answer] = await service.answers(request, lambda: read_text(data), split)
        return _json(answer + "\n")

    app.post("/v1/tokenize", **documented("tokenize"))(tokenize)


def _add_udpipe(app: FastAPI, service: Service) -> None:
    @app.get("/models", tags=["as UDPipe"], summary="The models", responses=errors())
    async def models() -> dict[str, Any]:
        return udpipe.describe_models(service.models)

    async def process(request: Request) -> Response:
        calls: list[udpipe.Process] = []
        content_type = request.headers.get("content-type")
        query: bytes = request.scope["query_string"]
        async with service.admitted(request) as body:

            def open() -> list[Any]:
                parameters = udpipe.read_parameters(query, content_type, body)
                calls.append(udpipe.Process.of(parameters, service.models, service.limits))
                return calls[0].sentences()

            results = await service.answers(
                request, open, lambda items: calls[0].solve(items), weight
            )
        count(request, "process", (answer for answer, _ in results))
        blocks = []
        for number, (answer, _) in enumerate(results, start=1):
            if isinstance(answer, Fault):
                raise Fault(answer.code, f"data: sentence {number}: {answer.message}", "data")
            blocks.append(answer)
        return _json(json.dumps(calls[0].answer(blocks), ensure_ascii=False, indent=1) + "\n")

    app.get("/process", **documented_process("get"))(process)
    app.post("/process", **documented_process("post"))(process)


def _add_page(app: FastAPI) -> None:
    files = read_page()

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return _file(files.get("index.html"), request)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon(request: Request) -> Response:
        return _file(files.get("favicon.ico") or files.get("icon.svg"), request)

    @app.get("/page/{path:path}", include_in_schema=False)
    async def page_file(path: str, request: Request) -> Response:
        return _file(files.get(path), request)


def _add_documentation(app: FastAPI, service: Service, *, token: bool) -> None:
    @lru_cache(maxsize=1)
    def document() -> dict[str, Any]:
        routes = get_openapi(
            title=app.title,
            version=app.version,
            description=DESCRIPTION,
            routes=app.routes,
            servers=[{"url": "./"}],  # wherever a proxy puts it
        )
        return complete(routes, service.options, service.limits, token=token)

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return _json(json.dumps(document()))

    @app.get("/docs", include_in_schema=False)
    async def reference(request: Request) -> Response:
        # A proxy in front may speak TLS; of what it says, this is for show alone.
        secure = request.headers.get("x-forwarded-proto") == "https"
        url = request.base_url.replace(scheme="https") if secure else request.base_url
        return Response(reference_page(document(), str(url).rstrip("/")), media_type="text/html")

    @app.get("/docs.css", include_in_schema=False)
    async def style() -> Response:
        return Response(STYLE, media_type="text/css")


def _json(text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(text, status, headers, media_type="application/json")


def _file(file: PageFile | None, request: Request) -> Response:
    if file is None:
        raise Fault("not_found", "there is no such page")
    headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.content_type, headers=headers)
