"""The Ray engine: the same shards as with processes, whoever dies."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from toys.batches import (
    COMMAND,
    contents,
    faulty,
    finish,
    paused,
    save_toy_model,
    spoil,
    start,
    wait_for,
    without_processes,
    write_problems,
)

import syntagma

pytest.importorskip("ray.data", reason="no Ray Data: pip install 'syntagma[ray]'")

pytestmark = pytest.mark.slow

STARTS = 5
T = TypeVar("T")


def until_ray_starts(attempt: Callable[[], T]) -> T:
    """Ray gives up if it does not start within 30 seconds, which a busy machine may need."""
    for left in reversed(range(STARTS)):
        try:
            return attempt()
        except (AssertionError, pytest.fail.Exception) as failure:
            if not left or "Ray does not start" not in str(failure):
                raise
    raise AssertionError


def raylet_of(driver: int) -> int:
    """The process number of the raylet that a driver has started."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            name = (process / "comm").read_text().strip()
        except OSError:
            continue
        if parent == driver and name == "raylet":
            return int(process.name)
    raise AssertionError("the driver has no raylet")


def test_whoever_is_killed_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First the raylet, with which Ray ends; in the next run, the actors that take up a problem."""
    model, output = save_toy_model(tmp_path / "toy.syntagma"), tmp_path / "out"
    problems = write_problems(tmp_path / "problems.jsonl", 9, bad=[0])
    spoil(problems, 4, "pause")
    spoil(problems, 7, "poison")
    environment = faulty(tmp_path)
    command = [*COMMAND, "batch", "order", str(problems), "--output", str(output)]
    command += ["--model", str(model), "--format", "json", "--shard-size", "3"]
    command += ["--engine", "ray", "--jobs", "1"]

    def kill_raylet() -> None:
        driver = start(command, environment)
        paused(tmp_path, driver)
        wait_for(output / "_unfinished" / "done" / "00000.json", driver)
        os.kill(raylet_of(driver.pid), signal.SIGKILL)
        assert finish(driver)[0] != 0

    until_ray_starts(kill_raylet)
    assert [*output.glob("part-*")] == [output / "part-00000.jsonl"]
    assert not (output / "_manifest.json").exists()
    Path(environment["GO"]).touch()

    def run_again() -> str:
        code, printed, errors = finish(start(command, environment))
        assert code == 0, errors
        return printed

    printed = until_ray_starts(run_again)
    # Ray prints, too, on the deaths of actors.
    assert printed.endswith(f"{output}: 7 results, 2 rejected; 2 shards (1 done before)\n")
    reasons = (output / "_rejected.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in reasons] == ["p0", "p7"]
    assert "2 worker processes died" in reasons[1]

    without_processes(monkeypatch)
    settings: dict[str, Any] = {"format": "json", "model": model, "shard_size": 3}
    syntagma.batch("order", problems, tmp_path / "whole", **settings)
    whole, found = contents(tmp_path / "whole"), contents(output)
    assert whole["part-00000.jsonl"] == found["part-00000.jsonl"]
    assert whole["part-00001.jsonl"] == found["part-00001.jsonl"]
    assert whole["part-00002.jsonl"].splitlines()[::2] == found["part-00002.jsonl"].splitlines()
