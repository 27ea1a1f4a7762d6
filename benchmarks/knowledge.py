"""What a little knowledge buys where words are many: long bags with some hints each.

    python benchmarks/knowledge.py en --data TREEBANK

Sentences of more than 20 words, shuffled. Each line of the table gives something else: the first
and the last word, noun phrases that stay together, tags, a few arcs, and combinations of them.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import machine
from records import Table, add_file_options, begin, finish

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.evaluation.bleu import bleu, paired_bootstrap
from syntagma.problem.problem import Problem
from syntagma.results.linearization import violations
from syntagma.treebanks.conditions import Condition, constrain, sentence_rng
from syntagma.treebanks.treebank import Sentence

SEED = 1
NOUNS = ("NOUN", "PROPN")
IN_NOUN_PHRASE = ("det", "amod", "compound", "nummod", "nmod:poss", "flat")
ARGUMENTS = ("nsubj", "obj", "iobj", "nsubj:pass", "csubj", "xcomp", "ccomp")


def words_only(sentence: Sentence, rng: random.Random) -> Problem:
    return constrain(sentence, Condition("", tags=0, arcs=0), rng)


def tags(sentence: Sentence, rng: random.Random) -> Problem:
    return constrain(sentence, Condition("", tags=1, arcs=0), rng)


def ends(sentence: Sentence, rng: random.Random, *, tags: float = 0) -> Problem:
    """First and last word are known; the last is often a full stop."""
    problem = constrain(sentence, Condition("", tags=tags, arcs=0), rng)
    forms = [word.form for word in problem.words]
    first = forms.index(sentence.forms[0]) + 1
    last = len(forms) - forms[::-1].index(sentence.forms[-1])
    return problem if first == last else replace(problem, first=first, last=last)


def noun_phrases(sentence: Sentence, rng: random.Random, *, tags: float = 0) -> Problem:
    return constrain(join_noun_phrases(sentence), Condition("", tags=tags, arcs=0), rng)


def phrases_and_ends(sentence: Sentence, rng: random.Random) -> Problem:
    return ends(join_noun_phrases(sentence), rng, tags=1)


def arcs(share: float, *, tags: float = 1) -> Callable[[Sentence, random.Random], Problem]:
    def given(sentence: Sentence, rng: random.Random) -> Problem:
        return constrain(sentence, Condition("", tags=tags, arcs=share), rng)

    return given


def arguments_of_verbs(sentence: Sentence, rng: random.Random) -> Problem:
    """Who does what to whom: arcs to subjects, objects and clauses, with their labels."""
    problem = constrain(sentence, Condition("", tags=0, arcs=1, labelled=True), rng)
    words = [
        word if word.deprel in ARGUMENTS else replace(word, head=None, deprel=None)
        for word in problem.words
    ]
    return replace(problem, words=tuple(words))


GIVEN: dict[str, Callable[[Sentence, random.Random], Problem]] = {
    "words only": words_only,
    "first and last word": ends,
    "tags": tags,
    "noun phrases together": noun_phrases,
    "subjects, objects, clauses": arguments_of_verbs,
    "a tenth of the arcs": arcs(0.1, tags=0),
    "a quarter of the arcs": arcs(0.25, tags=0),
    "tags, noun phrases": lambda sentence, rng: noun_phrases(sentence, rng, tags=1),
    "tags, noun phrases, first and last word": phrases_and_ends,
    "tags, a tenth of the arcs": arcs(0.1),
    "tags, a quarter of the arcs": arcs(0.25),
    "tags, half of the arcs": arcs(0.5),
    "tags, all arcs": arcs(1),
}


def join_noun_phrases(sentence: Sentence) -> Sentence:
    """The sentence with each noun and the words directly before it that belong to it as one word,
    as long as nothing outside depends on them."""
    size = len(sentence)
    dependents = [0] * (size + 1)
    for head in sentence.heads:
        dependents[head] += 1
    unit_of = list(range(size))  # by word, the head of its phrase
    upos = sentence.upos or sentence.tags
    for noun in range(size):
        if upos[noun] not in NOUNS or unit_of[noun] != noun:
            continue
        at = noun - 1
        while (
            at >= 0
            and sentence.heads[at] == noun + 1
            and not dependents[at + 1]
            and sentence.deprels[at] in IN_NOUN_PHRASE
        ):
            unit_of[at] = noun
            at -= 1
    heads = sorted(set(unit_of))
    number = {noun: at for at, noun in enumerate(heads, start=1)}
    members = [[word for word in range(size) if unit_of[word] == noun] for noun in heads]
    above = [sentence.heads[noun] for noun in heads]
    return Sentence(
        forms=tuple(" ".join(sentence.forms[word] for word in each) for each in members),
        tags=tuple(sentence.tags[noun] for noun in heads),
        heads=tuple(number[unit_of[head - 1]] if head else 0 for head in above),
        deprels=tuple(sentence.deprels[noun] for noun in heads),
        id=sentence.id,
        upos=tuple(sentence.upos[noun] for noun in heads) if sentence.upos else (),
    )


def main() -> None:
    arguments = parse_arguments()
    linearizer = syntagma.load(arguments.model)
    treebank = syntagma.read_treebank(arguments.data, linearizer.tag_column)
    numbered = [
        (number, sentence)
        for number, sentence in enumerate(treebank)
        if len(sentence) >= arguments.least
    ][: arguments.limit]
    if not numbered:
        raise SystemExit(f"error: no sentence has {arguments.least} words or more")
    unit = machine.Unit(arguments.unit_command)
    outputs: dict[str, list[str]] = {}
    record: dict[str, Any] = {
        **begin(arguments),
        "model": linearizer.info.header.get("name", "-"),
        "least": arguments.least,
        "sentences": len(numbered),
        "given": {},
    }
    for name in GIVEN:
        work = partial(measure, linearizer, numbered, name)
        (outputs[name], figures), units = unit.around(work)
        record["given"][name] = {
            **figures,
            **compared(outputs, name, [sentence.text for _, sentence in numbered]),
            "units_ms": units,
        }
    finish(arguments, record, table(record))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="a treebank in CoNLL-U")
    parser.add_argument("--limit", type=int, metavar="N", help="its first N long sentences only")
    parser.add_argument("model", nargs="?", default="en", metavar="MODEL", help="default: en")
    parser.add_argument(
        "--least", type=int, default=21, metavar="N", help="words of a sentence (default: 21)"
    )
    add_file_options(parser)
    machine.add_unit_option(parser)
    return parser.parse_args()


def measure(
    linearizer: syntagma.Linearizer, numbered: Sequence[tuple[int, Sentence]], name: str
) -> tuple[list[str], dict[str, float]]:
    """The outputs with something given, and their figures."""
    problems = [GIVEN[name](sentence, sentence_rng(SEED, number)) for number, sentence in numbered]
    outputs = []
    started = process_time()
    with Ticker(name, total=len(problems)) as ticker:
        for problem in problems:
            found = linearizer.order(problem)
            if violations(found):
                raise SystemExit(f"error: {problem.id}: broken constraints: a bug")
            outputs.append(found.text)
            ticker.advance()
    seconds = process_time() - started
    gold = [sentence.text for _, sentence in numbered]
    exact = sum(output == text for output, text in zip(outputs, gold, strict=True))
    return outputs, {
        "bleu": bleu(outputs, gold),
        "exact": 100 * exact / len(gold),
        "cpu_ms": 1000 * seconds / len(gold),
    }


def compared(outputs: dict[str, list[str]], name: str, gold: Sequence[str]) -> dict[str, Any]:
    """What it gains over words only, with its interval."""
    first = next(iter(outputs))
    if name == first:
        return {}
    gain = paired_bootstrap(outputs[first], outputs[name], gold)
    return {"gain": gain.difference, "low": gain.low, "high": gain.high}


def table(record: dict[str, Any]) -> Table:
    rows: list[Sequence[str]] = []
    for name, figures in record["given"].items():
        gain = ""
        if "gain" in figures:
            gain = "{gain:+.1f} ({low:+.1f} to {high:+.1f})".format(**figures)
        time = machine.divided(figures["cpu_ms"], figures["units_ms"])
        rows.append([name, f"{figures['bleu']:.1f}", gain, f"{figures['exact']:.1f}", time])
    return Table(
        f"{record['data']['name']}: {record['sentences']} sentences of {record['least']} words and "
        f"more, model {record['model']}",
        "given",
        [("", ["BLEU", "gain (95%)", "exact %", "time ÷ unit"])],
        rows,
        ["noun phrases: a noun and the words directly before it that belong to it"],
    )


if __name__ == "__main__":
    machine.start(main)
