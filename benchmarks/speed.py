"""Measures what no treebank is needed for: start-up, growth with length, memory of a stream.

    python benchmarks/speed.py [MODEL]

The bags are drawn from the words that the model knows. Times are CPU times of one thread, shown
with the machine unit (see `machine`).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shlex
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import machine

import syntagma
from syntagma.models.container import read_container
from syntagma.neural.stored import StoredNetwork
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.transition.vocabulary import Vocabulary

LENGTHS = (10, 25, 50, 100, 200)
STREAM_LINES = (1_000, 100_000)
STREAM_BEAM = 4


def main() -> None:
    arguments = parse_arguments()
    linearizer = syntagma.load(arguments.model)
    beam = arguments.beam
    words = known_words(linearizer)
    record: dict[str, Any] = {"command": shlex.join(["python", *sys.argv])}

    record["start_s"] = start_seconds(arguments.model)
    print(f"syntagma order the dog barked, in all: {record['start_s']:.3f} s")
    unit = machine.Unit(arguments.unit_command)
    record["growth"] = {}
    for name, make in (("words only", bag), ("unlabelled tree", tree)):
        times, units = unit.around(partial(growth, make, linearizer, words, beam))
        record["growth"][name] = {"cpu_ms": times, "units_ms": units}
        print(f"\nrandom bags, {name}, beam {beam or 'auto'}")
        print(machine.units_note({name: units}))
        for line in growth_lines(times, units):
            print(line)
    print()
    record["peak_mb"] = {}
    draw = random.Random(1)
    for lines in STREAM_LINES:
        bags = (draw.choices(words, k=5) for _ in range(lines))
        record["peak_mb"][lines] = peak = machine.peak_megabytes(arguments.model, bags, STREAM_BEAM)
        print(f"peak memory of `syntagma order`, {lines} bags of 5 words: {peak:.0f} MB")
    if arguments.json:
        arguments.json.write_text(json.dumps(record, indent=2) + "\n")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", nargs="?", default="en", help="name or file of a model")
    parser.add_argument("--beam", type=int, metavar="N", help="default: the model's own")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep all figures here")
    machine.add_unit_option(parser)
    return parser.parse_args()


def known_words(linearizer: syntagma.Linearizer) -> list[str]:
    """The words of a model; a neural one keeps them in its lexicon."""
    assert linearizer.info.path is not None
    arrays = read_container(linearizer.info.path)[1]
    forms = sorted(Vocabulary.from_arrays(arrays).forms)
    return forms or list(StoredNetwork.from_arrays(arrays).names["lower"])


def start_seconds(model: str) -> float:
    """The minimal wall-clock time of five runs of the program, including process start."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        machine.run(machine.command_line("order", "-m", model, "the", "dog", "barked"))
        times.append(time.perf_counter() - started)
    return min(times)


def bag(words: list[str], size: int, draw: random.Random) -> Problem:
    return Problem.of(draw.choices(words, k=size))


def tree(words: list[str], size: int, draw: random.Random) -> Problem:
    """A random recursive tree: each word depends on an earlier one."""
    forms = draw.choices(words, k=size)
    heads = [0, *(draw.randint(1, index) for index in range(1, size))]
    return Problem(tuple(Word(form, head=head) for form, head in zip(forms, heads, strict=True)))


def growth(
    make: Callable[[list[str], int, random.Random], Problem],
    linearizer: syntagma.Linearizer,
    words: list[str],
    beam: int,
) -> dict[int, float]:
    """Milliseconds by number of words."""
    draw = random.Random(1)
    times = {}
    for size in LENGTHS:
        problems = [make(words, size, draw) for _ in range(max(3, 200 // size))]
        started = time.thread_time()
        for problem in problems:
            linearizer.order(problem, beam=beam)
        times[size] = 1000 * (time.thread_time() - started) / len(problems)
    return times


def growth_lines(times: dict[int, float], units: list[float]) -> list[str]:
    """One line per number of words; the exponent says how time grows from the previous one."""
    lines = []
    smaller = None
    for size, taken in times.items():
        line = f"  {size:>3} words {taken:9.2f} ms   ÷ unit {machine.divided(taken, units)}"
        if smaller is not None:
            exponent = math.log(taken / times[smaller]) / math.log(size / smaller)
            line += f"   grows as n^{exponent:.2f}"
        lines.append(line)
        smaller = size
    return lines


if __name__ == "__main__":
    machine.start(main)
