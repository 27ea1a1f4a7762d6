"""The Ray engine: shards are rows of a Ray dataset, mapped by actors that hold the model.

Ray schedules, retries and scales. A shard is one row, and one task. Actors write what they find to
the output folder, which they must be able to reach; only the driver moves it to its name, so a task
that Ray runs twice does no harm.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from syntagma.batches.job import (
    Assignment,
    BatchJob,
    ShardOutcome,
    ShardOutcomes,
    error_answer,
    raise_error,
)
from syntagma.batches.solving import ShardSolver
from syntagma.batches.storage import open_storage
from syntagma.engines import MAX_JOBS, available_cores, connected, import_ray, ray_reason
from syntagma.errors import OutputError, SyntagmaError


def solve_with_ray(
    job: BatchJob,
    output: str,
    assignments: Sequence[Assignment],
    jobs: int | None,
    address: str | None,
    tick: Callable[[int], object],
) -> ShardOutcomes:
    """The outcomes of the assignments, as they come, from at most this many actors; by default, one
    per core of this machine, or as many as the cluster has room for."""
    ray = import_ray("the engine ray", "data")
    by_number = {assignment.number: assignment for assignment in assignments}
    with connected(ray, address, jobs or available_cores()) as own:
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        most = min(jobs or (available_cores() if own else MAX_JOBS), len(assignments))
        rows = [{"assignment": json.dumps(asdict(each))} for each in assignments]
        # One row is one block, and one task: a shard that is done is put in place at once.
        dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
            ShardActor,
            fn_constructor_args=(job.to_json(), output),
            compute=(
                ray.data.ActorPoolStrategy(size=most, max_tasks_in_flight_per_actor=1)
                if own
                else ray.data.ActorPoolStrategy(min_size=1, max_size=most)
            ),
            num_cpus=1,
        )
        dataset.context.enable_progress_bars = False
        try:
            # Without prefetching, with which an outcome would wait for the next one.
            for batch in dataset.iter_batches(batch_size=1, prefetch_batches=0):
                for answer in map(json.loads, batch["answer"]):
                    raise_error(answer)
                    outcome = ShardOutcome.from_json(answer["outcome"])
                    tick(by_number[outcome.number].records)
                    yield outcome
        except ray.exceptions.RayError as error:
            raise OutputError(
                f"Ray has given up ({ray_reason(error)}); the shards that are done are kept: run "
                "the job again"
            ) from error


class ShardActor:
    """Holds the model and solves a shard for each row."""

    def __init__(self, job: dict[str, Any], output: str) -> None:
        self._job = BatchJob.from_json(job)
        self._output = output
        self._solver: ShardSolver | None = None

    def __call__(self, row: dict[str, Any]) -> dict[str, str]:
        """Solve the shard of a row; an error that ends the job is an answer like any other."""
        try:
            if self._solver is None:
                self._solver = ShardSolver(self._job, open_storage(self._output), expendable=True)
            assignment = Assignment(**json.loads(row["assignment"]))
            answer = {"outcome": asdict(self._solver.solve(assignment))}
        except SyntagmaError as error:
            return {"answer": json.dumps(error_answer(error))}
        return {"answer": json.dumps(answer)}
