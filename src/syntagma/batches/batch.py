"""`batch`: orders, realizes or scores whole corpora, shard by shard, each written exactly once."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from syntagma import __version__
from syntagma.arguments import check_choice, check_range
from syntagma.batches.folder import Folder
from syntagma.batches.job import (
    DEFAULT_SHARD_SIZE,
    Assignment,
    BatchJob,
    OutputFormat,
    ShardOutcomes,
    Task,
)
from syntagma.batches.processes import solve_in_processes
from syntagma.batches.solving import judge_signature, load_linearizer
from syntagma.batches.storage import LocalFolder, Storage, find_inputs, open_storage
from syntagma.batches.writers import import_pyarrow
from syntagma.engines import MAX_JOBS, Engine, check_engine
from syntagma.errors import ArgumentError, OutputError, SyntagmaWarning, shown
from syntagma.files.locking import lock_file
from syntagma.files.paths import check_path
from syntagma.judges.judging import JudgeErrors
from syntagma.judges.opening import SMOLLM2
from syntagma.models.container import content_mark
from syntagma.models.installed import is_name
from syntagma.models.loading import DEFAULT_MODELS, model_path
from syntagma.request import DEFAULT_MAX_WORDS, Request, SearchName

if TYPE_CHECKING:
    from syntagma.formats.problems import InputFormat

_NAMED = 5  # failed shards that the message lists
_COUNTS = ("problems", "results", "rejected", "unfinished", "narrowed")


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What a run of `batch` found and did; the manifest in the output folder has the details.

    The counts are those of all shards that are done, `shards_before` those that earlier runs had
    done. A job is `complete` when the manifest is there, after parts with a last run for the whole.
    """

    output: str
    complete: bool
    shards: int
    shards_before: int
    shards_done: int
    problems: int
    results: int
    rejected: int
    unfinished: int = 0
    narrowed: int = 0
    damaged: tuple[str, ...] = ()  # inputs that end early


