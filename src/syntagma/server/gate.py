"""Around the application: every request is checked, every answer gets its headers, every exception
becomes a clean answer, and each request is counted and logged."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from secrets import token_hex
from time import monotonic
from typing import Any, Final

from syntagma.server.faults import Fault, failure
from syntagma.server.intake import ClientGone
from syntagma.server.logs import describe_exception, log
from syntagma.server.metrics import Metrics
from syntagma.server.security import HEADERS, Access

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

METHODS: Final = frozenset(("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"))
CLIENT_GONE: Final = 499  # of logs and metrics only, as in nginx
# Logs of requests that come every few seconds would drown the others.
QUIET: Final = frozenset(("/healthz", "/readyz", "/metrics"))
# In the state of a connection: the server asks itself, before it is ready. Not counted, not logged.
WARM_UP: Final = "warm_up"
# In the state of a request: its operation, and a `Counter` of what became of its problems.
SOLVED: Final = "solved"


class Gate:
    """An ASGI application around another."""

    def __init__(self, app: App, access: Access, metrics: Metrics) -> None:
        self.app = app
        self._access = access
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        exchange = _Exchange(scope, send, self._access)
        try:
            self._access.check_host(exchange.headers)
            if exchange.is_preflight:  # which has no token
                await exchange.answer(204, b"", {})
            else:
                self._access.check(scope["path"], exchange.headers)
                await self.app(exchange.scope, receive, exchange.send)
        except Fault as fault:
            await exchange.refuse(fault)
        except ClientGone:
            exchange.status = CLIENT_GONE
        except Exception as error:
            log("failure", logging.ERROR, request=exchange.id, **describe_exception(error))
            await exchange.refuse(failure())
        finally:
            if not exchange.is_warm_up:
                self._record(exchange)

    def _record(self, exchange: _Exchange) -> None:
        seconds = monotonic() - exchange.began
        route, method, status = exchange.route, exchange.method, exchange.status
        self._metrics.answered(route, method, status, seconds)
        counts = {}
        if (solved := exchange.scope["state"].get(SOLVED)) is not None:
            operation, outcomes = solved
            self._metrics.solved(operation, outcomes)
            problems = outcomes.total()
            counts = {"problems": problems, "failed": problems - outcomes["ok"]}
        log(
            "request",
            logging.DEBUG if route in QUIET and status < 400 else logging.INFO,
            request=exchange.id,
            method=method,
            route=route,
            status=status,
            seconds=round(seconds, 4),
            **counts,
        )


class _Exchange:
    """One request and its answer."""

    def __init__(self, scope: Scope, send: Send, access: Access) -> None:
        self.began = monotonic()
        self.id = token_hex(8)
        self.status = 500
        self.started = False
        self.headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        # A request for the header alone is answered as one for the whole; uvicorn drops the body.
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        self.scope: Scope = {**scope, "method": method, "state": {}}
        self.is_warm_up = WARM_UP in scope.get("state", ())
        self.method = scope["method"] if scope["method"] in METHODS else "other"
        self._send = send
        self._origin = self.headers.get("origin")
        self._allowed = access.allows(self._origin)

    @property
    def is_preflight(self) -> bool:
        """Whether a browser asks if a page of an allowed origin may send a request."""
        asks = "access-control-request-method" in self.headers
        return self._allowed and asks and self.method == "OPTIONS"

    @property
    def route(self) -> str:
        """The path as the application declares it, which holds no text of the user."""
        route = self.scope.get("route")
        return getattr(route, "path", "other")

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *self._added()]}
        await self._send(message)

    async def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        pairs.append((b"content-length", str(len(body)).encode()))
        await self.send({"type": "http.response.start", "status": status, "headers": pairs})
        await self.send({"type": "http.response.body", "body": body})

    async def refuse(self, fault: Fault) -> None:
        """Answer with an error, if no answer has begun."""
        if not self.started:
            content_type = {"Content-Type": "application/json"}
            body = (fault.as_json() + "\n").encode()
            await self.answer(fault.status, body, {**fault.headers, **content_type})

    def _added(self) -> list[tuple[bytes, bytes]]:
        added = [*HEADERS, (b"x-request-id", self.id.encode())]
        if self._allowed and self._origin is not None:
            added += [
                (b"access-control-allow-origin", self._origin.encode("latin-1")),
                (b"access-control-allow-headers", b"authorization, content-type"),
                (b"access-control-allow-methods", b"GET, POST"),
                (b"access-control-expose-headers", b"retry-after, x-request-id"),
                (b"access-control-max-age", b"600"),
                (b"vary", b"origin"),
            ]
        return added
