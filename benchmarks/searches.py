"""Beam search against best-first search, both trained on the same sample.

    python benchmarks/searches.py --train TREEBANK --data TREEBANK --folder FOLDER

compares them as Liu et al. (2015) do in §4.3: BLEU and time, the share of words in the output
(Figure 8), how many treelets are correct (Table 4) and how long they are (Figure 9). With
--ccg-train and --ccg-data, best-first search with CCG is measured, too. FOLDER holds samples,
models and figures; a run that was interrupted resumes from there.

Times are wall-clock times, like the timeouts of best-first search, on one thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import machine
import plots
import samples
from records import Table, add_condition_option, begin, finish, joined_signature, measure
from samples import Figures, Sample

import syntagma
from syntagma.evaluation.evaluate import main_conditions
from syntagma.files.reading import fingerprint
from syntagma.request import SearchName
from syntagma.treebanks.conditions import MAIN_CONDITIONS
from syntagma.treebanks.corpus import read_sentences
from syntagma.treebanks.settings import Settings

IN_DETAIL = ("none", "labelled")  # conditions whose figures are also shown by length
BEAM = "beam"


def main() -> None:
    arguments = parse_arguments()
    figures = Figures(arguments.folder / "searches.json")
    record = {**begin(arguments), "searches": compare(arguments, figures)}
    if arguments.ccg_train:
        record["ccg"] = compare_ccg(arguments, figures)
    tables = [
        tabulate(record["searches"], "Two searches", "unfinished"),
        *details(record["searches"]),
    ]
    if arguments.ccg_train:
        tables.append(tabulate(record["ccg"], "CCG", "whole derivations %"))
    finish(arguments, record, *tables)
    if arguments.plot:
        plot(record["searches"], arguments.plot)


def parse_arguments() -> argparse.Namespace:
    parser = samples.sample_options(__doc__)
    parser.add_argument(
        "--timeouts",
        type=float,
        nargs="+",
        default=[1.0, 5.0],
        metavar="SECONDS",
        help="limits of best-first search (default: 1 5)",
    )
    add_condition_option(parser, MAIN_CONDITIONS)
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="SVG of coverage and of the lengths of spans"
    )
    arguments = samples.parse(parser)
    if arguments.ccg_train and not {"none", "pos"} & set(arguments.conditions):
        parser.error("with CCG, none or pos is measured: add one of them to --conditions")
    return arguments


def compare(arguments: argparse.Namespace, figures: Figures) -> dict[str, Any]:
    """Both searches on a treebank; the figures of each, by its name."""
    sample = samples.draw_sample(arguments, "dependency")
    unit = machine.Unit(arguments.unit_command)
    beam = learn(arguments, sample, "beam", syntagma.LinearSettings, unit)
    best_first = learn(arguments, sample, "best-first", syntagma.BestFirstSettings, unit)
    compared = {BEAM: measure_all(arguments, sample, beam, None, figures)}
    for timeout in arguments.timeouts:
        name = f"best-first, {timeout:g} s"
        compared[name] = measure_all(arguments, sample, best_first, timeout, figures)
    return {"sample": sample.about, "figures": compared}


def compare_ccg(arguments: argparse.Namespace, figures: Figures) -> dict[str, Any]:
    """Best-first search with CCG; the figures of each timeout."""
    sample = samples.draw_sample(arguments, "ccg")
    unit = machine.Unit(arguments.unit_command)

    def settings(epochs: int) -> Settings:
        return syntagma.BestFirstSettings(grammar="ccg", tag_column="upos", epochs=epochs)

    model = learn(arguments, sample, "ccg", settings, unit)
    compared = {
        f"{timeout:g} s": measure_all(arguments, sample, model, timeout, figures)
        for timeout in arguments.timeouts
    }
    return {"sample": sample.about, "figures": compared}


def learn(
    arguments: argparse.Namespace,
    sample: Sample,
    name: str,
    settings: Callable[..., Settings],
    unit: machine.Unit,
) -> syntagma.Linearizer:
    """The model of this name, trained unless its file exists."""
    path = arguments.folder / f"{name}.syntagma"
    samples.train(sample, path, settings(epochs=arguments.epochs), unit)
    search: SearchName = "beam" if name == BEAM else "best-first"
    return syntagma.load(path, search=search)


def measure_all(
    arguments: argparse.Namespace,
    sample: Sample,
    linearizer: syntagma.Linearizer,
    timeout: float | None,
    figures: Figures,
) -> list[dict[str, Any]]:
    """The figures of each condition that the model supports."""
    path = linearizer.info.path
    assert path is not None
    sentences = read_sentences(sample.dev, linearizer.tag_column)
    unit = machine.Unit(arguments.unit_command)
    limit = "" if timeout is None else f", {timeout:g} s"
    key = f"{path.stem} {fingerprint(path)[:8]} on {fingerprint(sample.dev)[:8]}{limit}"

    def measured(condition: str) -> dict[str, Any]:
        samples.say(f"{path.stem}{limit}: {condition}")
        return measure(linearizer, sentences, condition, None, unit, timeout=timeout, spans=True)

    return [
        figures.get(f"{key}, {condition}", partial(measured, condition))
        for condition in conditions_of(linearizer, arguments.conditions)
    ]


def conditions_of(linearizer: syntagma.Linearizer, chosen: Sequence[str]) -> Sequence[str]:
    """Those that can be given to the model: CCG cannot keep arcs."""
    given = main_conditions(linearizer)
    return chosen if linearizer.takes_arcs else [name for name in chosen if name in given]


def tabulate(compared: dict[str, Any], title: str, heading: str) -> Table:
    """BLEU, coverage and time: a row for each condition and search. The column `heading` has the
    number of unfinished results, or, if it ends in %, the percentage of finished ones."""
    table = Table(
        title=f"{title}: {samples.sample_note(compared['sample'])}",
        first="given, search",
        groups=[("", ("BLEU", "exact %", "coverage %", heading, "ms", "÷ unit"))],
    )
    for condition, each in by_condition(compared).items():
        for name, figures in each.items():
            unfinished, share = figures["unfinished"], figures["unfinished"] / figures["sentences"]
            table.rows.append(
                [
                    f"{condition}, {name}",
                    f"{figures['bleu']:.2f}",
                    show(figures["exact"]),
                    show(figures["coverage"]),
                    show(100 * (1 - share)) if heading.endswith("%") else str(unfinished),
                    *times(figures),
                ]
            )
    table.notes = notes(compared["figures"])
    return table


def times(figures: dict[str, Any]) -> list[str]:
    milliseconds = figures["wall_ms"]
    return [f"{milliseconds:.1f}", machine.divided(milliseconds, figures["units_ms"])]


def notes(compared: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Below a table: the machine units, and the signature of each search."""
    units = samples.unit_note(each["units_ms"] for row in compared.values() for each in row)
    signatures = [
        f"{name}: BLEU {joined_signature(each['signature'] for each in row)}"
        for name, row in compared.items()
    ]
    return [units, *signatures]


