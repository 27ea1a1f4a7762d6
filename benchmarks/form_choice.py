"""How many forms are right when nothing but the form chooser decides: with and without a language
model, and English *a* and *an* by themselves.

    python benchmarks/form_choice.py --model MODEL … --data TREEBANK [--input T1] [--limit N]

realizes the lemmas of a treebank, or the inputs of a shared task made of it (without hints on the
order), with the language model of each model, if it has one, and without. The upper bounds: in how
many cases the form of the treebank is among those proposed, and in how many the form chooser takes
it where the order is that of the treebank. *Ambiguous* words are those with several proposed forms;
the articles are the lemma *a* with the tag DT. Identical lemmas are interchangeable.

    python benchmarks/form_choice.py --train TREEBANK --language CODE --data TREEBANK

learns a form chooser alone and measures it in the order of the treebank: by neighbours in the tree
only, and by the words before and after, too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from records import Table, add_file_options, begin, finish

import syntagma
from syntagma.evaluation.realization import lemma_problems, pair, without_hints
from syntagma.formats.problems import read_problems
from syntagma.models.loading import load_model, model_path
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization.form_choice import FormContext
from syntagma.realization.realizer import Realizer, likeliest_first
from syntagma.realization.training import learn_realizer, neutral_forms
from syntagma.results.linearization import Linearization, Token
from syntagma.treebanks.treebank import Sentence

ARTICLE = ("a", "DT")
Item = tuple[str, str, str]  # lemma, tag, form in lower case


@dataclass(slots=True)
class Counts:
    """How many forms are right: of all words, of the ambiguous ones, of the articles."""

    right: Counter[str]
    total: Counter[str]

    def percent(self) -> dict[str, float]:
        return {name: 100 * self.right[name] / count for name, count in self.total.items() if count}


def main() -> None:
    arguments = parse_arguments()
    record: dict[str, Any] = {**begin(arguments), "figures": {}}
    for name in [arguments.train.name] if arguments.train else arguments.model:
        figures = measure_learned(arguments) if arguments.train else measure(name, arguments)
        record["figures"][str(name)] = {way: counts.percent() for way, counts in figures.items()}
        some = next(iter(figures.values()))
        record["words"] = dict(some.total)
    finish(arguments, record, tabulate(record))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--model", nargs="+", default=["en"], help="names or files (default: en)")
    parser.add_argument("--data", type=Path, required=True, help="the treebank to compare with")
    parser.add_argument("--input", type=Path, help="inputs of the shared task (T1) for it")
    parser.add_argument("--limit", type=int, metavar="N", help="only its first N sentences")
    parser.add_argument("--train", type=Path, help="a treebank to learn a form chooser from")
    parser.add_argument("--language", default="", metavar="CODE")
    parser.add_argument("--tag-column", choices=("xpos", "upos"), default="upos")
    add_file_options(parser)
    return parser.parse_args()


def measure(name: str, arguments: argparse.Namespace) -> dict[str, Counts]:
    """The counts of each way to choose forms."""
    path = model_path(name)
    model = load_model(path)
    if model.realizer is None:
        raise SystemExit(f"{name} has not learned to realize lemmas")
    tag_column = model.header["tag_column"]
    sentences = syntagma.read_treebank(arguments.data, tag_column)
    problems = lemma_problems(sentences)
    if arguments.input:
        inputs = list(read_problems(arguments.input, "conllu", tag_column, "shared task"))
        problems = [without_hints(problem) for problem in pair(inputs, sentences)]
    sentences, problems = sentences[: arguments.limit], problems[: arguments.limit]
    gold = [items(s.lemmas, s.tags, neutral_forms(s)) for s in sentences]
    ordered = [in_order(sentence) for sentence in sentences]
    proposed = [model.realizer.inflect(problem)[1] for problem in ordered]
    ambiguous = [
        Counter(item for item, choice in zip(found, choices, strict=True) if len(choice) > 1)
        for found, choices in zip(gold, proposed, strict=True)
    ]
    figures = {
        "the form is proposed": count(
            (
                [
                    item
                    for item, choice in zip(found, choices, strict=True)
                    if item[2] in {each.text.lower() for each in choice}
                ]
                for found, choices in zip(gold, proposed, strict=True)
            ),
            gold,
            ambiguous,
        ),
        "form chooser, order of the treebank": count(
            (chosen(model.realizer, problem) for problem in ordered), gold, ambiguous
        ),
    }
    for way, fluent in (("realize --no-lm", False), ("realize", True)):
        if fluent and model.language_model is None:
            continue
        linearizer = syntagma.Linearizer(
            model if fluent else replace(model, language_model=None), path
        )
        results = (linearizer.realize(problem) for problem in problems)
        figures[way] = count(
            (of_words(result.linearization.problem.words) for result in results), gold, ambiguous
        )
    return figures


def measure_learned(arguments: argparse.Namespace) -> dict[str, Counts]:
    """The counts of a form chooser that learns from a treebank, in the order of another."""
    learned = learn_realizer(
        syntagma.read_treebank(arguments.train, arguments.tag_column), arguments.language
    )
    sentences = syntagma.read_treebank(arguments.data, arguments.tag_column)[: arguments.limit]
    gold = [items(s.lemmas, s.tags, neutral_forms(s)) for s in sentences]
    ordered = [in_order(sentence) for sentence in sentences]
    ambiguous = [
        Counter(item for item, choice in zip(found, choices, strict=True) if len(choice) > 1)
        for found, choices in zip(gold, (learned.inflect(each)[1] for each in ordered), strict=True)
    ]
    ways = {
        "neighbours in the tree": replace(learned, context=FormContext({})),
        "neighbouring words, too": learned,
    }
    return {
        way: count((chosen(realizer, problem) for problem in ordered), gold, ambiguous)
        for way, realizer in ways.items()
    }


def in_order(sentence: Sentence) -> Problem:
    """The labelled tree of lemmas, its words in the order of the sentence."""
    fields = zip(
        *(sentence.lemmas, sentence.forms, sentence.tags, sentence.heads),
        *(sentence.deprels, sentence.features),
        strict=True,
    )
    return Problem(
        tuple(
            Word(lemma=lemma or form, tag=tag or None, head=head, deprel=deprel, features=features)
            for lemma, form, tag, head, deprel, features in fields
        )
    )


def chosen(realizer: Realizer, problem: Problem) -> list[Item]:
    """The forms that the form chooser takes in the order in which the words are listed."""
    inflected, alternatives = realizer.inflect(problem)
    tokens = [
        Token(word.form, word.tag or "", word.head or 0, word.deprel or "", source)
        for source, word in enumerate(inflected.words, start=1)
    ]
    found = Linearization(tuple(tokens), 0.0, inflected)
    return of_words(realizer.settle(found, likeliest_first(alternatives)).problem.words)


def of_words(words: Sequence[Word]) -> list[Item]:
    return items(
        [word.lemma or word.form for word in words],
        [word.tag or "" for word in words],
        [word.form for word in words],
    )


def items(lemmas: Sequence[str], tags: Sequence[str], forms: Sequence[str]) -> list[Item]:
    return [
        (lemma or form, tag, form.lower())
        for lemma, tag, form in zip(lemmas, tags, forms, strict=True)
    ]


def count(
    found: Iterable[Sequence[Item]],
    gold: Sequence[Sequence[Item]],
    ambiguous: Sequence[Counter[Item]],
) -> Counts:
    """Compare the forms of each sentence with those of the treebank."""
    counts = Counts(Counter(), Counter())
    for here, there, several in zip(found, gold, ambiguous, strict=True):
        right = Counter(here) & Counter(there)
        for name, wanted in (
            ("all", Counter(there)),
            ("ambiguous", several),
            ("a/an", Counter(item for item in there if (item[0].lower(), item[1]) == ARTICLE)),
        ):
            counts.total[name] += wanted.total()
            counts.right[name] += (right & wanted).total()
    return counts


def tabulate(record: dict[str, Any]) -> Table:
    words = record["words"]
    table = Table(
        f"right forms on {record['data']['name']}, in percent",
        "",
        [("words", [f"{name} ({number:,})" for name, number in words.items()])],
    )
    for model, ways in record["figures"].items():
        for way, percent in ways.items():
            table.rows.append(
                [f"{Path(model).stem}: {way}", *(f"{percent.get(n, 0):.2f}" for n in words)]
            )
    return table


if __name__ == "__main__":
    main()
