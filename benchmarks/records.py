"""Options and results of benchmarks: tables on the terminal, JSON and Markdown files."""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from machine import Unit, add_unit_option, units_note
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.evaluation.evaluate import LENGTH_CLASSES
from syntagma.evaluation.report import report_as_dict
from syntagma.files.reading import fingerprint
from syntagma.treebanks.conditions import CONDITIONS


def treebank_options(description: str | None, conditions: Sequence[str]) -> argparse.ArgumentParser:
    """The options of all benchmarks on a treebank."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="a treebank in CoNLL-U")
    parser.add_argument("--limit", type=int, metavar="N", help="its first N sentences only")
    add_condition_option(parser, conditions)
    add_file_options(parser)
    return parser


def add_condition_option(parser: argparse.ArgumentParser, conditions: Sequence[str]) -> None:
    parser.add_argument(
        "--conditions",
        nargs="+",
        choices=CONDITIONS,
        default=list(conditions),
        metavar="NAME",
        help=f"what is given (default: {' '.join(conditions)})",
    )


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """The options for files to which results are written."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep all figures here")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table here, too")


def add_beam_options(parser: argparse.ArgumentParser, beams: Sequence[int]) -> None:
    """The options of benchmarks that compare beams."""
    parser.add_argument("--beams", type=int, nargs="+", default=list(beams), metavar="WIDTH")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="SVG of BLEU against beam width")
    add_unit_option(parser)


def begin(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields of a record that describe the run."""
    return {
        "command": shlex.join(["python", *sys.argv]),
        "syntagma": syntagma.__version__,
        "data": {"name": arguments.data.name, "sha256": fingerprint(arguments.data)},
        "limit": arguments.limit,
    }


def measure(
    linearizer: syntagma.Linearizer,
    sentences: Sequence[syntagma.Sentence],
    condition: str,
    beam: int | None,
    unit: Unit,
    *,
    timeout: float | None = None,
    spans: bool = False,
    projective: bool = False,
    on_report: Callable[[syntagma.Report], dict[str, Any]] = lambda report: {},
) -> dict[str, Any]:
    """The figures of one condition on one thread as JSON, with the machine units around it.

    `on_report` is given the report, with all outputs, and may add figures.

    Time is CPU time, but `wall_ms` is by the clock, as a timeout is. Each length class has the mean
    number of words of its sentences, too.
    """
    limit = f"beam {beam or 'auto'}" if timeout is None else f"{timeout:g} s"

    def work() -> syntagma.Report:
        with Ticker(f"{condition}, {limit}", total=len(sentences)) as ticker:
            return syntagma.evaluate(
                linearizer,
                sentences,
                [condition],
                beam=beam,
                timeout=timeout,
                spans=spans,
                on_sentence=ticker.advance,
                projective=projective,
            )

    report, units = unit.around(work)
    [figures] = report_as_dict(report)["conditions"]
    if figures["violations"]:
        raise SystemExit(f"error: {report.model}, {condition}: broken constraints: a bug")
    means = mean_lengths([len(sentence.forms) for sentence in sentences])
    for row, words in zip(figures["lengths"], means, strict=True):
        row["words"] = words
    return {
        **figures,
        "wall_ms": round(1000 * report[condition].seconds / len(sentences), 3),
        **({"beam": beam or "auto"} if timeout is None else {"timeout": timeout}),
        "units_ms": units,
        **on_report(report),
    }


def mean_lengths(sizes: Sequence[int]) -> list[float | None]:
    """The mean number of words of the sentences in each length class."""
    means = []
    for length in LENGTH_CLASSES:
        low, _, high = length.removesuffix("+").partition("-")
        members = [n for n in sizes if int(low) <= n <= (int(high) if high else math.inf)]
        means.append(fmean(members) if members else None)
    return means


def labels(linearizers: Sequence[syntagma.Linearizer]) -> list[str]:
    """Labels of the models: their scorers, with their file names if scorers occur twice."""
    scorers = [scorer_name(linearizer) for linearizer in linearizers]
    if len(set(scorers)) == len(scorers):
        return scorers
    return [
        f"{linearizer.info.path.stem if linearizer.info.path else 'unsaved'} ({scorer})"
        for linearizer, scorer in zip(linearizers, scorers, strict=True)
    ]


def scorer_name(linearizer: syntagma.Linearizer) -> str:
    return str(linearizer.info.header.get("scorer", "linear"))  # missing in the first models


def notes(name: str, points: Sequence[dict[str, Any]], varied: str) -> list[str]:
    """Notes below a table: the machine units around each point, and a joint signature."""
    units = {str(point[varied]): point["units_ms"] for point in points}
    signature = joined_signature(point["signature"] for point in points)
    return [f"{name}: {units_note(units)}", f"{name}: BLEU {signature}"]


def joined_signature(signatures: Iterable[str]) -> str:
    """Several signatures as one: where they differ, all values of the field.

    >>> joined_signature(["tok:none|condition:none|n:9", "tok:none|condition:pos|n:9"])
    'tok:none|condition:none/pos|n:9'
    >>> joined_signature(["SR19|lower-cased|n:9"])
    'SR19|lower-cased|n:9'
    """
    values: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for part in signature.split("|"):
            name, colon, value = part.partition(":")
            values.setdefault(name + colon, {})[value] = None
    return "|".join(name + "/".join(several) for name, several in values.items())


@dataclass(slots=True)
class Table:
    """A table with groups of columns; short rows are filled up with empty cells."""

    title: str
    first: str
    groups: Sequence[
        tuple[str, Sequence[str]]
    ]  # title of the group, or nothing, and headings of its columns
    rows: list[Sequence[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def print(self) -> None:
        table = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column(f"\n{self.first}")
        for group, headings in self.groups:
            for at, heading in enumerate(headings):
                table.add_column(f"{'' if at else group}\n{heading}", justify="right", no_wrap=True)
        for row in self.rows:
            table.add_row(*row)
        console = Console()
        if not console.is_terminal:
            console = Console(width=200)  # do not wrap lines in a file
        console.print(self.title, "", table, "", sep="\n", highlight=False)
        for note in self.notes:
            console.print(note, highlight=False, markup=False, soft_wrap=True)

    def markdown(self) -> str:
        headings = [self.first]
        for group, columns in self.groups:
            headings += [f"{group}: {columns[0]}" if group else columns[0], *columns[1:]]
        rows = [[*row, *[""] * (len(headings) - len(row))] for row in self.rows]
        lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
        text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        notes = "".join(f"- {note}\n" for note in self.notes)
        return f"{self.title}\n\n{text}\n\n{notes}"


def finish(arguments: argparse.Namespace, record: dict[str, Any], *tables: Table) -> None:
    """Print the tables and write the requested files."""
    for at, table in enumerate(tables):
        if at:
            print()
        table.print()
    if arguments.json:
        text = json.dumps(record, indent=2, ensure_ascii=False)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    if arguments.markdown:
        text = "\n".join(table.markdown() for table in tables)
        arguments.markdown.write_text(text, encoding="utf-8")
