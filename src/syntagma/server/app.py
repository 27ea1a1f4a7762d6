"""The application: its routes, and the files of the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from syntagma.request import OPTIONS
from syntagma.server import udpipe
from syntagma.server.faults import Fault
from syntagma.server.gate import FILES, Gate
from syntagma.server.metrics import CONTENT_TYPE
from syntagma.server.openapi import openapi_document
from syntagma.server.operations import JSON, Work, check_content_type, read_body, read_text_body
from syntagma.server.reference import reference_page
from syntagma.server.security import Access
from syntagma.server.service import Service

FOLDER: Final = Path(__file__).parent / "page"
CONTENT_TYPES: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": JSON,
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}


def build_app(service: Service, access: Access | None = None) -> Starlette:
    """The application of a service, behind its gate."""
    access = access or Access()
    routes = [
        *_status_routes(service),
        *_json_routes(service),
        *_udpipe_routes(service),
        *_page_routes(),
        *_documentation_routes(service, token=access.token is not None),
    ]
    paths = frozenset(route.path for route in routes)

    async def refuse_route(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 405:
            allowed = sorted((error.headers or {}).get("Allow", "").split(", "))
            message = "this address does not take this method"
            raise Fault("method_not_allowed", message, headers={"Allow": ", ".join(allowed)})
        raise Fault("not_found", "there is nothing at this address; see /docs")

    app = Starlette(
        routes=routes,
        middleware=[Middleware(Gate, service=service, access=access, paths=paths)],
        exception_handlers={HTTPException: refuse_route},
    )
    app.router.redirect_slashes = False
    return app


def _status_routes(service: Service) -> list[Route]:
    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def readiness(request: Request) -> Response:
        service.check_ready()
        return JSONResponse({"status": "ready"})

    async def metrics(request: Request) -> Response:
        return Response(service.metrics.text(), media_type=CONTENT_TYPE)

    async def list_models(request: Request) -> Response:
        return JSONResponse(service.describe())

    return [
        Route("/healthz", health),
        Route("/readyz", readiness),
        Route("/metrics", metrics),
        Route("/v1/models", list_models),
    ]


def _json_routes(service: Service) -> list[Route]:
    def route(name: str, open: Callable[[bytes], Work]) -> Route:
        async def handle(request: Request) -> Response:
            check_content_type(request.headers.get("content-type", ""))
            return await service.answer(request, open)

        return Route(f"/v1/{name}", handle, methods=["POST"])

    given: dict[str, Any] = {"models": service.models, "limits": service.limits}
    return [
        *(route(operation, partial(read_body, operation, **given)) for operation in OPTIONS),
        route("tokenize", read_text_body),
    ]


def _udpipe_routes(service: Service) -> list[Route]:
    async def models(request: Request) -> Response:
        return JSONResponse(udpipe.describe_models(service.models))

    async def process(request: Request) -> Response:
        content_type = request.headers.get("content-type", "")

        def open(body: bytes) -> Work:
            query: bytes = request.scope["query_string"]
            parameters = udpipe.read_parameters(query, content_type, body)
            return udpipe.Process(parameters, service.models, service.limits).work

        return await service.answer(request, open)

    return [Route("/models", models), Route("/process", process, methods=["GET", "POST"])]


def _page_routes() -> list[Route]:
    """The page. Its files are read now: no path of a request reaches the disk."""
    files: dict[str, tuple[bytes, str, dict[str, str]]] = {}
    for path in FOLDER.rglob("*"):
        if path.is_file() and path.suffix in CONTENT_TYPES:
            content = path.read_bytes()
            headers = {"ETag": f'"{sha256(content).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
            name = path.relative_to(FOLDER).as_posix()
            files[name] = content, CONTENT_TYPES[path.suffix], headers

    def show(name: str, request: Request) -> Response:
        if name not in files:
            raise Fault("not_found", "there is no such page")
        content, content_type, headers = files[name]
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=content_type)

    async def page(request: Request) -> Response:
        return show("index.html", request)

    async def icon(request: Request) -> Response:
        return show("favicon.ico" if "favicon.ico" in files else "icon.svg", request)

    async def page_file(request: Request) -> Response:
        return show(request.path_params["path"], request)

    return [Route("/", page), Route("/favicon.ico", icon), Route(FILES, page_file)]


def _documentation_routes(service: Service, *, token: bool) -> list[Route]:
    @lru_cache(maxsize=1)
    def document() -> dict[str, Any]:
        return openapi_document(service.limits, token=token)

    async def openapi(request: Request) -> Response:
        return Response(json.dumps(document()), media_type=JSON)

    async def reference(request: Request) -> Response:
        # A proxy in front may speak TLS; what it says of that is only displayed.
        secure = request.headers.get("x-forwarded-proto") == "https"
        url = request.base_url.replace(scheme="https") if secure else request.base_url
        return Response(reference_page(document(), str(url).rstrip("/")), media_type="text/html")

    return [Route("/openapi.json", openapi), Route("/docs", reference)]
