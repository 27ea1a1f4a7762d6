"""The table of all treebanks, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from syntagma.sweeps.record import Record

_CONDITIONS = ("none", "pos", "half", "tree", "labelled")
_TEXT = ("treebank", "on", "state")  # columns of text, the others are of numbers
_WIDE = 10_000  # characters: nothing is wrapped


def figures_table(records: Mapping[str, Record], failed: Mapping[str, str]) -> str:
    """BLEU by condition of each treebank, and below it the errors of those that failed."""
    text = ""
    if records:
        headings = ["sentences", "epochs", *_CONDITIONS, "realize", "on", "MB", "CPU min"]
        rows = [[name, *_cells(record)] for name, record in records.items()]
        text = markdown_table(["treebank", *headings], rows)
    if failed:
        text += "\n" * bool(text) + "failed:\n\n"
        text += "".join(f"- {name}: {error}\n" for name, error in failed.items())
    return text


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown whose columns are aligned."""
    table = Table(box=MARKDOWN)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in _TEXT else "right")
    for row in rows:
        table.add_row(*row)
    console = Console(width=_WIDE, color_system=None, markup=False)
    with console.capture() as captured:
        console.print(table, highlight=False)
    return "".join(f"{line.strip()}\n" for line in captured.get().splitlines() if line.strip())


def _cells(record: Record) -> list[str]:
    training, measured = record["training"], record["measured"]
    bleu = {each["condition"]: each["bleu"] for each in measured["conditions"]}
    return [
        f"{training['sentences']:,}",
        str(training["epochs"]),
        *(_shown(bleu.get(name), 2) for name in _CONDITIONS),
        _shown(measured.get("realization", {}).get("bleu"), 2),
        measured["on"],
        _shown(training["size"] / 1e6, 1),
        "-" if training["cpu_seconds"] is None else _shown(training["cpu_seconds"] / 60, 1),
    ]


def _shown(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
