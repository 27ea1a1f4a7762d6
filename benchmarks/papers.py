"""The experiments of the three papers: every table and figure, with the published numbers beside.

    python benchmarks/papers.py --train TREEBANK --dev TREEBANK --test TREEBANK --folder FOLDER

trains the systems of Liu et al. (2015, L15), Puduppully et al. (2016, P16) and Zhang and Clark
(2015, ZC15), measures them and the shipped model, and prints the papers' tables. With --ccg-train,
--ccg-dev and --ccg-test, the CCG systems of ZC15 are included. FOLDER holds samples, models,
outputs and a file for each result: a run that was stopped resumes. `--page docs/papers.md` writes
the tables and figures into a page and keeps its prose; `--record FILE --page …` alone does so
without running anything. `--only "L15 Table 3"` restricts all of it.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import machine
import samples
from papers_cells import Cell, Measurement, Workshop, run, title
from papers_experiments import Experiment, all_cells, experiments
from papers_page import update_page
from papers_systems import systems
from papers_tables import NOTHING, Record

import syntagma
from syntagma.evaluation.report import choose_examples, render_examples
from syntagma.files.paths import expand_paths
from syntagma.files.writing import atomic_write

TIMEOUTS = (5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0)  # ZC15 Figure 7
FILES = ("train", "dev", "test")
SIZES = (
    *("train_sentences", "beams_sentences", "dev_sentences", "measured_sentences"),
    *("limits_sentences", "test_sentences", "epochs", "beams_epochs"),
)
# What --quick runs with: the whole in minutes.
QUICK: dict[str, Any] = {
    "train_sentences": 300,
    "beams_sentences": 100,
    "dev_sentences": 30,
    "limits_sentences": 10,
    "test_sentences": 30,
    "epochs": 2,
    "beams_epochs": 2,
    "timeouts": [0.5, 1.0],
}
EXAMPLES = 3  # of each length class


def main() -> None:
    arguments = parse_arguments()
    chosen = choose(arguments.only)
    if arguments.train:
        data = work(arguments, chosen)
        samples.write_json(arguments.record or arguments.folder / "record.json", data)
    else:
        data = samples.read_json(arguments.record)
    record = Record(data)
    for experiment in chosen:
        for table in experiment.tables(record):
            table.print()
            print()
    if arguments.page:
        update_page(arguments.page, record, chosen)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in FILES:
        parser.add_argument(
            f"--{name}", nargs="+", metavar="FILE", help=f"{name} treebank in CoNLL-U, or patterns"
        )
    for name in FILES:
        parser.add_argument(
            f"--ccg-{name}", nargs="+", metavar="FILE", help="the same as CCG derivations (.auto)"
        )
    parser.add_argument("--folder", type=Path, help="where samples, models and results are kept")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        default=[],
        help=f"these tables and figures only: {', '.join(experiments())}",
    )
    parser.add_argument(
        "--systems",
        nargs="*",
        metavar="NAME",
        help="train and measure these only, so that several processes can share the work, or none, "
        "to show what the folder holds: " + ", ".join(systems(1, 1)),
    )
    parser.add_argument("--quick", action="store_true", help="a small sample: minutes, not hours")
    for option, what in (
        ("--train-sentences", "of --train to train on (default: all)"),
        ("--beams-sentences", "of --train for L15 Figure 7 (default: as --train-sentences)"),
        ("--dev-sentences", "of --dev that choose the best epoch (default: all)"),
        ("--measured-sentences", "of --dev for the tables (default: as --dev-sentences)"),
        ("--limits-sentences", "of --dev for ZC15 Figure 7 (default: as --dev-sentences)"),
        ("--test-sentences", "of --test to measure on (default: all)"),
        ("--epochs", "of each training (default: 10)"),
        ("--beams-epochs", "of each training for L15 Figure 7 (default: as --epochs)"),
    ):
        parser.add_argument(option, type=positive, metavar="N", help=what)
    parser.add_argument(
        "--timeouts",
        type=float,
        nargs="+",
        metavar="SECONDS",
        help=f"time limits of ZC15 Figure 7 (default: {' '.join(f'{t:g}' for t in TIMEOUTS)})",
    )
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep all figures here")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write tables and figures here")
    machine.add_unit_option(parser)
    arguments = parser.parse_args()
    check(parser, arguments)
    return arguments


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text}")
    return int(text)


def check(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Refuse what does not fit together, and fill in defaults."""
    for names in (FILES, [f"ccg_{name}" for name in FILES]):
        given = [bool(getattr(arguments, name)) for name in names]
        if any(given) and not all(given):
            options = ", ".join(f"--{name.replace('_', '-')}" for name in names)
            parser.error(f"{options} need each other")
    if arguments.ccg_train and not arguments.train:
        parser.error("--ccg-train needs --train")
    if arguments.train and not arguments.folder:
        parser.error("--train needs --folder")
    if not arguments.train and not arguments.record:
        parser.error("give --train, --dev and --test, or a --record of an earlier run")
    for name in arguments.systems or ():
        if name not in systems(1, 1):
            parser.error(f"no system {name!r}: choose from {', '.join(systems(1, 1))}")
    for name in [*FILES, *(f"ccg_{name}" for name in FILES)]:
        if given := getattr(arguments, name):
            setattr(arguments, name, expand_paths(given, name))
    for name, value in (QUICK if arguments.quick else {}).items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    arguments.epochs = arguments.epochs or 10
    arguments.beams_epochs = arguments.beams_epochs or arguments.epochs
    arguments.beams_sentences = arguments.beams_sentences or arguments.train_sentences
    arguments.measured_sentences = arguments.measured_sentences or arguments.dev_sentences
    arguments.limits_sentences = arguments.limits_sentences or arguments.dev_sentences
    arguments.timeouts = sorted(arguments.timeouts or TIMEOUTS)


