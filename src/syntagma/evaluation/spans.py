"""Spans: how many spans of output trees are spans of the gold trees, and how long they are.

This is the comparison of Liu et al. 2015, §4.3. A tree is given as its words in order and their
heads, 1-based, 0 for a root; there may be several roots. Whole sentences are compared in
`evaluate`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

OrderedTree = tuple[Sequence[str], Sequence[int]]

# Table 4: upper bounds of the span length, exclusive; None for all spans.
_LIMITS = (5, 10, 15, 30, None)
# Figure 9: the shortest length of each class; the last class is open.
_STARTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30)


@dataclass(frozen=True, slots=True)
class SpanScores:
    """How many spans of a length class there are and how many are right.

    A percentage of nothing is None.
    """

    length: str
    output: int
    gold: int
    right: int

    @property
    def precision(self) -> float | None:
        """The percentage of the output's spans that are right."""
        return _percent(self.right, self.output)

    @property
    def recall(self) -> float | None:
        """The percentage of the gold spans that are found."""
        return _percent(self.right, self.gold)

    @property
    def f(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return _percent(2 * self.right, self.output + self.gold)


@dataclass(frozen=True, slots=True)
class SpanShare:
    """How many spans a length class has, and their percentage of all spans."""

    length: str
    output: int
    gold: int
    output_share: float | None
    gold_share: float | None


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """Scores by maximal span length (Table 4), and the distribution of lengths (Figure 9)."""

    scores: tuple[SpanScores, ...]
    distribution: tuple[SpanShare, ...]


def treelets(words: Sequence[str], heads: Sequence[int]) -> list[tuple[str, ...]]:
    """The span of every word with dependents: the words of its subtree in order.

    >>> treelets(["a", "cat", "sleeps", "now"], [2, 3, 0, 3])
    [('a', 'cat'), ('a', 'cat', 'sleeps', 'now')]
    """
    subtrees: list[list[str]] = [[] for _ in words]
    for position, word in enumerate(words, start=1):
        ancestor = position
        while ancestor:
            subtrees[ancestor - 1].append(word)
            ancestor = heads[ancestor - 1]
    return [tuple(subtree) for subtree in subtrees if len(subtree) > 1]


def compare_spans(outputs: Iterable[OrderedTree], golds: Iterable[OrderedTree]) -> SpanFigures:
    """The figures of the spans of all outputs; a span is right if the gold tree also has it.

    Spans are the same if they have the same words in the same order. A span that occurs several
    times counts as right as often as both trees have it.
    """
    in_output: Counter[int] = Counter()
    in_gold: Counter[int] = Counter()
    right: Counter[int] = Counter()
    for output, gold in zip(outputs, golds, strict=True):
        output_spans, gold_spans = Counter(treelets(*output)), Counter(treelets(*gold))
        for by_length, spans in (
            (in_output, output_spans),
            (in_gold, gold_spans),
            (right, output_spans & gold_spans),
        ):
            for span, count in spans.items():
                by_length[len(span)] += count
    return SpanFigures(
        tuple(_scores(in_output, in_gold, right)), tuple(_distribution(in_output, in_gold))
    )


def _scores(
    in_output: Counter[int], in_gold: Counter[int], right: Counter[int]
) -> Iterator[SpanScores]:
    for limit in _LIMITS:
        counts = (_between(spans, 0, limit) for spans in (in_output, in_gold, right))
        yield SpanScores("all" if limit is None else f"<{limit}", *counts)


def _distribution(in_output: Counter[int], in_gold: Counter[int]) -> Iterator[SpanShare]:
    for start, end in zip(_STARTS, (*_STARTS[1:], None), strict=True):
        output, gold = (_between(spans, start, end) for spans in (in_output, in_gold))
        yield SpanShare(
            _name(start, end),
            output,
            gold,
            _percent(output, in_output.total()),
            _percent(gold, in_gold.total()),
        )


def _between(spans: Counter[int], start: int, end: int | None) -> int:
    """How many spans have at least `start` words and, if there is an `end`, fewer than `end`."""
    return sum(
        count for length, count in spans.items() if length >= start and (not end or length < end)
    )


def _name(start: int, end: int | None) -> str:
    if end is None:
        return f"{start}+"
    return f"{start}" if end == start + 1 else f"{start}-{end - 1}"


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
