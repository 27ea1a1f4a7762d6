"""Projective and non-projective sentences apart, and how often words were lifted rightly.

What a lifting is: `transition.lifting`. Everything is measured where all arcs are given: only then
is the order the one thing that makes a tree projective or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from syntagma.evaluation.bleu import exact_match
from syntagma.evaluation.spans import OrderedTree
from syntagma.problem.trees import least_lifting

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU


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
        return 100 * self.right / self.output if self.output else None

    @property
    def recall(self) -> float | None:
        return 100 * self.right / self.gold if self.gold else None


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

    def group(keep: list[bool]) -> SentenceGroup:
        kept, golds = list(compress(outputs, keep)), list(compress(references, keep))
        if not kept:
            return SentenceGroup(0, None, None)
        bleu = float(metric.corpus_score(kept, [golds]).score)
        return SentenceGroup(len(kept), bleu, exact_match(kept, golds))

    return ProjectivityFigures(
        projective=group([not words for words in wanted]),
        nonprojective=group([bool(words) for words in wanted]),
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
