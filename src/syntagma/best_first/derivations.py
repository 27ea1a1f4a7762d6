"""Reading the result of a best-first search: from nodes of derivations to a linearization.

Gold derivations, as nodes, are made in `training`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from syntagma.best_first._dependency_edges import HEAD_LEFT_RULE, HEAD_RIGHT_RULE
from syntagma.best_first._edges import LEAF_RULE
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.ccg.derivation import Derivation
from syntagma.problem.word import ROOT_LABEL
from syntagma.results.linearization import Linearization, Token
from syntagma.transition._state import NOT_GIVEN
from syntagma.transition.encoding import Encoding, with_chosen_forms
from syntagma.transition.vocabulary import UNKNOWN_LABEL, Vocabulary

# Left and right part (indices of nodes), rule, label or category, word, tag. What does not apply
# is NONE: parts of a leaf, the right part of a unary node, word and tag of a node with parts. The
# label of a leaf of the dependency grammar is the index of its form, if the word has a choice.
DerivationNode = tuple[int, int, int, int, int, int]
PhraseNodes = Sequence[DerivationNode]  # the derivation of one phrase, parts before wholes
PlacedWord = tuple[int, int]  # index of the word in the problem, tag

NONE = NOT_GIVEN
LEAF = LEAF_RULE
HEAD_LEFT, HEAD_RIGHT = HEAD_LEFT_RULE, HEAD_RIGHT_RULE  # of the dependency grammar


def read_trees(
    encoding: Encoding,
    vocabulary: Vocabulary,
    score: float,
    pieces: Sequence[PhraseNodes],
    finished: bool,
) -> Linearization:
    """The sentence of dependency trees that are put side by side; each keeps its own root."""
    leaves: list[PlacedWord] = []
    forms: list[int] = []
    arcs: dict[int, tuple[int, int]] = {}  # 1-based place of a word: its head, its label
    pieces = [*map(_left_to_right, pieces)]
    for piece, words in zip(pieces, _words(encoding, pieces), strict=True):
        heads: list[int] = []
        for _, _, rule, label, _, _ in piece:
            if rule == LEAF:
                leaves.append(next(words))
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
    for place, (index, tag) in enumerate(leaves, start=1):
        word = problem.words[index]
        head, label = arcs.get(place, (0, NONE))
        deprel = vocabulary.label_name(label) if head else ROOT_LABEL
        tags.append(vocabulary.tag_of(word, tag))
        tokens.append(
            Token(
                word.form,
                word.tag or tags[-1],
                head,
                word.deprel or deprel,
                index + 1,
            )
        )
    return Linearization(tuple(tokens), score, problem, finished=finished, model_tags=tuple(tags))


def read_derivations(
    encoding: Encoding,
    vocabulary: Vocabulary,
    grammar: CcgGrammar,
    score: float,
    pieces: Sequence[PhraseNodes],
    finished: bool,
) -> Linearization:
    """The sentence of CCG derivations that are put side by side, with the trees of their heads."""
    derivations = []
    tokens: list[Token] = []
    tags: list[str] = []
    pieces = [*map(_left_to_right, pieces)]
    for piece, words in zip(pieces, _words(encoding, pieces), strict=True):
        parts: list[Derivation] = []
        for _, right, rule, category, _, _ in piece:
            name = grammar.categories[category]
            if rule == LEAF:
                index, tag = next(words)
                word = encoding.problem.words[index]
                tags.append(vocabulary.tag_of(word, tag))
                leaf = Derivation(
                    name,
                    form=word.form,
                    tag=word.tag or tags[-1],
                    source=index + 1,
                )
                parts.append(leaf)
            else:
                count = 1 if right == NONE else 2
                children = tuple(parts[-count:])
                del parts[-count:]
                head = int(grammar.binary[rule - 1, 3]) if count == 2 else None
                parts.append(Derivation(name, children, head=head))
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
        model_tags=tuple(tags),
    )


def _left_to_right(piece: PhraseNodes) -> PhraseNodes:
    """The nodes in postorder: left part, right part, node."""
    found = []
    waiting = [len(piece) - 1]
    while waiting:
        node = piece[waiting.pop()]
        found.append(node)
        waiting += [part for part in node[:2] if part != NONE]
    return found[::-1]


def _words(encoding: Encoding, pieces: Sequence[PhraseNodes]) -> Iterator[Iterator[PlacedWord]]:
    """The words of each piece from left to right.

    The search treats interchangeable words as one repeated word; here each of them is used once.
    """
    copies: defaultdict[int, deque[int]] = defaultdict(deque)
    for number, leader in enumerate(encoding.leaders):
        copies[leader].append(encoding.order[number])
    for piece in pieces:
        yield iter(
            [(copies[word].popleft(), tag) for _, _, rule, _, word, tag in piece if rule == LEAF]
        )
