"""How well plain text is split into the sentences and words of a treebank.

    python benchmarks/tokenization.py TREEBANK [--text TEXT]

Words and sentences count as right if they cover the same characters as those of the treebank,
ignoring white space and after normalisation of quotes and dashes. Paragraphs begin at `# newdoc`
and `# newpar`; their sentences are joined by a space. TEXT, one paragraph per line, is used only to
measure speed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from pathlib import Path

import machine

from syntagma.errors import FormatError
from syntagma.files.reading import open_text
from syntagma.formats.conllu import FORM, Block, read_blocks
from syntagma.formats.tokenization import normalize, sentences, words


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    words: tuple[str, ...]
    begins_paragraph: bool


@dataclass(slots=True)
class Spans:
    """How many spans of characters the treebank has, the tokenizer has, and both have."""

    gold: int = 0
    found: int = 0
    right: int = 0

    def add(self, gold: Iterable[str], found: Iterable[str]) -> bool:
        """Count the spans of two segmentations of the same characters; return whether all agree."""
        gold_spans, found_spans = set(spans(gold)), set(spans(found))
        self.gold += len(gold_spans)
        self.found += len(found_spans)
        self.right += len(gold_spans & found_spans)
        return gold_spans == found_spans

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.gold + self.found) if self.right else 0.0

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.2%}  recall {self.recall:.2%}  F1 {self.f1:.2%}"
            f"  ({self.gold} in the treebank)"
        )


@dataclass(slots=True)
class Figures:
    words: Spans
    sentences: Spans
    compared: int = 0
    exact: int = 0
    incomparable: int = 0  # the words differ from the text in characters


def main() -> None:
    arguments = parse_arguments()
    figures = measure(read_sentences(arguments.treebank))
    if not figures.compared:
        raise SystemExit(f"error: {arguments.treebank}: no sentence with a '# text' of its words")
    print(f"words      {figures.words}")
    print(f"sentences  {figures.sentences}")
    print(f"sentences with all words right: {figures.exact / figures.compared:.2%}")
    print(f"sentences left out, whose words differ from their text: {figures.incomparable}")
    if arguments.text:
        count, seconds = split_time(arguments.text, arguments.limit)
        print(
            f"{arguments.text.name}: {count} words, {count / seconds:,.0f} per second of CPU time"
        )


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("treebank", type=Path, help="a treebank in CoNLL-U, with '# text'")
    parser.add_argument("--text", type=Path, metavar="FILE", help="measure the speed on this text")
    parser.add_argument("--limit", type=int, metavar="N", help="only its first N lines")
    return parser.parse_args()


def read_sentences(path: Path) -> Iterator[Sentence]:
    """The sentences with a text; a sentence without one ends its paragraph."""
    begins_paragraph = True
    for block in read_blocks(open_text(path), str(path)):
        if isinstance(block, FormatError):
            raise block
        begins_paragraph |= any(
            comment[1:].lstrip().startswith(("newdoc", "newpar")) for comment in block.comments
        )
        text = text_of(block)
        if text is not None:
            yield Sentence(text, tuple(row[FORM] for row in block.rows), begins_paragraph)
        begins_paragraph = text is None


def text_of(block: Block) -> str | None:
    for comment in block.comments:
        key, _, value = comment[1:].partition("=")
        if key.strip() == "text":
            return value.strip()
    return None


def measure(treebank: Iterable[Sentence]) -> Figures:
    figures = Figures(Spans(), Spans())
    paragraph: list[str] = []
    for sentence in treebank:
        if sentence.begins_paragraph:
            add_paragraph(figures, paragraph)
            paragraph = []
        paragraph.append(sentence.text)
        gold = [characters(word) for word in sentence.words]
        if "".join(gold) != characters(sentence.text):
            figures.incomparable += 1
            continue
        figures.compared += 1
        figures.exact += figures.words.add(gold, words(sentence.text))
    add_paragraph(figures, paragraph)
    return figures


def add_paragraph(figures: Figures, paragraph: list[str]) -> None:
    found = ["".join(sentence) for sentence in sentences(" ".join(paragraph))]
    figures.sentences.add(map(characters, paragraph), found)


def characters(text: str) -> str:
    """A text without white space, normalised."""
    return "".join(normalize(text).split())


def spans(parts: Iterable[str]) -> Iterator[tuple[int, int]]:
    return pairwise(accumulate(map(len, parts), initial=0))


def split_time(path: Path, limit: int | None) -> tuple[int, float]:
    """The number of words of a text and the CPU seconds to split it, without reading."""
    count, seconds = 0, 0.0
    for line in islice(open_text(path), limit):
        if isinstance(line, FormatError):
            raise line
        started = time.thread_time()
        split = sentences(line)
        seconds += time.thread_time() - started
        count += sum(map(len, split))
    return count, seconds


if __name__ == "__main__":
    machine.start(main)
