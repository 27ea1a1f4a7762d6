"""Measures small requests to `syntagma serve` beside hostile ones, and the memory of the server.

    python benchmarks/hostile_load.py [--seconds 60] [--clients 2] [--only KIND …] [--json FILE]

The server is a process of its own on the loopback address. The hostile clients take turns with:

orders       problems whose search is long, with a limit (`timeout`)
forms        multipart forms with an unclosed quote and many semicolons, or very long numbers
tags         batches with 3.6 MB of tags that the model does not know
unread       batches whose answers have 30 MB, which nobody reads; up to 40 at a time
cross-site   addresses of 15 kB from pages of other origins, and headers of 60 kB

Meanwhile another client sends small requests, one at a time, first alone and then beside these.
"""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, cycle
from pathlib import Path
from statistics import median, quantiles
from typing import Any

COMMAND = [sys.executable, "-c", "from syntagma.cli import main; main()", "serve", "--port", "0"]
SMALL = json.dumps({"words": ["book", "read", "the", "She", "."]}).encode()
PAUSE = 0.01  # seconds between two small requests
ALONE = 100  # small requests before the hostile ones
UNREAD = 40  # answers at a time
CROSS_SITE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
JSON = "application/json"
FORM = "multipart/form-data; boundary=x"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=2, help="hostile ones")
    parser.add_argument("--threads", type=int, default=2, help="of the server")
    parser.add_argument("--only", choices=ATTACKS, nargs="+", help="kinds of hostile requests")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures")
    arguments = parser.parse_args()
    attacks = arguments.only or [*ATTACKS]
    with serving("--threads", str(arguments.threads)) as server:
        figures = measure(server, arguments.seconds, arguments.clients, attacks)
    for name, value in figures.items():
        print(f"{name}: {value:.4g}" if isinstance(value, float) else f"{name}: {value}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


class Server:
    """A server as its clients see it."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port

    def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None = None
    ) -> tuple[int, bytes]:
        """One request over a connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def post(self, path: str, body: bytes, kind: str = JSON) -> int:
        return self.send("POST", path, {"Content-Type": kind}, body)[0]

    def memory(self) -> float:
        """MB."""
        lines = self.send("GET", "/metrics", {})[1].decode().splitlines()
        name = "process_resident_memory_bytes "
        return next(float(line.split()[1]) for line in lines if line.startswith(name)) / 1e6


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    with subprocess.Popen(
        [*COMMAND, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            host, port = process.stdout.readline().split(" at http://")[1].split("/")[0].split(":")
            yield Server(host, int(port))
        finally:
            process.kill()


class Attack:
    """Hostile requests of one client. Each call sends one and returns the status, or 0."""

    def __init__(self, server: Server, number: int) -> None:
        self.server = server
        self.numbers = count(1_000_000 * (number + 1))  # so that words and tags are new
        self.unread: deque[socket.socket] = deque()

    def close(self) -> None:
        while self.unread:
            self.unread.popleft().close()

    def orders(self) -> Iterator[int]:
        for problem in cycle((self._pairs(), self._star(), self._bag())):
            value = {**problem, "options": {"timeout": 1, "beam": 128}}
            yield self.server.post("/v1/order", json.dumps(value).encode())

    def _pairs(self) -> dict[str, Any]:
        words: list[Any] = []
        for pair in range(12):
            words.append({"form": f"top{pair}", "deprel": "nsubj"})
            words.append({"form": f"dependent{pair}", "head": 2 * pair + 1, "deprel": "obj"})
        words.append({"form": "single", "deprel": "obj"})
        before = [[2 * pair + 1, 2 * ((pair + 3) % 12) + 2] for pair in range(6)]
        return {"words": [*words, *(f"free{each}" for each in range(225))], "before": before}

    def _star(self) -> dict[str, Any]:
        return {"words": ["top", *({"form": f"w{each}", "head": 1} for each in range(255))]}

    def _bag(self) -> dict[str, Any]:
        return {"words": [f"w{each}" for each in range(256)]}

    def forms(self) -> Iterator[int]:
        field = b'Content-Disposition: form-data; name="data"; '
        hostile = (
            field + b'x="' + b";" * 64_000,
            field + b"name*" + b"1" * 5_000 + b"=x",
            field + b'x="' + b";" * 3_500,
            field + b'x="' + b";" * 4_000_000,
        )
        for header in cycle(hostile):
            body = b"--x\r\n" + header + b"\r\n\r\na\r\n--x--\r\n"
            yield self.server.post("/process", body, FORM)

    def tags(self) -> Iterator[int]:
        while True:
            problems = [
                {"words": [{"form": "a", "tag": f"{next(self.numbers)}" * 128}] * 4}
                for _ in range(900)
            ]
            yield self.server.post("/v1/order", json.dumps({"problems": problems}).encode())

    def cross_site(self) -> Iterator[int]:
        words = "+".join(f"w{each}" for each in range(2_500))
        while True:
            path = f"/process?input=horizontal&data={words}"[:15_000]
            yield self.server.send("GET", path, CROSS_SITE)[0]
            yield self.server.send("GET", "/v1/models", {"X": "y" * 60_000})[0]

    def unread_answers(self) -> Iterator[int]:
        problems = [[letter * 900 for letter in "abcd"]] * 1_000
        body = json.dumps({"problems": problems, "options": {"n_best": 4, "beam": 8}}).encode()
        head = (
            "POST /v1/order HTTP/1.1",
            "Host: localhost",
            f"Content-Type: {JSON}",
            f"Content-Length: {len(body)}",
        )
        while True:
            client = socket.create_connection((self.server.host, self.server.port), timeout=120)
            self.unread.append(client)
            client.sendall("\r\n".join((*head, "", "")).encode() + body)
            yield int(client.recv(12).split()[1])  # of the answer, the status alone
            while len(self.unread) >= UNREAD:
                self.unread.popleft().close()


ATTACKS: dict[str, Callable[[Attack], Iterator[int]]] = {
    "orders": Attack.orders,
    "forms": Attack.forms,
    "tags": Attack.tags,
    "unread": Attack.unread_answers,
    "cross-site": Attack.cross_site,
}


def measure(
    server: Server, seconds: float, clients: int = 2, attacks: Sequence[str] = tuple(ATTACKS)
) -> dict[str, Any]:
    """The figures of small requests, alone and beside hostile ones, and of memory in MB."""
    alone, _ = send_small(server, lambda sent: sent == ALONE)
    hostile: Counter[str] = Counter()
    memory = [server.memory()]
    end = time.monotonic() + seconds

    def attack(number: int) -> None:
        attacker = Attack(server, number)
        kinds = {name: ATTACKS[name](attacker) for name in attacks}
        turns = cycle([*kinds][number % len(kinds) :] + [*kinds][: number % len(kinds)])
        for turn in count():
            if turn >= len(kinds) and time.monotonic() >= end:  # each kind at least once
                break
            name = next(turns)
            try:
                status = str(next(kinds[name]))
            except (OSError, http.client.HTTPException, IndexError):
                status, kinds[name] = "cut", ATTACKS[name](attacker)
            hostile[f"{name} {status}"] += 1
        attacker.close()

    def watch() -> None:
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(10, seconds / 6, left))
            memory.append(server.memory())

    tasks = [watch, *(lambda number=n: attack(number) for n in range(clients))]
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    times, statuses = send_small(server, lambda sent: time.monotonic() >= end)
    for thread in threads:
        thread.join()
    return {
        "seconds": seconds,
        "alone_p50_ms": median(alone),
        "alone_p99_ms": percentile_99(alone),
        "small": len(times),
        "small_errors": sum(statuses.values()) - statuses["200"],
        "small_statuses": dict(statuses),
        "p50_ms": median(times),
        "p99_ms": percentile_99(times),
        "p99_to_p50": percentile_99(times) / median(times),
        "hostile": dict(sorted(hostile.items())),
        "memory_mb": [round(each, 1) for each in memory],
    }


def send_small(server: Server, ends: Callable[[int], bool]) -> tuple[list[float], Counter[str]]:
    """Milliseconds and statuses of small requests, one at a time."""
    times: list[float] = []
    statuses: Counter[str] = Counter()
    while not ends(len(times)):
        began = time.perf_counter()
        try:
            status = str(server.post("/v1/order", SMALL))
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
        statuses[status] += 1
        times.append(1000 * (time.perf_counter() - began))
        time.sleep(PAUSE)
    return times, statuses


def percentile_99(times: Sequence[float]) -> float:
    return quantiles(times, n=100, method="inclusive")[98]


if __name__ == "__main__":
    main()
