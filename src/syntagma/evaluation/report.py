"""The report of an evaluation as tables for the terminal and as JSON.

The figures are computed in `evaluate`.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from syntagma.evaluation.bleu import Comparison
from syntagma.evaluation.evaluate import LENGTH_CLASSES, LengthFigures, Report
from syntagma.evaluation.spans import ProjectivityFigures, SpanFigures


def report_as_dict(report: Report) -> dict[str, Any]:
    """The report as JSON-ready data; outputs and references are left out."""
    return {
        "model": report.model,
        "conditions": [
            {
                "condition": figures.condition,
                "sentences": figures.sentences,
                "bleu": round(figures.bleu, 2),
                "exact": round(figures.exact, 2),
                "coverage": round(figures.coverage, 2),
                "unfinished": figures.unfinished,
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
                        "coverage": _rounded(row.coverage, 2),
                        "cpu_ms": _rounded(row.cpu_ms, 3),
                    }
                    for row in figures.lengths
                ],
                **({} if figures.spans is None else {"spans": _spans_dict(figures.spans)}),
                **(
                    {}
                    if figures.projectivity is None
                    else {"projectivity": _projectivity_dict(figures.projectivity)}
                ),
            }
            for figures in report.figures
        ],
    }


def comparison_as_dict(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON-ready data."""
    return {
        "signature": comparison.signature,
        "systems": [
            {
                name: round(value, 4 if name == "p" else 2) if isinstance(value, float) else value
                for name, value in asdict(figures).items()
            }
            for figures in comparison.systems
        ],
    }


def _spans_dict(spans: SpanFigures) -> dict[str, Any]:
    return {
        "scores": [
            {
                "length": row.length,
                "output": row.output,
                "gold": row.gold,
                "right": row.right,
                "precision": _rounded(row.precision, 2),
                "recall": _rounded(row.recall, 2),
                "f": _rounded(row.f, 2),
            }
            for row in spans.scores
        ],
        "distribution": [
            {
                "length": share.length,
                "output": share.output,
                "gold": share.gold,
                "output_share": _rounded(share.output_share, 2),
                "gold_share": _rounded(share.gold_share, 2),
            }
            for share in spans.distribution
        ],
    }


def _projectivity_dict(figures: ProjectivityFigures) -> dict[str, Any]:
    groups = (("projective", figures.projective), ("nonprojective", figures.nonprojective))
    return {
        **{
            name: {
                "sentences": group.sentences,
                "bleu": _rounded(group.bleu, 2),
                "exact": _rounded(group.exact, 2),
            }
            for name, group in groups
        },
        "output_share": round(figures.output_share, 2),
        "gold_share": round(figures.gold_share, 2),
        "lifted": {
            "output": figures.output,
            "gold": figures.gold,
            "right": figures.right,
            "precision": _rounded(figures.precision, 2),
            "recall": _rounded(figures.recall, 2),
        },
    }


def tables(report: Report) -> list[Table]:
    """A table of the conditions, one by sentence length, and one of coverage if words are missing.

    One of projectivity follows if the model lifts words. If spans were compared, two tables follow
    per condition: scores, and lengths.
    """
    all_finished = not any(figures.unfinished for figures in report.figures)
    summary = _summary(report, with_coverage=not all_finished)
    spans = [
        table
        for figures in report.figures
        if figures.spans is not None
        for table in _span_tables(figures.condition, figures.spans)
    ]
    return [
        summary,
        _by_length(report),
        *([] if all_finished else [_coverage(report)]),
        *([_projectivity(report)] if any(each.projectivity for each in report.figures) else []),
        *spans,
    ]


def comparison_table(comparisons: Mapping[str, Comparison], reports: Mapping[str, Report]) -> Table:
    """A row per condition and system; `reports` are those of the models among the systems."""
    table = _table(
        "condition", "system", "BLEU", "95% interval", "p", "exact %", "lost", "added", "CPU ms"
    )
    table.columns[1].justify = "left"
    for condition, comparison in comparisons.items():
        for each in comparison.systems:
            report = reports.get(each.system)
            table.add_row(
                condition,
                Text(each.system),
                f"{each.bleu:.2f}",
                f"{each.mean:.2f} ± {each.half_width:.2f}",
                "-" if each.p is None else f"{each.p:.4f}{'*' if each.p < 0.05 else ' '}",
                f"{each.exact:.1f}",
                str(each.lost),
                str(each.added),
                "-" if report is None else f"{report[condition].cpu_ms:.2f}",
            )
    return table


def _summary(report: Report, *, with_coverage: bool) -> Table:
    of_coverage = ("coverage %", "unfinished") if with_coverage else ()
    summary = _table(
        "condition", "BLEU", "exact %", *of_coverage, "CPU ms", "sent./s", "violations"
    )
    for figures in report.figures:
        shown = (f"{figures.coverage:.1f}", str(figures.unfinished)) if with_coverage else ()
        summary.add_row(
            figures.condition,
            f"{figures.bleu:.2f}",
            f"{figures.exact:.1f}",
            *shown,
            f"{figures.cpu_ms:.2f}",
            f"{figures.sentences / figures.seconds:.0f}",
            str(figures.violations),
        )
    return summary


def _by_length(report: Report) -> Table:
    return _length_table(
        report,
        "BLEU      ms",
        lambda cell: f"{_shown(cell.bleu, 1)} {_shown(cell.cpu_ms, 2):>7}",
    )


def _coverage(report: Report) -> Table:
    return _length_table(report, "coverage %", lambda cell: _shown(cell.coverage, 1))


def _length_table(report: Report, heading: str, show: Callable[[LengthFigures], str]) -> Table:
    headings = (f"{figures.condition}\n{heading}" for figures in report.figures)
    table = _table("words", "sentences", *headings)
    for row, length in enumerate(LENGTH_CLASSES):
        cells = [figures.lengths[row] for figures in report.figures]
        if cells[0].sentences:
            table.add_row(length, str(cells[0].sentences), *map(show, cells))
    return table


def _projectivity(report: Report) -> Table:
    """By the gold order: BLEU and exact match of both kinds of sentences, the share of the second
    kind, and how many of the words that the output lifts are right."""
    table = _table(
        "condition",
        "projective\nBLEU  exact %",
        "non-projective\nBLEU  exact %",
        "non-projective %\noutput  gold",
        "lifted words\noutput  gold",
        "lifted words\nprecision  recall",
    )
    for each in report.figures:
        if each.projectivity is not None:
            p = each.projectivity
            table.add_row(
                each.condition,
                *(
                    f"{_shown(group.bleu, 2)} {_shown(group.exact, 1):>7}"
                    for group in (p.projective, p.nonprojective)
                ),
                f"{p.output_share:.1f} {p.gold_share:>6.1f}",
                f"{p.output} {p.gold:>5}",
                f"{_shown(p.precision, 1)} {_shown(p.recall, 1):>7}",
            )
    return table


def _span_tables(condition: str, spans: SpanFigures) -> tuple[Table, Table]:
    scores = _table(f"{condition}\nspans", "output", "gold", "right", "precision", "recall", "F")
    for row in spans.scores:
        scores.add_row(
            row.length,
            *map(str, (row.output, row.gold, row.right)),
            *(_shown(value, 2) for value in (row.precision, row.recall, row.f)),
        )
    distribution = _table(f"{condition}\nspan length", "output %", "gold %")
    for share in spans.distribution:
        distribution.add_row(
            share.length, _shown(share.output_share, 1), _shown(share.gold_share, 1)
        )
    return scores, distribution


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
