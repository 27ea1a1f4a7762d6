"""What each ingredient of a model is worth: the model without one of them at a time.

    python benchmarks/ingredients.py en --data TREEBANK --earlier "machine-parsed text=old.syntagma"

Ingredients that a search can do without are switched off: the language model, the search from right
to left, the second network for trees, these two and all other reranking (*second opinions*),
liftings, and the inputs besides tags. What a step of training added is shown by `--earlier`, a
model from before it; with `--training-only`, nothing else is. Differences have paired bootstrap
intervals of 95%.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any
from unittest.mock import patch

import machine
from records import Table, begin, finish, treebank_options

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.evaluation.bleu import paired_bootstrap
from syntagma.neural._search import Reranker
from syntagma.treebanks.conditions import MAIN_CONDITIONS

ALL = "everything"
RERANKER = "syntagma.neural.scorer.Reranker"
BOTH_WAYS = "syntagma.neural.scorer.searched_both_ways"
SECOND_NETWORK = "syntagma.neural.scorer.NeuralScorer._second_readings"


class NoOpinion(Reranker):
    """Leaves the results of a search as they are."""

    def judge(self, search: object) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Variant:
    """A model that does without an ingredient, and what it is measured on."""

    linearizer: syntagma.Linearizer
    sentences: Sequence[syntagma.Sentence]
    projective: bool = False
    both_ways: bool = True
    second_opinion: bool = True
    second_network: bool = True

    def evaluate(self, name: str, conditions: Sequence[str]) -> syntagma.Report:
        with ExitStack() as stack:
            if not self.both_ways:
                stack.enter_context(patch(BOTH_WAYS, return_value=False))
            if not self.second_opinion:
                stack.enter_context(patch(RERANKER, NoOpinion))
            if not self.second_network:
                stack.enter_context(patch(SECOND_NETWORK, return_value=repeat([])))
            total = len(self.sentences) * len(conditions)
            ticker = stack.enter_context(Ticker(name, total=total))
            return syntagma.evaluate(
                self.linearizer,
                self.sentences,
                conditions,
                projective=self.projective,
                on_sentence=ticker.advance,
            )


def main() -> None:
    arguments = parse_arguments()
    linearizer = syntagma.load(arguments.model)
    sentences = syntagma.read_treebank(arguments.data, linearizer.tag_column)[: arguments.limit]
    tags_only = [replace(each, upos=(), features=()) for each in sentences]
    no_lm = syntagma.load(arguments.model, language_model=False)
    switched_off = {
        "language model": Variant(no_lm, sentences),
        "search from right to left": Variant(linearizer, sentences, both_ways=False),
        "second network for trees": Variant(linearizer, sentences, second_network=False),
        "second opinions, one search": Variant(
            linearizer, sentences, both_ways=False, second_opinion=False
        ),
        "liftings": Variant(linearizer, sentences, projective=True),
        "UPOS tags and features": Variant(linearizer, tags_only),
    }
    variants = {
        ALL: Variant(linearizer, sentences),
        **({} if arguments.training_only else switched_off),
        **{name: Variant(syntagma.load(model), sentences) for name, model in arguments.earlier},
    }
    conditions = arguments.conditions
    reports = {name: each.evaluate(name, conditions) for name, each in variants.items()}
    record = {
        **begin(arguments),
        "model": linearizer.info.header.get("name", "-"),
        "sentences": len(sentences),
        "conditions": conditions,
        "without": {
            name: {each: compared(reports[ALL], report, each) for each in conditions}
            for name, report in reports.items()
        },
    }
    finish(arguments, record, table(record))


def parse_arguments() -> argparse.Namespace:
    parser = treebank_options(__doc__, MAIN_CONDITIONS)
    parser.add_argument("model", nargs="?", default="en", metavar="MODEL", help="default: en")
    parser.add_argument(
        "--earlier",
        action="append",
        default=[],
        type=named_model,
        metavar="NAME=MODEL",
        help="a model without the step of training of this name; repeatable",
    )
    parser.add_argument(
        "--training-only", action="store_true", help="compare with the --earlier models only"
    )
    return parser.parse_args()


def named_model(text: str) -> tuple[str, str]:
    name, equals, model = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=MODEL")
    return name, model


def compared(
    everything: syntagma.Report, report: syntagma.Report, condition: str
) -> dict[str, Any]:
    """BLEU, and what is lost against the model with everything."""
    figures = report[condition]
    if figures.violations:
        raise SystemExit(f"error: {condition}: broken constraints: a bug")
    lost = paired_bootstrap(everything[condition].outputs, figures.outputs, report.references)
    return {
        "bleu": figures.bleu,
        "exact": figures.exact,
        "difference": lost.difference,
        "low": lost.low,
        "high": lost.high,
    }


def table(record: dict[str, Any]) -> Table:
    rows: list[Sequence[str]] = []
    for name, by_condition in record["without"].items():
        row = [name if name == ALL else f"without {name}"]
        for each in by_condition.values():
            beyond = each["high"] < 0 or each["low"] > 0
            shown = f"{each['difference']:+.2f}{'*' if beyond else ''}"
            row.append(f"{each['bleu']:.2f}" if name == ALL else shown)
        rows.append(row)
    return Table(
        f"{record['data']['name']}: {record['sentences']} sentences, model {record['model']}, "
        "BLEU, and the difference without an ingredient",
        "",
        [("", list(record["conditions"]))],
        rows,
        ["*: beyond chance, by a paired bootstrap interval of 95%"],
    )


if __name__ == "__main__":
    machine.start(main)
