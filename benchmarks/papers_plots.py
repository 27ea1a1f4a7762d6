"""The figures of the papers, as plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import plots
from papers_cells import Measurement, TimeLimits
from papers_systems import BEAMS
from papers_tables import LIMITS, NAMES, NOTHING, SPANS, Record, best_bleu, epochs_of


@dataclass(frozen=True, slots=True)
class Plot:
    """Panels of a figure, as `plots.draw` takes them."""

    alt: str
    panels: dict[str, list[plots.Line]]
    x_axis: tuple[str, Sequence[float]]
    y_axis: tuple[str, Sequence[float]]


def plot_beams(record: Record) -> Plot:
    lines = [
        line
        for beam in BEAMS
        if (line := epoch_line(f"beam {beam}", epochs_of(record, f"beam-{beam}"), best_bleu))
    ]
    return Plot(
        "BLEU by iteration, a line for each beam width",
        {"": lines},
        ("iteration", _ticks(lines)),
        ("BLEU", ()),
    )


def epoch_line(
    name: str, epochs: Sequence[dict[str, Any]], value: Callable[[dict[str, Any]], float]
) -> plots.Line | None:
    if not epochs:
        return None
    return plots.Line(
        name, "", [epoch["number"] for epoch in epochs], [value(epoch) for epoch in epochs]
    )


def _ticks(lines: Sequence[plots.Line]) -> list[float]:
    return list(range(1, int(max((line.x[-1] for line in lines), default=1)) + 1))


def plot_brevity(record: Record) -> Plot:
    lines = []
    for system in SPANS:
        if figures := record.get(Measurement(system, "dev", NOTHING)):
            rows = figures["brevity"]
            starts = [int(row["length"].partition("-")[0].rstrip("+")) + 1 for row in rows]
            values = [row["brevity"] for row in rows]
            lines.append(plots.Line(NAMES.get(system, system), "", starts, values))
    return Plot(
        "Brevity by the number of words in the bag",
        {"": lines},
        ("words in the bag", (2, 5, 10, 20, 30, 40, 50)),
        ("words in the output ÷ words in the sentence", ()),
    )


def plot_spans(record: Record) -> Plot:
    lines = []
    for system in SPANS:
        if figures := record.get(Measurement(system, "dev", NOTHING)):
            rows = [r for r in figures["spans"]["distribution"] if r["output_share"] is not None]
            starts = [int(row["length"].partition("-")[0].rstrip("+")) for row in rows]
            shares = [row["output_share"] for row in rows]
            lines.append(plots.Line(NAMES.get(system, system), "", starts, shares))
            gold = plots.Line("gold", "", starts, [row["gold_share"] for row in rows])
    if lines:
        lines.append(gold)
    return Plot(
        "Share of spans by length",
        {"": lines},
        ("words in the span", (2, 3, 5, 10, 20, 30)),
        ("%", ()),
    )


def plot_epochs(
    record: Record,
    systems: dict[str, str],
    value: Callable[[dict[str, Any]], float],
    unit: str,
) -> Plot:
    lines = [
        line
        for system, about in systems.items()
        if (line := epoch_line(about, epochs_of(record, system), value))
    ]
    return Plot(f"{unit} by iteration", {"": lines}, ("iteration", _ticks(lines)), (unit, ()))


def plot_limits(record: Record) -> Plot:
    lines = []
    for system, given in LIMITS.items():
        if run := record.get(TimeLimits(system, given)):
            x, y = ([each[name] for each in run["limits"]] for name in ("timeout", "bleu"))
            lines.append(plots.Line(NAMES.get(system, system), "", x, y))
    ticks = lines[0].x if lines else (5,)
    return Plot("BLEU by time limit", {"": lines}, ("seconds", ticks), ("BLEU", ()))
