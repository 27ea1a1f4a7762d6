"""A report of an evaluation as tables for the terminal and as JSON; figures: `evaluation`."""

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from syntagma.evaluation import LENGTH_CLASSES, Report


def as_dict(report: Report) -> dict[str, Any]:
    """The report as JSON-ready data; outputs and references are left out."""
    return {
        "model": report.model,
        "conditions": [
            {
                "condition": figures.condition,
                "sentences": figures.sentences,
                "bleu": round(figures.bleu, 2),
                "exact": round(figures.exact, 2),
                "cpu_ms": round(figures.cpu_ms, 3),
                "seconds": round(figures.seconds, 2),
                "violations": figures.violations,
                "signature": figures.signature,
                "lengths": [
                    {
                        "length": row.length,
                        "sentences": row.sentences,
                        "bleu": _rounded(row.bleu, 2),
                        "exact": _rounded(row.exact, 2),
                        "cpu_ms": _rounded(row.cpu_ms, 3),
                    }
                    for row in figures.lengths
                ],
            }
            for figures in report.figures
        ],
    }


def tables(report: Report) -> list[Table]:
    """One table of the conditions and one by sentence length."""
    summary = _table("condition", "BLEU", "exact %", "CPU ms", "sent./s", "violations")
    for figures in report.figures:
        summary.add_row(
            figures.condition,
            f"{figures.bleu:.2f}",
            f"{figures.exact:.1f}",
            f"{figures.cpu_ms:.2f}",
            f"{figures.sentences / figures.seconds:.0f}",
            str(figures.violations),
        )
    by_length = _table(
        "words", "sentences", *(f"{figures.condition}\nBLEU      ms" for figures in report.figures)
    )
    for row, length in enumerate(LENGTH_CLASSES):
        cells = [figures.lengths[row] for figures in report.figures]
        if cells[0].sentences:
            by_length.add_row(
                length,
                str(cells[0].sentences),
                *(f"{_shown(cell.bleu, 1)} {_shown(cell.cpu_ms, 2):>7}" for cell in cells),
            )
    return [summary, by_length]


def _table(first: str, *others: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right")
    return table


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _shown(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
