"""Time limits: are they kept, and do those that are not reached change nothing?

    python benchmarks/time_limits.py [MODEL]

The first table has problems that are made to take long: how long after its limit the result came.
The second one has ordinary problems, each with limits of some times the time that it needs: how
many results are not those without a limit.
"""

from __future__ import annotations

import argparse
import random
import shlex
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import machine
from records import Table, add_file_options, finish

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.errors import UnsatisfiableError
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word

LIMITS = (0.1, 0.5, 2.0)
TIMES_THE_NEED = (1.5, 2.0, 3.0, 5.0, 10.0)
# A limit is kept if the result comes at most this share of it, or these seconds, after its end.
SHARE, SECONDS = 0.2, 0.1


def plain_words(count: int) -> list[Word]:
    return [Word(f"w{number % 90}") for number in range(count)]


def interlaced(free: int) -> Problem:
    """Small trees that exclude the root, bound by order constraints, and other words."""
    found = [
        Word(f"w{at}", head=at - at % 4 + 1 if at % 4 else None, deprel=None if at % 4 else "obj")
        for at in range(25)
    ]
    before = ((2, 6), (5, 1), (10, 14), (13, 9), (18, 22), (21, 17))
    return Problem((*found, *plain_words(free)), before=before)


def tree(count: int, *, star: bool = False) -> Problem:
    rng = random.Random(count)
    heads = [0, *(1 if star else rng.randint(1, at) for at in range(1, count))]
    return Problem(tuple(Word(f"w{at % 90}", head=head) for at, head in enumerate(heads)))


def contradictory(count: int) -> Problem:
    """Half of the arcs of a tree, with order constraints that know nothing of it."""
    rng = random.Random(count)
    heads = [None, *(rng.randint(1, at) if rng.random() < 0.5 else None for at in range(1, count))]
    order = rng.sample(range(1, count + 1), count)
    pairs = {tuple(sorted(rng.sample(range(count), 2))) for _ in range(count // 4)}
    before = tuple(sorted((order[a], order[b]) for a, b in pairs))
    return Problem(
        tuple(Word(f"w{at % 90}", head=head) for at, head in enumerate(heads)), before=before
    )


def hard_problems(most_words: int) -> dict[str, tuple[Problem, dict[str, Any]]]:
    """Problems with the options of `order`, by name."""
    found: dict[str, tuple[Problem, dict[str, Any]]] = {}
    for free in (20, 225):
        found[f"bound trees and {free} free words"] = interlaced(free), {}
    for count in (100, 512, 2000):
        found[f"bag of {count}"] = Problem(tuple(plain_words(count))), {}
        found[f"tree of {count}"] = tree(count), {}
        found[f"star of {count}"] = tree(count, star=True), {}
        found[f"constraints against a tree of {count}"] = contradictory(count), {}
    wide = {"beam": 1024, "n_best": 1000}
    found["bag of 60, the 1,000 best"] = Problem(tuple(plain_words(60))), wide
    return {
        name: (problem, {**options, "max_words": most_words})
        for name, (problem, options) in found.items()
        if len(problem.words) <= most_words
    }


def ordinary_problems() -> list[Problem]:
    rng = random.Random(1)
    found = [
        Problem(tuple(plain_words(count))) for count in [rng.randint(5, 30) for _ in range(20)]
    ]
    return found + [tree(count) for count in (20, 40, 100, 300)]


def main() -> None:
    arguments = parse_arguments()
    linearizer = syntagma.load(arguments.model)
    linearizer.order(["a", "b"])  # what is loaded on first use
    record: dict[str, Any] = {
        "command": shlex.join(["python", *sys.argv]),
        "syntagma": syntagma.__version__,
        "model": arguments.model,
        "late": late(linearizer, arguments.limits, arguments.most_words),
        "changed": changed(linearizer, arguments.times),
    }
    finish(arguments, record, late_table(record["late"]), changed_table(record["changed"]))
    if not all(limit["kept"] for row in record["late"].values() for limit in row.values()):
        raise SystemExit(1)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", nargs="?", default="en", metavar="MODEL", help="default: en")
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS, metavar="SECONDS")
    parser.add_argument("--times", type=float, nargs="+", default=TIMES_THE_NEED, metavar="TIMES")
    parser.add_argument("--most-words", type=int, default=2000, metavar="N", help="default: 2000")
    add_file_options(parser)
    return parser.parse_args()


def late(
    linearizer: syntagma.Linearizer, limits: Sequence[float], most_words: int
) -> dict[str, dict[str, dict[str, Any]]]:
    """By problem and limit: when a result came, and of what kind."""
    problems = hard_problems(most_words)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    with Ticker("hard problems", total=len(problems)) as ticker:
        for name, (problem, options) in problems.items():
            found[name] = {}
            for limit in limits:
                started = perf_counter()
                try:
                    result = linearizer.order(problem, timeout=limit, **options)
                    best = result[0] if "n_best" in options else result
                    what = "narrowed" if best.narrowed else "whole"
                except UnsatisfiableError as error:
                    what = "given up" if error.limit_reached else "refused"
                seconds = perf_counter() - started
                kept = seconds <= limit + max(SECONDS, SHARE * limit)
                found[name][f"{limit:g}"] = {"seconds": seconds, "result": what, "kept": kept}
            ticker.advance()
    return found


def changed(linearizer: syntagma.Linearizer, times: Sequence[float]) -> dict[str, dict[str, int]]:
    """By how many times the need a limit is: results that are narrowed, and that are others."""
    problems = ordinary_problems()
    found = {f"{each:g}": {"problems": len(problems), "narrowed": 0, "other": 0} for each in times}
    with Ticker("ordinary problems", total=len(problems)) as ticker:
        for problem in problems:
            linearizer.order(problem)
            started = perf_counter()
            expected = linearizer.order(problem)
            need = perf_counter() - started
            for each in times:
                result = linearizer.order(problem, timeout=each * need)
                found[f"{each:g}"]["narrowed"] += result.narrowed
                found[f"{each:g}"]["other"] += result.words != expected.words
            ticker.advance()
    return found


def late_table(rows: dict[str, dict[str, dict[str, Any]]]) -> Table:
    limits = list(next(iter(rows.values())))
    table = Table(
        "Problems that are made to take long",
        "problem",
        [(f"limit {limit} s", ("seconds", "result")) for limit in limits],
    )
    for name, row in rows.items():
        cells = [name]
        for each in row.values():
            cells += [f"{each['seconds']:.2f}{'' if each['kept'] else ' late'}", each["result"]]
        table.rows.append(cells)
    table.notes.append(f"late: more than {SHARE:.0%} of the limit and {SECONDS:g} s after its end")
    return table


def changed_table(rows: dict[str, dict[str, int]]) -> Table:
    table = Table(
        "Ordinary problems", "limit ÷ need", [("", ("problems", "narrowed", "other order"))]
    )
    for name, row in rows.items():
        table.rows.append([name, *(f"{row[each]:g}" for each in ("problems", "narrowed", "other"))])
    return table


if __name__ == "__main__":
    machine.start(main)
