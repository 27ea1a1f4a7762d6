"""Supervision of workers: hands out cases, enforces the time limit, restarts what has died."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from json import loads
from pathlib import Path
from typing import IO

from fuzzing.findings import Finding

ROOT = Path(__file__).resolve().parents[1]
MEGABYTES = 3072  # of address space; NumPy and the shipped models take about half a gigabyte
START_SECONDS = 120.0
MAX_FINDINGS = 100  # of one target: then something is wrong in general


@dataclass(frozen=True, slots=True)
class Limits:
    """What a case may take."""

    seconds: float = 20.0
    megabytes: int = MEGABYTES


class Worker:
    """A worker process, started when it is first asked and again after it has died."""

    def __init__(self, target: str, limits: Limits) -> None:
        self._target = target
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._printed: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in `stop`

    def ask(self, request: str) -> tuple[str, str] | None:
        """Have a case run: None, or what happened and what was printed."""
        process = self._process or self._start()
        assert process.stdin is not None
        process.stdin.write(f"{request}\n".encode())
        process.stdin.flush()
        answer = self._answer(process, self._limits.seconds)
        if answer is None:
            return self._died(process)
        raised = loads(answer)
        return None if raised is None else (raised["error"], raised["traceback"])

    def stop(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.kill()
            self._process.wait()
            self._process = None
        self._printed.close()

    def _start(self) -> subprocess.Popen[bytes]:
        self._printed.seek(0)
        self._printed.truncate()
        one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fuzzing.worker", self._target, str(self._limits.megabytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            cwd=ROOT,
            env={**os.environ, **one_thread, "PYTHONHASHSEED": "0"},
        )
        if self._answer(self._process, START_SECONDS) is None:
            _, printed = self._died(self._process)
            raise RuntimeError(f"the worker of {self._target} does not start:\n{printed}")
        return self._process

    def _answer(self, process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
        """The next line that the process writes; None if it dies or takes too long.

        Its own time counts, so that a busy machine makes no findings; waiting counts a tenth.
        """
        assert process.stdout is not None
        begun, used = time.monotonic(), _cpu_seconds(process.pid)
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], min(seconds, 0.5))
            if ready:
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    return None
                line += part
            elif max(_cpu_seconds(process.pid) - used, (time.monotonic() - begun) / 10) >= seconds:
                return None
        return line

    def _died(self, process: subprocess.Popen[bytes]) -> tuple[str, str]:
        """How the process ended, or that it had to be ended."""
        self._process = None
        try:
            code = process.wait(0.2)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGUSR1)  # prints where it is
            time.sleep(0.2)
            process.kill()
            process.wait()
            what = f"no answer after {self._limits.seconds:g} s"
        else:
            what = signal.Signals(-code).name if code < 0 else f"the process ended with code {code}"
        self._printed.seek(0)
        return what, self._printed.read().decode(errors="replace")[-20_000:]


def _cpu_seconds(process: int) -> float:
    """The processor time that a process has used; elsewhere than on Linux, the time of day."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Campaign:
    """The cases of one target that are run with one seed."""

    target: str
    seed: int
    count: int | None  # of cases
    seconds: float | None
    limits: Limits = Limits()
    on_finding: Callable[[Finding], None] = lambda finding: None
    cases: int = 0
    findings: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _handed_out: int = 0

    def run(self, jobs: int) -> None:
        until = None if self.seconds is None else time.monotonic() + self.seconds
        threads = [threading.Thread(target=self._work, args=(until,)) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self, until: float | None) -> None:
        worker = Worker(self.target, self.limits)
        try:
            while (number := self._next(until)) is not None:
                happened = worker.ask(f"case {self.seed} {number}")
                with self._lock:
                    self.cases += 1
                    if happened is not None:
                        self.findings += 1
                        self.on_finding(Finding(self.target, self.seed, number, *happened))
        finally:
            worker.stop()

    def _next(self, until: float | None) -> int | None:
        with self._lock:
            if (
                (self.count is not None and self._handed_out >= self.count)
                or (until is not None and time.monotonic() >= until)
                or self.findings >= MAX_FINDINGS
            ):
                return None
            self._handed_out += 1
            return self._handed_out - 1
