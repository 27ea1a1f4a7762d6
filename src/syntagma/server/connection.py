"""Connections that end when a client is too slow, and a limit on their number: what uvicorn leaves
to a proxy in front of it.

A header must arrive within a time, and an answer must be read within one; the time for a body is in
`intake`. What is left of a body that was refused is read for as long as a header may take, so that
the client can read the answer before the connection ends.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from http import HTTPStatus
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from syntagma.server.faults import Fault
from syntagma.server.gate import App
from syntagma.server.limits import Limits
from syntagma.server.logs import log
from syntagma.server.metrics import Metrics
from syntagma.server.security import HEADERS

MAX_HEADER: Final = 16 << 10  # bytes
KEEP_ALIVE: Final = 5  # seconds that a connection may be idle between two requests


def connection_config(app: App, limits: Limits, metrics: Metrics) -> uvicorn.Config:
    """What uvicorn needs to know to serve an application over such connections."""
    return uvicorn.Config(
        app,
        http=connection_class(limits, metrics),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=limits.write_seconds,
        h11_max_incomplete_event_size=MAX_HEADER,
    )


def connection_class(limits: Limits, metrics: Metrics) -> type[H11Protocol]:
    """The class of the connections of a server with these limits, which counts there what it
    refuses."""

    class Connection(H11Protocol):
        _timer: asyncio.TimerHandle | None = None
        _write_timer: asyncio.TimerHandle | None = None
        _refused = False

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            if len(self.connections) >= limits.connections:
                self._refused = True
                self.transport = transport
                message = f"{limits.connections} connections are open (limit: connections)"
                self._refuse(Fault("busy", message, headers={"Retry-After": "1"}))
                return
            # The header and the body of an answer are written one by one. Without this, the
            # body waits for the client to confirm the header, often for 40 ms.
            end = transport.get_extra_info("socket")
            if end.family in (socket.AF_INET, socket.AF_INET6):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            super().connection_made(transport)
            self._await_header()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timers()
            if not self._refused:
                super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self._refused:
                return
            super().data_received(data)
            self._await_header()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if self._write_timer is not None:
                self._write_timer.cancel()
            self._write_timer = self.loop.call_later(limits.write_seconds, self._end_unread)

        def send_400_response(self, msg: str) -> None:
            """Answer what is not HTTP as every other error. Called while h11's is handled."""
            error = sys.exception()
            hint = error.error_status_hint if isinstance(error, h11.ProtocolError) else 400
            if hint == 431 and not self._answering:  # otherwise it is about a chunk of a body
                message = f"the header has more than {MAX_HEADER} bytes"
                self._refuse(Fault("header_too_large", message, "header"))
            else:
                self._refuse(Fault("bad_request", "not a valid HTTP request"))

        def _refuse(self, fault: Fault) -> None:
            """Answer without a request, and end. An answer that has begun is cut off instead."""
            if self.transport.is_closing():
                return
            if not self._answering or not self.cycle.response_started:
                self.transport.write(raw_answer(fault))
            self.transport.close()
            metrics.refused(fault.status)
            log("refused", code=fault.code, status=fault.status)

        @property
        def _answering(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _await_header(self) -> None:
            """Set the time for a header, unless a request is being answered."""
            if self._answering and self._timer is not None:
                self._timer.cancel()
                self._timer = None
            elif not self._answering and self._timer is None:
                self._timer = self.loop.call_later(limits.header_seconds, self._end)

        def _end(self) -> None:
            """Close the connection of a client that says nothing, or too little. If it has begun a
            request, tell it why."""
            self._timer = None
            begun, _ = self.conn.trailing_data
            if begun and self.conn.their_state is h11.IDLE:
                seconds = limits.header_seconds
                message = (
                    f"the header did not arrive within {seconds} seconds (limit: header_seconds)"
                )
                self._refuse(Fault("request_timeout", message, "header"))
            else:
                self.transport.abort()

        def _end_unread(self) -> None:
            self._write_timer = None
            if self.transport.get_write_buffer_size():
                self.transport.abort()

        def _stop_timers(self) -> None:
            for timer in (self._timer, self._write_timer):
                if timer is not None:
                    timer.cancel()
            self._timer = self._write_timer = None

    return Connection


def raw_answer(fault: Fault) -> bytes:
    """An error as the bytes of a whole answer, for connections without a request."""
    body = (fault.as_json() + "\n").encode()
    headers: list[tuple[Any, Any]] = [
        *((name.encode(), value.encode()) for name, value in fault.headers.items()),
        *HEADERS,
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    lines = [f"HTTP/1.1 {fault.status} {HTTPStatus(fault.status).phrase}".encode()]
    lines += [name + b": " + value for name, value in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
