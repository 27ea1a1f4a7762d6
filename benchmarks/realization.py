"""Realisation from lemmas: inflecting and ordering together, or one after the other.

    python benchmarks/realization.py --model MODEL --data TREEBANK [--input T1]

measures a model that realizes the lemmas of a treebank, or the inputs of a shared task made of it,
with and without their hints on word order. Another language is trained and measured by

    python benchmarks/realization.py --train TREEBANK --dev TREEBANK --data TREEBANK --model MODEL

which writes MODEL unless it exists: a network and a language model, both trained on TRAIN alone. An
interrupted run is resumed. A best-first model (trained by `syntagma train --search best-first
--realize`) is measured with

    python benchmarks/realization.py --search best-first --expansions N --model MODEL --data FILE

where a pipeline inflects first and orders afterwards. Times are CPU times on one thread; `order` is
measured on the same trees with the forms given. The gain of choosing forms and order jointly is
shown in BLEU (sacrebleu) with a paired bootstrap interval.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import machine
from records import Table, add_file_options, begin, finish, joined_signature
from samples import usual_tag_column

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.errors import ModelError, SyntagmaError
from syntagma.evaluation.realization import (
    compare,
    lemma_problems,
    pair,
    realization_settings,
    without_hints,
)
from syntagma.formats.problems import read_problems
from syntagma.models.loading import load_model, model_path
from syntagma.models.model import Model
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn, Word
from syntagma.realization.realizer import Alternatives
from syntagma.request import Request
from syntagma.results.linearization import Linearization
from syntagma.results.realization import Realization
from syntagma.transition.encoding import encode
from syntagma.treebanks.treebank import Sentence

DEFAULT = Request()
TUNING = 150  # sentences of DEV on which the language model weight is fitted


def main() -> None:
    arguments = parse_arguments()
    unit = machine.Unit(arguments.unit_command)
    if arguments.train:
        learn(arguments)
    path = model_path(arguments.model)
    model = load_model(path, search=arguments.search)
    linearizer = syntagma.Linearizer(model, path)
    budget = Request(search=linearizer.search, expansions=arguments.expansions)
    tag_column: TagColumn = model.header["tag_column"]
    sentences = syntagma.read_treebank(arguments.data, tag_column)
    inputs = read_inputs(arguments, sentences, tag_column)
    sentences = sentences[:: arguments.every][: arguments.limit]
    record = {**begin(arguments), "model": model.header["name"], "figures": {}}
    for name, problems in inputs.items():
        problems = problems[:: arguments.every][: arguments.limit]
        record["figures"][name] = measure(model, linearizer, problems, sentences, unit, budget)
    finish(arguments, record, tabulate(record))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", default="en", help="a name or a file (default: en)")
    parser.add_argument("--data", type=Path, required=True, help="the treebank to compare with")
    parser.add_argument("--input", type=Path, help="inputs of the shared task (T1) for it")
    parser.add_argument("--limit", type=int, metavar="N", help="only its first N sentences")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth of them")
    parser.add_argument("--search", choices=("beam", "best-first"), default="beam")
    parser.add_argument("--expansions", type=int, metavar="N", help="budget of best-first search")
    parser.add_argument("--train", type=Path, help="a treebank to learn MODEL from")
    parser.add_argument("--dev", type=Path, help="a treebank to choose the best epoch by")
    parser.add_argument("--epochs", type=int, default=30, metavar="N")
    parser.add_argument("--language", default="", metavar="CODE")
    parser.add_argument("--tag-column", choices=("xpos", "upos"), help="default: XPOS if there are")
    add_file_options(parser)
    machine.add_unit_option(parser)
    arguments = parser.parse_args()
    if bool(arguments.train) != bool(arguments.dev):
        parser.error("--train and --dev go together")
    if arguments.train and arguments.tag_column is None:
        arguments.tag_column = usual_tag_column(arguments.train)
    return arguments


def learn(arguments: argparse.Namespace) -> None:
    """Train a model that realizes labelled trees, with a language model, unless it exists."""
    output = Path(arguments.model)
    if output.exists():
        return
    network, language_model = output.with_suffix(".network"), output.with_suffix(".lm")
    if not network.exists():
        settings = syntagma.NeuralSettings(
            condition="labelled",
            realize=True,
            epochs=arguments.epochs,
            tag_column=arguments.tag_column,
        )
        with Ticker("learning") as ticker:
            syntagma.train(
                arguments.train,
                arguments.dev,
                network,
                settings=settings,
                name=output.stem,
                language=arguments.language,
                on_sentence=ticker.advance,
                on_epoch=lambda epoch: ticker.print(f"epoch {epoch.number}: {epoch.bleu}"),
            )
    syntagma.train_lm(
        [arguments.train],
        language_model,
        settings=syntagma.LanguageModelSettings(prune=(0, 0, 0, 0)),
    )
    dev = syntagma.read_treebank(arguments.dev, arguments.tag_column)
    syntagma.add_lm(network, language_model, dev[:: max(1, len(dev) // TUNING)], output)


def read_inputs(
    arguments: argparse.Namespace, sentences: Sequence[Sentence], tag_column: TagColumn
) -> dict[str, list[Problem]]:
    """The problems to be realized, by whether they have hints."""
    if arguments.input is None:
        return {"no hints": lemma_problems(sentences)}
    given = list(read_problems(arguments.input, "conllu", tag_column, "shared task"))
    problems = pair(given, sentences)
    return {"hints": problems, "no hints": [without_hints(problem) for problem in problems]}


def measure(
    model: Model,
    linearizer: syntagma.Linearizer,
    problems: Sequence[Problem],
    sentences: Sequence[Sentence],
    unit: machine.Unit,
    budget: Request,
) -> dict[str, Any]:
    """The figures of each way to realize the problems, with the machine units around it."""
    pipelines = Pipelines(model, budget)
    expansions = budget.expansions
    order: Callable[[Problem], Linearization] = partial(linearizer.order, expansions=expansions)
    ways: dict[str, Callable[[Problem], Linearization]] = {
        "joint": lambda problem: linearizer.realize(problem, expansions=expansions).linearization,
        "inflect, then order": pipelines.inflect_then_order,
        **(
            {"order, then inflect": pipelines.order_then_inflect}
            if model.search == "beam"  # the other cannot score a given order
            else {"inflect in the tree, then order": pipelines.inflect_in_tree_then_order}
        ),
        "order (forms given)": order,
    }
    references = [sentence.text.lower() for sentence in sentences]
    figures: dict[str, Any] = {}
    joint: list[str] = []
    for name, way in ways.items():
        given = problems
        if way == order:
            given = [with_forms(each, gold) for each, gold in zip(problems, sentences, strict=True)]

        def work(
            name: str = name,
            way: Callable[[Problem], Linearization] = way,
            given: Sequence[Problem] = given,
        ) -> tuple[list[Realization], float]:
            results = []
            started = time.process_time()
            with Ticker(name, total=len(given)) as ticker:
                for problem in given:
                    results.append(linearizer.spell(way(problem)))
                    ticker.advance()
            return results, time.process_time() - started

        (results, seconds), units = unit.around(work)
        settings = realization_settings(linearizer, given, sentences, budget)
        found = compare(results, sentences, seconds, {**settings, "variant": name})
        if found.violations:
            raise SystemExit(f"error: {name}: broken constraints: a bug")
        figures[name] = {**found.to_json(), "units_ms": units}
        words = [" ".join(result.words).lower() for result in results]
        if joint and given is problems:
            interval = syntagma.paired_bootstrap(words, joint, references)
            figures[name]["joint"] = [interval.difference, interval.low, interval.high]
        joint = joint or words
    return figures


def with_forms(problem: Problem, sentence: Sentence) -> Problem:
    """The problem with the forms of the sentence; identical lemmas are interchangeable."""
    forms: dict[tuple[str | None, str | None, str], list[str]] = {}
    for lemma, tag, features, form in zip(
        sentence.lemmas, sentence.tags, sentence.features, sentence.forms, strict=True
    ):
        forms.setdefault((lemma or form, tag, features), []).append(form)

    def filled(word: Word) -> Word:
        return replace(word, form=forms[word.lemma, word.tag, word.features or ""].pop())

    return replace(problem, words=tuple(map(filled, problem.words)))


class Pipelines:
    """The two ways to realize in two steps, with the same model."""

    def __init__(self, model: Model, budget: Request = DEFAULT) -> None:
        if model.realizer is None:
            raise ModelError(f"the model {model.header['name']} has not learned to realize lemmas")
        self._realizer = model.realizer
        self._vocabulary = model.vocabulary
        self._strategy = model.strategy()
        self._budget = budget

    def inflect_then_order(self, problem: Problem) -> Linearization:
        """Each lemma takes its likeliest form."""
        problem, alternatives = self._realizer.inflect(problem)
        first = [forms[:1] for forms in alternatives]
        return self._search(encode(problem, self._vocabulary, alternatives=first))

    def inflect_in_tree_then_order(self, problem: Problem) -> Linearization:
        """Each lemma takes the form that is likeliest among its neighbours in the tree; *a* and
        *an* are settled afterwards, as they are with the joint search."""
        problem, alternatives = self._realizer.inflect(problem)
        chosen = likeliest(alternatives)
        problem = problem.with_forms([forms[0].text for forms in chosen])
        encoding = encode(problem, self._vocabulary, alternatives=chosen)
        return self._realizer.settle(self._search(encoding), chosen, chosen=True)

    def order_then_inflect(self, problem: Problem) -> Linearization:
        """The order of the likeliest forms, then the best forms in that order."""
        order = self.inflect_then_order(problem).order
        problem, alternatives = self._realizer.inflect(problem)
        return self._search(encode(problem, self._vocabulary, order, alternatives))

    def _search(self, encoding: Any) -> Linearization:
        [found] = self._strategy.search([encoding], self._budget, 1)
        if isinstance(found, SyntagmaError):
            raise found
        return found[0]


def likeliest(alternatives: Alternatives) -> Alternatives:
    return tuple((max(several, key=lambda each: each.log_share),) for several in alternatives)


def tabulate(record: dict[str, Any]) -> Table:
    table = Table(
        f"{record['model']} on {record['data']['name']}",
        "",
        [
            ("words, lower-cased", ["BLEU", "joint gains (95%)", "NIST", "DIST", "right forms %"]),
            ("contractions as one token", ["BLEU"]),
            ("as written", ["BLEU", "exact %"]),
            ("time", ["ms", "÷ unit"]),
        ],
    )
    signatures: dict[str, list[str]] = {}
    for hints, ways in record["figures"].items():
        for name, figures in ways.items():
            table.rows.append(
                [
                    f"{hints}: {name}",
                    f"{figures['bleu']:.2f}",
                    "{:+.2f} ({:+.2f} to {:+.2f})".format(*figures["joint"])
                    if "joint" in figures
                    else "",
                    f"{figures['nist']:.2f}",
                    f"{figures['dist']:.2f}",
                    f"{figures['forms']:.2f}",
                    f"{figures['tokens']['bleu']:.2f}" if "tokens" in figures else "",
                    *written(figures),
                    f"{figures['cpu_ms']:.1f}",
                    machine.divided(figures["cpu_ms"], figures["units_ms"]),
                ]
            )
            for each in figures["signatures"]:
                signatures.setdefault(each.partition("|")[0], []).append(each)
    table.notes += map(joined_signature, signatures.values())
    return table


def written(figures: dict[str, Any]) -> tuple[str, str]:
    """BLEU and exact match of sentences as written; empty if the treebank does not say how."""
    if figures["written_bleu"] is None:
        return "", ""
    return f"{figures['written_bleu']:.2f}", f"{figures['exact']:.1f}"


if __name__ == "__main__":
    machine.start(main)
