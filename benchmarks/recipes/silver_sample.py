"""Picks sentences from machine-parsed treebanks, for pre-training.

    python benchmarks/recipes/silver_sample.py TREEBANK … --words N --output FILE

TREEBANK is CoNLL-U, as .xz, with a `# confidence` for each sentence: the mean log-probability of
the arc and label of a word. Of the sentences with at least --confidence and four words, evenly
spaced ones are taken, about as many words of each treebank.
"""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Iterator
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
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args()
    share = arguments.words / len(arguments.treebanks)
    with atomic_write(arguments.output, "w") as output:
        for treebank in arguments.treebanks:
            found = list(confident(treebank, arguments.confidence))
            step = max(1.0, sum(map(count_words, found)) / share)
            picked = [found[int(at * step)] for at in range(int(len(found) / step))]
            output.writelines(picked)
            words = sum(map(count_words, picked))
            print(f"{treebank.name}: {len(picked):,} of {len(found):,} sentences, {words:,} words")


def confident(treebank: Path, least: float) -> Iterator[str]:
    """The sentences of a treebank with at least this confidence, each with the empty line after
    it."""
    with lzma.open(treebank, "rt", encoding="utf-8") as lines:
        sentence: list[str] = []
        for line in lines:
            sentence.append(line)
            if line == "\n":
                text = "".join(sentence)
                if confidence(sentence) >= least and count_words(text) >= FEWEST:
                    yield text
                sentence = []


def confidence(sentence: list[str]) -> float:
    marked = (line for line in sentence if line.startswith(MARK))
    return float(next(marked).removeprefix(MARK))


def count_words(sentence: str) -> int:
    """The number of words of a sentence whose only comment is its confidence."""
    return sentence.count("\n") - 2


if __name__ == "__main__":
    main()
