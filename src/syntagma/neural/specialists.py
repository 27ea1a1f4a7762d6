"""Several networks with one lexicon: one for trees, another for bags and partial trees.

A network that learns every condition sees few bags. One that was fine-tuned on bags and
partial trees is better at them. A second network for trees, which has learned apart from the first,
helps it to rerank (`scorer`). All share the lexicon, its tables and the vocabulary, which are most
of a model file; their dimensions may differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress

from syntagma.language_model._ngrams import NGramScorer
from syntagma.neural.lexicon import LEXICAL
from syntagma.neural.parameters import Floats
from syntagma.neural.scorer import NeuralScorer, RerankedSearch
from syntagma.transition._search import Search
from syntagma.transition.encoding import Encoding

SHARED = frozenset(f"tables.{table}" for table in LEXICAL)  # parameters that all have in common


class Specialists:
    """A scorer that leaves each problem to one of two networks."""

    batch = NeuralScorer.batch
    chooses_forms = NeuralScorer.chooses_forms
    max_words = NeuralScorer.max_words

    def __init__(self, trees: NeuralScorer, bags: NeuralScorer) -> None:
        self.trees = trees
        self.bags = bags
        self.lexicon = trees.lexicon
        self.vocabulary = trees.vocabulary
        self.lifts = trees.lifts

    def lift_scores(self, search: Search) -> Floats | None:
        return self.trees.lift_scores(search)  # the search has those of its own network

    def beam(self, is_tree: bool) -> int:
        return (self.trees if is_tree else self.bags).beam(is_tree)

    def searches(
        self,
        encodings: Sequence[Encoding],
        widths: Sequence[int],
        ngram_scorers: Sequence[NGramScorer | None],
        *,
        merging: bool = True,
    ) -> Iterator[RerankedSearch]:
        """A search over each problem; those of one network are encoded together."""
        trees = [encoding.is_tree for encoding in encodings]
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


def networks_of(scorer: NeuralScorer | Specialists) -> dict[str, NeuralScorer]:
    """The networks of a scorer, by what they are specialised in; a single one is `trees`."""
    if isinstance(scorer, Specialists):
        networks = {"trees": scorer.trees, "bags": scorer.bags}
    else:
        networks = {"trees": scorer}
    if (second := networks["trees"].second) is not None:
        networks["second"] = second
    return networks


def join_networks(networks: Mapping[str, NeuralScorer]) -> NeuralScorer | Specialists:
    """A scorer with these networks, the inverse of `networks_of`."""
    trees = networks["trees"]
    trees.second = networks.get("second")
    return Specialists(trees, networks["bags"]) if "bags" in networks else trees


def starting_network(scorer: NeuralScorer | Specialists, specialize: str) -> NeuralScorer:
    """The network that training starts from: the one that is specialised or, if there is none yet,
    the general network."""
    networks = networks_of(scorer)
    return networks.get(specialize, networks["trees"])


def own_parameters(parameters: Mapping[str, Floats]) -> dict[str, Floats]:
    """The parameters of a network that it does not share with another."""
    return {name: array for name, array in parameters.items() if name not in SHARED}
