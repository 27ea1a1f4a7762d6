"""Batch jobs of tests: a small model in a file, an engine without processes, faults."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from syntagma.batches import batch as module
from syntagma.batches.job import Assignment, BatchJob, ShardOutcome
from syntagma.batches.solving import ShardSolver
from syntagma.batches.storage import open_storage
from syntagma.linear.scorer import StoredLinearScorer
from syntagma.linear.templates import templates
from syntagma.models.model import save_model
from syntagma.transition.encoding import encode
from toys.models import bag, make_scorer, random_weights, toy_vocabulary
from toys.signals import restore_signals

ROOT = Path(__file__).parents[2]
DEADLINE = 300  # seconds after which a test that waits has failed
COMMAND = [sys.executable, "-c", "from syntagma.cli import main; main()"]


def save_toy_model(path: Path, seed: int = 1) -> Path:
    """A linear model with random weights, which loads fast."""
    vocabulary = toy_vocabulary()
    encodings = [encode(bag("w1", "w2", "w3", "w4"), vocabulary)]
    drawn = random_weights(Random(seed), make_scorer("p16", vocabulary), encodings)
    keys, values = np.array(list(drawn), np.uint64), np.array(list(drawn.values()), np.float32)
    header = {
        "name": "toy",
        "tag_column": "xpos",
        "scorer": "linear",
        "feature_set": "p16",
        "templates": list(templates("p16").texts),
    }
    save_model(path, header, vocabulary, StoredLinearScorer.of(keys, values, 10**6))
    return path


def write_problems(path: Path, count: int, bad: Sequence[int] = ()) -> Path:
    """Problems with ids p0, p1, … as JSON lines, some of them without words."""
    lines = [
        f'{{"id": "p{number}", "words": []}}'
        if number in bad
        else f'{{"id": "p{number}", "words": ["w{number % 7}", "w{number % 5}", "n{number}"]}}'
        for number in range(count)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder by their names relative to it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def without_processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have shards solved in this process; the list that is returned gets their numbers."""
    solved: list[int] = []

    def solve(
        job: BatchJob,
        output: str,
        assignments: Sequence[Assignment],
        jobs: int | None,
        tick: Callable[[int], object],
    ) -> Iterator[ShardOutcome]:
        solver = ShardSolver(job, open_storage(output))
        for assignment in assignments:
            solved.append(assignment.number)
            yield solver.solve(assignment, tick)

    monkeypatch.setattr(module, "solve_in_processes", solve)
    return solved


# Runs in every process that is started with the environment of `faulty`. A worker that takes up a
# problem with the word "poison" is killed, as if by a bug in compiled code; one with "hang" never
# comes back from it; one with "pause" waits until it is killed; one with "bug" raises.
_FAULTS = """
import os, signal, sys, time
if "syntagma.batches.processes" in sys.orig_argv or "default_worker.py" in " ".join(sys.orig_argv):
    from syntagma.batches import solving
    solving.PATIENCE = float(os.environ.get("PATIENCE", "3600"))
    together = solving.ShardSolver._solve_together
    def solve(self, items):
        for item in items:
            forms = [word.form for word in getattr(item, "words", ())]
            if "poison" in forms:
                os.kill(os.getpid(), signal.SIGKILL)
            if "hang" in forms:
                time.sleep(DEADLINE)
            if "pause" in forms and not os.path.exists(os.environ["GO"]):
                with open(os.environ["GO"] + ".new", "w") as file:
                    file.write(str(os.getpid()))
                os.rename(os.environ["GO"] + ".new", os.environ["GO"] + ".waiting")
                time.sleep(DEADLINE)
            if "bug" in forms:
                raise IndexError("off by one")
        return together(self, items)
    solving.ShardSolver._solve_together = solve
"""


def faulty(folder: Path, **more: str) -> Mapping[str, str]:
    """An environment in which workers of batch jobs have faults."""
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(_FAULTS.replace("DEADLINE", str(2 * DEADLINE)))
    known = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join(filter(None, [str(site), *known]))
    return {**os.environ, "PYTHONPATH": path, "GO": str(folder / "go"), **more}


def spoil(problems: Path, number: int, word: str) -> None:
    """Put one of the words that `faulty` knows into a problem of `write_problems`."""
    lines = problems.read_text().splitlines()
    lines[number] = f'{{"id": "p{number}", "words": ["w1", "{word}"]}}'
    problems.write_text("\n".join(lines) + "\n")


def start(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path | None = None,
    prepare: Callable[[], None] = restore_signals,
) -> subprocess.Popen[str]:
    """Start a program in a group of processes of its own, with all that it prints in pipes."""
    return subprocess.Popen(
        arguments,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=folder,
        preexec_fn=prepare,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """The exit code of a program and all that it and those it has started have printed: so none of
    these runs any more."""
    try:
        printed, errors = process.communicate(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        printed, errors = process.communicate()
        pytest.fail(f"{process.args!r} has not ended after {DEADLINE} s: {printed}{errors}")
    return process.returncode, printed, errors


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until there is a file that a process, or one that it has started, writes."""
    started = time.monotonic()
    while not path.exists():
        if process.poll() is not None or time.monotonic() - started > DEADLINE:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            pytest.fail(f"there is no {path.name}: {finish(process)}")
        time.sleep(0.02)


def paused(folder: Path, process: subprocess.Popen[str]) -> int:
    """The process number of the worker that pauses, as soon as one does."""
    path = folder / "go.waiting"
    wait_for(path, process)
    number = int(path.read_text())
    path.unlink()
    return number
