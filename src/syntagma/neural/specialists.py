"""Two networks with one lexicon: one for trees, the other for bags and partial trees.

A network that learns every condition sees few bags. One that has gone on with bags and partial
trees alone is better at them. The two share the lexicon, its tables and the vocabulary, which are
most of a model file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress

import numpy as np

from syntagma.language_model._ngrams import NGramScorer
from syntagma.neural.lexicon import LEXICAL
from syntagma.neural.parameters import Floats
from syntagma.neural.scorer import NeuralScorer, RerankedSearch, is_tree
from syntagma.problem.problem import Problem
from syntagma.transition._search import Search
from syntagma.transition.encoding import Encoding

SHARED = frozenset(f"tables.{table}" for table in LEXICAL)  # parameters that both have in common


class Specialists:
    """A scorer that leaves each problem to one of two networks."""

    batch = NeuralScorer.batch
    chooses_forms = NeuralScorer.chooses_forms
    max_words = NeuralScorer.max_words

    def __init__(self, trees: NeuralScorer, bags: NeuralScorer) -> None:
        self.trees = trees
        self.bags = bags
        self.dimensions = trees.dimensions
        self.lexicon = trees.lexicon
        self.vocabulary = trees.vocabulary
        self.lifts = trees.lifts

    def specialist(self, problem: Problem) -> NeuralScorer:
        """The network for a problem: whether all arcs are given decides."""
        return self.trees if is_tree(problem) else self.bags

    def lift_scores(self, search: Search) -> Floats | None:
        return self.trees.lift_scores(search)  # the search has those of its own network

    def beam(self, problem: Problem) -> int:
        return self.specialist(problem).beam(problem)

    def searches(
        self,
        encodings: Sequence[Encoding],
        widths: Sequence[int],
        ngram_scorers: Sequence[NGramScorer | None],
        *,
        merging: bool = True,
    ) -> Iterator[RerankedSearch]:
        """A search over each problem; those of one network are encoded together."""
        trees = [is_tree(encoding.problem) for encoding in encodings]
        others = [not each for each in trees]
        opened = {
            kind: network.searches(
                list(compress(encodings, chosen)),
                list(compress(widths, chosen)),
                list(compress(ngram_scorers, chosen)),
                merging=merging,
            )
            for kind, network, chosen in ((True, self.trees, trees), (False, self.bags, others))
        }
        for kind in trees:
            yield next(opened[kind])

    def mean(self) -> NeuralScorer:
        """The network halfway between the two, which again knows every condition."""
        trees, bags = self.trees.parameters(), self.bags.parameters()
        halfway = {name: np.float32(0.5) * (array + bags[name]) for name, array in trees.items()}
        return NeuralScorer.from_parameters(self.dimensions, self.lexicon, self.vocabulary, halfway)


def own_parameters(parameters: Mapping[str, Floats]) -> dict[str, Floats]:
    """The parameters of a network that it does not share with another."""
    return {name: array for name, array in parameters.items() if name not in SHARED}
