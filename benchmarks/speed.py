"""Measures what a user waits for: time per sentence, loading, start-up, memory, growth with length.

    python benchmarks/speed.py                              bags drawn from the model's vocabulary
    python benchmarks/speed.py --data en_ewt-ud-test.conllu   and the conditions on a treebank

Times are CPU times of one thread. The machine unit (milliseconds of a fixed amount of work, by the
tool `../shared/tools/machine-unit` if it stands beside the repository, else n/a) is printed with
them: time ÷ unit can be compared between machines.
"""

import argparse
import json
import math
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import syntagma
from syntagma.conditions import MAIN_CONDITIONS
from syntagma.model_file import read_container
from syntagma.problem import Problem, Word
from syntagma.treebank import read_treebank
from syntagma.vocabulary import Vocabulary

MACHINE_UNIT = Path(__file__).resolve().parents[2] / "shared" / "tools" / "machine-unit"
LENGTHS = (10, 25, 50, 100, 200)
STREAM_LINES = (1_000, 100_000)

LOAD = """
import time, syntagma
started = time.perf_counter()
syntagma.load({model!r})
print(time.perf_counter() - started)
"""
# Peak memory of a command, as its parent sees it.
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[3:], stdin=open(sys.argv[1]), stdout=open(sys.argv[2], "w"), check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def main() -> None:
    arguments = parse_arguments()
    record: dict[str, Any] = {"command": " ".join(["python", *sys.argv])}
    unit = record["machine_unit_ms"] = machine_unit()
    print(f"machine unit: {f'{unit:.1f} ms' if unit else 'n/a'}")

    started = [
        float(run([sys.executable, "-c", LOAD.format(model=arguments.model)])) for _ in range(3)
    ]
    record["load_s"] = min(started)
    print(f"loading the model: {min(started):.3f} s")
    record["start_s"] = command_time(["order", "-m", arguments.model, "the", "dog", "barked"])
    print(f"syntagma order the dog barked, in all: {record['start_s']:.3f} s")

    linearizer = syntagma.load(arguments.model)
    assert linearizer.info.path is not None
    words = sorted(Vocabulary.from_arrays(read_container(linearizer.info.path)[1]).forms)
    sentences = None
    if arguments.data:
        sentences = read_treebank(arguments.data, linearizer.tag_column)[: arguments.limit]
        words = [form for sentence in sentences for form in sentence.forms]

    record["growth"] = {
        name: growth(name, make, linearizer, words, arguments.beam, unit)
        for name, make in (("words only", bag), ("unlabelled tree", tree))
    }
    if sentences:
        report = syntagma.evaluate(linearizer, sentences, MAIN_CONDITIONS, beam=arguments.beam)
        print(f"\n{arguments.data.name}, {len(sentences)} sentences, beam {arguments.beam}:")
        for figures in report.figures:
            print(f"  {figures.condition:<10} {timing(figures.cpu_ms, unit)}")
        record["conditions"] = {each.condition: each.cpu_ms for each in report.figures}
    record["peak_mb"] = {lines: peak(arguments.model, words, lines) for lines in STREAM_LINES}
    print()
    for lines, megabytes in record["peak_mb"].items():
        print(f"peak memory of `syntagma order`, {lines} bags of 5 words: {megabytes:.0f} MB")
    if arguments.json:
        arguments.json.write_text(json.dumps(record, indent=2) + "\n")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model", default="en", help="name or file of a model")
    parser.add_argument("--data", type=Path, help="treebank for times per condition")
    parser.add_argument("--limit", type=int, help="first N sentences of the treebank only")
    parser.add_argument("--beam", type=int, default=64)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    return parser.parse_args()


def machine_unit() -> float | None:
    if not MACHINE_UNIT.exists():
        return None
    match = re.search(r"([0-9.]+) ms", run([str(MACHINE_UNIT)]))
    return float(match[1]) if match else None


def run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def command_line(arguments: list[str]) -> list[str]:
    return [sys.executable, "-c", "from syntagma.cli import main; main()", *arguments]


def command_time(arguments: list[str]) -> float:
    """The least wall-clock time of five runs, process start included."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        run(command_line(arguments))
        times.append(time.perf_counter() - started)
    return min(times)


def peak(model: str, words: list[str], lines: int) -> float:
    """Megabytes that `syntagma order` needs at most for so many bags."""
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        bags = Path(folder, "bags.txt")
        with bags.open("w", encoding="utf-8") as file:
            for _ in range(lines):
                file.write("\t".join(draw.choices(words, k=5)) + "\n")
        command = command_line(["order", "--model", model, "--beam", "4"])
        return float(run([sys.executable, "-c", PEAK, str(bags), "/dev/null", *command]))


def bag(words: list[str], size: int, draw: random.Random) -> Problem:
    return Problem.of(draw.choices(words, k=size))


def tree(words: list[str], size: int, draw: random.Random) -> Problem:
    """A random recursive tree: every word depends on a word that was there before."""
    forms = draw.choices(words, k=size)
    heads = [0, *(draw.randint(1, index) for index in range(1, size))]
    return Problem(tuple(Word(form, head=head) for form, head in zip(forms, heads, strict=True)))


def growth(
    name: str,
    make: Callable[[list[str], int, random.Random], Problem],
    linearizer: syntagma.Linearizer,
    words: list[str],
    beam: int,
    unit: float | None,
) -> dict[int, float]:
    """Milliseconds by number of words; the exponent says how time grows from one to the next."""
    print(f"\nrandom bags, {name}, beam {beam}:")
    draw = random.Random(1)
    times: dict[int, float] = {}
    for size in LENGTHS:
        problems = [make(words, size, draw) for _ in range(max(3, 200 // size))]
        started = time.thread_time()
        for problem in problems:
            linearizer.order(problem, beam=beam)
        times[size] = 1000 * (time.thread_time() - started) / len(problems)
        line = f"  {size:>3} words {timing(times[size], unit)}"
        smaller = [other for other in times if other < size]
        if smaller:
            exponent = math.log(times[size] / times[smaller[-1]]) / math.log(size / smaller[-1])
            line += f"   grows as n^{exponent:.2f}"
        print(line)
    return times


def timing(milliseconds: float, unit: float | None) -> str:
    ratio = f"{milliseconds / unit:.3f}" if unit else "n/a"
    return f"{milliseconds:9.2f} ms   ÷ unit {ratio}"


if __name__ == "__main__":
    main()
