"""Derivations as lists of nodes: canonical, and read back as what they were made of."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from toys.ccg import DERIVATIONS, chain, derivations
from toys.models import toy_sentence

from syntagma.best_first._dependency_edges import HEAD_LEFT_RULE as HEAD_LEFT
from syntagma.best_first._dependency_edges import HEAD_RIGHT_RULE as HEAD_RIGHT
from syntagma.best_first._edges import LEAF_RULE as LEAF
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.grammars import (
    CcgEdgeGrammar,
    DependencyEdgeGrammar,
    DerivationNode,
)
from syntagma.best_first.training import derivation_nodes, extract_grammar, tree_nodes
from syntagma.ccg.derivation import Derivation
from syntagma.errors import ProblemError
from syntagma.results.linearization import violations
from syntagma.transition._state import NOT_GIVEN as NONE
from syntagma.transition.encoding import Encoding
from syntagma.transition.training import Reference, encode_training, learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.conditions import CONDITIONS, constrain
from syntagma.treebanks.corpus import CcgSentence
from syntagma.treebanks.treebank import Sentence

CONDITION = st.sampled_from(["none", "pos", "half", "tree", "labelled"])


def encoded(
    sentence: Sentence, condition: str, rng: Random
) -> tuple[Encoding, Reference, Vocabulary]:
    vocabulary = learn_vocabulary([sentence])
    problem = constrain(sentence, CONDITIONS[condition], rng, shuffle=False)
    return *encode_training(sentence, problem, vocabulary), vocabulary


def as_found(nodes: Sequence[DerivationNode], encoding: Encoding) -> list[DerivationNode]:
    """The nodes as a search returns them, which treats interchangeable words as one."""
    leaders = encoding.leaders
    return [
        (left, right, rule, label, leaders[word] if rule == LEAF else word, tag)
        for left, right, rule, label, word, tag in nodes
    ]


def below(nodes: Sequence[DerivationNode], top: int) -> list[DerivationNode]:
    """The part of a derivation below a node, as a derivation of its own."""
    kept = {top}
    for at in range(top, -1, -1):
        if at in kept:
            kept |= {part for part in nodes[at][:2] if part != NONE}
    number = {at: new for new, at in enumerate(sorted(kept))} | {NONE: NONE}
    return [(number[nodes[at][0]], number[nodes[at][1]], *nodes[at][2:]) for at in sorted(kept)]


# ---- trees -----------------------------------------------------------------------------------


def test_right_dependents_are_taken_before_left_ones_and_near_ones_before_far_ones() -> None:
    sentence = Sentence(
        tuple("abcdef"),
        ("A", "B", "C", "D", "E", "F"),
        (3, 3, 0, 5, 3, 3),
        ("l1", "l2", "root", "l4", "l5", "l6"),
    )
    encoding, reference, vocabulary = encoded(sentence, "none", Random(0))
    nodes = tree_nodes(reference)
    texts: list[str] = []
    for left, right, rule, label, word, tag in nodes:
        if rule == LEAF:
            assert vocabulary.tags[tag] == sentence.tags[encoding.order[word]]
            texts.append(sentence.forms[encoding.order[word]])
        else:
            mark = {HEAD_LEFT: ">", HEAD_RIGHT: "<"}[rule]
            texts.append(f"({texts[left]}{mark}{texts[right]})")
            assert vocabulary.labels[label] in sentence.deprels
    assert texts[-1] == "(a<(b<((c>(d<e))>f)))"
    assert len(nodes) == 11


@pytest.mark.slow
@given(st.randoms(use_true_random=False), CONDITION)
def test_the_derivation_of_a_tree_is_canonical(rng: Random, condition: str) -> None:
    sentence = toy_sentence(rng, 9)
    _, reference, _ = encoded(sentence, condition, rng)
    nodes = tree_nodes(reference)
    size = len(sentence.forms)
    assert len(nodes) == 2 * size - 1
    place = {word: at for at, word in enumerate(reference.order.tolist())}
    spans: list[tuple[int, int]] = []
    heads: list[int] = []
    used: list[int] = []
    has_left: set[int] = set()  # words that have taken a left dependent
    for at, (left, right, rule, label, word, tag) in enumerate(nodes):
        if rule == LEAF:
            assert (left, right, label) == (NONE, NONE, NONE)
            assert tag == reference.tags[word]
            spans.append((place[word], place[word] + 1))
            heads.append(word)
            continue
        assert (word, tag) == (NONE, NONE)
        assert left < at
        assert right < at
        used += [left, right]
        assert spans[left][1] == spans[right][0]  # side by side: so from the inside out
        spans.append((spans[left][0], spans[right][1]))
        head, dependent = (left, right) if rule == HEAD_LEFT else (right, left)
        assert reference.heads[heads[dependent]] == heads[head]
        assert reference.labels[heads[dependent]] == label
        if rule == HEAD_LEFT:
            assert heads[head] not in has_left
        else:
            assert rule == HEAD_RIGHT
            has_left.add(heads[head])
        heads.append(heads[head])
    assert sorted(used) == list(range(len(nodes) - 1))  # all are used once, the last one is all
    assert spans[-1] == (0, size)


@pytest.mark.slow
@given(st.randoms(use_true_random=False), CONDITION, st.booleans())
def test_trees_are_read_back(rng: Random, condition: str, finished: bool) -> None:
    sentence = toy_sentence(rng, 9)
    encoding, reference, vocabulary = encoded(sentence, condition, rng)
    nodes = as_found(tree_nodes(reference), encoding)
    result = DependencyEdgeGrammar(vocabulary).read(encoding, -1.5, [nodes], finished)
    assert result.words == sentence.forms
    assert result.tags == sentence.tags
    assert result.heads == sentence.heads
    assert result.deprels == sentence.deprels
    assert (result.score, result.finished, result.problem) == (-1.5, finished, encoding.problem)
    assert sorted(result.order) == list(range(1, len(sentence.forms) + 1))
    assert result.derivations == ()
    assert violations(result) == []


@pytest.mark.slow
@given(st.randoms(use_true_random=False), CONDITION)
def test_trees_side_by_side_have_a_root_each(rng: Random, condition: str) -> None:
    sentence = toy_sentence(rng, 9)
    assume(len(sentence.forms) > 1)
    encoding, reference, vocabulary = encoded(sentence, condition, rng)
    nodes = as_found(tree_nodes(reference), encoding)
    left, right = (below(nodes, part) for part in nodes[-1][:2])
    for pieces in ([left, right], [left], [right]):
        result = DependencyEdgeGrammar(vocabulary).read(encoding, 0.0, pieces, False)
        assert result.heads.count(0) == len(pieces)
        assert len(result.tokens) == sum(
            rule == LEAF for piece in pieces for _, _, rule, *_ in piece
        )
        assert violations(result) == []
    whole = DependencyEdgeGrammar(vocabulary).read(encoding, 0.0, [left, right], False)
    assert whole.words == sentence.forms
    changed = [i for i, h in enumerate(whole.heads) if h != sentence.heads[i]]
    assert len(changed) == 1
    assert whole.heads[changed[0]] == 0


# ---- derivations -----------------------------------------------------------------------------


def prepared(
    derivation: Derivation, condition: str
) -> tuple[list[DerivationNode], Encoding, Vocabulary, CcgGrammar]:
    sentence = CcgSentence("x", derivation).sentence
    encoding, reference, vocabulary = encoded(sentence, condition, Random(0))
    grammar = extract_grammar([derivation], vocabulary)
    nodes = derivation_nodes(derivation, reference, grammar)
    return as_found(nodes, encoding), encoding, vocabulary, grammar


def shape(derivation: Derivation) -> list[tuple[object, ...]]:
    return [(n.category, len(n.children), n.form, n.tag) for n in derivation.nodes]


def check_read_back(derivation: Derivation, condition: str) -> None:
    nodes, encoding, vocabulary, grammar = prepared(derivation, condition)
    assert len(nodes) == len(derivation.bottom_up)
    for at, (left, right, rule, label, word, tag) in enumerate(nodes):
        assert left < at
        assert right < at
        assert (left == NONE) == (rule == LEAF)
        assert (word == NONE) == (tag == NONE) == (rule != LEAF)
        if rule != LEAF:
            labels = [nodes[part][3] for part in (left, right) if part != NONE]
            side = [derivation.bottom_up[at].head_side] if right != NONE else []
            assert grammar.rule_numbers[*labels, label, *side] == rule
    result = CcgEdgeGrammar(vocabulary, grammar).read(encoding, 2.5, [nodes], True)
    [found] = result.derivations
    assert shape(found) == shape(derivation)
    assert [leaf.source for leaf in found.leaves] == [*result.order]
    assert (result.words, result.tags) == (derivation.forms, derivation.tags)
    assert result.heads == derivation.heads()
    assert result.deprels == tuple("dep" if head else "root" for head in result.heads)
    assert (result.score, result.finished) == (2.5, True)
    assert violations(result) == []


@pytest.mark.parametrize("condition", ["none", "pos"])
@pytest.mark.parametrize("name", DERIVATIONS)
def test_the_toy_derivations_are_read_back(name: str, condition: str) -> None:
    check_read_back(DERIVATIONS[name], condition)


@pytest.mark.slow
@given(derivations(), st.sampled_from(["none", "pos"]))
def test_derivations_are_read_back(derivation: Derivation, condition: str) -> None:
    try:
        check_read_back(derivation, condition)
    except ProblemError:  # a form that no problem can have
        assume(False)


@pytest.mark.slow
def test_deep_derivations_are_read_back() -> None:
    check_read_back(chain(2000), "none")


@pytest.mark.slow
@given(derivations())
def test_derivations_side_by_side(derivation: Derivation) -> None:
    assume(len(derivation.children) == 2)
    try:
        nodes, encoding, vocabulary, grammar = prepared(derivation, "none")
    except ProblemError:
        assume(False)
    pieces = [below(nodes, part) for part in nodes[-1][:2]]
    result = CcgEdgeGrammar(vocabulary, grammar).read(encoding, 0.0, pieces, False)
    assert [*map(shape, result.derivations)] == [*map(shape, derivation.children)]
    left, right = (child.heads() for child in derivation.children)
    assert result.heads == (*left, *(head and head + len(left) for head in right))
    assert result.heads.count(0) == 2
    assert violations(result) == []


def test_a_given_tag_stays_also_if_the_vocabulary_does_not_know_it() -> None:
    """The number of an unknown tag has no name."""
    derivation = DERIVATIONS["intransitive"]
    nodes, encoding, vocabulary, grammar = prepared(derivation, "pos")
    unknown = len(vocabulary.tags)
    nodes = [(*node[:5], unknown if node[2] == LEAF else NONE) for node in nodes]
    result = CcgEdgeGrammar(vocabulary, grammar).read(encoding, 0.0, [nodes], True)
    assert result.tags == derivation.tags