def details(compared: dict[str, Any]) -> list[Table]:
    """Coverage, span scores and span lengths of the conditions IN_DETAIL."""
    shown = in_detail(compared)
    if not shown:
        return []
    searches = list(compared["figures"])
    coverage = Table(
        title="Coverage % by number of words (Liu et al. 2015, Figure 8)",
        first="given, words",
        groups=[("", ("sentences", *searches))],
    )
    scores = Table(
        title="Correct spans by number of words (Table 4)",
        first="given, words",
        groups=[(search, ("P %", "R %", "F")) for search in searches],
    )
    lengths = Table(
        title="Spans % by number of words (Figure 9)",
        first="given, words",
        groups=[("", ("gold", *searches))],
    )
    for condition, each in shown.items():
        for rows in zip(*(figures["lengths"] for figures in each.values()), strict=True):
            if count := rows[0]["sentences"]:
                cells = [str(count), *(show(row["coverage"]) for row in rows)]
                coverage.rows.append([f"{condition}, {rows[0]['length']}", *cells])
        for rows in zip(*(figures["spans"]["scores"] for figures in each.values()), strict=True):
            cells = [show(row[name]) for row in rows for name in ("precision", "recall", "f")]
            scores.rows.append([f"{condition}, {rows[0]['length']}", *cells])
        for rows in zip(
            *(figures["spans"]["distribution"] for figures in each.values()), strict=True
        ):
            cells = [show(rows[0]["gold_share"]), *(show(row["output_share"]) for row in rows)]
            lengths.rows.append([f"{condition}, {rows[0]['length']}", *cells])
    return [coverage, scores, lengths]


def by_condition(compared: dict[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """The figures of all searches, by condition and search."""
    regrouped: dict[str, dict[str, dict[str, Any]]] = {}
    for name, each in compared["figures"].items():
        for figures in each:
            regrouped.setdefault(figures["condition"], {})[name] = figures
    return regrouped


def in_detail(compared: dict[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    return {name: each for name, each in by_condition(compared).items() if name in IN_DETAIL}


def show(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def plot(searches: dict[str, Any], path: Path) -> None:
    """Two panels for each condition: coverage, and the lengths of spans.

    The x value of coverage is the mean length of a class, that of spans the shortest length; from
    10 words on, classes of spans are wider.
    """
    panels: dict[str, list[plots.Line]] = {}
    for condition, each in in_detail(searches).items():
        panels[f"given: {condition}; coverage by words in the sentence"] = [
            line(name, figures["lengths"], "words", "coverage") for name, figures in each.items()
        ]
        spans = {name: figures["spans"]["distribution"] for name, figures in each.items()}
        panels[f"given: {condition}; spans by words in the span"] = [
            *(line(name, rows, "", "output_share") for name, rows in spans.items()),
            line("gold", spans[BEAM], "", "gold_share"),
        ]
    ticks = (2, 3, 5, 10, 20, 30, 40, 50)
    if panels:
        plots.draw(path, panels, x_axis=("words", ticks), y_axis=("%", ()))


def line(name: str, rows: Sequence[dict[str, Any]], x: str, y: str) -> plots.Line:
    """If `x` is empty, the first number of the class's name is the x value: 10 of 10-14."""
    points = [
        (row[x] if x else int(row["length"].partition("-")[0].removesuffix("+")), row[y])
        for row in rows
        if row[y] is not None
    ]
    places, values = zip(*points, strict=True)
    return plots.Line(name, "", places, values)


if __name__ == "__main__":
    machine.start(main)
