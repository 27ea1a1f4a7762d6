"""Spans: how many spans of output trees are spans of the gold trees, and how long they are.

This is the comparison of Liu et al. 2015, §4.3. A tree is given as its words in order and their
heads, 1-based, 0 for a root; there may be several roots. Whole sentences are compared in
`evaluate`. Where all arcs are given, the order alone decides which trees are projective:
`compare_projectivity` measures projective and non-projective sentences separately, and how often
words were lifted correctly (`transition.lifting`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from syntagma.evaluation.bleu import kept_figures
from syntagma.problem.trees import least_lifting

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU


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
    scores = tuple(
        SpanScores(
            "all" if limit is None else f"<{limit}",
            *(_between(spans, 0, limit) for spans in (in_output, in_gold, right)),
        )
        for limit in _LIMITS
    )
    distribution = []
    for start, end in zip(_STARTS, (*_STARTS[1:], None), strict=True):
        single = end == start + 1
        name = f"{start}+" if end is None else f"{start}" if single else f"{start}-{end - 1}"
        counts = [_between(spans, start, end) for spans in (in_output, in_gold)]
        shares = map(_percent, counts, (in_output.total(), in_gold.total()))
        distribution.append(SpanShare(name, *counts, *shares))
    return SpanFigures(scores, tuple(distribution))


def _between(spans: Counter[int], start: int, end: int | None) -> int:
    """How many spans have at least `start` words and, if there is an `end`, fewer than `end`."""
    return sum(
        count for length, count in spans.items() if length >= start and (not end or length < end)
    )


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """BLEU and exact match in percent; None if there are no such sentences."""

    sentences: int
    bleu: float | None
    exact: float | None


@dataclass(frozen=True, slots=True)
class ProjectivityFigures:
    """Sentences whose gold order is projective, and others.

    `output` and `gold` count words that the order lifts, `right` those that both lift from the same
    head by the same number of steps. `output_sentences` are results that are not projective.
    """

    projective: SentenceGroup
    nonprojective: SentenceGroup
    output_sentences: int
    output: int
    gold: int
    right: int

    @property
    def sentences(self) -> int:
        return self.projective.sentences + self.nonprojective.sentences

    @property
    def output_share(self) -> float:
        """The percentage of results that are not projective."""
        return 100 * self.output_sentences / self.sentences

    @property
    def gold_share(self) -> float:
        """The percentage of sentences that are not projective."""
        return 100 * self.nonprojective.sentences / self.sentences

    @property
    def precision(self) -> float | None:
        return _percent(self.right, self.output)

    @property
    def recall(self) -> float | None:
        return _percent(self.right, self.gold)


def compare_projectivity(
    outputs: Sequence[str],
    references: Sequence[str],
    output_trees: Iterable[OrderedTree],
    gold_trees: Iterable[OrderedTree],
    metric: BLEU,
) -> ProjectivityFigures:
    """Compare results with gold sentences; trees are (forms, heads) in order."""
    found = [lifted_words(*tree) for tree in output_trees]
    wanted = [lifted_words(*tree) for tree in gold_trees]
    projective, nonprojective = (
        SentenceGroup(*kept_figures(outputs, references, keep, metric))
        for keep in ([not words for words in wanted], [bool(words) for words in wanted])
    )
    return ProjectivityFigures(
        projective=projective,
        nonprojective=nonprojective,
        output_sentences=sum(map(bool, found)),
        output=sum(words.total() for words in found),
        gold=sum(words.total() for words in wanted),
        right=sum((one & other).total() for one, other in zip(found, wanted, strict=True)),
    )


def lifted_words(forms: Sequence[str], heads: Sequence[int]) -> Counter[tuple[str, str, int]]:
    """The words that the least lifting of an order lifts: their forms, those of their heads, and
    the number of steps.

    >>> sorted(lifted_words(["What", "did", "you", "talk", "about", "?"], [5, 4, 4, 0, 4, 4]))
    [('What', 'about', 1)]
    """
    lifting = least_lifting(heads) or ()
    return Counter(
        (forms[at], forms[heads[at] - 1], steps) for at, steps in enumerate(lifting) if steps
    )