def choose(names: Sequence[str]) -> list[Experiment]:
    found = experiments()
    for name in names:
        if name not in found:
            raise SystemExit(f"error: no table or figure {name!r}: choose from {', '.join(found)}")
    return [found[name] for name in names or found]


def work(arguments: argparse.Namespace, chosen: Sequence[Experiment]) -> dict[str, Any]:
    """Make the cells of the chosen tables; the record of all cells of the folder."""
    workshop = Workshop(arguments)
    workshop.draw()
    wanted = all_cells(chosen)
    if arguments.systems is not None:
        wanted = (cell for cell in wanted if getattr(cell, "system", "") in arguments.systems)
    run(workshop, wanted, arguments.jobs)
    write_examples(workshop, arguments.folder / "examples.txt")
    made = {
        title(cell): figures
        for cell in all_cells(experiments().values())
        if workshop.can_make(cell) and (figures := workshop.read(cell))
    }
    return {
        "command": command(arguments),
        "syntagma": syntagma.__version__,
        "samples": workshop.about_samples(),
        "cells": made,
    }


def command(arguments: argparse.Namespace) -> str:
    """The command that makes the same figures, with the names of files but not their folders."""
    words = ["python", "benchmarks/papers.py"]
    for name in [*FILES, *(f"ccg_{name}" for name in FILES)]:
        if files := getattr(arguments, name):
            words += [f"--{name.replace('_', '-')}", *(file.name for file in files)]
    words += ["--folder", arguments.folder.name]
    for name in SIZES:
        if (value := getattr(arguments, name)) is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    words += ["--timeouts", *(f"{timeout:g}" for timeout in arguments.timeouts)]
    return shlex.join(words)


def write_examples(workshop: Workshop, path: Path) -> None:
    """Example outputs by length (L15 Table 6, ZC15 Tables 5 and 6): words only."""
    columns: dict[str, list[str]] = {}
    for system in ("z13", "zc15", "l15", "p16", "p16+", "en"):
        cell: Cell = Measurement(system, "dev", NOTHING)
        if workshop.outputs(cell).exists():
            columns[system] = workshop.outputs(cell).read_text(encoding="utf-8").split("\n")
    if columns:
        texts = [sentence.text for sentence in workshop.references("dev")]
        with atomic_write(path, "w") as file:
            file.write(render_examples(choose_examples(texts, columns, EXAMPLES)))


if __name__ == "__main__":
    machine.start(main)
