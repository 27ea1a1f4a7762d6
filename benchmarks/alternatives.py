"""Alternatives that differ: how different they are, and what they cost in score and time.

    python benchmarks/alternatives.py en --data TREEBANK|SENTENCES.txt

A first table compares plain n-best lists with diverse ones, also where the best order is not the
intended one. A last one compares other rules of choice on the same candidates. Plain text, one
sentence per line, is split into words; only these are given.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf
from statistics import fmean
from time import process_time
from typing import Any

import machine
from records import Table, begin, finish, treebank_options

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.formats.tokenization import words
from syntagma.linearizer.alternatives import CANDIDATES, WITHOUT_SCALE, Rule, choose
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn
from syntagma.results.difference import is_punctuation, profile, profile_difference
from syntagma.results.linearization import Linearization, violations
from syntagma.treebanks.conditions import CONDITIONS, constrain, sentence_rng

SEED = 0
SHIPPED = Rule()
LEFT_OUT = replace(WITHOUT_SCALE, most_lost=SHIPPED.most_lost)
RULES = {
    "as it ships": SHIPPED,
    **{f"likeness costs {cost:g}": replace(SHIPPED, likeness=cost) for cost in (0, 1, 3, 4, 6)},
    "what is alike left out": LEFT_OUT,
    **{f"doubt up to {lost:g}": replace(SHIPPED, doubt=lost) for lost in (0, 2)},
    **{f"alike below {least:g}": replace(SHIPPED, least_difference=least) for least in (0.1, 0.4)},
    **{f"{lost:g} lost": replace(SHIPPED, most_lost=lost) for lost in (5, inf)},
}
LOOKED_AT = 10  # the best orders among which a missed one is looked for


@dataclass
class Lists:
    """Figures over lists of alternatives, one list per problem."""

    sizes: list[int] = field(default_factory=list)
    differences: list[float] = field(default_factory=list)  # of all pairs in a list
    repeated: list[bool] = field(default_factory=list)  # the words of one before, in their order
    subject: list[bool] = field(default_factory=list)  # not that of the best; as are the next two
    opening: list[bool] = field(default_factory=list)
    inversion: list[bool] = field(default_factory=list)
    main_clause: list[bool] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)  # score of the best minus that of another
    lost_by_choice: list[float] = field(
        default_factory=list
    )  # the plain list's minus ours, by rank
    gold: list[bool] = field(default_factory=list)  # a list has the intended order
    missed: list[bool] = field(default_factory=list)  # the same, where the best order is another
    seconds: float = 0.0

    def add(
        self,
        found: Sequence[Linearization],
        plain: Sequence[Linearization],
        gold: Sequence[str],
    ) -> None:
        profiles = [profile(each) for each in found]
        self.sizes.append(len(found))
        self.differences += [profile_difference(*pair) for pair in combinations(profiles, 2)]
        has_gold = tuple(gold) in {each.words for each in profiles}
        self.gold.append(has_gold)
        if tuple(gold) in {profile(each).words for each in plain[1:LOOKED_AT]} - {
            profiles[0].words
        }:
            self.missed.append(has_gold)
        best = profiles[0].main_clause
        for rank in range(1, len(found)):
            clause = profiles[rank].main_clause
            self.repeated.append(profiles[rank].words in {each.words for each in profiles[:rank]})
            self.subject.append(clause.subjects != best.subjects)
            self.opening.append(clause.opening != best.opening)
            self.inversion.append(clause.inverted != best.inverted)
            self.main_clause.append(clause != best)
            self.lost.append(found[0].score - found[rank].score)
            self.lost_by_choice.append(plain[rank].score - found[rank].score)

    def figures(self) -> dict[str, float]:
        """The means; shares in percent."""
        return {
            "found": mean(self.sizes),
            "difference": mean(self.differences),
            "repeated": 100 * mean(self.repeated),
            "subject": 100 * mean(self.subject),
            "opening": 100 * mean(self.opening),
            "inversion": 100 * mean(self.inversion),
            "main_clause": 100 * mean(self.main_clause),
            "lost": mean(self.lost),
            "lost_by_choice": mean(self.lost_by_choice),
            "gold": 100 * mean(self.gold),
            "missed": len(self.missed),
            "recovered": sum(self.missed),
            "ms": 1000 * self.seconds / max(len(self.sizes), 1),
        }


def main() -> None:
    arguments = parse_arguments()
    linearizer = syntagma.load(arguments.model)
    given = problems(arguments, linearizer.tag_column)
    record = {
        **begin(arguments),
        "model": linearizer.info.header.get("name", "-"),
        "words": arguments.words,
        "n_best": arguments.n_best,
        "beam": arguments.beam or "auto",
        "sentences": len(next(iter(given.values()))),
        "conditions": {
            condition: measure(linearizer, pairs, condition, arguments.n_best, arguments.beam)
            for condition, pairs in given.items()
        },
    }
    finish(arguments, record, compared(record), what_differs(record), rules_compared(record))


def parse_arguments() -> argparse.Namespace:
    parser = treebank_options(__doc__, ("none", "pos", "tree"))
    parser.add_argument("model", nargs="?", default="en", metavar="MODEL", help="default: en")
    parser.add_argument("--n-best", type=int, default=5, metavar="N", help="default: 5")
    parser.add_argument("--beam", type=int, metavar="WIDTH", help="default: the model's own")
    parser.add_argument(
        "--words",
        type=int,
        nargs=2,
        default=[5, 20],
        metavar=("LEAST", "MOST"),
        help="lengths of sentences (default: 5 20)",
    )
    return parser.parse_args()


def problems(
    arguments: argparse.Namespace, tag_column: TagColumn
) -> dict[str, list[tuple[Problem, Sequence[str]]]]:
    """The problems under each condition, each with the intended order."""
    shortest, longest = arguments.words
    given: dict[str, list[tuple[Problem, Sequence[str]]]]
    if arguments.data.suffix == ".txt":
        lines = arguments.data.read_text(encoding="utf-8").splitlines()
        orders = [order for line in lines if shortest <= len(order := words(line)) <= longest]
        given = {"none": [(Problem.of(order), order) for order in orders[: arguments.limit]]}
    else:
        numbered = [
            (number, sentence)
            for number, sentence in enumerate(syntagma.read_treebank(arguments.data, tag_column))
            if shortest <= len(sentence.forms) <= longest
        ][: arguments.limit]
        given = {
            condition: [
                (constrain(each, CONDITIONS[condition], sentence_rng(SEED, number)), each.forms)
                for number, each in numbered
            ]
            for condition in arguments.conditions
        }
    if not all(given.values()):
        raise SystemExit(f"error: no sentence has {shortest} to {longest} words")
    return given


def measure(
    linearizer: syntagma.Linearizer,
    pairs: Sequence[tuple[Problem, Sequence[str]]],
    condition: str,
    n_best: int,
    beam: int | None,
) -> dict[str, dict[str, float]]:
    """The figures of plain lists, of diverse ones and of the other rules, by name."""
    lists = {name: Lists() for name in ("plain", "diverse", *RULES)}
    with Ticker(condition, total=len(pairs)) as ticker:
        for problem, order in pairs:
            gold = [form.casefold() for form in order if not is_punctuation(form)]
            found: dict[str, Sequence[Linearization]] = {}
            for name in ("plain", "diverse"):
                started = process_time()
                found[name] = linearizer.order(
                    problem, n_best=n_best, diverse=name == "diverse", beam=beam
                )
                lists[name].seconds += process_time() - started
                check(problem, found[name])
            candidates = linearizer.order(problem, n_best=CANDIDATES, beam=beam)
            found |= {name: choose(candidates, n_best, rule) for name, rule in RULES.items()}
            for name, each in found.items():
                lists[name].add(each, candidates, gold)
            ticker.advance()
    return {name: each.figures() for name, each in lists.items()}


def check(problem: Problem, found: Iterable[Linearization]) -> None:
    for each in found:
        if violations(each):
            raise SystemExit(f"error: {problem.id}: broken constraints: a bug")


def compared(record: dict[str, Any]) -> Table:
    """How different the alternatives are, and at which cost."""
    return tabulate(
        record,
        f"{record['data']['name']}: {record['sentences']} sentences of "
        f"{record['words'][0]} to {record['words'][1]} words, {record['n_best']} alternatives, "
        f"model {record['model']}, beam {record['beam']}",
        {
            "found": ("found", "{:.2f}"),
            "difference": ("difference", "{:.3f}"),
            "repeated": ("repeated %", "{:.1f}"),
            "lost": ("score lost", "{:.2f}"),
            "lost_by_choice": ("by choice", "{:.2f}"),
            "gold": ("gold %", "{:.1f}"),
            "missed": ("missed", "{}"),
            "recovered": ("recovered", "{}"),
            "ms": ("CPU ms", "{:.1f}"),
        },
        [
            "found: alternatives per problem; difference: mean of all pairs in a list",
            "repeated: same words in the same order as one before, punctuation apart",
            "score lost: score of the best order minus that of an alternative",
            "by choice: score of the same rank in the plain list minus that of an alternative",
            "gold: share of lists with the intended order, punctuation apart",
            f"missed: problems with the intended order among the {LOOKED_AT} best, but not the "
            "best; recovered: lists of them with it",
        ],
    )


def what_differs(record: dict[str, Any]) -> Table:
    """The share of alternatives that differ from the best order in parts of the main clause."""
    return tabulate(
        record,
        "What differs from the best order, % of alternatives",
        {
            "subject": ("subject", "{:.1f}"),
            "opening": ("opening", "{:.1f}"),
            "inversion": ("inversion", "{:.1f}"),
            "main_clause": ("main clause", "{:.1f}"),
        },
        [],
    )


def tabulate(
    record: dict[str, Any], title: str, columns: dict[str, tuple[str, str]], notes: list[str]
) -> Table:
    """Plain and diverse lists of each condition; `columns` has the heading and format of each
    figure."""
    rows: list[Sequence[str]] = [
        [
            f"{condition}, {name}",
            *(form.format(figures[name][key]) for key, (_, form) in columns.items()),
        ]
        for condition, figures in record["conditions"].items()
        for name in ("plain", "diverse")
    ]
    headings = [heading for heading, _ in columns.values()]
    return Table(title, "given, list", [("", headings)], rows, notes)


def rules_compared(record: dict[str, Any]) -> Table:
    """Other rules of choice on the same candidates."""
    conditions = record["conditions"]
    headings = ("found", "difference", "clause %", "lost", "recovered")
    table = Table(
        title="Rules of choice",
        first="rule",
        groups=[(condition, headings) for condition in conditions],
        notes=[
            f"as it ships: likeness costs at most {SHIPPED.likeness:g}, doubt up to "
            f"{SHIPPED.doubt:g}, alike below {SHIPPED.least_difference:g}, "
            f"{SHIPPED.most_lost:g} lost; other rules differ in one of these",
            "clause: main clause, as above; lost: score lost",
        ],
    )
    for name in RULES:
        row = [name]
        for figures in conditions.values():
            each = figures[name]
            row += [f"{each['found']:.2f}", f"{each['difference']:.3f}"]
            row += [f"{each['main_clause']:.1f}", f"{each['lost']:.2f}", f"{each['recovered']}"]
        table.rows.append(row)
    return table


def mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


if __name__ == "__main__":
    machine.start(main)
