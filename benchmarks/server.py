"""Measures `syntagma serve` from a second process on loopback: start, throughput, fairness, load.

    python benchmarks/server.py TREEBANK [--seconds 60] [--clients 64] [--threads 2]

TREEBANK is a CoNLL-U file; its labelled trees are the problems. Each part is bounded in time:

start        seconds until the address is printed; times of the first and of the tenth request
throughput   trees per second in batches over HTTP, and by `order_many` with the same threads
fairness     p50 and p99 of a small request, alone and while batches of 1,000 problems run
load         many clients for a while: answers by status, memory of the server
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import syntagma
from syntagma.formats.problems import read_problems
from syntagma.problem.problem import Problem

COMMAND = [sys.executable, "-c", "from syntagma.cli import main; main()", "serve", "--port", "0"]
JSON = {"Content-Type": "application/json"}
SMALL = json.dumps({"words": ["book", "read", "the", "She", "."]}).encode()
BATCH = 250  # problems of a request of the throughput
LARGE = 1_000  # problems of a batch beside small requests
SMALL_REQUESTS = 200
PAUSE = 0.1  # seconds before each request after a start


def main() -> None:
    arguments = parse_arguments()
    linearizer = syntagma.load("en")
    found = islice(read_problems(arguments.treebank, "conllu", linearizer.tag_column), 4_000)
    problems = [each for each in found if isinstance(each, Problem)]
    problems = [each for each in problems if len(each.words) <= 100][: arguments.problems]
    record: dict[str, Any] = {"threads": arguments.threads, "problems": len(problems)}
    options = ["--threads", str(arguments.threads)]
    record["start"] = measure_start(options, arguments.starts)
    print_part("start", record["start"])
    rounds = arguments.rounds
    with serving(options) as server:
        record["throughput"] = measure_throughput(
            server, linearizer, problems, arguments.threads, rounds
        )
        print_part("throughput", record["throughput"])
        record["fairness"] = measure_fairness(server, problems, rounds)
        print_part("fairness", record["fairness"])
        record["load"] = measure_load(server, problems, arguments.clients, arguments.seconds)
        print_part("load", record["load"])
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("treebank")
    parser.add_argument("--problems", type=int, default=1_000, help="trees that are used")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--starts", type=int, default=9)
    parser.add_argument("--rounds", type=int, default=3, help="of throughput and fairness")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--output", metavar="FILE", help="write the figures as JSON")
    return parser.parse_args()


class Server:
    """A server process as its clients see it."""

    def __init__(self, process: int, host: str, port: int) -> None:
        self.process = process
        self.host = host
        self.port = port

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=120)

    def metric(self, name: str) -> float:
        connection = self.connect()
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        connection.close()
        return float(next(line for line in lines if line.startswith(name + " ")).split()[1])

    def cpu_ms(self) -> float:
        """CPU time of all its threads so far (Linux)."""
        threads = Path(f"/proc/{self.process}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in threads) / 1e6


@contextmanager
def serving(options: Sequence[str]) -> Iterator[Server]:
    with subprocess.Popen(
        [*COMMAND, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split(" at http://")[1].split("/")[0]
            host, port = address.split(":")
            yield Server(process.pid, host, int(port))
        finally:
            process.terminate()


def post(connection: http.client.HTTPConnection, path: str, body: bytes) -> tuple[int, bytes]:
    connection.request("POST", path, body, JSON)
    answer = connection.getresponse()
    return answer.status, answer.read()


def measure_start(options: Sequence[str], starts: int) -> dict[str, float]:
    """Medians over several starts. Each request has a connection of its own and comes after the
    same pause, so that the first and the tenth find the client and the machine in the same state.
    The CPU time of the server depends less on what else the machine does."""
    rows: list[dict[str, float]] = []
    for _ in range(starts):
        began = time.perf_counter()
        with serving(options) as server:
            row = {"seconds": time.perf_counter() - began, "cpu_seconds": server.cpu_ms() / 1000}
            times, cpu_times = [], []
            for _ in range(10):
                time.sleep(PAUSE)
                before, cpu_before = time.perf_counter(), server.cpu_ms()
                connection = server.connect()
                status, _ = post(connection, "/v1/order", SMALL)
                connection.close()
                assert status == 200
                times.append(1000 * (time.perf_counter() - before))
                cpu_times.append(server.cpu_ms() - cpu_before)
        row |= {"first_ms": times[0], "tenth_ms": times[9], "first_to_tenth": times[0] / times[9]}
        row |= {"first_cpu_ms": cpu_times[0], "tenth_cpu_ms": cpu_times[9]}
        rows.append(row)
    figures = {key: median(row[key] for row in rows) for key in rows[0]}
    return {**figures, "best_seconds": min(row["seconds"] for row in rows)}


def as_json(problem: Problem) -> dict[str, Any]:
    return {
        "words": [
            {"form": word.form, "tag": word.tag, "head": word.head, "deprel": word.deprel}
            for word in problem.words
        ]
    }


def batches(problems: Sequence[Problem], size: int) -> list[bytes]:
    values = [as_json(problem) for problem in problems]
    return [
        json.dumps({"problems": values[start : start + size]}).encode()
        for start in range(0, len(values), size)
    ]


def measure_throughput(
    server: Server,
    linearizer: syntagma.Linearizer,
    problems: Sequence[Problem],
    threads: int,
    rounds: int,
) -> dict[str, float]:
    """Trees per second; the two ways in turns, and the median of their ratios, by the clock and in
    CPU time, which depends less on what else the machine does."""
    bodies = batches(problems, BATCH)

    def over_http() -> None:
        waiting = iter(bodies)
        lock = threading.Lock()

        def work() -> None:
            connection = server.connect()
            while True:
                with lock:
                    body = next(waiting, None)
                if body is None:
                    break
                status, answer = post(connection, "/v1/order", body)
                assert status == 200, answer[:200]
            connection.close()

        run_together([work] * 2)

    def by_library() -> None:
        for _ in linearizer.order_many(problems, threads=threads):
            pass

    by_library()
    http_rates, library_rates, cpu_ratios = [], [], []
    for _ in range(rounds):
        began = time.process_time()
        library_rates.append(len(problems) / seconds_of(by_library))
        library_cpu = time.process_time() - began
        began = server.metric("process_cpu_seconds_total")
        http_rates.append(len(problems) / seconds_of(over_http))
        cpu_ratios.append(library_cpu / (server.metric("process_cpu_seconds_total") - began))
    ratios = [one / other for one, other in zip(http_rates, library_rates, strict=True)]
    return {
        "http_per_second": median(http_rates),
        "order_many_per_second": median(library_rates),
        "ratio": median(ratios),
        "cpu_ratio": median(cpu_ratios),
    }


def measure_fairness(server: Server, problems: Sequence[Problem], rounds: int) -> dict[str, float]:
    """Times of small requests; medians over rounds, which other work of the machine may disturb."""
    alone = latencies(server, SMALL_REQUESTS)
    [body] = batches(list(islice(cycle(problems), LARGE)), LARGE)
    stop = threading.Event()
    done = 0

    def run_batches() -> None:
        nonlocal done
        connection = server.connect()
        while not stop.is_set():
            status, answer = post(connection, "/v1/order", body)
            assert status == 200, answer[:200]
            done += 1
        connection.close()

    running = threading.Thread(target=run_batches)
    running.start()
    while server.metric("syntagma_active_requests") < 1:
        pass
    rows = [latencies(server, SMALL_REQUESTS) for _ in range(rounds)]
    stop.set()
    running.join()
    ratios = [percentile_99(row) / median(row) for row in rows]
    return {
        "alone_p50_ms": median(alone),
        "alone_p99_ms": percentile_99(alone),
        "beside_p50_ms": median(map(median, rows)),
        "beside_p99_ms": median(map(percentile_99, rows)),
        "p99_to_p50": median(ratios),
        "p99_to_p50_worst": max(ratios),
        "batches": done,
    }


def latencies(server: Server, count: int) -> list[float]:
    connection = server.connect()
    times = []
    for _ in range(count):
        began = time.perf_counter()
        status, _ = post(connection, "/v1/order", SMALL)
        assert status == 200
        times.append(1000 * (time.perf_counter() - began))
    connection.close()
    return times


def percentile_99(times: Sequence[float]) -> float:
    return quantiles(times, n=100, method="inclusive")[98]


def measure_load(
    server: Server, problems: Sequence[Problem], clients: int, seconds: float
) -> dict[str, Any]:
    """Clients that send small and middle-sized requests without a pause, some of which vanish."""
    bodies = [SMALL, *batches(problems[:100], 5), *batches(problems[:200], 50)]
    end = time.monotonic() + seconds
    statuses: Counter[str] = Counter()
    memory: list[float] = []

    def client(number: int) -> None:
        draw = random.Random(number)
        connection = server.connect()
        while time.monotonic() < end:
            body = draw.choice(bodies)
            try:
                if draw.random() < 0.02:
                    connection.request("POST", "/v1/order", body, JSON)
                    connection.close()
                    statuses["vanished"] += 1
                    continue
                status, _ = post(connection, "/v1/order", body)
                statuses[str(status)] += 1
                if status != 200:
                    time.sleep(0.1)
            except (OSError, http.client.HTTPException) as error:
                statuses[type(error).__name__] += 1
                connection.close()
                connection = server.connect()
        connection.close()

    def watch() -> None:
        while time.monotonic() < end:
            memory.append(server.metric("process_resident_memory_bytes") / 1e6)
            time.sleep(min(seconds / 20, 1))

    run_together([watch, *(lambda number=n: client(number) for n in range(clients))])
    half = len(memory) // 2
    return {
        "seconds": seconds,
        "clients": clients,
        "answers": dict(sorted(statuses.items())),
        "memory_mb_first_half": max(memory[:half]),
        "memory_mb_second_half": max(memory[half:]),
    }


def run_together(tasks: Sequence[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def seconds_of(task: Callable[[], None]) -> float:
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


def print_part(name: str, figures: dict[str, Any]) -> None:
    shown = (
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in figures.items()
    )
    print(f"{name}: {', '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
