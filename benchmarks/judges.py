"""BLEU and time of a judge by how much it reads: the orders that it chooses from, how many of these
it reads, and the lead of the first order from which on it reads nothing.

    python benchmarks/judges.py --data TREEBANK --judge smollm2 --plot judges.svg
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import machine
import plots
from records import Table, begin, finish, measure, notes, treebank_options

import syntagma
from syntagma.judges.judging import KINDS, SentenceJudge, Share
from syntagma.judges.opening import open_judge
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.loading import load_model, model_path

# Orders to choose from, and how many of them are read; with one, the judge has no say.
READ = ((1, 1), (8, 8), (16, 12), (32, 16), (64, 16), (64, 32), (128, 32), (256, 48))
LEADS = (1.0, 2.0, 4.0)


def main() -> None:
    arguments = parse_arguments()
    path = model_path(arguments.model)
    model, judge = load_model(path), open_judge(arguments.judge)
    record = {**begin(arguments), "judge": judge.about, "series": []}
    for condition in arguments.conditions:
        unit = machine.Unit(arguments.unit_command)
        points = []
        for pool, read, lead in plan(judge, arguments.read, arguments.leads):
            linearizer = Linearizer(model, path, reading(judge, pool, read, lead))
            sentences = syntagma.read_treebank(arguments.data, linearizer.tag_column)
            kept = sentences[arguments.offset :: arguments.every][: arguments.limit]
            figures = measure(linearizer, kept, condition, None, unit)
            shown = lead if math.isfinite(lead) else "none"
            points.append({**figures, "pool": pool, "read": read, "lead": shown})
        record["series"].append({"label": condition, "condition": condition, "points": points})
    finish(arguments, record, tabulate(record))
    if arguments.plot:
        plots.bleu_against_time(record, arguments.plot)


def parse_arguments() -> argparse.Namespace:
    parser = treebank_options(__doc__, ("none", "pos", "half", "tree", "labelled"))
    parser.add_argument("--model", default="en", help="name or file of a model")
    parser.add_argument("--judge", default="smollm2", help="as of `syntagma order`")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth sentence")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="from this one on")
    parser.add_argument(
        "--read",
        type=lambda text: tuple(map(int, text.split("/"))),
        nargs="+",
        default=list(READ),
        metavar="POOL/READ",
        help="orders to choose from, and how many of them are read",
    )
    parser.add_argument("--leads", type=float, nargs="*", default=list(LEADS), metavar="LEAD")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="SVG of BLEU against time")
    machine.add_unit_option(parser)
    return parser.parse_args()


def plan(
    judge: SentenceJudge, read: list[tuple[int, int]], leads: list[float]
) -> list[tuple[int, int, float]]:
    """What is varied: how much is read, at the lead of the judge; then the lead."""
    lead = judge.settings.lead
    middle = read[len(read) // 2]
    return [(*each, lead) for each in read] + [(*middle, each) for each in leads if each != lead]


def reading(judge: SentenceJudge, pool: int, read: int, lead: float) -> SentenceJudge:
    """A judge that reads so much, whatever is given."""
    weights = {name: getattr(judge.settings, name).weight for name in KINDS}
    shares = {name: Share(weight, pool, read) for name, weight in weights.items()}
    return replace(judge, settings=replace(judge.settings, lead=lead, **shares))


def tabulate(record: dict[str, Any]) -> Table:
    series = record["series"]
    table = Table(
        title=f"{record['data']['name']}, {series[0]['points'][0]['sentences']} sentences",
        first="chosen from / read / lead",
        groups=[(each["condition"], ("BLEU", "exact %", "÷ unit")) for each in series],
    )
    for points in zip(*(each["points"] for each in series), strict=True):
        first = points[0]
        row = [f"{first['pool']} / {first['read']} / {first['lead']}"]
        for point in points:
            ratio = machine.divided(point["cpu_ms"], point["units_ms"])
            row += [f"{point['bleu']:.2f}", f"{point['exact']:.1f}", ratio]
        table.rows.append(row)
    for each in series:
        table.notes += notes(each["condition"], each["points"], "pool")
    return table


if __name__ == "__main__":
    machine.start(main)
