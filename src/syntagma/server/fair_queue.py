"""Requests share the threads fairly: each thread takes a few problems of one request, then a few of
the next.

Requests that have had no turn yet go first, so that one of a few problems waits for the turns that
are running and no more, however large the others are. They cannot starve older requests: after a
few first turns comes one of a request that has begun. These take turns among themselves. How many
problems make a turn follows from their weights, and from how long those before them took.

A turn has one problem at least, which may take a minute. While all threads have long turns, others
stand in for them: these give first turns only, and share the processors with them.

Requests whose work waits for something other than a processor, such as a judge that computes on one
thread for all, go aside once they have been read: a queue of one thread serves them, and keeps all
other threads free.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from time import monotonic, thread_time
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

# CPU time of a turn in seconds: enough to encode problems together, and short enough to wait for.
TURN: Final = 0.025
MOST_PER_TURN: Final = 8  # problems, as many as a model encodes together
FIRST_TURNS: Final = 4  # in a row, if a request that has begun waits
LONG: Final = TURN  # seconds of a turn after which another thread may stand in
STAND_INS: Final = 2  # for each thread


class OutOfTime(Exception):
    """A request that was not done by its deadline."""


class QueuedRequest(Generic[T, R]):
    """The work of one request. `open` reads its items, `solve` makes the results of some of them.
    The time that an item takes is about proportional to its `weight`. `aside` says, once the items
    are read, whether they are for the queue aside.

    All of them run on the threads of the queue, `solve` perhaps on several at a time.
    """

    def __init__(
        self,
        open: Callable[[], Sequence[T]],
        solve: Callable[[Sequence[T]], Sequence[R]],
        deadline: float,
        weight: Callable[[T], float] = lambda item: 1.0,
        aside: Callable[[], bool] = lambda: False,
    ) -> None:
        self.open = open
        self.solve = solve
        self.deadline = deadline
        self.weight = weight
        self.aside = aside
        self.future: Future[list[R]] = Future()
        self.begun = False
        self._settling = threading.Lock()
        self._items: Sequence[T] = ()
        self._results: list[Any] = []
        self._next = 0
        self._missing = 0
        self._pace = 0.0  # seconds per unit of weight, a moving average

    def begin(self) -> None:
        """Read the items. Called once, before any other step."""
        self._items = self.open()
        self._results = [None] * len(self._items)
        self._missing = len(self._items)
        self.begun = True

    @property
    def has_more(self) -> bool:
        return self._next < len(self._items)

    def take(self) -> range:
        """The items of the next turn, which nobody else gets."""
        end, seconds = self._next, 0.0
        most = self._next + (MOST_PER_TURN if self._pace else 1)
        for item in self._items[self._next : most]:
            seconds += self.weight(item) * self._pace
            if seconds > TURN and end > self._next:
                break
            end += 1
        turn = range(self._next, end)
        self._next = end
        return turn

    def run(self, turn: range) -> Sequence[R]:
        return self.solve(self._items[turn.start : turn.stop])

    def put(self, turn: range, results: Sequence[R], seconds: float) -> bool:
        """Keep the results of a turn. True if they were the last."""
        self._results[turn.start : turn.stop] = results
        self._missing -= len(turn)
        if turn:
            pace = seconds / sum(self.weight(self._items[index]) for index in turn)
            self._pace = (self._pace + pace) / 2 if self._pace else pace
        return self._missing == 0

    def finish(self, error: BaseException | None = None) -> None:
        """End with the results or with an error, of which only the first counts."""
        with self._settling:
            if not self.future.done() and self.future.set_running_or_notify_cancel():
                if error is None:
                    self.future.set_result(self._results)
                else:
                    self.future.set_exception(error)


class FairQueue:
    """Threads that serve requests in turns. One whose future is cancelled is dropped."""

    def __init__(
        self,
        threads: int,
        clock: Callable[[], float] = monotonic,
        stopwatch: Callable[[], float] = thread_time,
    ) -> None:
        """By default a `stopwatch` of CPU time, so that other work of the machine does not make
        turns smaller."""
        self._clock = clock
        self._stopwatch = stopwatch
        self._aside: FairQueue | None = None  # made when it is needed
        self._fresh: deque[QueuedRequest[Any, Any]] = deque()  # without a turn so far
        self._begun: deque[QueuedRequest[Any, Any]] = deque()
        # What each thread works for, and since when, stand-ins included.
        self._running: dict[threading.Thread, tuple[QueuedRequest[Any, Any], float]] = {}
        self._first_turns = 0  # since the last turn of a job that had begun
        self._changed = threading.Condition()
        self._closed = False
        self.threads = [
            threading.Thread(target=self._work, name=f"decoder-{number}", daemon=True)
            for number in range(threads)
        ]
        self._stand_ins = [
            threading.Thread(target=self._stand_in, name=f"stand-in-{number}", daemon=True)
            for number in range(STAND_INS * threads)
        ]
        for thread in (*self.threads, *self._stand_ins):
            thread.start()

    def submit(self, job: QueuedRequest[Any, Any]) -> None:
        with self._changed:
            if self._closed:
                raise RuntimeError("the queue is closed")
            self._fresh.append(job)
            self._changed.notify_all()  # stand-ins, too, which may not be due

    @property
    def waiting(self) -> int:
        """Jobs that wait for a turn."""
        return len(self._fresh) + len(self._begun)

    @property
    def held(self) -> bool:
        """Whether every thread works for a job that is over: cancelled, or past its deadline."""
        with self._changed:
            running = [job for job, _ in self._running.values()]
        over = [job for job in running if job.future.done() or self._clock() > job.deadline]
        return len(over) == len(self.threads) + len(self._stand_ins)

    def close(self) -> None:
        """End the threads after their turns; all jobs are cancelled."""
        with self._changed:
            self._closed = True
            running = [job for job, _ in self._running.values()]
            jobs = [*running, *self._fresh, *self._begun]
            self._fresh.clear()
            self._begun.clear()
            self._changed.notify_all()
        for job in jobs:
            job.future.cancel()
        if self._aside is not None:
            self._aside.close()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.waiting or self._closed)
                if self._closed:
                    return
                job = self._next()
                self._running[threading.current_thread()] = job, monotonic()
            self._serve_safely(job)
            del job  # with all that it holds, while there is no other

    def _stand_in(self) -> None:
        while True:
            with self._changed:
                while not self._closed and (not self._fresh or self._spare_seconds() > 0):
                    self._changed.wait(self._spare_seconds() if self._fresh else None)
                if self._closed:
                    return
                job = self._fresh.popleft()
                self._running[threading.current_thread()] = job, monotonic()
            self._serve_safely(job)
            del job  # with all that it holds, while there is no other

    def _spare_seconds(self) -> float:
        """How long it takes until all threads have had long turns, if none of them ends."""
        begins = [self._running[each][1] for each in self.threads if each in self._running]
        now = monotonic()
        latest = max(begins) if len(begins) == len(self.threads) else now
        return latest + LONG - now

    def _serve_safely(self, job: QueuedRequest[Any, Any]) -> None:
        try:
            self._serve(job)
        except BaseException as error:  # of whatever kind: the thread goes on with other jobs
            job.finish(error)
        finally:
            with self._changed:
                del self._running[threading.current_thread()]

    def _next(self) -> QueuedRequest[Any, Any]:
        """The job whose turn it is. Some job waits."""
        if self._fresh and (self._first_turns < FIRST_TURNS or not self._begun):
            self._first_turns += 1
            return self._fresh.popleft()
        self._first_turns = 0
        return self._begun.popleft()

    def _serve(self, job: QueuedRequest[Any, Any]) -> None:
        """One turn of a job. Before it begins, the job is in line again for the next one, so that
        several threads can work on it."""
        if job.future.done():
            return
        if self._clock() > job.deadline:
            raise OutOfTime
        if not job.begun:  # it is not in line again before it has begun
            job.begin()
            if job.aside():
                self._put_aside(job)
                return
        with self._changed:
            turn = job.take()
            if job.has_more and not self._closed:
                self._begun.append(job)
                self._changed.notify_all()
        began = self._stopwatch()
        results = job.run(turn)
        seconds = self._stopwatch() - began
        with self._changed:
            last = job.put(turn, results, seconds)
        if last:
            job.finish()

    def _put_aside(self, job: QueuedRequest[Any, Any]) -> None:
        with self._changed:
            if self._closed:
                return
            if self._aside is None:
                # Its threads wait more than they compute: CPU time would make turns too long.
                self._aside = FairQueue(1, self._clock, stopwatch=monotonic)
            self._aside.submit(job)
