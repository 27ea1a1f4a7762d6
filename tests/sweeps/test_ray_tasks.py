"""The Ray engine, without Ray: what it asks of a session that may be the caller's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from toys.training_runs import Cut

from syntagma.linear.settings import LinearSettings
from syntagma.sweeps import work
from syntagma.sweeps.collection import FoundTreebank
from syntagma.sweeps.job import TrainingJob
from syntagma.sweeps.work import TrainingOutcome, work_with_ray

NAMES = ["de_toy", "en_toy", "fr_toy"]
JOBS = [
    TrainingJob(FoundTreebank(name, name[:2], (Path("train"),)), Path(name), LinearSettings())
    for name in NAMES
]


class FakeRay:
    """Stands for Ray, started by the caller: its tasks, named as their treebanks, end in turn."""

    exceptions = SimpleNamespace(RayError=RuntimeError)

    def __init__(self) -> None:
        self.started: dict[str, dict[str, Any]] = {}  # the options of each task
        self.cancelled: dict[str, bool] = {}  # whether by force
        self.starting = self.ending = len(NAMES)  # tasks until the process is interrupted

    def is_initialized(self) -> bool:
        return True

    def remote(self, **options: Any) -> Callable[[object], SimpleNamespace]:
        def start(job: dict[str, Any]) -> str:
            if not self.starting:
                raise Cut
            self.starting -= 1
            name: str = job["treebank"]["name"]
            self.started[name] = options
            return name

        return lambda function: SimpleNamespace(remote=start)

    def wait(self, tasks: list[str], *, num_returns: int) -> tuple[list[str], list[str]]:
        if not self.ending:
            raise Cut
        self.ending -= 1
        return tasks[:num_returns], tasks[num_returns:]

    def get(self, task: str) -> dict[str, Any]:
        return {"name": task, "record": {}}

    def cancel(self, task: str, *, force: bool = False) -> None:
        self.cancelled[task] = force


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay()
    monkeypatch.setattr(work, "import_ray", lambda user: fake)
    return fake


def test_a_process_for_each_task(ray: FakeRay) -> None:
    """The next task would find the allocator and the warnings of the last one."""
    assert [*work_with_ray(JOBS, 1, None)] == [TrainingOutcome(name, {}) for name in NAMES]
    calls = {name: options.get("max_calls") for name, options in ray.started.items()}
    assert calls == dict.fromkeys(NAMES, 1)


def test_tasks_end_with_the_run(ray: FakeRay) -> None:
    """They would go on in the session of the caller, who stops after an outcome, or is
    interrupted while waiting for one."""
    outcomes = work_with_ray(JOBS, 1, None)
    assert next(outcomes).name == "de_toy"
    assert ray.cancelled == {}
    outcomes.close()  # type: ignore[attr-defined]
    assert ray.cancelled == {"en_toy": True, "fr_toy": True}

    ray.cancelled.clear()
    ray.starting, ray.ending = 3, 2
    with pytest.raises(Cut):
        [*work_with_ray(JOBS, 1, None)]
    assert ray.cancelled == {"fr_toy": True}


def test_tasks_end_with_a_run_that_is_interrupted_while_it_starts_them(ray: FakeRay) -> None:
    ray.starting = 2
    with pytest.raises(Cut):
        [*work_with_ray(JOBS, 1, None)]
    assert ray.cancelled == {"de_toy": True, "en_toy": True}
