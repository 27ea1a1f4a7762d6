"""How well trees of lemmas are aligned with raw sentences (ZC15 §5.7), where the truth is known.

    python benchmarks/alignment.py --data TREEBANK [--model MODEL] [--drop UPOS …] [--limit N]

strips the order from the trees of a UD treebank, aligns them with the text of their sentences by
the forms that the model's realizer proposes, and compares the places of the words with those in the
treebank. `--drop` leaves words without dependents out of the trees that have one of these UPOS
tags, as inputs without punctuation or function words do. A word is right if it is at its place, or
at that of a word with the same lemma, tag, features, head and label. Sentences whose words are not
spelled out in their text are left out; their number is shown.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from records import Table, add_file_options, begin, finish

import syntagma
from syntagma.models.loading import load_model, model_path
from syntagma.problem import trees
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization.alignment import align
from syntagma.realization.realizer import Realizer
from syntagma.treebanks.treebank import Sentence

Span = tuple[int, int]


def main() -> None:
    arguments = parse_arguments()
    model = load_model(model_path(arguments.model), search=None)
    if model.realizer is None:
        raise SystemExit(f"{arguments.model} has not learned to realize lemmas")
    tag_column = model.header["tag_column"]
    sentences = syntagma.read_treebank(arguments.data, tag_column)[: arguments.limit]
    coarse = syntagma.read_treebank(arguments.data, "upos")[: arguments.limit]
    counts: dict[str, dict[str, float]] = {}
    for dropped in dict.fromkeys([(), tuple(arguments.drop)]):
        for guess in (False, True):
            words = "all words" if not dropped else f"without {' '.join(dropped)}"
            name = f"{words}, {'other forms guessed' if guess else 'as ZC15'}"
            counts[name] = measure(model.realizer, sentences, coarse, dropped, guess)
    record: dict[str, Any] = {**begin(arguments), "figures": counts}
    finish(arguments, record, tabulate(record))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="a treebank with lemmas")
    parser.add_argument("--model", default="en", help="a name or a file (default: en)")
    parser.add_argument("--drop", nargs="*", default=["PUNCT", "DET"], metavar="UPOS")
    parser.add_argument("--limit", type=int, metavar="N", help="only its first N sentences")
    add_file_options(parser)
    return parser.parse_args()


def measure(
    realizer: Realizer,
    sentences: Sequence[Sentence],
    coarse: Sequence[Sentence],
    dropped: Sequence[str],
    guess: bool,
) -> dict[str, float]:
    """Sentences and words, and how many of them are aligned, and right; projective ones besides."""
    counts = dict.fromkeys(
        ("sentences", "aligned", "projective", "projective aligned", "words", "found", "right"), 0.0
    )
    counts["no spelling"] = 0
    started = time.process_time()
    for number, (sentence, tags) in enumerate(zip(sentences, coarse, strict=True)):
        truth = spans_of(sentence)
        if truth is None:
            counts["no spelling"] += 1
            continue
        left = [
            place
            for place, tag in enumerate(tags.tags)
            if tag not in dropped or place + 1 in sentence.heads or not sentence.heads[place]
        ]
        Random(number).shuffle(left)
        problem = shuffled_tree(sentence, left)
        gold = [truth[place] for place in left]
        projective = trees.is_projective(sentence.heads)
        found = align(problem, sentence.written, realizer, guess=guess)
        counts["sentences"] += 1
        counts["words"] += len(left)
        counts["projective"] += projective
        if found is not None:
            counts["aligned"] += 1
            counts["projective aligned"] += projective
            counts["found"] += len(left)
            counts["right"] += count_right(problem, found.spans, gold)
    counts["cpu ms"] = 1000 * (time.process_time() - started) / max(1, counts["sentences"])
    return counts


def shuffled_tree(sentence: Sentence, left: Sequence[int]) -> Problem:
    """The labelled tree of the lemmas at these places, listed in this order."""
    number = {place + 1: new for new, place in enumerate(left, start=1)} | {0: 0}
    return Problem(
        tuple(
            Word(
                lemma=sentence.lemmas[place] or sentence.forms[place],
                tag=sentence.tags[place] or None,
                head=number[sentence.heads[place]],
                deprel=sentence.deprels[place],
                features=sentence.features[place],
            )
            for place in left
        )
    )


def spans_of(sentence: Sentence) -> list[Span] | None:
    """Where the words stand in the text; None if they are not spelled out there."""
    spans, end = [], 0
    for form in sentence.forms:
        start = end
        while sentence.written[start : start + 1].isspace():
            start += 1
        end = start + len(form)
        if sentence.written[start:end] != form:
            return None
        spans.append((start, end))
    return spans


def count_right(problem: Problem, found: Sequence[Span], gold: Sequence[Span]) -> int:
    """How many words are where they, or their likes, are in the treebank."""
    alike: dict[object, list[Span]] = {}
    for word, span in zip(problem.words, gold, strict=True):
        alike.setdefault(word, []).append(span)
    right = 0
    for word, span in zip(problem.words, found, strict=True):
        if span in alike[word]:
            alike[word].remove(span)
            right += 1
    return right


def tabulate(record: dict[str, Any]) -> Table:
    table = Table(
        f"lemma trees of {record['data']['name']} aligned with its text",
        "",
        [
            ("sentences", ["number", "aligned %", "projective ones %"]),
            ("words", ["number", "right %", "right % of the aligned"]),
            ("", ["ms"]),
        ],
    )
    for name, counts in record["figures"].items():
        table.rows.append(
            [
                name,
                f"{counts['sentences']:,.0f}",
                f"{100 * counts['aligned'] / counts['sentences']:.2f}",
                f"{100 * counts['projective aligned'] / counts['projective']:.2f}",
                f"{counts['words']:,.0f}",
                f"{100 * counts['right'] / counts['words']:.2f}",
                f"{100 * counts['right'] / counts['found']:.2f}",
                f"{counts['cpu ms']:.1f}",
            ]
        )
        left_out = f"{counts['no spelling']:.0f} sentences are not spelled out in their text"
        if left_out not in table.notes:
            table.notes.append(left_out)
    return table


if __name__ == "__main__":
    main()
