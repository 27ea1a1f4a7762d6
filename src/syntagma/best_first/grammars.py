"""The two grammars of best-first search: from problems to edges, and from results to sentences.

Edges themselves are compiled: `_dependency_edges` and `_ccg_edges`. The rules and the lexicon of
the CCG grammar are in `ccg_grammar`; gold derivations, as nodes, are made in `training`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

import numpy as np

from syntagma.best_first._ccg_edges import CcgEdges, CcgRules
from syntagma.best_first._dependency_edges import HEAD_LEFT_RULE as HEAD_LEFT
from syntagma.best_first._dependency_edges import DependencyEdges
from syntagma.best_first._edges import LEAF_RULE as LEAF
from syntagma.best_first._edges import Edges
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.templates import ccg_templates, dependency_templates
from syntagma.ccg.derivation import Derivation
from syntagma.errors import ProblemError, name_word
from syntagma.problem.problem import Problem
from syntagma.problem.word import ROOT_LABEL
from syntagma.results.linearization import Linearization, Token
from syntagma.transition._state import NOT_GIVEN as NONE
from syntagma.transition.encoding import Encoding, GoldForm, form_arrays, with_chosen_forms
from syntagma.transition.vocabulary import UNKNOWN_LABEL, Vocabulary

# Left and right part (indices of nodes), rule, label or category, word, tag. What does not apply
# is NONE: parts of a leaf, the right part of a unary node, word and tag of a node with parts. The
# label of a leaf of the dependency grammar is the index of its form, if the word has a choice.
DerivationNode = tuple[int, int, int, int, int, int]
PhraseNodes = Sequence[DerivationNode]  # the derivation of one phrase, parts before wholes
CcgLeaf = tuple[int, int, int]  # word, tag, category


class DependencyEdgeGrammar:
    """The grammar of ZC15 §4: projective dependency trees that satisfy every constraint."""

    takes_arcs = True  # whether heads and labels can be given
    chooses_forms = True  # whether leaf edges are words in one of several forms

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
        """The edges over a problem; none is built yet.

        Training adds the gold label of each word to the labels to try, and the gold tag of each
        form to its tags.
        """
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
        """The sentence of dependency trees that are put side by side; each keeps its own root."""
        leaves: list[tuple[int, int]] = []  # index of the word in the problem, tag
        forms: list[int] = []
        arcs: dict[int, tuple[int, int]] = {}  # 1-based place of a word: its head, its label
        for piece in _left_to_right(encoding, pieces):
            heads: list[int] = []
            for _, _, rule, label, index, tag in piece:
                if rule == LEAF:
                    leaves.append((index, tag))
                    forms.append(label)
                    heads.append(len(leaves))
                else:
                    right, left = heads.pop(), heads.pop()
                    head, dependent = (left, right) if rule == HEAD_LEFT else (right, left)
                    arcs[dependent] = head, label
                    heads.append(head)
        problem = encoding.problem
        if encoding.alternatives is not None:
            sources = [index for index, _ in leaves]
            problem = with_chosen_forms(problem, encoding.alternatives, sources, forms)
        tokens, tags = [], []
        for place, (index, number) in enumerate(leaves, start=1):
            word = problem.words[index]
            head, label = arcs.get(place, (0, NONE))
            deprel = word.deprel or (self._vocabulary.label_name(label) if head else ROOT_LABEL)
            tags.append(self._vocabulary.tag_of(word, number))
            tokens.append(Token(word.form, word.tag or tags[-1], head, deprel, index + 1))
        return Linearization(
            tuple(tokens), score, problem, finished=finished, model_tags=tuple(tags)
        )


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
        self._rules = CcgRules(grammar)

    def edges(self, encoding: Encoding, gold_leaves: Sequence[CcgLeaf] = ()) -> Edges:
        """The edges over a problem; none is built yet.

        Training adds the gold leaves to those to try, and treats rare words as unseen, so that the
        model learns to deal with unseen words.
        """
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
        """The sentence of CCG derivations that are put side by side, with the trees of their
        heads."""
        derivations = []
        tokens: list[Token] = []
        tags: list[str] = []
        for piece in _left_to_right(encoding, pieces):
            parts: list[Derivation] = []
            for _, right, rule, category, index, tag in piece:
                name = self.grammar.categories[category]
                if rule == LEAF:
                    word = encoding.problem.words[index]
                    tags.append(self._vocabulary.tag_of(word, tag))
                    tag_name = word.tag or tags[-1]
                    parts.append(Derivation(name, (), word.form, tag_name, index + 1))
                else:
                    count = 1 if right == NONE else 2
                    children = tuple(parts[-count:])
                    del parts[-count:]
                    head = int(self.grammar.binary[rule - 1, 3]) if count == 2 else None
                    parts.append(Derivation(name, children, head=head))
            [derivation] = parts
            derivations.append(derivation)
            before = len(tokens)
            for leaf, head in zip(derivation.leaves, derivation.heads(), strict=True):
                place, deprel = (before + head, UNKNOWN_LABEL) if head else (0, ROOT_LABEL)
                token = Token(leaf.form or "", leaf.tag or "", place, deprel, leaf.source or 0)
                tokens.append(token)
        return Linearization(
            tuple(tokens),
            score,
            encoding.problem,
            finished=finished,
            derivations=tuple(derivations),
            model_tags=tuple(tags),
        )


EdgeGrammar = DependencyEdgeGrammar | CcgEdgeGrammar


def edge_grammar(
    vocabulary: Vocabulary,
    ccg: CcgGrammar | None,
    *,
    forms: bool = False,
    wide_sets: bool = True,
) -> EdgeGrammar:
    """The grammar of a model: CCG if it has one, dependency trees otherwise, which may have
    features for the choice of forms."""
    if ccg is not None:
        return CcgEdgeGrammar(vocabulary, ccg)
    return DependencyEdgeGrammar(vocabulary, forms=forms, wide_sets=wide_sets)


def _left_to_right(
    encoding: Encoding, pieces: Sequence[PhraseNodes]
) -> Iterator[list[DerivationNode]]:
    """The nodes of each piece in postorder: left part, right part, node.

    The search treats interchangeable words as one repeated word. Here each of them is used once:
    the word of a leaf becomes its index in the problem.
    """
    copies: defaultdict[int, deque[int]] = defaultdict(deque)
    for number, leader in enumerate(encoding.leaders):
        copies[leader].append(encoding.order[number])
    for piece in pieces:
        found: list[DerivationNode] = []
        waiting = [len(piece) - 1]
        while waiting:
            node = piece[waiting.pop()]
            found.append(node)
            waiting += [part for part in node[:2] if part != NONE]
        yield [
            (*node[:4], copies[node[4]].popleft(), node[5]) if node[2] == LEAF else node
            for node in reversed(found)
        ]


def _refuse_arcs(problem: Problem) -> None:
    for index, word in enumerate(problem.words, start=1):
        if word.head is not None or word.deprel is not None:
            given = "head" if word.head is not None else "label"
            raise ProblemError(
                f"the {given} of {name_word(problem.words, index)} is given, but a CCG model can "
                "only keep tags and order constraints: leave heads and labels out",
                field=f"words[{index - 1}].{'head' if given == 'head' else 'deprel'}",
            )
