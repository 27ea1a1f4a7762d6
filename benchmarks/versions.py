"""Times the whole command `syntagma order` in two versions, which take turns, and compares outputs.

    python benchmarks/versions.py --before old/.venv/bin/syntagma --data TEST

For labelled trees, for bags, and for bags of 10 and of 40 words: CPU time of a sentence in one
thread, without start-up and loading (the time of a first sentence alone), as the median of the
rounds; divided by the machine unit; and the new time divided by the old. Exits with 1 if the
outputs of the two versions differ in a byte. It uses the command line only, so that any version
can be timed.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil
from pathlib import Path
from statistics import fmean, median

import machine

LENGTHS = (10, 40)
ENOUGH = 10_000  # words; few problems are repeated, as start-up varies
NO_FIELD = "_"
Rows = list[list[str]]


def main() -> None:
    arguments = parse_arguments()
    unit = machine.Unit(arguments.unit_command)
    commands = {"before": arguments.before, "after": arguments.after}
    sentences = list(read_rows(arguments.data))
    different = False
    print("problems          before ms  after ms  after ÷ unit  after ÷ before  outputs")
    with tempfile.TemporaryDirectory() as folder:
        for name, chosen in choose(sentences, arguments.every).items():
            paths = [Path(folder, file) for file in ("all.conllu", "first.conllu")]
            paths[0].write_text("".join(map(block, chosen)), encoding="utf-8")
            paths[1].write_text(block(chosen[0]), encoding="utf-8")
            seconds: dict[str, list[float]] = {version: [] for version in commands}
            units: list[float] = []
            outputs: dict[str, bytes] = {}
            for _ in range(arguments.rounds):
                for version, command in commands.items():
                    (spent, output), around = unit.around(partial(order, command, paths[0]))
                    units += around
                    outputs[version] = output
                    loading, _ = order(command, paths[1])
                    seconds[version].append((spent - loading) / (len(chosen) - 1))
            before, after = (median(seconds[version]) * 1000 for version in commands)
            same = outputs["before"] == outputs["after"]
            different |= not same
            print(
                f"{name:<17} {before:9.2f} {after:9.2f} {machine.divided(after, units):>13}"
                f" {after / before:15.2f}  {'same' if same else 'DIFFER'}",
                flush=True,
            )
            if units:
                print(f"{'':17} {len(chosen)} problems, machine unit {fmean(units):.1f} ms")
    sys.exit(different)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--before",
        type=shlex.split,
        required=True,
        metavar="COMMAND",
        help="the `syntagma` of the older version",
    )
    parser.add_argument(
        "--after",
        type=shlex.split,
        default=machine.command_line(),
        metavar="COMMAND",
        help="that of the newer one; default: the one of this environment",
    )
    parser.add_argument("--data", type=Path, required=True, help="a treebank in CoNLL-U")
    parser.add_argument("--every", type=int, default=1, help="every so many sentences; default: 1")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    machine.add_unit_option(parser)
    return parser.parse_args()


def read_rows(path: Path) -> Iterator[Rows]:
    """The syntactic words of each sentence."""
    for lines in path.read_text(encoding="utf-8").strip().split("\n\n"):
        columns = [line.split("\t") for line in lines.splitlines() if not line.startswith("#")]
        yield [row for row in columns if row[0].isdigit()]


def choose(sentences: Sequence[Rows], every: int) -> dict[str, list[Rows]]:
    """The problems of each kind, as rows of CoNLL-U."""
    chosen = {"labelled trees": list(sentences[::every])}
    chosen["bags"] = [bag(rows) for rows in sentences[::every]]
    for length in LENGTHS:
        chosen[f"bags of {length} words"] = [bag(rows) for rows in sentences if len(rows) == length]
    return {name: repeated(problems) for name, problems in chosen.items() if problems}


def repeated(problems: list[Rows]) -> list[Rows]:
    return problems * ceil(ENOUGH / sum(map(len, problems)))


def bag(rows: Rows) -> Rows:
    """The forms alone."""
    return [[row[0], row[1], *[NO_FIELD] * 8] for row in rows]


def block(rows: Rows) -> str:
    return "\n".join("\t".join(row) for row in rows) + "\n\n"


def order(command: Sequence[str], path: Path) -> tuple[float, bytes]:
    """CPU seconds of the command and all its threads, and what it prints."""
    before = children_seconds()
    done = subprocess.run(
        [*command, "order", "--file", str(path), "--format", "conllu", "--threads", "1"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    return children_seconds() - before, done.stdout


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    machine.start(main)
