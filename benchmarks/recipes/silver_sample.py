"""Picks sentences from machine-parsed treebanks, for pre-training.

    python benchmarks/recipes/silver_sample.py TREEBANK … --words N --output FILE [--output FILE]

TREEBANK is CoNLL-U, as .xz, with a `# confidence` for each sentence: the mean log-probability of
the arc and label of a word. Of the sentences with at least --confidence and four words that are
not in --without, evenly spaced ones are taken, about as many words of each treebank, all of a
treebank that has too few. Several outputs get the sentences in turn.
"""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from syntagma.files.writing import atomic_write

MARK = "# confidence ="
FEWEST = 4  # words of a sentence


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("treebanks", nargs="+", type=Path, metavar="TREEBANK")
    parser.add_argument("--words", type=int, required=True, metavar="N", help="of all together")
    parser.add_argument(
        "--confidence", type=float, default=-0.1, metavar="X", help="at least (default: -0.1)"
    )
    parser.add_argument("--without", type=Path, metavar="FILE", help="an earlier sample")
    parser.add_argument("--output", type=Path, required=True, action="append", metavar="FILE")
    arguments = parser.parse_args()
    share = arguments.words / len(arguments.treebanks)
    earlier = set(sentences_of(arguments.without.open())) if arguments.without else set()
    with ExitStack() as files:
        outputs = [files.enter_context(atomic_write(path, "w")) for path in arguments.output]
        for treebank in arguments.treebanks:
            found = [s for s in confident(treebank, arguments.confidence) if s not in earlier]
            step = max(1.0, sum(map(count_words, found)) / share)
            picked = [found[int(at * step)] for at in range(int(len(found) / step))]
            for number, output in enumerate(outputs):
                output.writelines(picked[number :: len(outputs)])
            words = sum(map(count_words, picked))
            print(f"{treebank.name}: {len(picked):,} of {len(found):,} sentences, {words:,} words")


def confident(treebank: Path, least: float) -> Iterator[str]:
    """The sentences of a treebank with at least this confidence, each with the empty line after
    it."""
    with lzma.open(treebank, "rt", encoding="utf-8") as lines:
        for sentence in sentences_of(lines):
            if confidence(sentence) >= least and count_words(sentence) >= FEWEST:
                yield sentence


def sentences_of(lines: Iterable[str]) -> Iterator[str]:
    """The text of each sentence, with the empty line after it."""
    sentence: list[str] = []
    for line in lines:
        sentence.append(line)
        if line == "\n":
            yield "".join(sentence)
            sentence = []


def confidence(sentence: str) -> float:
    marked = (line for line in sentence.split("\n") if line.startswith(MARK))
    return float(next(marked).removeprefix(MARK))


def count_words(sentence: str) -> int:
    """The number of words of a sentence whose only comment is its confidence."""
    return sentence.count("\n") - 2


if __name__ == "__main__":
    main()
