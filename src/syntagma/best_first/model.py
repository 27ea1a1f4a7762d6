"""A model for best-first search: weights of the features of edges, and a grammar (ZC15).

Training it is `best_first_training`'s business; the models of the beam search: `model`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from syntagma.best_first._ccg_edges import CcgEdges, CcgRules
from syntagma.best_first._dependency_edges import DependencyEdges
from syntagma.best_first._edges import Grammar
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.derivations import (
    LEAF,
    Node,
    Piece,
    derivation_nodes,
    read_derivations,
    read_trees,
    tree_nodes,
)
from syntagma.best_first.templates import ccg_templates, dependency_templates
from syntagma.errors import ProblemError, name_word
from syntagma.features._templates import TemplateTable
from syntagma.features._weights import Weights
from syntagma.linear.scorer import StoredWeights, check_templates
from syntagma.problem.problem import Problem
from syntagma.results.derivation import Derivation
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import Encoding
from syntagma.transition.training import Reference
from syntagma.transition.vocabulary import Vocabulary

GrammarName = Literal["dependency", "ccg"]
MAX_CHART = 100_000


class EdgeGrammar(Protocol):
    """What sentences are built of, and how they are read off what a search builds."""

    templates: TemplateTable

    def edges(self, encoding: Encoding) -> Grammar:
        """The edges over a problem, none of them built yet."""

    def taught_edges(
        self, encoding: Encoding, reference: Reference, derivation: Derivation | None
    ) -> tuple[Grammar, list[Node]]:
        """The same for learning, with all that the reference needs, and its derivation."""

    def read(
        self, encoding: Encoding, score: float, pieces: Sequence[Piece], finished: bool
    ) -> Linearization: ...


class DependencyTrees:
    """The grammar of §4: projective trees that satisfy every constraint."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.templates = dependency_templates()
        self._vocabulary = vocabulary

    def edges(self, encoding: Encoding) -> Grammar:
        return self._edges(encoding, None)

    def taught_edges(
        self, encoding: Encoding, reference: Reference, derivation: Derivation | None
    ) -> tuple[Grammar, list[Node]]:
        return self._edges(encoding, reference.labels.tolist()), tree_nodes(reference)

    def read(
        self, encoding: Encoding, score: float, pieces: Sequence[Piece], finished: bool
    ) -> Linearization:
        return read_trees(encoding, self._vocabulary, score, pieces, finished)

    def _edges(self, encoding: Encoding, labels: Sequence[int] | None) -> Grammar:
        vocabulary = self._vocabulary
        return DependencyEdges(
            encoding.task,
            self.templates,
            vocabulary.label_index,
            vocabulary.label_pool,
            labels,
        )


class CcgDerivations:
    """The grammar of §3: derivations by the rules of a CCGbank. Words and tags can be given, and
    in which order they shall stand, but not arcs."""

    def __init__(self, vocabulary: Vocabulary, grammar: CcgGrammar) -> None:
        self.templates = ccg_templates()
        self._vocabulary = vocabulary
        self._grammar = grammar
        self._rules = CcgRules(grammar.binary, grammar.unary, len(grammar.categories))

    def edges(self, encoding: Encoding) -> Grammar:
        return self._edges(encoding, [])

    def taught_edges(
        self, encoding: Encoding, reference: Reference, derivation: Derivation | None
    ) -> tuple[Grammar, list[Node]]:
        assert derivation is not None
        nodes = derivation_nodes(derivation, reference, self._grammar)
        gold = [(word, tag, label) for _, _, rule, label, word, tag in nodes if rule == LEAF]
        return self._edges(encoding, gold), nodes

    def read(
        self, encoding: Encoding, score: float, pieces: Sequence[Piece], finished: bool
    ) -> Linearization:
        return read_derivations(encoding, self._vocabulary, self._grammar, score, pieces, finished)

    def _edges(self, encoding: Encoding, gold: Sequence[tuple[int, int, int]]) -> Grammar:
        """With gold leaves (word, tag, category), which are then among those to try, rare words
        are treated as unseen, so that the model learns to deal with them."""
        _refuse_arcs(encoding.problem)
        vocabulary = self._vocabulary
        leaders = encoding.leaders
        leaves = {(leaders[word], tag, category) for word, tag, category in gold}
        for number, at in enumerate(encoding.order):
            word = encoding.problem.words[at]
            tag = None
            if word.tag is not None:
                tag = vocabulary.tag_numbers.get(word.tag, len(vocabulary.tags))
            unseen = bool(gold) and word.form not in vocabulary.forms
            found = self._grammar.leaves_of(word.form, tag, vocabulary, as_unseen=unseen)
            leaves.update((number, *leaf) for leaf in found)
        rows = np.array(sorted(leaves), np.int32)
        return CcgEdges(encoding.task, self.templates, self._rules, rows)


def _refuse_arcs(problem: Problem) -> None:
    for index, word in enumerate(problem.words, start=1):
        if word.head is not None or word.deprel is not None:
            given = "head" if word.head is not None else "label"
            raise ProblemError(
                f"the {given} of {name_word(problem.words, index)} is given, but a CCG model can "
                "only keep tags and order constraints: leave heads and labels out"
            )


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
        return int(self.header["chart"])

    @property
    def scaled(self) -> bool:
        return bool(self.header["scaled"])

    def edges(self, encoding: Encoding) -> Grammar:
        edges = self.grammar.edges(encoding)
        edges.use(self.weights)
        return edges


@dataclass(frozen=True, slots=True)
class StoredEdges:
    """The weights of a model, and its CCG grammar if it has one, as a model file holds them."""

    SECTIONS: ClassVar[dict[str, frozenset[str]]] = {  # by grammar
        "dependency": StoredWeights.SECTIONS,
        "ccg": StoredWeights.SECTIONS | CcgGrammar.SECTIONS,
    }

    weights: StoredWeights
    ccg: CcgGrammar | None = None

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.weights.to_arrays(), **(self.ccg.to_arrays() if self.ccg else {})}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> StoredEdges:
        ccg = CcgGrammar.from_arrays(arrays) if arrays.keys() >= CcgGrammar.SECTIONS else None
        return cls(StoredWeights.from_arrays(arrays), ccg)

    def describe(self) -> dict[str, Any]:
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


def edge_grammar(vocabulary: Vocabulary, ccg: CcgGrammar | None) -> EdgeGrammar:
    return CcgDerivations(vocabulary, ccg) if ccg is not None else DependencyTrees(vocabulary)
