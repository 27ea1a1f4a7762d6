"""The fair queue: results in order, turns shared, jobs that end early leave no work behind."""

import threading
from collections.abc import Iterator, Sequence
from functools import partial
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys.server import wait_until

from syntagma.server.fair_queue import (
    FIRST_TURNS,
    MOST_PER_TURN,
    STAND_INS,
    TURN,
    FairQueue,
    OutOfTime,
    QueuedRequest,
)

FOREVER = float("inf")


@pytest.fixture
def queue() -> Iterator[FairQueue]:
    queue = FairQueue(threads=1)
    yield queue
    queue.close()


class Worker:
    """Solves items, one turn whenever the test allows it, and notes what it solved."""

    def __init__(self, name: str, log: list[str], steps: threading.Semaphore) -> None:
        self.name = name
        self.log = log
        self.steps = steps

    def __call__(self, items: Sequence[int]) -> list[int]:
        assert self.steps.acquire(timeout=30)
        self.log.append(self.name * len(items))
        return [2 * item for item in items]


@given(
    sizes=st.lists(st.integers(min_value=0, max_value=40), min_size=1, max_size=6),
    threads=st.integers(min_value=1, max_value=4),
)
def test_every_job_gets_all_its_results_in_order(sizes: list[int], threads: int) -> None:
    queue = FairQueue(threads)
    try:
        jobs = [
            QueuedRequest(partial(range, size), lambda items: [-each for each in items], FOREVER)
            for size in sizes
        ]
        for job in jobs:
            queue.submit(job)
        for size, job in zip(sizes, jobs, strict=True):
            assert job.future.result(timeout=30) == [-each for each in range(size)]
    finally:
        queue.close()


def test_a_small_job_waits_for_one_turn_of_a_large_one_only(queue: FairQueue) -> None:
    log: list[str] = []
    steps = threading.Semaphore(0)
    slow = Slow()
    queue._stopwatch = slow  # every turn seems to take a whole TURN, so turns are of one item
    large = QueuedRequest(lambda: range(100), Worker("L", log, steps), FOREVER)
    small = QueuedRequest(lambda: range(1), Worker("s", log, steps), FOREVER)
    queue.submit(large)
    queue.submit(small)
    for _ in range(4):
        steps.release()
    assert small.future.result(timeout=30) == [0]
    assert log.index("s") <= 1
    steps.release(100)
    assert large.future.result(timeout=30) == [2 * each for each in range(100)]


def test_a_small_job_does_not_wait_for_an_item_that_takes_long(queue: FairQueue) -> None:
    steps = threading.Semaphore(0)
    long = [
        QueuedRequest(lambda: range(9), Worker("L", [], steps), FOREVER) for _ in range(STAND_INS)
    ]
    for job in long:
        queue.submit(job)
    for _ in range(3):
        small = QueuedRequest(lambda: range(1), lambda items: [*items], FOREVER)
        queue.submit(small)
        assert small.future.result(timeout=30) == [0]
    steps.release(9 * STAND_INS)
    for job in long:
        assert job.future.result(timeout=30) == [2 * each for each in range(9)]


def test_many_small_jobs_do_not_keep_a_large_one_waiting(queue: FairQueue) -> None:
    log: list[str] = []
    steps = threading.Semaphore(0)
    queue._stopwatch = Slow()
    large = QueuedRequest(lambda: range(10), Worker("L", log, steps), FOREVER)
    queue.submit(large)
    small = [QueuedRequest(lambda: range(1), Worker("s", log, steps), FOREVER) for _ in range(100)]
    for job in small:
        queue.submit(job)
    steps.release(110)
    for job in [large, *small]:
        job.future.result(timeout=30)
    assert "".join(log).rindex("L") <= 10 * (FIRST_TURNS + 1)


