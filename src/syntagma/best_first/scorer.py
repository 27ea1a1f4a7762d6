"""The scorer of best-first search (ZC15): a grammar and the weights of edge features.

The grammars are in `grammars`, the search in `strategy`, training in `training`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy.typing as npt

from syntagma.best_first._edges import Edges
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.fluency import find_junctions, fluency_templates
from syntagma.best_first.grammars import EdgeGrammar, edge_grammar
from syntagma.errors import not_a_model
from syntagma.features._sparse import TemplateTable, Weights, check_templates
from syntagma.features.stored_weights import StoredWeights, weight_sections
from syntagma.language_model.packed import LanguageModel
from syntagma.request import SearchName
from syntagma.transition.encoding import Encoding
from syntagma.transition.vocabulary import Vocabulary

MAX_CHART = 100_000


@dataclass(frozen=True, slots=True)
class EdgeScorer:
    """A grammar, the weights of its edges' features, and how they are searched.

    The chart holds at most `chart` edges, `by_size` as many for each number of words; if `scaled`,
    edges are ranked by f(e) / |e| instead of f(e).
    """

    grammar: EdgeGrammar
    weights: Weights
    chart: int
    scaled: bool
    by_size: bool = False
    fluency: TemplateTable | None = None  # of models with features of a language model

    max_words: ClassVar[int] = 2_000

    def edges(self, encoding: Encoding, language_model: LanguageModel | None = None) -> Edges:
        """The edges over a problem, scored with the weights; without the language model, its
        features are left out."""
        edges = self.grammar.edges(encoding)
        edges.use(self.weights)
        if language_model is not None and self.fluency is not None:
            edges.use_language_model(find_junctions(language_model, encoding), self.fluency)
        return edges


@dataclass(frozen=True, slots=True)
class StoredEdgeScorer:
    """The weights of a model, and its CCG grammar if it has one, as a model file holds them."""

    SEARCH: ClassVar[SearchName] = "best-first"
    SECTIONS: ClassVar[dict[str, frozenset[str]]] = {  # besides the weights, by grammar
        "dependency": frozenset(),
        "ccg": CcgGrammar.SECTIONS,
    }

    weights: StoredWeights
    ccg: CcgGrammar | None = None

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.weights.to_arrays(), **(self.ccg.to_arrays() if self.ccg else {})}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> StoredEdgeScorer:
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

    @classmethod
    def sections(cls, header: Mapping[str, Any]) -> frozenset[str]:
        """Raises `ModelError` if the header lacks what the search needs."""
        sections = cls.SECTIONS.get(str(header.get("grammar")))
        chart = header.get("chart")
        if sections is None:
            raise not_a_model("no grammar")
        if type(chart) is not int or not 1 <= chart <= MAX_CHART:
            raise not_a_model("no chart size")
        if not isinstance(header.get("scaled"), bool):
            raise not_a_model("it does not state whether scores are scaled")
        return sections | weight_sections(header)

    def scorer(self, header: Mapping[str, Any], vocabulary: Vocabulary) -> EdgeScorer:
        ccg = self.ccg if header["grammar"] == "ccg" else None
        if ccg is None:
            vocabulary.check_proposals()
        else:
            ccg.check_vocabulary(vocabulary)
        scopes = {str(text).partition(":")[0] for text in header.get("templates", ())}
        wide = bool(header.get("wide_sets", False))
        grammar = edge_grammar(vocabulary, ccg, forms="form" in scopes, wide_sets=wide)
        fluency = fluency_templates() if "junction" in scopes else None
        check_templates(header, grammar.templates, *([fluency] if fluency else []))
        return EdgeScorer(
            grammar,
            self.weights.weights(),
            header["chart"],
            header["scaled"],
            by_size=bool(header.get("chart_by_size", False)),
            fluency=fluency,
        )
