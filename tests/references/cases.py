"""Problems and gold derivations for both best-first searches, the reference and the compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from references.edges import (
    HEAD_LEFT,
    HEAD_RIGHT,
    LEAF,
    NONE,
    Bag,
    CcgEdgeGrammar,
    DependencyGrammar,
    Edge,
    Grammar,
    Node,
)
from syntagma.best_first._ccg_edges import CcgEdges, CcgRules
from syntagma.best_first._dependency_edges import DependencyEdges
from syntagma.best_first._edges import Edges
from syntagma.best_first._search import BestFirst
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.templates import ccg_templates, dependency_templates
from syntagma.ccg.derivation import Derivation
from syntagma.features._sparse import Weights, build_columns
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, Word
from syntagma.transition.encoding import encode, form_arrays
from syntagma.transition.training import Reference
from syntagma.transition.vocabulary import Vocabulary

# ---- gold derivations ------------------------------------------------------------------------


def dependency_nodes(reference: Reference, forms: Mapping[int, int] | None = None) -> list[Node]:
    """The derivation of a tree: of each word its right dependents, then its left ones.

    `forms` are the indices of the words' forms, if they have a choice.
    """
    order, heads = reference.order.tolist(), reference.heads.tolist()
    nodes: list[Node] = []

    def add(*node: int) -> int:
        left, right, rule, label, word, tag = node
        nodes.append((left, right, rule, label, word, tag))
        return len(nodes) - 1

    def derive(word: int) -> int:
        dependents = [w for w in order if heads[w] == word]
        left = [w for w in dependents if order.index(w) < order.index(word)]
        form = NONE if forms is None else forms[word]
        top = add(NONE, NONE, LEAF, form, word, int(reference.tags[word]))
        for w in dependents[len(left) :]:
            top = add(top, derive(w), HEAD_LEFT, int(reference.labels[w]), NONE, NONE)
        for w in reversed(left):
            top = add(derive(w), top, HEAD_RIGHT, int(reference.labels[w]), NONE, NONE)
        return top

    derive(next(w for w in order if heads[w] < 0))
    return nodes


def ccg_nodes(
    derivation: Derivation, order: Sequence[int], grammar: CcgGrammar, vocabulary: Vocabulary
) -> list[Node]:
    """`order` has the number of each word of the derivation, from left to right."""
    numbers, nodes, tops = iter(order), list[Node](), list[int]()
    for node in derivation.bottom_up:
        category = grammar.category_numbers[node.category]
        count = len(node.children)
        if node.tag is not None:
            tag = vocabulary.tag_numbers[node.tag]
            nodes.append((NONE, NONE, LEAF, category, next(numbers), tag))
        else:
            categories = [grammar.category_numbers[child.category] for child in node.children]
            side = [node.head_side] if count == 2 else []
            rule = grammar.rule_numbers[*categories, category, *side]
            below = [*tops[-count:], NONE][:2]
            del tops[-count:]
            nodes.append((below[0], below[1], rule, category, NONE, NONE))
        tops.append(len(nodes) - 1)
    return nodes


def nodes_of(edge: Edge) -> list[Node]:
    """An edge as the compiled search returns it."""
    nodes: list[Node] = []
    for part in edge.parts:
        shift = len(nodes)
        nodes += [
            (
                node[0] + shift if node[0] != NONE else NONE,
                node[1] + shift if node[1] != NONE else NONE,
                *node[2:],
            )
            for node in nodes_of(part)
        ]
    if edge.rule == LEAF:
        return [(NONE, NONE, LEAF, edge.label, edge.leaves[0].word, edge.leaves[0].tag)]
    left = len(nodes_of(edge.parts[0])) - 1
    right = len(nodes) - 1 if edge.right is not None else NONE
    return [*nodes, (left, right, edge.rule, edge.label, NONE, NONE)]


# ---- problems for both searches --------------------------------------------------------------


@dataclass
class Case:
    """A problem for both: the reference grammar, and how to make the compiled edges."""

    plain: Grammar
    make: Callable[[], Edges]
    relisted: Callable[[Problem], Case]  # the same for the same problem, listed otherwise

    @property
    def bag(self) -> Bag:
        return self.plain.bag

    def core_search(self, weights: Mapping[int, float], chart_size: int, scaled: bool) -> BestFirst:
        grammar = self.make()
        grammar.use(core_weights(weights))
        return BestFirst(grammar, chart_size, scaled)


def core_weights(weights: Mapping[int, float]) -> Weights:
    keys = np.array(list(weights), np.uint64)
    return Weights(*build_columns(keys, np.array(list(weights.values()), np.float32)))


def dependency_case(problem: Problem, vocabulary: Vocabulary) -> Case:
    encoding = encode(problem, vocabulary)
    bag = Bag(encoding, vocabulary)
    options = []
    for word in bag.problem.words:
        tags: Sequence[int] = vocabulary.tags_of(word.form)
        if word.tag in vocabulary.tags:
            tags = [vocabulary.tags.index(word.tag)]
        options.append([(NONE, tag) for tag in tags])
    index, pool = vocabulary.label_index, vocabulary.label_pool
    return Case(
        DependencyGrammar(bag, options),
        lambda: DependencyEdges(encoding.task, dependency_templates(), index, pool),
        lambda again: dependency_case(again, vocabulary),
    )


def form_case(
    problem: Problem, vocabulary: Vocabulary, forms_of: Callable[[Word], Sequence[Alternative]]
) -> Case:
    """Dependencies between words that may take several forms, the first of which is in the
    problem."""
    encoding = encode(problem, vocabulary, alternatives=[*map(forms_of, problem.words)])
    bag = Bag(encoding, vocabulary)
    options = []
    for word in bag.problem.words:
        given = [vocabulary.tags.index(word.tag)] if word.tag in vocabulary.tags else None
        options.append(
            [
                (index, tag)
                for index, form in enumerate(forms_of(word))
                for tag in given or vocabulary.tags_of(form.text)
            ]
        )
    forms = form_arrays(encoding, vocabulary)
    templates = dependency_templates(forms=True)
    index, pool = vocabulary.label_index, vocabulary.label_pool
    return Case(
        DependencyGrammar(bag, options),
        lambda: DependencyEdges(encoding.task, templates, index, pool, None, forms),
        lambda again: form_case(again, vocabulary, forms_of),
    )


def ccg_case(problem: Problem, vocabulary: Vocabulary, grammar: CcgGrammar) -> Case:
    encoding = encode(problem, vocabulary)
    bag = Bag(encoding, vocabulary)
    rows = [
        (number, *leaf)
        for number, word in enumerate(bag.problem.words)
        for leaf in grammar.leaves_of(
            word.form,
            vocabulary.tags.index(word.tag) if word.tag in vocabulary.tags else None,
            vocabulary,
        )
    ]
    rules = CcgRules(grammar)
    leaves = np.array(rows, np.int32)
    return Case(
        CcgEdgeGrammar(bag, grammar, rows),
        lambda: CcgEdges(encoding.task, ccg_templates(), rules, leaves),
        lambda again: ccg_case(again, vocabulary, grammar),
    )
