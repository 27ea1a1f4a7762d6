"""Draws the records of `scorers`, `beams`, `fluency`, `judges` as SVG that can be read on white and
on black.

    python benchmarks/plots.py RECORD.json FILE.svg

draws a record that was kept with --json once more. Matplotlib is imported only to draw.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

# All have enough contrast with white and with black.
GREY = "#7d848c"
COLOURS = ("#c9731b", "#3584c9", "#2d9a68", "#a862c4", GREY, "#d2536b", "#1c9aa0", "#94802c")
STYLES = ("-", "--", ":", "-.", (0, (6, 2, 1, 2, 1, 2)))
STYLE = {
    "svg.fonttype": "none",  # text remains text
    "svg.hashsalt": "syntagma",  # the same record gives the same file
    "font.size": 10,
    "text.color": GREY,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
LABEL_GAP = 12.0  # points between the labels of two lines
PANEL_HEIGHT = 3.3  # inches, if there are several


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its label; lines of one model share a colour, those of a condition a style.

    Where a panel is all about one condition, its lines do not name it.
    """

    model: str
    condition: str
    x: Sequence[float]
    y: Sequence[float]

    @property
    def name(self) -> str:
        return f"{self.model}, {self.condition}" if self.condition else self.model


def time_against_length(record: dict[str, Any], path: Path) -> None:
    """A record of `scorers`: CPU milliseconds by the mean number of words of a length class."""
    lines = []
    for model in record["models"]:
        for figures in model["conditions"]:
            if figures["condition"] not in record["by_length"]:
                continue
            rows = [row for row in figures["lengths"] if row["sentences"]]
            words, times = ([row[name] for row in rows] for name in ("words", "cpu_ms"))
            lines.append(Line(model["label"], figures["condition"], words, times))
    draw(
        path,
        {"": lines},
        x_axis=("words in the sentence", (5, 10, 20, 30, 40, 50)),
        y_axis=("CPU ms per sentence", (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
    )


def bleu_against_beam(record: dict[str, Any], path: Path) -> None:
    """A record of `beams`."""
    lines = [beam_line(series, series["condition"]) for series in record["series"]]
    draw(path, {"": lines}, x_axis=("beam width", lines[0].x), y_axis=("BLEU", ()))


def fluency_against_beam(record: dict[str, Any], path: Path) -> None:
    """A record of `fluency`: a panel for each condition."""
    panels: dict[str, list[Line]] = {}
    for series in record["series"]:
        panels.setdefault(f"given: {series['condition']}", []).append(beam_line(series, ""))
    widths = next(iter(panels.values()))[0].x
    draw(path, panels, x_axis=("beam width", widths), y_axis=("BLEU", ()))


def bleu_against_time(record: dict[str, Any], path: Path) -> None:
    """A record of `judges`: a panel for each condition, a line by how much is read, points of other
    leads apart."""
    panels = {}
    for series in record["series"]:
        lines: dict[str, list[tuple[float, float]]] = {}
        usual = series["points"][0]["lead"]
        for point in series["points"]:
            name = "by orders read" if point["lead"] == usual else "by lead"
            lines.setdefault(name, []).append((point["cpu_ms"], point["bleu"]))
        panels[f"given: {series['condition']}"] = [
            Line(name, "", *zip(*sorted(points), strict=True)) for name, points in lines.items()
        ]
    ticks = (10, 20, 50, 100, 200, 500, 1000)
    draw(path, panels, x_axis=("CPU ms per sentence", ticks), y_axis=("BLEU", ()))


def beam_line(series: dict[str, Any], condition: str) -> Line:
    widths, bleu = ([point[name] for point in series["points"]] for name in ("beam", "bleu"))
    return Line(series["label"], condition, widths, bleu)


def draw(
    path: Path,
    panels: Mapping[str, Sequence[Line]],
    *,
    x_axis: tuple[str, Sequence[float]],
    y_axis: tuple[str, Sequence[float]],
) -> None:
    """Panels one below the other, by their titles; lines are labelled at their right ends. Ticks
    make an axis logarithmic."""
    try:
        matplotlib, figures = import_module("matplotlib"), import_module("matplotlib.figure")
    except ModuleNotFoundError as error:
        raise SystemExit(
            "error: plots are drawn by Matplotlib, which is not installed: "
            "pip install 'syntagma[benchmarks]'"
        ) from error
    with matplotlib.rc_context(STYLE):
        each = 4.2 if len(panels) == 1 else PANEL_HEIGHT
        total = each * len(panels)
        figure = figures.Figure(figsize=(7, total))
        below = 0.504  # inches, for the name of the axis
        for row, (title, lines) in enumerate(panels.items(), start=1):
            above = 0.36 if title else 0.168
            bottom, size = each * (len(panels) - row) + below, each - below - above
            axes = figure.add_axes((0.09, bottom / total, 0.69 if title else 0.71, size / total))
            axes.set_title(title, loc="left", fontsize="medium")
            draw_lines(figure, axes, lines, x_axis, y_axis)
        figure.savefig(path, format="svg", transparent=True, metadata={"Date": None})


def draw_lines(
    figure: Any,
    axes: Any,
    lines: Sequence[Line],
    x_axis: tuple[str, Sequence[float]],
    y_axis: tuple[str, Sequence[float]],
) -> None:
    models = list(dict.fromkeys(line.model for line in lines))
    conditions = list(dict.fromkeys(line.condition for line in lines))
    for line in lines:
        axes.plot(
            line.x,
            line.y,
            color=colour(models, line),
            linestyle=STYLES[conditions.index(line.condition) % len(STYLES)],
            marker="o",
            markersize=3.5,
        )
    axes.set_xscale("log")
    axes.set_yscale("log" if y_axis[1] else "linear")
    for axis, (name, ticks) in ((axes.xaxis, x_axis), (axes.yaxis, y_axis)):
        axis.set_label_text(name)
        if ticks:
            low, high = axis.get_view_interval()
            within = [tick for tick in ticks if low <= tick <= high]
            axis.set_ticks(within, labels=map(str, within))
    axes.minorticks_off()
    axes.grid(axis="y", color=GREY, alpha=0.25, linewidth=0.6)
    label(figure, axes, lines, models)


def label(figure: Any, axes: Any, lines: Sequence[Line], models: Sequence[str]) -> None:
    """Label each line at its right end, moved up or down where labels would overlap."""
    right, top = axes.get_xlim()[1], axes.get_ylim()[1]

    def height(y: float) -> float:
        return float(axes.transData.transform((right, y))[1] * 72 / figure.dpi)

    ends = [height(line.y[-1]) for line in lines]
    places = spread(ends, LABEL_GAP, height(top))
    for line, end, place in zip(lines, ends, places, strict=True):
        axes.annotate(
            line.name,
            xy=(right, line.y[-1]),
            xytext=(4, place - end),
            textcoords="offset points",
            verticalalignment="center",
            color=colour(models, line),
            annotation_clip=False,
        )


def colour(models: Sequence[str], line: Line) -> str:
    return COLOURS[models.index(line.model) % len(COLOURS)]


def spread(places: Sequence[float], gap: float, most: float) -> list[float]:
    """The positions, moved so that any two are `gap` apart and none is above `most`.

    >>> spread([5, 0, 5], gap=2, most=10)
    [4.0, 0.0, 6.0]
    >>> spread([5, 0, 5], gap=2, most=5.0)
    [3.0, 0.0, 5.0]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    clusters: list[list[int]] = []

    def bottom(cluster: list[int]) -> float:
        return sum(places[i] for i in cluster) / len(cluster) - gap * (len(cluster) - 1) / 2

    for i in order:
        clusters.append([i])
        while any(bottom(a) + gap * len(a) > bottom(b) for a, b in pairwise(clusters[-2:])):
            last = clusters.pop()
            clusters[-1] += last
    moved = [0.0] * len(places)
    for cluster in clusters:
        for step, i in enumerate(cluster):
            moved[i] = bottom(cluster) + gap * step
    for rank, i in enumerate(reversed(order)):
        moved[i] = min(moved[i], most - gap * rank)
    return moved


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit("usage: python benchmarks/plots.py RECORD.json FILE.svg")
    record = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if "variants" in record:
        plot = fluency_against_beam
    elif "judge" in record:
        plot = bleu_against_time
    elif "series" in record:
        plot = bleu_against_beam
    else:
        plot = time_against_length
    plot(record, Path(sys.argv[2]))


if __name__ == "__main__":
    main()
