"""The machine unit, and the time and memory that a fresh process needs for a model.

The machine unit is the time of a fixed amount of work, as a command outside of this repository
prints it. A time divided by the unit taken next to it can be compared with one of another machine,
or of another hour.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TypeVar

from shared_data import MACHINE_UNIT

from syntagma.errors import SyntagmaError

T = TypeVar("T")

LOAD = """
import sys, time, syntagma
load = syntagma.load  # imports what ordering needs
started = time.perf_counter()
load(sys.argv[1])
print(time.perf_counter() - started)
"""
# Measured by a small parent process, because a child inherits the peak of its parent.
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdin=open(sys.argv[1]), stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def start(main: Callable[[], None]) -> None:
    """Run a benchmark; report its errors in one line."""
    try:
        main()
    except SyntagmaError as error:
        raise SystemExit(f"error: {error}") from error


def add_unit_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--unit-command",
        type=shlex.split,
        default=[str(MACHINE_UNIT)] if MACHINE_UNIT.exists() else [],
        metavar="COMMAND",
        help="prints the machine unit as '… 12.3 ms'; default: ../tools/machine-unit beside"
        " SYNTAGMA_DATA if it is there; '' for none",
    )


class Unit:
    """The machine unit in milliseconds; without a command there are no units."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._last: list[float] = []

    def take(self) -> list[float]:
        """Measure the unit now, if there is a command for it."""
        self._last = [parse_unit(run(self._command))] if self._command else []
        return self._last

    def around(self, work: Callable[[], T]) -> tuple[T, list[float]]:
        """Do a piece of work: its result, and the units before and after it.

        What was taken after the piece before counts as before this one.
        """
        before = self._last or self.take()
        return work(), before + self.take()


def parse_unit(text: str) -> float:
    match = re.search(r"(\d+(?:\.\d+)?) ms", text)
    if match is None:
        raise SystemExit(f"error: the unit command printed {text!r}, not a number of ms")
    return float(match[1])


def divided(milliseconds: float, units: Sequence[float]) -> str:
    """A time divided by the mean of the units around it, formatted."""
    return f"{milliseconds / fmean(units):.3f}" if units else "-"


def units_note(units: Mapping[str, Sequence[float]]) -> str:
    """A note on the units around successive pieces of work, by name."""
    if not all(units.values()):
        return "no machine unit: no command that prints it is there (--unit-command)"
    taken = [next(iter(units.values()))[0], *(after for _, after in units.values())]
    shown = " ".join(f"{unit:.1f}" for unit in taken)
    return f"machine unit before, between and after {', '.join(units)}: {shown} ms"


def load_seconds(model: str | Path) -> float:
    """Wall-clock time to load a model: the minimum of three."""
    return min(float(run([sys.executable, "-c", LOAD, str(model)])) for _ in range(3))


def peak_megabytes(model: str | Path, bags: Iterable[Sequence[str]], beam: int | None) -> float:
    """Peak memory of `syntagma order` for these bags."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bags.txt")
        with file.open("w", encoding="utf-8") as lines:
            lines.writelines("\t".join(bag) + "\n" for bag in bags)
        command = command_line("order", "--model", str(model))
        if beam is not None:
            command += ["--beam", str(beam)]
        return float(run([sys.executable, "-c", PEAK, str(file), *command]))


def command_line(*arguments: str) -> list[str]:
    """The program `syntagma` of this environment."""
    return [sys.executable, "-c", "from syntagma.cli import main; main()", *arguments]


def run(command: Sequence[str]) -> str:
    """The output of a command."""
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise SystemExit(f"error: no such command: {command[0]}") from error
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"error: {shlex.join(command)} failed:\n{error.stderr}") from error
    return done.stdout
