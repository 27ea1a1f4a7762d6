"""A model for best-first search (ZC15): a vocabulary, a grammar and the weights of edge features.

The grammars are in `grammars`, the search in `strategy`, training in `training`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy.typing as npt

from syntagma.best_first._edges import Edges
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.grammars import EdgeGrammar, edge_grammar
from syntagma.features._weights import Weights
from syntagma.features.stored_weights import StoredWeights
from syntagma.features.templates import check_templates
from syntagma.transition.encoding import Encoding
from syntagma.transition.vocabulary import Vocabulary

MAX_CHART = 100_000


@dataclass(frozen=True, slots=True)
class EdgeModel:
    """Everything that best-first search needs."""

    header: dict[str, Any]
    vocabulary: Vocabulary
    grammar: EdgeGrammar
    weights: Weights

    max_words: ClassVar[int] = 2_000

    @property
    def chart(self) -> int:
        """How many edges the chart may hold."""
        return int(self.header["chart"])

    @property
    def scaled(self) -> bool:
        """Whether edges are ranked by f(e) / |e| instead of f(e)."""
        return bool(self.header["scaled"])

    def edges(self, encoding: Encoding) -> Edges:
        """The edges over a problem, scored with the weights of the model."""
        edges = self.grammar.edges(encoding)
        edges.use(self.weights)
        return edges


@dataclass(frozen=True, slots=True)
class StoredEdgeModel:
    """The weights of a model, and its CCG grammar if it has one, as a model file holds them."""

    SECTIONS: ClassVar[dict[str, frozenset[str]]] = {  # by name of the grammar
        "dependency": StoredWeights.SECTIONS,
        "ccg": StoredWeights.SECTIONS | CcgGrammar.SECTIONS,
    }

    weights: StoredWeights
    ccg: CcgGrammar | None = None

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.weights.to_arrays(), **(self.ccg.to_arrays() if self.ccg else {})}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> StoredEdgeModel:
        ccg = CcgGrammar.from_arrays(arrays) if arrays.keys() >= CcgGrammar.SECTIONS else None
        return cls(StoredWeights.from_arrays(arrays), ccg)

    def describe(self) -> dict[str, Any]:
        """What the header of a model file says about the weights and the grammar."""
        described = self.weights.describe()
        if self.ccg is not None:
            described |= {
                "categories": len(self.ccg.categories),
                "rules": len(self.ccg.binary) + len(self.ccg.unary),
            }
        return described

    def model(self, header: dict[str, Any], vocabulary: Vocabulary) -> EdgeModel:
        grammar = edge_grammar(vocabulary, self.ccg)
        check_templates(grammar.templates, header)
        return EdgeModel(header, vocabulary, grammar, self.weights.weights())
