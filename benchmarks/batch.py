"""Measures `syntagma batch` on labelled trees: throughput against `order_many`, memory, and that
every tree comes out once.

    python benchmarks/batch.py TREEBANK [--problems 1000000] [--engines processes ray] [--jobs 2]

TREEBANK is a CoNLL-U file. Its trees are repeated, shuffled and given new ids. `share_of_cores` is
the throughput of the whole command, planning and start of the workers included, divided by `--jobs`
× that of `order_many` on one thread. This is measured on a sample of the same trees before, after
and, since the speed of a machine changes, every minute of the run, while all processes of the
command stand still; these pauses do not count. `share_of_cpu` is the same ratio in CPU time; the
processes of Ray are not children of the command, so it has none. Memory is the sum over the driver
and its workers, sampled through the run; `growth` compares its last quarter with its second.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import fmean, median
from typing import Any

import syntagma
from syntagma.batches.job import Assignment, BatchJob
from syntagma.batches.plan import cut_file
from syntagma.batches.solving import ShardSolver
from syntagma.batches.storage import open_storage
from syntagma.errors import FormatError
from syntagma.files.reading import open_text
from syntagma.formats.conllu import read_blocks
from syntagma.formats.problems import read_problems
from syntagma.models.container import content_mark
from syntagma.models.loading import model_path
from syntagma.problem.problem import Problem
from syntagma.request import Request

COMMAND = [sys.executable, "-c", "from syntagma.cli import main; main()", "batch", "order"]
INTERVAL = 10.0  # seconds between two looks at the memory, for which processes have to wait
PAUSE = 6  # looks between two pauses
PAUSE_SAMPLE = 1_000  # trees for order_many in a pause
SHUFFLED = 20_000  # trees that are shuffled together


def main() -> None:
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        trees = Path(folder) / "trees.conllu"
        write_trees(arguments.treebank, trees, arguments.problems, arguments.seed)
        record: dict[str, Any] = {
            "version": syntagma.__version__,
            "problems": arguments.problems,
            "jobs": arguments.jobs,
            "megabytes": trees.stat().st_size / 1e6,
        }
        linearizer = syntagma.load(arguments.model)
        sample = read_sample(linearizer, trees, arguments.sample)
        before = one_thread(linearizer, sample)
        record["order_many"] = before
        record["steps"] = steps(trees, Path(folder) / "steps", arguments)
        print(f"steps, CPU ms per tree: {json.dumps(record['steps'])}", flush=True)
        for engine in arguments.engines:
            meter = partial(one_thread, linearizer, sample[:PAUSE_SAMPLE])
            run, during = run_engine(engine, trees, Path(folder) / engine, meter, arguments)
            after = one_thread(linearizer, sample)
            baseline = {
                name: fmean([before[name], *(each[name] for each in during), after[name]])
                for name in before
            }
            run["speeds"] = [each["per_second"] for each in (before, *during, after)]
            run["order_many"] = baseline
            run["share_of_cores"] = run["per_second"] / (arguments.jobs * baseline["per_second"])
            if engine == "processes":
                run["share_of_cpu"] = baseline["cpu_ms"] / run["cpu_ms"]
            before = after
            record[engine] = run
            print(f"{engine}: {json.dumps(run, indent=1)}", flush=True)
    if arguments.output:
        arguments.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--problems", type=int, default=1_000_000)
    parser.add_argument("--engines", nargs="+", choices=["processes", "ray"], default=["processes"])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--shard-size", type=int, default=10_000)
    parser.add_argument("--sample", type=int, default=2_000, help="trees for order_many")
    parser.add_argument("--model", default="en")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="for the trees and the shards, while it runs")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the figures as JSON")
    return parser.parse_args()


def write_trees(treebank: Path, target: Path, count: int, seed: int) -> None:
    """The trees of a treebank again and again, shuffled, with ids 0, 1, 2, …"""
    rng = random.Random(seed)
    with open(target, "w", encoding="utf-8", newline="\n") as file:
        for number, tree in enumerate(islice(_shuffled(treebank, rng), count)):
            file.write(f"# sent_id = {number}\n{tree}\n")


def _shuffled(treebank: Path, rng: random.Random) -> Iterator[str]:
    blocks = [
        "".join("\t".join(row) + "\n" for row in block.rows)
        for block in read_blocks(open_text(treebank), str(treebank))
        if not isinstance(block, FormatError)
    ]
    while True:
        pool = blocks * max(1, SHUFFLED // len(blocks))
        rng.shuffle(pool)
        yield from pool


def read_sample(linearizer: syntagma.Linearizer, trees: Path, size: int) -> list[Problem]:
    found = islice(read_problems(trees, "conllu", linearizer.tag_column), size)
    return [each for each in found if not isinstance(each, FormatError)]


def one_thread(linearizer: syntagma.Linearizer, problems: Sequence[Problem]) -> dict[str, float]:
    """How fast `order_many` orders trees; reading and writing are not counted."""
    started, cpu_started = time.perf_counter(), time.thread_time()
    for _ in linearizer.order_many(problems, on_error="yield"):
        pass
    cpu, seconds = time.thread_time() - cpu_started, time.perf_counter() - started
    return {"per_second": len(problems) / seconds, "cpu_ms": 1000 * cpu / len(problems)}


def steps(trees: Path, output: Path, arguments: argparse.Namespace) -> dict[str, float]:
    """CPU time per tree of planning, and of a worker that solves a shard, reading and writing
    included; without the start of processes, which a large job does not notice."""
    sample = output.with_suffix(".conllu")
    write_trees(arguments.treebank, sample, arguments.sample, arguments.seed)
    started = time.process_time()
    [cut] = cut_file(str(sample), str(sample), "conllu", arguments.sample).cuts
    planned = time.process_time()
    job = BatchJob(
        request=Request(),
        format="conllu",
        gzip=False,
        input_format=None,
        tokenize=False,
        detokenize=False,
        model=arguments.model,
        model_checksum=content_mark(model_path(arguments.model)),
        language_model=True,
        shard_size=arguments.sample,
        version=syntagma.__version__,
    )
    solver = ShardSolver(job, open_storage(output))
    loaded = time.process_time()
    solver.solve(
        Assignment(
            number=0,
            input=0,
            start=cut.start,
            size=cut.size,
            line=cut.line,
            records=cut.records,
            input_sha256=cut.sha256,
            run="",
            name="part",
            source=str(sample),
            address=str(sample),
            format="conllu",
        )
    )
    solved = time.process_time()
    return {
        "plan": 1000 * (planned - started) / cut.records,
        "solve": 1000 * (solved - loaded) / cut.records,
    }


def run_engine(
    engine: str,
    trees: Path,
    output: Path,
    meter: Callable[[], dict[str, float]],
    arguments: argparse.Namespace,
) -> tuple[dict[str, Any], list[dict[str, float]]]:
    """Run the command, watch its memory, check its output; also what the meter shows meanwhile."""
    options = ["--engine", engine, "--jobs", str(arguments.jobs), "--model", arguments.model]
    options += ["--format", "conllu", "--shard-size", str(arguments.shard_size)]
    started, cpu_started = time.perf_counter(), _cpu_of_children()
    process = subprocess.Popen([*COMMAND, str(trees), "--output", str(output), *options])
    watch = Watch(process.pid, meter)
    watch.start()
    code = process.wait()
    ended = time.perf_counter()
    cpu = _cpu_of_children() - cpu_started
    watch.stop()
    seconds = ended - started - watch.paused
    if code:
        raise SystemExit(f"{engine}: exit code {code}")
    manifest = json.loads((output / "_manifest.json").read_text(encoding="utf-8"))
    figures = {
        "seconds": seconds,
        "per_second": arguments.problems / seconds,
        **({"cpu_ms": 1000 * cpu / arguments.problems} if engine == "processes" else {}),
        "memory_megabytes": watch.memory(),
        "totals": manifest["totals"],
        **check_ids(output, arguments.problems),
    }
    return figures, watch.metered


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def check_ids(output: Path, count: int) -> dict[str, int]:
    """How many ids are missing in the results and the rejected records, and how many are double."""
    seen = bytearray(count)
    for part in sorted(output.glob("part-*")):
        with open(part, encoding="utf-8") as file:
            for line in file:
                if line.startswith("# sent_id = "):
                    seen[int(line[12:])] += 1
    with open(output / "_rejected.jsonl", encoding="utf-8") as file:
        for line in file:
            seen[int(json.loads(line)["id"])] += 1
    return {"missing": seen.count(0), "double": count - seen.count(0) - seen.count(1)}


class Watch(threading.Thread):
    """Samples the memory of a process and all its descendants (Linux), and now and then stops them
    all to read a meter."""

    def __init__(self, process: int, meter: Callable[[], dict[str, float]]) -> None:
        super().__init__(daemon=True)
        self.metered: list[dict[str, float]] = []
        self.paused = 0.0  # seconds
        self._process = process
        self._meter = meter
        self._ended = threading.Event()
        self._samples: list[float] = []

    def run(self) -> None:
        while not self._ended.wait(INTERVAL):
            family = _family(self._process)
            self._samples.append(sum(map(_proportional, family)))
            if len(self._samples) % PAUSE == 0:
                self._pause(family)

    def _pause(self, family: Sequence[int]) -> None:
        started = time.perf_counter()
        _send(family, signal.SIGSTOP)
        try:
            self.metered.append(self._meter())
        finally:
            _send(family, signal.SIGCONT)
        self.paused += time.perf_counter() - started

    def stop(self) -> None:
        self._ended.set()
        self.join()

    def memory(self) -> dict[str, float]:
        samples = self._samples or [0.0]
        quarter = max(1, len(samples) // 4)
        second, last = samples[quarter : 2 * quarter] or samples, samples[-quarter:]
        return {
            "peak": max(samples),
            "median": median(samples),
            "growth": fmean(last) / fmean(second) if fmean(second) else 1.0,
        }


def _send(processes: Iterable[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def _family(process: int) -> Sequence[int]:
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(stat.parent.name))
    family, new = [process], [process]
    while new:
        new = [child for each in new for child in parents.get(each, [])]
        family += new
    return family


def _proportional(process: int) -> float:
    """Megabytes; what several processes share, such as a mapped model, is divided among them."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1000
    except OSError:
        pass
    return 0.0


if __name__ == "__main__":
    main()
