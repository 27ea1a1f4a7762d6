"""Alternatives that differ: how different they are, and what they cost in score and time.

    python benchmarks/alternatives.py en --data TREEBANK

A first table compares plain n-best lists with diverse ones. A second one compares other rules of
choice on the same candidates: other thresholds, and maximal marginal relevance (Carbonell &
Goldstein 1998), which adds the result with the largest sum of score and weighted difference.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import inf
from statistics import fmean
from time import process_time
from typing import Any

import machine
from records import Table, begin, finish, treebank_options

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.linearizer.alternatives import (
    CANDIDATES,
    LEAST_DIFFERENCE,
    MOST_LOST,
    choose,
)
from syntagma.problem.problem import Problem
from syntagma.results.difference import Profile, is_punctuation, profile, profile_difference
from syntagma.results.linearization import Linearization, violations
from syntagma.treebanks.conditions import CONDITIONS, constrain, sentence_rng

SEED = 0
THRESHOLDS = (0.1, 0.2, 0.3, 0.4)
LOSSES = (5.0, 10.0, inf)
TRADE_OFFS = (5.0, 10.0)  # score that a difference of 1 is worth

Choice = Callable[[Sequence[Linearization]], Sequence[Linearization]]


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
    gold: list[bool] = field(default_factory=list)  # a list has the order of the treebank
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
        self.gold.append(tuple(gold) in {each.words for each in profiles})
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
            "ms": 1000 * self.seconds / max(len(self.sizes), 1),
        }


def main() -> None:
    arguments = parse_arguments()
    linearizer = syntagma.load(arguments.model)
    shortest, longest = arguments.words
    numbered = [
        (number, sentence)
        for number, sentence in enumerate(
            syntagma.read_treebank(arguments.data, linearizer.tag_column)
        )
        if shortest <= len(sentence.forms) <= longest
    ][: arguments.limit]
    if not numbered:
        raise SystemExit(f"error: no sentence has {shortest} to {longest} words")
    record = {
        **begin(arguments),
        "model": linearizer.info.header.get("name", "-"),
        "words": arguments.words,
        "n_best": arguments.n_best,
        "beam": arguments.beam or "auto",
        "sentences": len(numbered),
        "conditions": {
            condition: measure(linearizer, numbered, condition, arguments.n_best, arguments.beam)
            for condition in arguments.conditions
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


def measure(
    linearizer: syntagma.Linearizer,
    numbered: Sequence[tuple[int, syntagma.Sentence]],
    condition: str,
    n_best: int,
    beam: int | None,
) -> dict[str, dict[str, float]]:
    """The figures of plain lists, of diverse ones and of the other rules, by name."""
    lists = {name: Lists() for name in ("plain", "diverse", *rules(n_best))}
    with Ticker(condition, total=len(numbered)) as ticker:
        for number, sentence in numbered:
            problem = constrain(sentence, CONDITIONS[condition], sentence_rng(SEED, number))
            gold = [form.casefold() for form in sentence.forms if not is_punctuation(form)]
            found: dict[str, Sequence[Linearization]] = {}
            for name in ("plain", "diverse"):
                started = process_time()
                found[name] = linearizer.order(
                    problem, n_best=n_best, diverse=name == "diverse", beam=beam
                )
                lists[name].seconds += process_time() - started
                check(problem, found[name])
            candidates = linearizer.order(problem, n_best=CANDIDATES, beam=beam)
            found |= {name: rule(candidates) for name, rule in rules(n_best).items()}
            for name, each in found.items():
                lists[name].add(each, found["plain"], gold)
            ticker.advance()
    return {name: each.figures() for name, each in lists.items()}


def check(problem: Problem, found: Iterable[Linearization]) -> None:
    for each in found:
        if violations(each):
            raise SystemExit(f"error: {problem.id}: broken constraints: a bug")


def rules(n_best: int) -> dict[str, Choice]:
    """Rules of choice by name."""
    named: dict[str, Choice] = {}
    for lost in LOSSES:
        for threshold in THRESHOLDS:
            named[f"{threshold:g}, {lost:g}"] = partial(
                choose, n_best=n_best, most_lost=lost, least_difference=threshold
            )
    for worth in TRADE_OFFS:
        named[f"marginal relevance, {worth:g}"] = partial(relevant, n_best=n_best, worth=worth)
    return named


def relevant(
    candidates: Sequence[Linearization], n_best: int, worth: float
) -> Sequence[Linearization]:
    """Alternatives by maximal marginal relevance: the best, then again and again that of the
    largest sum of its score and `worth` times its least difference from those chosen before.

    As in the rule that ships, none loses more than `MOST_LOST`; none repeats another.
    """
    profiles: list[Profile] = [profile(each) for each in candidates]
    chosen = [0]
    rest = [
        at
        for at in range(1, len(candidates))
        if candidates[0].score - candidates[at].score <= MOST_LOST
    ]
    least = {at: profile_difference(profiles[0], profiles[at]) for at in rest}
    while len(chosen) < n_best and (rest := [at for at in rest if least[at] > 0]):
        added = max(rest, key=lambda at: candidates[at].score + worth * least[at])
        chosen.append(added)
        rest.remove(added)
        for at in rest:
            least[at] = min(least[at], profile_difference(profiles[added], profiles[at]))
    return [candidates[at] for at in chosen]


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
            "ms": ("CPU ms", "{:.1f}"),
        },
        [
            "found: alternatives per problem; difference: mean of all pairs in a list",
            "repeated: same words in the same order as one before, punctuation apart",
            "score lost: score of the best order minus that of an alternative",
            "by choice: score of the same rank in the plain list minus that of an alternative",
            "gold: share of lists with the order of the treebank, punctuation apart",
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
    table = Table(
        title="Rules of choice",
        first="rule",
        groups=[(condition, ("found", "clause %", "lost")) for condition in conditions],
        notes=[
            "a rule is the least difference and the most score lost, or marginal relevance and the "
            f"score that a difference of 1 is worth; {LEAST_DIFFERENCE:g}, {MOST_LOST:g} ships",
            "clause: main clause, as above; lost: score lost",
        ],
    )
    for name in rules(record["n_best"]):
        row = [name]
        for figures in conditions.values():
            each = figures[name]
            row += [f"{each['found']:.2f}", f"{each['main_clause']:.1f}", f"{each['lost']:.2f}"]
        table.rows.append(row)
    return table


def mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


if __name__ == "__main__":
    machine.start(main)
