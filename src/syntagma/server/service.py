"""One request from its body to its answers: admitted, queued, watched, or refused."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, TypeVar

from fastapi import Request

from syntagma.server.fair_queue import FairQueue, OutOfTime, QueuedRequest
from syntagma.server.faults import Fault
from syntagma.server.gate import SOLVED
from syntagma.server.intake import ClientGone, Intake, wait_until_gone
from syntagma.server.limits import Limits
from syntagma.server.metrics import Metrics
from syntagma.server.options import options_models
from syntagma.server.served import Models

T = TypeVar("T")
R = TypeVar("R")

LONGEST_RETRY = 60  # seconds
STATED_LIMITS = ("words", "problems", "body", "beam", "n_best", "seconds")


class Service:
    """What all requests share: the models, the queue, the limits, and whether the server stops."""

    def __init__(
        self,
        models: Models,
        queue: FairQueue,
        limits: Limits | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.models = models
        self.queue = queue
        self.limits = limits or Limits()
        self.options = options_models(self.limits)
        self.metrics = metrics or Metrics()
        self.intake = Intake(self.limits)
        self.active = 0
        self.stopping = False
        self._pace = 0.1  # seconds per request, of late
        self._idle = asyncio.Event()
        self.metrics.watch(lambda: self.active, lambda: self.intake.held)

    @asynccontextmanager
    async def admitted(self, request: Request) -> AsyncIterator[bytes]:
        """The body of a request, which counts as active from its end on until the block ends.
        Raises `Fault`."""
        self._check_room()  # before a body that would be in vain
        length = request.headers.get("content-length")
        async with self.intake.body(request.receive, length) as body:
            self._check_room()
            began = monotonic()
            self.active += 1
            try:
                yield body
                self._pace += 0.1 * (monotonic() - began - self._pace)
            finally:
                self.active -= 1
                if not self.active:
                    self._idle.set()

    def _check_room(self) -> None:
        if self.stopping:
            raise stopping()
        if self.active >= self.limits.queue:
            raise Fault(
                "queue_full",
                f"{self.active} requests wait or run (limit: queue); try again",
                headers={"Retry-After": str(self._retry_after())},
            )

    async def answers(
        self,
        request: Request,
        open: Callable[[], Sequence[T]],
        solve: Callable[[Sequence[T]], Sequence[R]],
        weight: Callable[[T], float] = lambda item: 1.0,
    ) -> list[R]:
        """The results of all items that `open` finds, made by `solve` on the threads of the queue.

        If the client goes away, what has not begun is dropped.
        """
        job = QueuedRequest(open, solve, monotonic() + self.limits.seconds, weight)
        self.queue.submit(job)
        done = asyncio.wrap_future(job.future)
        gone = asyncio.ensure_future(wait_until_gone(request.receive))
        try:
            await asyncio.wait(
                (done, gone), timeout=self.limits.seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if done.cancelled():  # the queue was closed
                raise stopping()
            if done.done():
                return await done
            if gone.done():
                raise ClientGone
            raise OutOfTime
        except OutOfTime:
            raise Fault(
                "time_limit",
                f"not done within {self.limits.seconds} seconds (limit: seconds): send fewer "
                "problems, a smaller beam, or options.timeout",
                headers={"Retry-After": str(self._retry_after())},
            ) from None
        finally:
            gone.cancel()
            job.cancel()

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


def stopping() -> Fault:
    return Fault(
        "stopping",
        "the server is stopping; try again",
        headers={"Retry-After": "5", "Connection": "close"},
    )


def count(request: Request, operation: str, answers: Iterable[object]) -> None:
    """Note what became of the problems of a request, for the metrics and the log."""
    codes = Counter(each.code if isinstance(each, Fault) else "ok" for each in answers)
    request.scope["state"][SOLVED] = operation, codes
