"""The Ray engine: a task for each treebank.

Ray schedules the tasks and repeats those whose process or machine dies; training then goes on after
its last whole epoch. All machines of a cluster must reach treebanks and output by the same paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from syntagma.engines.ray_cluster import connected, import_ray, ray_reason
from syntagma.sweeps.job import TrainingJob
from syntagma.sweeps.work import Outcome, run_job

_RETRIES = 3


def work_with_ray(
    jobs: Sequence[TrainingJob], cores: int, address: str | None
) -> Iterator[Outcome]:
    """The outcomes of the jobs, as they come, from a cluster, or from so many cores here."""
    ray = import_ray("the engine ray")
    with connected(ray, address, cores):
        # A process for each call: what `run_job` does to its process cannot be undone.
        task = ray.remote(num_cpus=1, max_retries=_RETRIES, max_calls=1)(_attempt)
        waiting: dict[Any, str] = {}  # names of treebanks
        try:
            for job in jobs:
                waiting[task.remote(job.absolute().to_json())] = job.treebank.name
            while waiting:
                [done], _ = ray.wait(list(waiting), num_returns=1)
                name = waiting.pop(done)
                try:
                    outcome = Outcome(**ray.get(done))
                except ray.exceptions.RayError as error:
                    outcome = Outcome(name, error=f"Ray has given up: {ray_reason(error)}")
                yield outcome
        finally:
            for each in waiting:  # the session may be the caller's, and stay
                ray.cancel(each, force=True)


def _attempt(job: dict[str, Any]) -> dict[str, Any]:
    return asdict(run_job(TrainingJob.from_json(job), lambda text: None))
