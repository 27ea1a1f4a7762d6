"""Bodies of requests as they arrive: within a size, a time, and a share of the memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from syntagma.server.faults import Fault
from syntagma.server.limits import Limits

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


class ClientGone(Exception):
    """The client closed the connection before it got an answer."""


class Intake:
    """Reads bodies; all that are in memory together stay within a limit."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.held = 0  # bytes

    @asynccontextmanager
    async def body(self, receive: Receive, length: str | None) -> AsyncIterator[bytes]:
        """A body, which counts as held until the block ends. Raises `Fault` or `ClientGone`."""
        chunks: list[bytes] = []
        size = 0
        self._check(int(length) if length is not None and length.isdigit() else 0)
        try:
            try:
                async with asyncio.timeout(self._limits.body_seconds):
                    async for chunk in _chunks(receive):
                        self._check(size + len(chunk), more=len(chunk))
                        size += len(chunk)
                        self.held += len(chunk)
                        chunks.append(chunk)
            except TimeoutError:
                raise Fault(
                    "request_timeout",
                    f"the body did not arrive within {self._limits.body_seconds} seconds "
                    "(limit: body_seconds)",
                    "body",
                    headers={"Connection": "close"},
                ) from None
            yield b"".join(chunks)
        finally:
            self.held -= size

    def _check(self, size: int, more: int | None = None) -> None:
        """Refuse a body of this size, of which so much is not yet held; at first all of it."""
        if size > self._limits.body:
            raise Fault(
                "too_large",
                f"the body has more than {self._limits.body} bytes (limit: body)",
                "body",
            )
        if self.held + (size if more is None else more) > self._limits.bodies:
            raise Fault(
                "busy",
                "too many large requests at a time (limit: bodies); try again",
                "body",
                {"Retry-After": "1"},
            )


async def _chunks(receive: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        if chunk := message.get("body", b""):
            yield chunk
        more = message.get("more_body", False)


async def wait_until_gone(receive: Receive) -> None:
    """Return when the client has closed the connection; its body was read."""
    while (await receive())["type"] != "http.disconnect":
        pass
