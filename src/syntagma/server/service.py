"""One request from its body to its answers: admitted, queued, watched, or refused."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from threading import Event
from time import monotonic
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from syntagma.server.answers import AnswerResponse, Answers, Draft
from syntagma.server.fair_queue import FairQueue, OutOfTime, QueuedRequest
from syntagma.server.faults import Fault
from syntagma.server.limits import Limits, is_small
from syntagma.server.metrics import Metrics
from syntagma.server.operations import JSON, Work, size_of, weight
from syntagma.server.served import Models

LONGEST_RETRY = 60  # seconds
STATED_LIMITS = (
    "words",
    "word_characters",
    "characters",
    "problems",
    "body",
    "beam",
    "n_best",
    "seconds",
)


class Service:
    """What all requests share: the models, the queue, the limits, and whether the server stops."""

    def __init__(self, models: Models, queue: FairQueue, limits: Limits | None = None) -> None:
        self.models = models
        self.queue = queue
        self.limits = limits or Limits()
        self.active = 0
        self.held = 0  # bytes of bodies
        self.answers = Answers(self.limits)
        self.metrics = Metrics(lambda: self.active, lambda: self.held, lambda: self.answers.held)
        self.stopping = False
        self._pace = 0.1  # moving average of the seconds per request
        self._idle = asyncio.Event()

    async def answer(self, request: Request, open: Callable[[bytes], Work]) -> Response:
        """What the work that `open` finds in the body of a request has as its answer, in JSON.
        Raises `Fault` or `ClientDisconnect`."""
        self._check_room()  # before a body that would be in vain
        async with self._body(request) as body:
            self._check_room()
            began = monotonic()
            self.active += 1
            try:
                with self.answers.draft() as draft:
                    parts = await self._work(request, lambda: open(body), draft)
                self._pace += 0.1 * (monotonic() - began - self._pace)
                return AnswerResponse(self.answers, parts, JSON, self.limits.answer_seconds)
            finally:
                self.active -= 1
                if not self.active:
                    self._idle.set()

    def check_ready(self) -> None:
        """Raise `Fault` if a request that came now would be refused, or would find no thread."""
        if self.stopping:
            raise _stopping()
        reason = ""
        if self.active >= self.limits.queue:
            reason = f"{self.active} requests wait or run (limit: queue)"
        elif self.held >= self.limits.bodies:
            reason = "the request bodies in memory have reached their limit (limit: bodies)"
        elif self.queue.held:
            reason = "all threads work for requests that are over"
        if reason:
            raise Fault("busy", reason, headers={"Retry-After": str(self._retry_after())})

    def _check_room(self) -> None:
        """Raise `Fault` if the server takes no more requests."""
        if self.stopping:
            raise _stopping()
        if self.active >= self.limits.queue:
            raise Fault(
                "queue_full",
                f"{self.active} requests wait or run (limit: queue); try again",
                headers={"Retry-After": str(self._retry_after())},
            )

    @asynccontextmanager
    async def _body(self, request: Request) -> AsyncIterator[bytes]:
        """The body, which is held until the block ends."""
        chunks: list[bytes] = []
        size = 0
        length = request.headers.get("content-length", "")
        self._check_size(int(length) if length.isdecimal() else 0)
        try:
            try:
                async with asyncio.timeout(self.limits.body_seconds):
                    async for chunk in request.stream():
                        self._check_size(size + len(chunk), already=size)
                        size += len(chunk)
                        self.held += len(chunk)
                        chunks.append(chunk)
            except TimeoutError:
                raise Fault(
                    "request_timeout",
                    f"the body did not arrive within {self.limits.body_seconds} seconds "
                    "(limit: body_seconds)",
                    "body",
                    {"Connection": "close"},
                ) from None
            body = b"".join(chunks)
            chunks.clear()
            yield body
        finally:
            self.held -= size

    def _check_size(self, size: int, already: int = 0) -> None:
        """Refuse a body of this size, of which so much is already held."""
        if size > self.limits.body:
            message = f"the body has more than {self.limits.body} bytes (limit: body)"
            raise Fault("too_large", message, "body")
        all_of_them = self.held + size - already
        if all_of_them > self.limits.bodies and not is_small(size, self.limits.bodies):
            message = "too many large requests at a time (limit: bodies); try again"
            raise Fault("busy", message, "body", {"Retry-After": "1"})

    async def _work(self, request: Request, open: Callable[[], Work], draft: Draft) -> list[bytes]:
        """Let the threads of the queue do the work. If the client goes away, or time is over, what
        has not begun is dropped, and what is under way ends."""
        opened: list[Work] = []
        over = Event()

        def begin() -> Sequence[Any]:
            opened.append(open())
            return opened[0].items

        def solve(items: Sequence[Any]) -> Sequence[Any]:
            results = opened[0].solve(items, over.is_set)
            self.answers.grow(draft, sum(map(size_of, results)))
            return results

        deadline = monotonic() + self.limits.seconds
        job = QueuedRequest(begin, solve, deadline, weight, aside=lambda: opened[0].judged)
        self.queue.submit(job)
        done = asyncio.wrap_future(job.future)
        gone = asyncio.ensure_future(_wait_until_gone(request))
        try:
            await asyncio.wait(
                (done, gone), timeout=self.limits.seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if done.cancelled():  # the queue was closed
                raise _stopping()
            if done.done():
                results = await done
            elif gone.done():
                raise ClientDisconnect
            else:
                raise OutOfTime
        except OutOfTime:
            raise Fault(
                "time_limit",
                f"not done within {self.limits.seconds} seconds (limit: seconds): send fewer "
                "problems, a smaller beam, or options.timeout",
                headers={"Retry-After": str(self._retry_after())},
            ) from None
        finally:
            over.set()
            gone.cancel()
            job.future.cancel()
        [work] = opened
        if work.name:
            codes = Counter(each.code if isinstance(each, Fault) else "ok" for each, _ in results)
            request.state.solved = work.name, codes  # for the gate
        return work.answer(results)

    def describe(self) -> dict[str, Any]:
        """What `/v1/models` answers: the models, and the limits that matter to a client."""
        limits = {name: getattr(self.limits, name) for name in STATED_LIMITS}
        return {**self.models.describe(), "limits": limits}

    async def stop(self) -> bool:
        """Refuse new requests and wait for those that are active; False if some did not end within
        the time of grace."""
        self.stopping = True
        self._idle.clear()
        if self.active:
            try:
                async with asyncio.timeout(self.limits.grace):
                    await self._idle.wait()
            except TimeoutError:
                return False
        return True

    def _retry_after(self) -> int:
        """Seconds after which there is likely room."""
        wait = self.active * self._pace / max(1, len(self.queue.threads))
        return max(1, min(LONGEST_RETRY, round(wait / 2)))


def _stopping() -> Fault:
    return Fault(
        "stopping",
        "the server is stopping; try again",
        headers={"Retry-After": "5", "Connection": "close"},
    )


async def _wait_until_gone(request: Request) -> None:
    """Return when the client has closed the connection; its body was read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