def test_large_jobs_take_turns(queue: FairQueue) -> None:
    log: list[str] = []
    steps = threading.Semaphore(0)
    queue._stopwatch = Slow()
    jobs = [QueuedRequest(lambda: range(20), Worker(name, log, steps), FOREVER) for name in "abc"]
    for job in jobs:
        queue.submit(job)
    steps.release(60)
    for job in jobs:
        job.future.result(timeout=30)
    for length in range(1, 50):
        counts = [log[:length].count(name) for name in "abc"]
        assert max(counts) - min(counts) <= 2, log


class Slow:
    """A clock on which every look takes a turn."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        self.time += TURN
        return self.time


def test_turns_grow_as_far_as_the_pace_allows(queue: FairQueue) -> None:
    sizes: list[int] = []
    queue._stopwatch = lambda: 0.0  # no time passes: the pace is not known

    def solve(items: Sequence[int]) -> Sequence[int]:
        sizes.append(len(items))
        return items

    job = QueuedRequest(lambda: range(5), solve, FOREVER)
    queue.submit(job)
    job.future.result(timeout=30)
    assert sizes == [1] * 5

    sizes.clear()
    ticks = iter(range(10_000))
    queue._stopwatch = lambda: next(ticks) * TURN / 1000  # a thousand items in a turn
    job = QueuedRequest(lambda: range(1 + 3 * MOST_PER_TURN), solve, FOREVER)
    queue.submit(job)
    job.future.result(timeout=30)
    assert sizes == [1, MOST_PER_TURN, MOST_PER_TURN, MOST_PER_TURN]


def test_heavy_items_make_small_turns(queue: FairQueue) -> None:
    sizes: list[list[int]] = []
    now = 0.0

    def solve(items: Sequence[int]) -> Sequence[int]:
        nonlocal now
        sizes.append([*items])
        now += sum(items) * TURN / 10
        return items

    queue._stopwatch = lambda: now
    items = [1, 5, 5, 5, 20, 20, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    job = QueuedRequest(lambda: items, solve, FOREVER, weight=float)
    queue.submit(job)
    assert job.future.result(timeout=30) == items
    assert sizes == [[1], [5, 5], [5], [20], [20], [3, 3, 3], [3, *[1] * 7], [1, 1]]


def test_a_cancelled_job_leaves_no_work_behind(queue: FairQueue) -> None:
    log: list[str] = []
    steps = threading.Semaphore(1)
    queue._stopwatch = Slow()
    job = QueuedRequest(lambda: range(100), Worker("x", log, steps), FOREVER)
    queue.submit(job)
    job.future.cancel()
    steps.release(100)
    after = QueuedRequest(lambda: range(1), lambda items: list(items), FOREVER)
    queue.submit(after)
    assert after.future.result(timeout=30) == [0]
    assert len(log) <= 2
    assert queue.waiting == 0


def test_a_job_after_its_deadline_is_not_begun() -> None:
    queue = FairQueue(threads=1, clock=lambda: 10.0)
    opened: list[int] = []

    def open() -> list[int]:
        opened.append(1)
        return [1, 2, 3]

    job: QueuedRequest[int, int] = QueuedRequest(open, lambda items: [*items], 9.9)
    queue.submit(job)
    with pytest.raises(OutOfTime):
        job.future.result(timeout=30)
    assert opened == []
    queue.close()


@pytest.mark.parametrize("where", ["open", "solve"])
def test_an_error_ends_its_job_alone(queue: FairQueue, where: str) -> None:
    def fail(*items: object) -> list[int]:
        raise KeyError("x")

    bad: QueuedRequest[int, int] = (
        QueuedRequest(fail, fail, FOREVER)
        if where == "open"
        else QueuedRequest(lambda: range(9), fail, FOREVER)
    )
    good = QueuedRequest(lambda: range(9), lambda items: [*items], FOREVER)
    queue.submit(bad)
    queue.submit(good)
    with pytest.raises(KeyError):
        bad.future.result(timeout=30)
    assert good.future.result(timeout=30) == [*range(9)]


def test_errors_on_several_threads_are_one_error() -> None:
    queue = FairQueue(threads=3)
    together = threading.Barrier(3)

    def fail(items: Sequence[int]) -> list[int]:
        together.wait(30)
        raise KeyError("x")

    job: QueuedRequest[int, int] = QueuedRequest(lambda: range(3), fail, FOREVER)
    queue.submit(job)
    with pytest.raises(KeyError):
        job.future.result(timeout=30)
    # The threads are alive.
    jobs = [
        QueuedRequest(lambda: range(1), lambda items: [together.wait(30)], FOREVER)
        for _ in range(3)
    ]
    for each in jobs:
        queue.submit(each)
    assert sorted(each.future.result(timeout=30)[0] for each in jobs) == [0, 1, 2]
    queue.close()


def test_a_closed_queue_cancels_and_takes_nothing(queue: FairQueue) -> None:
    steps = threading.Semaphore(0)
    running = QueuedRequest(lambda: range(1), Worker("r", [], steps), FOREVER)
    waiting = QueuedRequest(lambda: range(1), Worker("w", [], steps), FOREVER)
    queue.submit(running)
    queue.submit(waiting)
    queue.close()
    steps.release(2)
    for thread in queue.threads:
        thread.join(30)
        assert not thread.is_alive()
    assert waiting.future.cancelled()
    assert running.future.cancelled()  # so that what is under way can end
    with pytest.raises(RuntimeError):
        queue.submit(waiting)


def test_threads_that_work_for_nobody_are_held() -> None:
    now = 0.0
    steps = threading.Semaphore(0)
    queue = FairQueue(threads=2, clock=lambda: now)
    threads = 2 * (1 + STAND_INS)
    late, given_up = (
        [
            QueuedRequest(lambda: range(1), Worker("x", [], steps), deadline)
            for _ in range(threads // 2)
        ]
        for deadline in (10.0, FOREVER)
    )
    for job in (*late, *given_up):
        queue.submit(job)
    wait_until(lambda: queue.waiting == 0)
    assert not queue.held
    for job in given_up:
        job.future.cancel()
    assert not queue.held
    now = 10.1
    assert queue.held
    steps.release(threads)
    wait_until(lambda: not queue.held)
    queue.close()


def test_a_thread_that_waits_holds_no_job(queue: FairQueue) -> None:
    job = QueuedRequest(lambda: range(9), lambda items: [*items], FOREVER)
    queue.submit(job)
    assert job.future.result(timeout=30) == [*range(9)]
    left = ref(job)
    del job
    wait_until(lambda: left() is None)


def test_what_goes_aside_holds_no_thread(queue: FairQueue) -> None:
    released = threading.Event()

    def wait(items: Sequence[int]) -> list[int]:
        assert released.wait(30)
        return list(items)

    count = 2 * (1 + STAND_INS)
    waiting = [
        QueuedRequest(partial(range, 3), wait, FOREVER, aside=lambda: True) for _ in range(count)
    ]
    for job in waiting:
        queue.submit(job)
    other = QueuedRequest(partial(range, 20), list, FOREVER)
    queue.submit(other)
    assert other.future.result(timeout=30) == list(range(20))
    assert not any(job.future.done() for job in waiting)
    released.set()
    assert [job.future.result(timeout=30) for job in waiting] == [[0, 1, 2]] * len(waiting)


def test_closing_cancels_what_went_aside() -> None:
    queue, begun, released = FairQueue(1), threading.Event(), threading.Event()

    def wait(items: Sequence[int]) -> list[int]:
        begun.set()
        released.wait(30)
        return list(items)

    jobs = [QueuedRequest(lambda: [1], wait, FOREVER, aside=lambda: True) for _ in range(9)]
    for job in jobs:
        queue.submit(job)
    assert begun.wait(30)
    queue.close()
    assert all(job.future.cancelled() for job in jobs)
    released.set()
