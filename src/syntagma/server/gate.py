"""Around the routes: every request is checked, every answer gets its headers, every exception
becomes a clean answer, and each request is counted and logged."""

from __future__ import annotations

import logging
from secrets import token_hex
from time import monotonic
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from syntagma.server.faults import Fault
from syntagma.server.logs import describe_exception, log
from syntagma.server.security import HEADERS, OPEN_FOLDER, Access
from syntagma.server.service import Service

METHODS: Final = frozenset(("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"))
CLIENT_GONE: Final = 499  # or it does not read its answer; of logs and metrics only, as in nginx
MAX_HEADER: Final = 16 << 10  # bytes of a request line and the headers
FILES: Final = f"{OPEN_FOLDER}{{path:path}}"
# Logs of requests that come every few seconds would drown the others.
QUIET: Final = frozenset(("/healthz", "/readyz", "/metrics"))
# Marks requests of the server to itself, before it is ready: they are neither counted nor logged.
WARM_UP: Final = (b"x-syntagma-warm-up", token_hex(16).encode())


class Gate:
    """Middleware in front of the routes of `paths`."""

    def __init__(
        self, app: ASGIApp, service: Service, access: Access, paths: frozenset[str]
    ) -> None:
        self.app = app
        self._service = service
        self._access = access
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, identity, status = monotonic(), token_hex(8), 0
        headers, state = Headers(scope=scope), scope.setdefault("state", {})
        added = [*HEADERS, (b"x-request-id", identity.encode())]
        if allowed := self._access.allows(headers.get("origin")):
            added += _cors(headers["origin"])

        async def send_checked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        async def refuse(fault: Fault) -> None:
            if not status:  # otherwise an answer has begun: it is cut off
                await fault_response(fault)(scope, receive, send_checked)

        try:
            _check_size(scope)
            self._access.check_host(headers)
            if allowed and scope["method"] == "OPTIONS" and _PREFLIGHT in headers:
                await Response(status_code=204)(scope, receive, send_checked)  # it has no token
            else:
                self._access.check(scope["path"], headers)
                await self.app(scope, receive, send_checked)
        except Fault as fault:
            await refuse(fault)
        except ClientDisconnect:
            status = CLIENT_GONE
        except Exception as error:
            log("failure", logging.ERROR, request=identity, **describe_exception(error))
            await refuse(Fault("internal", "the server failed; its log says more"))
        finally:
            if WARM_UP not in scope["headers"]:
                self._record(scope, identity, status or 500, monotonic() - began, state)

    def _record(
        self, scope: Scope, identity: str, status: int, seconds: float, state: dict[str, Any]
    ) -> None:
        method = scope["method"] if scope["method"] in METHODS else "other"
        # As the application declares it: a path may hold text of the user.
        path = scope["path"]
        route = path if path in self._paths else FILES if path.startswith(OPEN_FOLDER) else "other"
        self._service.metrics.answered(route, method, status, seconds)
        counts = {}
        if "solved" in state:
            operation, codes = state["solved"]
            self._service.metrics.solved(operation, codes)
            counts = {"problems": codes.total(), "failed": codes.total() - codes["ok"]}
        log(
            "request",
            logging.DEBUG if route in QUIET and status < 400 else logging.INFO,
            request=identity,
            method=method,
            route=route,
            status=status,
            seconds=round(seconds, 4),
            **counts,
        )


def _check_size(scope: Scope) -> None:
    """Raise `Fault` if the header is too large. uvicorn counts only what it keeps of one that has
    not arrived in whole."""
    line = (scope["method"], scope.get("raw_path") or scope["path"], scope["query_string"])
    fields = (len(name) + len(value) + len(": \r\n") for name, value in scope["headers"])
    if sum(map(len, line)) + sum(fields) > MAX_HEADER:
        message = f"the request line and the headers have more than {MAX_HEADER} bytes"
        raise Fault("header_too_large", message, headers={"Connection": "close"})


_PREFLIGHT: Final = "access-control-request-method"  # a browser asks if a page may send a request


def _cors(origin: str) -> list[tuple[bytes, bytes]]:
    """What lets pages of an allowed origin read the answer."""
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-headers", b"authorization, content-type"),
        (b"access-control-allow-methods", b"GET, POST"),
        (b"access-control-expose-headers", b"retry-after, x-request-id"),
        (b"access-control-max-age", b"600"),
        (b"vary", b"origin"),
    ]


def fault_response(fault: Fault) -> Response:
    return Response(
        fault.as_json() + "\n", fault.status, fault.headers, media_type="application/json"
    )
