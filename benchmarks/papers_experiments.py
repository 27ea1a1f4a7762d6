"""Every table and figure of the papers: the cells that it needs, and what lays it out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from papers_cells import Cell, Measurement, Statistics, TimeLimits, Training
from papers_plots import Plot, plot_beams, plot_brevity, plot_epochs, plot_limits, plot_spans
from papers_systems import BEAMS
from papers_tables import (
    ABLATED,
    ABLATIONS,
    AVERAGED,
    CCG_NEGATIVES,
    FIGURE_4,
    FIGURE_5,
    FIGURE_6,
    L15_FINAL,
    L15_ROWS,
    LABELLED,
    LIMITS,
    NINE,
    NOTHING,
    P16_FINAL,
    P16_ROWS,
    SPANS,
    TEST,
    ZC15_ROWS,
    Record,
    ablations,
    best_bleu,
    brevities,
    by_beam,
    by_epoch,
    final,
    negatives,
    nine_conditions,
    seconds,
    span_lengths,
    span_scores,
    statistics,
    time_limits,
    zc15_final,
)
from records import Table


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table or a figure of a paper."""

    name: str
    about: str
    cells: tuple[Cell, ...]
    tables: Callable[[Record], list[Table]]
    plot: Callable[[Record], Plot] | None = None


def experiments() -> dict[str, Experiment]:
    """All tables and figures by name, in the order of the papers."""
    found = [
        Experiment(
            "L15 Table 3",
            "partial trees, development",
            nine("z13", "l15"),
            lambda record: [nine_conditions(record, "L15 Table 3", L15_ROWS)],
        ),
        Experiment(
            "L15 Table 4",
            "spans by length, development, words only",
            tuple(Measurement(name, "dev", NOTHING) for name in SPANS),
            lambda record: [span_scores(record)],
        ),
        Experiment(
            "L15 Table 5",
            "test",
            tests(("none", "pos", "tree"), "z13", "zc15", "l15"),
            lambda record: [final(record, "L15 Table 5", L15_FINAL)],
        ),
        Experiment(
            "L15 Figure 7",
            "BLEU by iteration and beam, words only",
            tuple(Training(f"beam-{beam}") for beam in BEAMS),
            lambda record: [by_beam(record)],
            plot_beams,
        ),
        Experiment(
            "L15 Figure 8",
            "brevity by words in the bag, words only",
            tuple(Measurement(name, "dev", NOTHING) for name in SPANS),
            lambda record: [brevities(record)],
            plot_brevity,
        ),
        Experiment(
            "L15 Figure 9",
            "spans by length",
            tuple(Measurement(name, "dev", NOTHING) for name in SPANS),
            lambda record: [span_lengths(record)],
            plot_spans,
        ),
        Experiment(
            "P16 Table 3",
            "partial trees, development",
            nine("z13", "l15", "p16", "p16+", "en"),
            lambda record: [nine_conditions(record, "P16 Table 3", P16_ROWS)],
        ),
        Experiment(
            "P16 Table 4",
            "test",
            (
                *tests(("none", "pos", "tree"), "z13", "zc15", "l15", "p16"),
                *tests(("labelled",), *LABELLED.values()),
                *tests(tuple(TEST), "p16+", "en"),
            ),
            lambda record: [final(record, "P16 Table 4", P16_FINAL)],
        ),
        Experiment(
            "ZC15 Table 3",
            "data",
            (Statistics("dependency"), Statistics("ccg")),
            lambda record: [statistics(record)],
        ),
        Experiment(
            "ZC15 Table 4",
            "scaled scores and negative examples",
            tuple(
                Training(name + suffix)
                for suffix in AVERAGED
                for pair in CCG_NEGATIVES.values()
                for name in pair
            ),
            lambda record: [negatives(record)],
        ),
        iterations("ZC15 Figure 4", "BLEU by iteration, CCG", FIGURE_4, best_bleu, "BLEU"),
        iterations(
            "ZC15 Figure 5", "training time by iteration, CCG", FIGURE_5, seconds, "CPU seconds"
        ),
        iterations(
            "ZC15 Figure 6",
            "training time by iteration, dependencies",
            FIGURE_6,
            seconds,
            "CPU seconds",
        ),
        Experiment(
            "ZC15 Figure 7",
            "BLEU by time limit",
            tuple(TimeLimits(name, condition) for name, condition in LIMITS.items()),
            lambda record: [time_limits(record)],
            plot_limits,
        ),
        Experiment(
            "ZC15 Table 7",
            "partial trees, development, best-first",
            (*nine("z13", "zc15"), Measurement("zc15-tree", "dev", NINE[-1])),
            lambda record: [nine_conditions(record, "ZC15 Table 7", ZC15_ROWS)],
        ),
        Experiment(
            "ZC15 Table 9",
            "test, all tags",
            tests(("pos",), "z11", "z12", "z12+lm", "z13", "zc15-ccg", "zc15"),
            lambda record: [zc15_final(record)],
        ),
        Experiment(
            "Ablations",
            "what explains the differences",
            tuple(Measurement(name, "dev", each) for name in ABLATIONS for each in ABLATED),
            lambda record: [ablations(record)],
        ),
    ]
    return {experiment.name: experiment for experiment in found}


def iterations(
    name: str,
    about: str,
    systems: dict[str, str],
    value: Callable[[dict[str, Any]], float],
    unit: str,
) -> Experiment:
    """A figure of ZC15 with a curve over the iterations of training for each system."""
    return Experiment(
        name,
        about,
        tuple(map(Training, systems)),
        lambda record: [by_epoch(record, name, systems, value, unit)],
        lambda record: plot_epochs(record, systems, value, unit),
    )


def nine(*systems: str) -> tuple[Cell, ...]:
    return tuple(Measurement(system, "dev", name) for system in systems for name in NINE)


def tests(conditions: Sequence[str], *systems: str) -> tuple[Cell, ...]:
    return tuple(Measurement(system, "test", name) for system in systems for name in conditions)


def all_cells(chosen: Iterable[Experiment]) -> Iterator[Cell]:
    for experiment in chosen:
        yield from experiment.cells
