"""A visit of a sentence from its lemmas, as learners that choose forms see it.

`realization.training` makes them; the words of a visit are listed in the order of the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative
from syntagma.treebanks.treebank import Sentence


@dataclass(frozen=True, slots=True)
class InflectedVisit:
    """The problem with each lemma in its likeliest form, the forms that each word may take, and
    the index of the one that it has in the sentence."""

    problem: Problem
    alternatives: Sequence[Sequence[Alternative]]
    chosen: Sequence[int]


# Turns the problem that a sentence poses into one of its lemmas.
InflectVisit = Callable[[Sentence, Problem], InflectedVisit]
