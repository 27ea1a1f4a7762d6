"""Compares models in one table: BLEU, exact match, time by condition and length, memory, threads.

    python benchmarks/scorers.py MODEL [MODEL ...] --data TREEBANK

Times are CPU times of one thread, with the machine unit (see `machine`) taken before and after
each condition.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import machine
import plots
from records import (
    Table,
    begin,
    finish,
    labels,
    measure,
    notes,
    scorer_name,
    treebank_options,
)

import syntagma
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS, constrain, sentence_rng

BY_LENGTH = ("none", "labelled")  # conditions shown by length, if they are measured
PEAK_BAGS = 100  # the longest sentences: they take the most memory
RATE_SENTENCES = 400
ROUNDS = 2  # of 1 and 2 threads in turn; the best of each counts


def main() -> None:
    arguments = parse_arguments()
    linearizers = [syntagma.load(model) for model in arguments.models]
    record = begin(arguments)
    record["by_length"] = [name for name in arguments.conditions if name in BY_LENGTH]
    record["models"] = [
        compare(linearizer, label, arguments)
        for linearizer, label in zip(linearizers, labels(linearizers), strict=True)
    ]
    finish(arguments, record, tabulate(record))
    if arguments.plot:
        plots.time_against_length(record, arguments.plot)


def parse_arguments() -> argparse.Namespace:
    parser = treebank_options(__doc__, MAIN_CONDITIONS)
    parser.add_argument("models", nargs="+", metavar="MODEL", help="name or file of a model")
    parser.add_argument("--beam", type=int, metavar="N", help="default: each model's own")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="SVG of time against length")
    machine.add_unit_option(parser)
    return parser.parse_args()


def compare(
    linearizer: syntagma.Linearizer, label: str, arguments: argparse.Namespace
) -> dict[str, Any]:
    """All figures of one model."""
    path = linearizer.info.path
    assert path is not None
    sentences = syntagma.read_treebank(arguments.data, linearizer.tag_column)[: arguments.limit]
    longest = sorted((sentence.forms for sentence in sentences), key=len)[-PEAK_BAGS:]
    unit = machine.Unit(arguments.unit_command)
    beam = arguments.beam
    conditions = [measure(linearizer, sentences, name, beam, unit) for name in arguments.conditions]
    return {
        "label": label,
        "name": linearizer.info.header["name"],
        "scorer": scorer_name(linearizer),
        "size_mb": linearizer.info.size / 1e6,
        "load_s": machine.load_seconds(path),
        "peak_mb": machine.peak_megabytes(path, longest, beam),
        "conditions": conditions,
        "per_second": rates(linearizer, sentences[:RATE_SENTENCES], arguments),
    }


def rates(
    linearizer: syntagma.Linearizer,
    sentences: Sequence[syntagma.Sentence],
    arguments: argparse.Namespace,
) -> dict[str, float]:
    """Sentences per second of wall-clock time, over all conditions, with 1 and with 2 threads."""
    problems = [
        constrain(sentence, CONDITIONS[name], sentence_rng(1, index))
        for name in arguments.conditions
        for index, sentence in enumerate(sentences)
    ]
    best = {"1": 0.0, "2": 0.0}
    for _ in range(ROUNDS):
        for threads in best:
            started = time.perf_counter()
            for _ in linearizer.order_many(problems, beam=arguments.beam, threads=int(threads)):
                pass
            rate = len(problems) / (time.perf_counter() - started)
            best[threads] = max(best[threads], rate)
    return best


def tabulate(record: dict[str, Any]) -> Table:
    models = record["models"]
    groups = [column_group(model, record["by_length"]) for model in models]
    first = models[0]["conditions"][0]
    table = Table(
        title=f"{record['data']['name']}, {first['sentences']} sentences",
        first="given",
        groups=[(group_name(model), ("BLEU", "exact %", "CPU ms", "÷ unit")) for model in models],
        rows=[[name, *chain.from_iterable(group[name] for group in groups)] for name in groups[0]],
    )
    for model in models:
        table.notes += notes(model["label"], model["conditions"], "condition")
    return table


def group_name(model: dict[str, Any]) -> str:
    return f"{model['label']}, beam {model['conditions'][0]['beam']}"


def column_group(model: dict[str, Any], by_length: Sequence[str]) -> dict[str, list[str]]:
    """The four columns of a model, by the name of the row."""
    rows = {}
    for figures in model["conditions"]:
        rows[figures["condition"]] = cells(figures, figures["units_ms"])
    for figures in model["conditions"]:
        if figures["condition"] in by_length:
            for row in figures["lengths"]:
                if row["sentences"]:
                    name = f"{figures['condition']}, {row['length']} words"
                    rows[name] = cells(row, figures["units_ms"])
    one, two = (model["per_second"][threads] for threads in ("1", "2"))
    for name, value in (
        ("model file", f"{model['size_mb']:.1f} MB"),
        ("loading", f"{model['load_s']:.2f} s"),
        ("peak memory", f"{model['peak_mb']:.0f} MB"),
        ("sentences per second, 1 thread", f"{one:.0f}"),
        ("sentences per second, 2 threads", f"{two:.0f}"),
        ("2 threads ÷ 1", f"{two / one:.2f}"),
    ):
        rows[name] = [value, "", "", ""]
    return rows


def cells(figures: dict[str, Any], units: Sequence[float]) -> list[str]:
    return [
        f"{figures['bleu']:.2f}",
        f"{figures['exact']:.1f}",
        f"{figures['cpu_ms']:.2f}",
        machine.divided(figures["cpu_ms"], units),
    ]


if __name__ == "__main__":
    machine.start(main)
