"""Answers in memory: those that are being made, and those that wait for their clients to read them.

Together they have a limit. Where it is reached, an answer that is being made is refused; of those
that wait, the oldest are cut off. Small ones always fit. Bodies of requests: `service`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from syntagma.server.faults import Fault
from syntagma.server.limits import Limits, is_small

PIECE: Final = 64 << 10  # bytes that a connection is given at a time


class Draft:
    """An answer that is being made."""

    def __init__(self) -> None:
        self.size = 0
        self.ended = False


class Answers:
    """All answers of a server. `grow` is for any thread, all else for that of the event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()  # of the two numbers
        self._made = 0  # bytes of drafts
        self._unread = 0  # bytes of answers that wait
        self._waiting: dict[AnswerResponse, asyncio.Timeout] = {}  # the oldest first

    @property
    def held(self) -> int:
        """Bytes of all answers that are not small."""
        return self._made + self._unread

    @contextmanager
    def draft(self) -> Iterator[Draft]:
        """An answer that is made until the block ends."""
        self._loop = asyncio.get_running_loop()
        draft = Draft()
        try:
            yield draft
        finally:
            with self._lock:
                draft.ended = True  # a thread may work on it still
                self._made -= draft.size

    def grow(self, draft: Draft, size: int) -> None:
        """Add so many bytes to an answer. Raises `Fault` if it or all of them become too large."""
        limits = self._limits
        with self._lock:
            if draft.ended:
                return
            grown = draft.size + size
            if grown > limits.answer:
                raise Fault(
                    "invalid",
                    f"the answer has more bytes than the limit of {limits.answer}: send fewer "
                    "problems, or ask for fewer results",
                )
            if self._made + size > limits.answers and not is_small(grown, limits.answers):
                message = "too many large answers at a time (limit: answers); try again"
                raise Fault("busy", message, headers={"Retry-After": "1"})
            draft.size = grown
            self._made += size
        if self.held > limits.answers:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._make_room)

    @contextmanager
    def reading(self, answer: AnswerResponse, time: asyncio.Timeout) -> Iterator[None]:
        """While the block lasts, the answer waits for its client. If room is needed, its time ends
        at once."""
        if is_small(answer.size, self._limits.answers):
            yield
            return
        self._count(answer.size)
        self._make_room()  # by others
        self._waiting[answer] = time
        try:
            yield
        finally:
            if self._waiting.pop(answer, None):
                self._count(-answer.size)

    def _make_room(self) -> None:
        while self._waiting and self.held > self._limits.answers:
            oldest = next(iter(self._waiting))
            self._count(-oldest.size)
            self._waiting.pop(oldest).reschedule(0)

    def _count(self, size: int) -> None:
        with self._lock:
            self._unread += size


class AnswerResponse(Response):
    """An answer that is sent piece by piece, as fast as its client reads it. Its parts are never
    joined: the system would not get the memory of blocks of their size back."""

    def __init__(
        self, answers: Answers, parts: Sequence[bytes], media_type: str, seconds: int
    ) -> None:
        self.size = sum(map(len, parts))
        super().__init__(headers={"Content-Length": str(self.size)}, media_type=media_type)
        self._answers = answers
        self._parts = parts
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises `ClientDisconnect` if the client does not read in time."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        try:
            async with asyncio.timeout(self._seconds) as time:
                with self._answers.reading(self, time):
                    await send(start)
                    for piece in self._pieces():
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            raise ClientDisconnect from None

    def _pieces(self) -> Iterator[bytes]:
        """The parts, the small ones together and the large ones cut."""
        piece = bytearray()
        for part in self._parts:
            for at in range(0, len(part), PIECE):
                piece += part[at : at + PIECE]
                if len(piece) >= PIECE:
                    yield bytes(piece)
                    piece.clear()
        yield bytes(piece)
