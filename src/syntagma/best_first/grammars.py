"""The two grammars of best-first search: from problems to edges, and from results to sentences.

Edges themselves are compiled: `_dependency_edges` and `_ccg_edges`. The rules and the lexicon of
the CCG grammar are in `ccg_grammar`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from syntagma.best_first._ccg_edges import CcgEdges, CcgRules
from syntagma.best_first._dependency_edges import DependencyEdges
from syntagma.best_first._edges import Edges
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.derivations import PhraseNodes, read_derivations, read_trees
from syntagma.best_first.templates import ccg_templates, dependency_templates
from syntagma.errors import ProblemError, name_word
from syntagma.features._sparse import TemplateTable
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import Encoding, GoldForm, form_arrays
from syntagma.transition.vocabulary import Vocabulary

GrammarName = Literal["dependency", "ccg"]
CcgLeaf = tuple[int, int, int]  # word, tag, category


class EdgeGrammar(Protocol):
    """Turns a problem into edges for the search, and the result of the search into a sentence."""

    templates: TemplateTable
    takes_arcs: bool  # whether heads and labels can be given
    chooses_forms: bool  # whether leaf edges are words in one of several forms

    def edges(self, encoding: Encoding) -> Edges:
        """The edges over a problem; none is built yet."""

    def read(
        self, encoding: Encoding, score: float, pieces: Sequence[PhraseNodes], finished: bool
    ) -> Linearization:
        """The sentence that the pieces of a result make up, from left to right."""


class DependencyEdgeGrammar:
    """The grammar of ZC15 §4: projective dependency trees that satisfy every constraint."""

    takes_arcs = True
    chooses_forms = True

    def __init__(
        self, vocabulary: Vocabulary, *, forms: bool = False, wide_sets: bool = True
    ) -> None:
        """With `forms`, there are features for the choice of forms. Without `wide_sets`, sets of
        tags are taken modulo 64, as models with more tags were trained up to 0.9."""
        self.templates = dependency_templates(labelled=not vocabulary.unlabelled, forms=forms)
        self._vocabulary = vocabulary
        self._wide_sets = wide_sets

    def edges(
        self,
        encoding: Encoding,
        gold_labels: Sequence[int] | None = None,
        gold_forms: Sequence[GoldForm] = (),
    ) -> Edges:
        """Training adds the gold label of each word to the labels to try, and the gold tag of each
        form to its tags."""
        return DependencyEdges(
            encoding.task,
            self.templates,
            self._vocabulary.label_index,
            self._vocabulary.label_pool,
            gold_labels,
            form_arrays(encoding, self._vocabulary, gold_forms),
            self._wide_sets,
        )

    def read(
        self, encoding: Encoding, score: float, pieces: Sequence[PhraseNodes], finished: bool
    ) -> Linearization:
        return read_trees(encoding, self._vocabulary, score, pieces, finished)


class CcgEdgeGrammar:
    """The grammar of ZC15 §3: derivations by the rules of a CCGbank.

    A problem may give tags and order constraints, but no arcs.
    """

    takes_arcs = False
    chooses_forms = False

    def __init__(self, vocabulary: Vocabulary, grammar: CcgGrammar) -> None:
        self.templates = ccg_templates()
        self.grammar = grammar
        self._vocabulary = vocabulary
        self._rules = CcgRules(
            grammar.binary, grammar.unary, len(grammar.categories), grammar.chains
        )

    def edges(self, encoding: Encoding, gold_leaves: Sequence[CcgLeaf] = ()) -> Edges:
        """Training adds the gold leaves to those to try, and treats rare words as unseen, so that
        the model learns to deal with unseen words."""
        _refuse_arcs(encoding.problem)
        vocabulary = self._vocabulary
        leaders = encoding.leaders
        leaves = {(leaders[word], tag, category) for word, tag, category in gold_leaves}
        for number, at in enumerate(encoding.order):
            word = encoding.problem.words[at]
            tag = None if word.tag is None else vocabulary.tag_numbers.get(word.tag)
            unseen = bool(gold_leaves) and word.form not in vocabulary.forms
            found = self.grammar.leaves_of(word.form, tag, vocabulary, as_unseen=unseen)
            leaves.update((number, *leaf) for leaf in found)
        rows = np.array(sorted(leaves), np.int32)
        return CcgEdges(encoding.task, self.templates, self._rules, rows)

    def read(
        self, encoding: Encoding, score: float, pieces: Sequence[PhraseNodes], finished: bool
    ) -> Linearization:
        return read_derivations(encoding, self._vocabulary, self.grammar, score, pieces, finished)


def edge_grammar(
    vocabulary: Vocabulary,
    ccg: CcgGrammar | None,
    *,
    forms: bool = False,
    wide_sets: bool = True,
) -> DependencyEdgeGrammar | CcgEdgeGrammar:
    """The grammar of a model: CCG if it has one, dependency trees otherwise, which may have
    features for the choice of forms."""
    if ccg is not None:
        return CcgEdgeGrammar(vocabulary, ccg)
    return DependencyEdgeGrammar(vocabulary, forms=forms, wide_sets=wide_sets)


def _refuse_arcs(problem: Problem) -> None:
    for index, word in enumerate(problem.words, start=1):
        if word.head is not None or word.deprel is not None:
            given = "head" if word.head is not None else "label"
            raise ProblemError(
                f"the {given} of {name_word(problem.words, index)} is given, but a CCG model can "
                "only keep tags and order constraints: leave heads and labels out",
                field=f"words[{index - 1}].{'head' if given == 'head' else 'deprel'}",
            )
