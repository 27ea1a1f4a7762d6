"""Two networks with one lexicon: one for trees, the other for bags and partial trees.

A network that has learned every condition stands between them: what it knows of trees takes room
from what it knows of bags. Networks that have gone on with one kind of problem each are better at
it. They share the lexicon, its tables and the vocabulary, which are most of a model file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
        chosen = [self.specialist(encoding.problem) for encoding in encodings]
        problems = list(zip(encodings, widths, ngram_scorers, strict=True))
        opened = {}
        for network in (self.trees, self.bags):
            its_own = [each for each, its in zip(problems, chosen, strict=True) if its is network]
            if its_own:
                its_encodings, its_widths, its_scorers = zip(*its_own, strict=True)
                opened[id(network)] = network.searches(
                    its_encodings, its_widths, its_scorers, merging=merging
                )
        for network in chosen:
            yield next(opened[id(network)])

    def mean(self) -> NeuralScorer:
        """The network halfway between the two, which again knows every condition."""
        trees, bags = self.trees.parameters(), self.bags.parameters()
        halfway = {name: np.float32(0.5) * (array + bags[name]) for name, array in trees.items()}
        return NeuralScorer.from_parameters(self.dimensions, self.lexicon, self.vocabulary, halfway)


def own_parameters(parameters: Mapping[str, Floats]) -> dict[str, Floats]:
    """The parameters of a network that it does not share with another."""
    return {name: array for name, array in parameters.items() if name not in SHARED}
