"""Derivations of the best-first search: lists of nodes, what is joined before what it becomes.

References are turned into them for learning, those that a search found are read as sentences.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.problem.word import ROOT_LABEL
from syntagma.results.derivation import Derivation
from syntagma.results.linearization import Linearization, Token
from syntagma.transition.encoding import Encoding
from syntagma.transition.training import Reference
from syntagma.transition.vocabulary import UNKNOWN_LABEL, Vocabulary

Node = tuple[int, int, int, int, int, int]  # left, right, rule, label, word, tag
Piece = Sequence[Node]
Leaf = tuple[int, int]  # index of the word in the problem, tag

NONE = -1
LEAF, HEAD_LEFT, HEAD_RIGHT = 0, 1, 2


def tree_nodes(reference: Reference) -> list[Node]:
    """The derivation of a dependency tree: each word takes its right dependents, then its left
    ones, from the inside out."""
    order, heads = reference.order.tolist(), reference.heads.tolist()
    labels, tags = reference.labels.tolist(), reference.tags.tolist()
    rights: defaultdict[int, list[int]] = defaultdict(list)
    lefts: defaultdict[int, list[int]] = defaultdict(list)
    seen: set[int] = set()
    for word in order:
        side = rights if heads[word] in seen else lefts
        side[heads[word]].append(word)
        seen.add(word)
    top_down = [word for word in order if heads[word] < 0]
    for word in top_down:  # grows while it is read
        top_down += [*lefts[word], *rights[word]]
    nodes: list[Node] = []
    done: dict[int, int] = {}  # the node of a word with all its dependents
    for word in reversed(top_down):
        at = _add(nodes, (NONE, NONE, LEAF, NONE, word, tags[word]))
        for dependent in rights[word]:
            at = _add(nodes, (at, done[dependent], HEAD_LEFT, labels[dependent], NONE, NONE))
        for dependent in reversed(lefts[word]):
            at = _add(nodes, (done[dependent], at, HEAD_RIGHT, labels[dependent], NONE, NONE))
        done[word] = at
    return nodes


def derivation_nodes(
    derivation: Derivation, reference: Reference, grammar: CcgGrammar
) -> list[Node]:
    """A CCG derivation, its words being those of the reference from left to right."""
    words = iter(reference.order.tolist())
    tags = reference.tags.tolist()
    nodes: list[Node] = []
    waiting: list[tuple[int, int]] = []  # node and category of what is complete, left to right
    for node in derivation.bottom_up:
        category = grammar.category_numbers[node.category]
        if not node.children:
            word = next(words)
            at = _add(nodes, (NONE, NONE, LEAF, category, word, tags[word]))
        else:
            parts = waiting[-len(node.children) :]
            del waiting[-len(node.children) :]
            rule = grammar.rule_numbers[*(part[1] for part in parts), category]
            right = parts[1][0] if len(parts) == 2 else NONE
            at = _add(nodes, (parts[0][0], right, rule, category, NONE, NONE))
        waiting.append((at, category))
    return nodes


def read_trees(
    encoding: Encoding,
    vocabulary: Vocabulary,
    score: float,
    pieces: Sequence[Piece],
    finished: bool,
) -> Linearization:
    """Dependency trees that stand side by side as a sentence; each has a root of its own."""
    leaves: list[Leaf] = []
    arcs: dict[int, tuple[int, int]] = {}  # head and label of the word at each place, from 1
    pieces = [*map(_left_to_right, pieces)]
    for piece, words in zip(pieces, _words(encoding, pieces), strict=True):
        heads: list[int] = []
        for _, _, rule, label, _, _ in piece:
            if rule == LEAF:
                leaves.append(next(words))
                heads.append(len(leaves))
            else:
                right, left = heads.pop(), heads.pop()
                head, dependent = (left, right) if rule == HEAD_LEFT else (right, left)
                arcs[dependent] = head, label
                heads.append(head)
    tokens = []
    for place, (index, tag) in enumerate(leaves, start=1):
        word = encoding.problem.words[index]
        head, label = arcs.get(place, (0, NONE))
        deprel = vocabulary.label_name(label) if head else ROOT_LABEL
        tokens.append(
            Token(
                word.form,
                word.tag or vocabulary.tags[tag],
                head,
                word.deprel or deprel,
                index + 1,
            )
        )
    return Linearization(tuple(tokens), score, encoding.problem, finished=finished)


def read_derivations(
    encoding: Encoding,
    vocabulary: Vocabulary,
    grammar: CcgGrammar,
    score: float,
    pieces: Sequence[Piece],
    finished: bool,
) -> Linearization:
    """CCG derivations that stand side by side as a sentence, with the trees of their heads."""
    derivations = []
    tokens: list[Token] = []
    pieces = [*map(_left_to_right, pieces)]
    for piece, words in zip(pieces, _words(encoding, pieces), strict=True):
        parts: list[Derivation] = []
        for _, right, rule, category, _, _ in piece:
            name = grammar.categories[category]
            if rule == LEAF:
                index, tag = next(words)
                word = encoding.problem.words[index]
                leaf = Derivation(
                    name,
                    form=word.form,
                    tag=word.tag or vocabulary.tags[tag],
                    source=index + 1,
                )
                parts.append(leaf)
            else:
                count = 1 if right == NONE else 2
                children = tuple(parts[-count:])
                del parts[-count:]
                parts.append(Derivation(name, children))
        [derivation] = parts
        derivations.append(derivation)
        before = len(tokens)
        for leaf, head in zip(derivation.leaves, derivation.heads(), strict=True):
            place, deprel = (before + head, UNKNOWN_LABEL) if head else (0, ROOT_LABEL)
            tokens.append(Token(leaf.form or "", leaf.tag or "", place, deprel, leaf.source or 0))
    return Linearization(
        tuple(tokens),
        score,
        encoding.problem,
        finished=finished,
        derivations=tuple(derivations),
    )


def _left_to_right(piece: Piece) -> Piece:
    """The nodes with the left part of each before its right part, and both before itself."""
    found = []
    waiting = [len(piece) - 1]
    while waiting:
        node = piece[waiting.pop()]
        found.append(node)
        waiting += [part for part in node[:2] if part != NONE]
    return found[::-1]


def _words(encoding: Encoding, pieces: Sequence[Piece]) -> Iterator[Iterator[Leaf]]:
    """The words of each piece from left to right. Of interchangeable words, which the search takes
    for one, each is used once."""
    copies: defaultdict[int, deque[int]] = defaultdict(deque)
    for number, leader in enumerate(encoding.leaders):
        copies[leader].append(encoding.order[number])
    for piece in pieces:
        yield iter(
            [(copies[word].popleft(), tag) for _, _, rule, _, word, tag in piece if rule == LEAF]
        )


def _add(nodes: list[Node], node: Node) -> int:
    nodes.append(node)
    return len(nodes) - 1
