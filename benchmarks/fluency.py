"""What makes orders fluent: BLEU by beam width without language model, future cost or merging.

    python benchmarks/fluency.py MODEL --data TREEBANK --plot fluency.svg

The future cost is the expected log-probability, under the language model, of the words not yet
placed. Merging keeps one of several states that no scorer can distinguish. The package has no
options to switch these parts off; this script takes them out of the model.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import machine
import plots
from records import (
    Table,
    add_beam_options,
    begin,
    finish,
    joined_signature,
    measure,
    treebank_options,
)

import syntagma
from syntagma.errors import ModelError
from syntagma.language_model._ngrams import NGramScorer
from syntagma.models.loading import load_model, model_path
from syntagma.models.model import Model
from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition._search import Search
from syntagma.transition.encoding import Encoding
from syntagma.transition.strategy import Scorer, WeightedLanguageModel

BEAMS = (1, 4, 16, 64, 128, 256, 512)


class Unmerged:
    """A scorer whose searches do not merge states."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self.batch, self.max_words, self.beam = scorer.batch, scorer.max_words, scorer.beam
        self.chooses_forms, self.lifts = scorer.chooses_forms, scorer.lifts
        self.lift_scores = scorer.lift_scores

    def searches(
        self,
        encodings: Sequence[Encoding],
        widths: Sequence[int],
        ngram_scorers: Sequence[NGramScorer | None],
        clock: Clock = NO_LIMIT,
    ) -> Iterator[Search]:
        return self._scorer.searches(encodings, widths, ngram_scorers, clock, merging=False)


class WithoutFutureCost(WeightedLanguageModel):
    """A language model without future cost."""

    def ngram_scorer(self, encoding: Encoding) -> NGramScorer:
        units = self.language_model.units(encoding.forms)
        weight = self.balance.weight(*encoding.shares)
        costs = [0.0] * (len(units) + 1)  # the last is that of the end of the sentence
        return NGramScorer(self.language_model.ngrams, units, costs, weight)


def main() -> None:
    arguments = parse_arguments()
    linearizers = variants(arguments.model)
    record = begin(arguments)
    record["variants"] = list(linearizers)
    record["series"] = []
    tag_column = linearizers["all parts"].tag_column
    sentences = syntagma.read_treebank(arguments.data, tag_column)[: arguments.limit]
    unit = machine.Unit(arguments.unit_command)
    for condition in arguments.conditions:
        for variant, linearizer in linearizers.items():
            points = [
                measure(linearizer, sentences, condition, beam, unit) for beam in arguments.beams
            ]
            for point in points:
                point["signature"] += f"|variant:{variant}"
            record["series"].append({"label": variant, "condition": condition, "points": points})
    finish(arguments, record, tabulate(record))
    if arguments.plot:
        plots.fluency_against_beam(record, arguments.plot)


def parse_arguments() -> argparse.Namespace:
    parser = treebank_options(__doc__, ("none", "pos"))
    parser.add_argument("model", metavar="MODEL", help="a model with a language model (add-lm)")
    add_beam_options(parser, BEAMS)
    return parser.parse_args()


def variants(name: str) -> dict[str, syntagma.Linearizer]:
    """The model, and the model without some of its parts."""
    path = model_path(name)
    model = load_model(path)
    if model.language_model is None:
        raise ModelError(f"{path}: a model without a language model; give it one: syntagma add-lm")
    without_future_cost = WithoutFutureCost(
        model.language_model.language_model, model.language_model.balance
    )
    plain = replace(model, language_model=None)
    models = {
        "all parts": model,
        "no merging": unmerged(model),
        "no future cost": replace(model, language_model=without_future_cost),
        "no language model": plain,
        "none of them": unmerged(plain),  # the search of the papers
    }
    return {variant: syntagma.Linearizer(each, path) for variant, each in models.items()}


def unmerged(model: Model) -> Model:
    return replace(model, scorer=Unmerged(model.scorer))


def tabulate(record: dict[str, Any]) -> Table:
    series = record["series"]
    table = Table(
        title=f"{record['data']['name']}, {series[0]['points'][0]['sentences']} sentences",
        first="given, beam",
        groups=[(variant, ("BLEU", "÷ unit")) for variant in record["variants"]],
    )
    for condition in dict.fromkeys(each["condition"] for each in series):
        columns = [each["points"] for each in series if each["condition"] == condition]
        for points in zip(*columns, strict=True):
            name = f"{condition}, {points[0]['beam']}"
            table.rows.append([name, *chain.from_iterable(map(cells, points))])
    for each in series:
        units = {str(point["beam"]): point["units_ms"] for point in each["points"]}
        note = machine.units_note(units)
        table.notes.append(f"{each['condition']}, {each['label']}: {note}")
    signatures = [point["signature"] for each in series for point in each["points"]]
    table.notes.append(f"BLEU {joined_signature(signatures)}")
    return table


def cells(point: dict[str, Any]) -> list[str]:
    return [f"{point['bleu']:.2f}", machine.divided(point["cpu_ms"], point["units_ms"])]


if __name__ == "__main__":
    machine.start(main)
