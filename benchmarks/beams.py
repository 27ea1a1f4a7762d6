"""BLEU and time by beam width, like Figure 7 of Liu et al. (2015).

python benchmarks/beams.py MODEL [MODEL ...] --data TREEBANK --plot beams.svg
"""

from __future__ import annotations

import argparse
from itertools import chain
from typing import Any

import machine
import plots
from records import Table, add_beam_options, begin, finish, labels, measure, notes, treebank_options

import syntagma

BEAMS = (1, 4, 16, 64, 128)


def main() -> None:
    arguments = parse_arguments()
    linearizers = [syntagma.load(model) for model in arguments.models]
    record = begin(arguments)
    record["series"] = []
    for linearizer, label in zip(linearizers, labels(linearizers), strict=True):
        sentences = syntagma.read_treebank(arguments.data, linearizer.tag_column)[: arguments.limit]
        for condition in arguments.conditions:
            unit = machine.Unit(arguments.unit_command)
            points = [
                measure(linearizer, sentences, condition, beam, unit) for beam in arguments.beams
            ]
            record["series"].append({"label": label, "condition": condition, "points": points})
    finish(arguments, record, tabulate(record))
    if arguments.plot:
        plots.bleu_against_beam(record, arguments.plot)


def parse_arguments() -> argparse.Namespace:
    parser = treebank_options(__doc__, ("none", "labelled"))
    parser.add_argument("models", nargs="+", metavar="MODEL", help="name or file of a model")
    add_beam_options(parser, BEAMS)
    return parser.parse_args()


def tabulate(record: dict[str, Any]) -> Table:
    series = record["series"]
    table = Table(
        title=f"{record['data']['name']}, {series[0]['points'][0]['sentences']} sentences",
        first="beam",
        groups=[(name(each), ("BLEU", "CPU ms", "÷ unit")) for each in series],
    )
    for points in zip(*(each["points"] for each in series), strict=True):
        table.rows.append([str(points[0]["beam"]), *chain.from_iterable(map(cells, points))])
    for each in series:
        table.notes += notes(name(each), each["points"], "beam")
    return table


def name(series: dict[str, Any]) -> str:
    return f"{series['label']}, {series['condition']}"


def cells(point: dict[str, Any]) -> list[str]:
    return [
        f"{point['bleu']:.2f}",
        f"{point['cpu_ms']:.2f}",
        machine.divided(point["cpu_ms"], point["units_ms"]),
    ]


if __name__ == "__main__":
    machine.start(main)
