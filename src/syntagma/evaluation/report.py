"""The report of an evaluation: tables for the terminal, example outputs, and both as JSON.

The figures are computed in `evaluate`. L15 and ZC15 show examples, too (L15 Table 6, ZC15 Tables 5
and 6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from syntagma.arguments import as_integer
from syntagma.errors import ArgumentError, shown
from syntagma.evaluation.bleu import BleuTokenizer, Comparison, bleu_metric
from syntagma.evaluation.evaluate import LENGTH_CLASSES, LengthFigures, Report, length_class
from syntagma.evaluation.spans import SpanFigures

_DIGITS = {"cpu_ms": 3, "p": 4}  # after the decimal point, in JSON


def report_as_dict(report: Report) -> dict[str, Any]:
    """The report as JSON-ready data; outputs and references are left out."""
    conditions = []
    for figures in report.figures:
        condition = as_plain(
            figures,
            "condition sentences bleu exact coverage unfinished cpu_ms seconds violations"
            " signature",
        )
        condition["lengths"] = list(map(as_plain, figures.lengths))
        if (spans := figures.spans) is not None:
            condition["spans"] = {
                "scores": [
                    as_plain(row, "length output gold right precision recall f")
                    for row in spans.scores
                ],
                "distribution": list(map(as_plain, spans.distribution)),
            }
        if (found := figures.projectivity) is not None:
            condition["projectivity"] = {
                "projective": as_plain(found.projective),
                "nonprojective": as_plain(found.nonprojective),
                **as_plain(found, "output_share gold_share"),
                "lifted": as_plain(found, "output gold right precision recall"),
            }
        conditions.append(condition)
    return {"model": report.model, "conditions": conditions}


def comparison_as_dict(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON-ready data."""
    return {"signature": comparison.signature, "systems": list(map(as_plain, comparison.systems))}


def as_plain(figures: Any, names: str = "", digits: int = 2) -> dict[str, Any]:
    """The attributes with these names, by default all fields, as JSON-ready data."""
    found = {}
    for name in names.split() or [field.name for field in fields(figures)]:
        value = getattr(figures, name)
        found[name] = round(value, _DIGITS.get(name, digits)) if isinstance(value, float) else value
    return found


def tables(report: Report) -> list[Table]:
    """A table of the conditions, one by sentence length, and one of coverage if words are missing.

    One of projectivity follows if the model lifts words. If spans were compared, two tables follow
    per condition: scores, and lengths.
    """
    all_finished = not any(figures.unfinished for figures in report.figures)
    found = [
        _summary(report, with_coverage=not all_finished),
        _length_table(
            report,
            "BLEU      ms",
            lambda cell: f"{_shown(cell.bleu, 1)} {_shown(cell.cpu_ms, 2):>7}",
        ),
    ]
    if not all_finished:
        found.append(_length_table(report, "coverage %", lambda cell: _shown(cell.coverage, 1)))
    if any(each.projectivity for each in report.figures):
        found.append(_projectivity(report))
    for figures in report.figures:
        if figures.spans is not None:
            found += _span_tables(figures.condition, figures.spans)
    return found


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
        shares = (share.output_share, share.gold_share)
        distribution.add_row(share.length, *(_shown(each, 1) for each in shares))
    return scores, distribution


def _table(first: str, *others: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right")
    return table


def _shown(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


@dataclass(frozen=True, slots=True)
class ExampleOutput:
    """What came out under a condition, or of a system, and its sentence BLEU."""

    name: str
    text: str
    bleu: float


@dataclass(frozen=True, slots=True)
class ExampleSentence:
    """A sentence and its outputs; `number` is its 1-based place in the treebank."""

    number: int
    length: str  # one of LENGTH_CLASSES, by the words of the reference
    reference: str
    outputs: tuple[ExampleOutput, ...]


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples, shortest class first, and the signature of their sentence BLEU."""

    examples: tuple[ExampleSentence, ...]
    signature: str


def choose_examples(
    references: Sequence[str],
    outputs: Mapping[str, Sequence[str]],
    count: int,
    *,
    bleu_tokenize: BleuTokenizer = "none",
    lowercase: bool = False,
) -> Examples:
    """`count` sentences of each length class, evenly spaced over those of the treebank.

    `outputs` are those of each condition or system, by name.
    """
    number = as_integer(count)
    if number is None or number < 1:
        raise ArgumentError(f"the number of examples must be at least 1, not {shown(count)}")
    metric = bleu_metric(bleu_tokenize, lowercase=lowercase, sentence=True)
    chosen = []
    members: dict[str, list[int]] = {length: [] for length in LENGTH_CLASSES}
    for index, reference in enumerate(references):
        members[length_class(1 + reference.count(" "))].append(index)
    for length, indices in members.items():
        shown_ones = min(number, len(indices))
        for index in (indices[step * len(indices) // shown_ones] for step in range(shown_ones)):
            reference = references[index]
            texts = ((name, several[index]) for name, several in outputs.items())
            found = tuple(
                ExampleOutput(name, text, float(metric.sentence_score(text, [reference]).score))
                for name, text in texts
            )
            chosen.append(ExampleSentence(index + 1, length, reference, found))
    return Examples(tuple(chosen), str(metric.get_signature().format()))


def render_examples(examples: Examples) -> str:
    """The examples as text, grouped by length."""
    names = [output.name for example in examples.examples for output in example.outputs]
    width = max(map(len, ("reference", *names)))
    lines = []
    length = ""
    for example in examples.examples:
        if example.length != length:
            length = example.length
            lines += ["", f"{length} words"]
        lines += ["", f"{'reference':{width}}         {example.reference}"]
        for output in example.outputs:
            lines.append(f"{output.name:{width}}  {output.bleu:5.1f}  {output.text}")
    lines += ["", f"sentence BLEU {examples.signature}"]
    return "\n".join(lines).lstrip("\n") + "\n"


def examples_as_dict(examples: Examples) -> dict[str, Any]:
    """The examples as JSON-ready data. They hold text of the treebank."""
    return {
        "signature": examples.signature,
        "sentences": [
            {**as_plain(each), "outputs": list(map(as_plain, each.outputs))}
            for each in examples.examples
        ],
    }
