"""The processes engine: workers that die, and workers whose parent dies."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from toys.collections import add_treebank, environment

from syntagma.linear.settings import LinearSettings
from syntagma.sweeps import work
from syntagma.sweeps.collection import find_treebanks
from syntagma.sweeps.job import TrainingJob
from syntagma.sweeps.work import PARENT_GONE, work_in_processes

SETTINGS = LinearSettings(epochs=1, beam=4)


def jobs_of(folder: Path, *names: str) -> list[TrainingJob]:
    for name in names:
        add_treebank(folder / "ud", name)
    found = find_treebanks(folder / "ud").treebanks
    return [TrainingJob(each, folder / "out" / each.name, SETTINGS) for each in found]


def test_a_job_is_the_same_for_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [job] = jobs_of(tmp_path, "fr_toy")
    assert TrainingJob.from_json(json.loads(json.dumps(job.to_json()))) == job
    monkeypatch.chdir(tmp_path)
    relative = TrainingJob(find_treebanks("ud").treebanks[0], Path("out/fr_toy"), SETTINGS)
    assert relative != job
    assert relative.absolute() == job


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import os; os.kill(os.getpid(), 9)", "its process was killed by signal 9, perhaps for"),
        (
            'print(\'{"at": "reading"}\'); raise SystemExit(3)',
            "its process ended with exit code 3; see ",
        ),
        ("import os; os.close(0); os._exit(1)", "its process ended with exit code 1; see "),
        ("print('{', end='')", "its process ended with exit code 0; see "),
    ],
)
def test_a_worker_that_dies_is_the_outcome_of_its_treebank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, message: str
) -> None:
    def start(module: str, log: int) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", program], stdin=pipe, stdout=pipe, encoding="utf-8"
        )
        if "close" in program:  # nobody is left to read the job
            process.wait()
        return process

    monkeypatch.setattr(work, "start_worker", start)
    jobs = jobs_of(tmp_path, "de_toy", "fr_toy")
    outcomes = [*work_in_processes(jobs, 2, lambda name, step: None)]
    assert sorted(each.name for each in outcomes) == ["de_toy", "fr_toy"]
    for outcome in outcomes:
        assert outcome.record is None
        assert outcome.error.startswith(message)


def test_a_worker_that_cannot_start_is_the_outcome_of_its_treebank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(module: str, log: int) -> subprocess.Popen[str]:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(work, "start_worker", start)
    jobs = jobs_of(tmp_path, "de_toy", "fr_toy")
    outcomes = [*work_in_processes(jobs, 2, lambda name, step: None)]
    why = "cannot start its process: Resource temporarily unavailable"
    assert {each.name: each.error for each in outcomes} == {"de_toy": why, "fr_toy": why}


@pytest.mark.slow
def test_when_the_caller_stops_so_do_the_workers(tmp_path: Path) -> None:
    """Workers that wait for a pipe that nobody writes to are killed."""
    [job] = jobs_of(tmp_path, "fr_toy")
    train = job.treebank.train[0]
    train.unlink()
    os.mkfifo(train)
    other = jobs_of(tmp_path, "de_toy")[0]
    outcomes = work_in_processes([job, other], 2, lambda name, step: None)
    assert next(outcomes).name == "de_toy"
    outcomes.close()  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_worker_ends_with_its_parent(tmp_path: Path) -> None:
    [job] = jobs_of(tmp_path, "fr_toy")
    train = job.treebank.train[0]
    train.unlink()
    os.mkfifo(train)
    pipe = subprocess.PIPE
    command = [sys.executable, "-P", "-m", "syntagma.sweeps.work"]
    with subprocess.Popen(command, stdin=pipe, text=True, env=environment()) as worker:
        assert worker.stdin is not None
        worker.stdin.write(json.dumps(job.to_json()) + "\n")
        worker.stdin.close()
        assert worker.wait() == PARENT_GONE
    assert not job.figures.exists()
