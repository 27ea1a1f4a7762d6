"""Best-first search (ZC15): fast where the model is sure, but not guaranteed to terminate.

Every search therefore has a search budget. The loop over agenda and chart is compiled, in
`_search`; the grammars are in `grammars`, training in `training`. The other strategy is beam
search, in `transition/beam.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy.typing as npt

from syntagma.best_first._edges import Junctions
from syntagma.best_first._search import BestFirst, best_first_search
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.grammars import EdgeGrammar, edge_grammar
from syntagma.best_first.templates import fluency_templates
from syntagma.errors import CancelledError, ModelError, SyntagmaError, not_a_model
from syntagma.features._sparse import TemplateTable, Weights, check_templates
from syntagma.features.stored_weights import StoredWeights
from syntagma.language_model.packed import LanguageModel
from syntagma.request import Request, SearchName
from syntagma.results.linearization import Linearization
from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition.encoding import Encoding
from syntagma.transition.strategy import WeightedLanguageModel
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

    def open(self, encoding: Encoding, language_model: LanguageModel | None = None) -> BestFirst:
        """A search over a problem; without the language model, its features are left out."""
        edges = self.grammar.edges(encoding)
        edges.use(self.weights)
        if language_model is not None and self.fluency is not None:
            edges.use_language_model(find_junctions(language_model, encoding), self.fluency)
        return BestFirst(edges, self.chart, self.scaled, self.by_size)


class BestFirstStrategy:
    """Orders problems by best-first search with a scorer of edges."""

    name: SearchName = "best-first"
    batch = 1
    max_words = 2_000
    lifts = False

    def __init__(
        self,
        scorer: EdgeScorer,
        vocabulary: Vocabulary | None = None,
        language_model: WeightedLanguageModel | None = None,
    ) -> None:
        """The weights of the language model's features are the scorer's."""
        self.scorer = scorer
        self.language_model = None if language_model is None else language_model.language_model
        self.takes_arcs = scorer.grammar.takes_arcs
        self.chooses_forms = scorer.grammar.chooses_forms

    def beam(self, is_tree: bool) -> int:
        raise ModelError(
            "a best-first search has no beam and does not score given orders: "
            "use a model for beam search"
        )

    def search(
        self, encodings: Sequence[Encoding], request: Request, n_best: int, clock: Clock = NO_LIMIT
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        read = self.scorer.grammar.read
        for encoding in encodings:
            try:
                search = self.scorer.open(encoding, self.language_model)
                finished, results = best_first_search(
                    search, n_best, request.expansions or 0, clock
                )
                yield [read(encoding, score, pieces, finished) for score, pieces in results]
            except CancelledError:
                raise
            except SyntagmaError as error:
                yield error


def find_junctions(language_model: LanguageModel, encoding: Encoding) -> Junctions:
    """The words of a problem, in all forms that they may take, as the language model sees them."""
    choices = None if encoding.choices is None else language_model.choices(encoding.choices)
    return Junctions(language_model.ngrams, language_model.units(encoding.forms), choices)


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
        return sections | StoredWeights.sections(header)

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