def batch(
    task: Task,
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    format: OutputFormat = "text",
    gzip: bool = False,
    input_format: InputFormat | None = None,
    tokenize: bool = False,
    text: bool = False,
    model: str | Path | None = None,
    search: SearchName = "beam",
    language_model: bool = True,
    judge: str | os.PathLike[str] | None = None,
    judge_weight: float | None = None,
    judge_errors: JudgeErrors = "raise",
    n_best: int | None = None,
    diverse: bool = False,
    beam: int | None = None,
    timeout: float | None = None,
    expansions: int | None = None,
    max_words: int = DEFAULT_MAX_WORDS,
    projective: bool = False,
    shard_size: int = DEFAULT_SHARD_SIZE,
    part: tuple[int, int] | None = None,
    engine: Engine = "processes",
    address: str | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> BatchReport:
    """Order, realize or score all problems of files, and write the results to a folder.

    The task is "order", "realize" or "score". Inputs are files of text, JSON lines or CoNLL-U, also
    compressed, folders of them, patterns, and addresses that fsspec knows. They are cut into shards
    of `shard_size` problems. Each becomes a file of the output folder when it is complete, in the
    format "text", "json", "conllu" or "parquet". Problems without a result are listed, with place
    and reason, in `_rejected.jsonl`; `_manifest.json` is written last.

    A run that was stopped or killed is continued by calling the function again with the same
    arguments: only shards that are missing or damaged are done. Another engine or number of `jobs`
    may be used. Other settings or inputs raise `OutputError`.

    The engine "processes" uses `jobs` worker processes on this machine, by default one per core;
    "ray" uses Ray Data with at most `jobs` actors on this machine, or on the cluster at `address`,
    there by default as many as it has room for. With `part`, such as `(3, 8)` for the third of
    eight, only that part of the shards is done; a last call without it completes the folder.

    `progress` is called with the number of problems done and their total. All other arguments are
    those of `load`, `order`, `realize` and `score`; a judge is a name or a file, of which each
    worker opens its own.
    """
    check_engine(engine, address)
    check_path(output, "output")
    check_choice("task", task, get_args(Task))
    request = Request(
        operation=task,
        search=search,
        n_best=n_best,
        diverse=diverse,
        beam=beam,
        timeout=timeout,
        expansions=expansions,
        max_words=max_words,
        projective=projective,
    )
    if jobs is not None:
        jobs = check_range("jobs", jobs, MAX_JOBS)
    storage = open_storage(output)
    job = BatchJob(
        request=request,
        format=format,
        gzip=gzip,
        input_format=input_format,
        tokenize=tokenize,
        detokenize=text,
        **_model(model, search),
        language_model=language_model,
        shard_size=shard_size,
        version=__version__,
        judge=_judge(judge, task),
        judge_weight=judge_weight,
        judge_errors=judge_errors,
    )
    _check_part(part)
    job = _checked(job)
    if format == "parquet":
        import_pyarrow()
    files = find_inputs(inputs, storage.address, any_extension=input_format is not None)
    storage.make()
    with _lock(storage, part):
        folder = Folder(storage, job, files)
        folder.open()
        missing = folder.missing(part)
        before = len(folder.done)
        if part is None:  # else other parts may be under way
            folder.clean()
        total = sum(shard.records for shard in folder.plan.shards)
        ticked = 0

        def tick(count: int) -> None:
            nonlocal ticked
            ticked += count
            if progress is not None:
                # Records that are solved again after a worker died count once.
                progress(min(ticked, total), total)

        tick(folder.totals()["problems"])
        if missing:
            if engine == "processes":
                outcomes = solve_in_processes(job, storage.address, missing, jobs, tick)
            else:
                from syntagma.batches.ray_data import solve_with_ray

                outcomes = solve_with_ray(job, storage.address, missing, jobs, address, tick)
            with closing(outcomes):
                _collect(outcomes, folder, missing)
        if part is None:
            folder.finish()
    totals = folder.totals()
    return BatchReport(
        output=storage.address,
        complete=folder.complete,
        shards=len(folder.plan.shards),
        shards_before=before,
        shards_done=totals["shards"],
        **{name: totals[name] for name in _COUNTS},
        damaged=tuple(each.source for each in folder.plan.inputs if each.fault is not None),
    )


def _collect(outcomes: ShardOutcomes, folder: Folder, missing: list[Assignment]) -> None:
    """Put the shards in place as they come; raise if some could not be done."""
    failed: dict[int, str] = {}
    warned: set[str] = set()
    for outcome in outcomes:
        for text, topic in outcome.warnings:
            if (topic or text) not in warned:
                warned.add(topic or text)
                warnings.warn(SyntagmaWarning(text, topic=topic), stacklevel=3)
        if outcome.done is None:
            failed[outcome.number] = outcome.failed
        else:
            folder.commit(outcome, outcome.done)
    if failed:
        labels = {assignment.number: assignment.label for assignment in missing}
        named = [f"{labels[number]}: {why}" for number, why in failed.items()]
        more = f"; and {len(failed) - _NAMED} more" * (len(failed) > _NAMED)
        raise OutputError(
            f"{len(failed)} of {len(folder.plan.shards)} shards could not be done, the others are "
            f"kept; run the job again when the cause is removed: {'; '.join(named[:_NAMED])}{more}"
        )


def _model(model: str | Path | None, search: SearchName) -> dict[str, str]:
    given = DEFAULT_MODELS[search] if model is None else model
    path = model_path(given)
    name = str(given) if is_name(given) else str(path.absolute())
    return {"model": name, "model_checksum": content_mark(path)}


def _judge(judge: object, task: Task) -> str | None:
    """The judge as a worker opens it, wherever that runs."""
    if judge is None:
        return None
    if task == "score":
        raise ArgumentError("judge does not go with score", field="judge")
    if not isinstance(judge, (str, os.PathLike)):
        raise ArgumentError(
            f"judge must be {SMOLLM2} or the path of a GGUF file, which each worker opens, "
            f"not {shown(judge)}",
            field="judge",
        )
    file = os.fspath(judge)
    return os.path.abspath(file) if judge != SMOLLM2 and os.path.exists(file) else file


def _checked(job: BatchJob) -> BatchJob:
    """The job with the signature of its judge. Raises what every worker would raise."""
    linearizer = load_linearizer(job)
    linearizer.solve([], job.request)
    return replace(job, judge_signature=judge_signature(linearizer))


def _check_part(part: object) -> None:
    if part is None:
        return
    if (
        not isinstance(part, tuple)
        or len(part) != 2
        or not all(type(each) is int for each in part)
        or not 1 <= part[0] <= part[1]
    ):
        raise ArgumentError(
            f"part must be a pair such as (3, 8), the third of 8, not {shown(part)}"
        )


@contextmanager
def _lock(storage: Storage, part: tuple[int, int] | None) -> Iterator[None]:
    """Keep other runs off the output: all of them, or those of the same part and of the whole.

    Remote folders cannot be locked.
    """
    with ExitStack() as locks:
        if isinstance(storage, LocalFolder):
            path, name = storage.path, Path(storage.name)
            whole = lock_file(path / ".batch.lock", name, "batch job", shared=part is not None)
            locks.enter_context(whole)
            if part is not None:
                own = path / f".batch-{part[0]}-of-{part[1]}.lock"
                locks.enter_context(lock_file(own, name, "batch job"))
        yield
