"""A check, independent of any search, that a derivation follows a CCG grammar."""

from __future__ import annotations

from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.ccg.derivation import Derivation
from syntagma.transition.vocabulary import Vocabulary


def broken_rules(derivation: Derivation, grammar: CcgGrammar, vocabulary: Vocabulary) -> list[str]:
    """The rules and the categories of words in a derivation that the grammar does not have."""
    names = grammar.categories
    binary = {(names[a], names[b], names[c], side) for a, b, c, side in grammar.binary.tolist()}
    unary = {(names[a], names[b]) for a, b in grammar.unary.tolist()}
    broken = []
    waiting = [derivation]
    while waiting:
        node = waiting.pop()
        below = tuple(child.category for child in node.children)
        if len(below) == 2 and (*below, node.category, node.head_side) not in binary:
            broken.append(f"no rule {below[0]}  {below[1]} -> {node.category}")
        if len(below) == 1 and (*below, node.category) not in unary:
            broken.append(f"no rule {below[0]} -> {node.category}")
        if len(below) == 1:
            chain = [node.category, *below]
            lowest = node.children[0]
            while len(lowest.children) == 1:
                lowest = lowest.children[0]
                chain.append(lowest.category)
            if len(chain) > 2 and (not grammar.chains or node.category in chain[1:]):
                broken.append(f"no chain {' -> '.join(reversed(chain))}")
        if not below:
            assert node.form is not None
            assert node.tag is not None
            tag = vocabulary.tags.index(node.tag) if node.tag in vocabulary.tags else None
            leaves = grammar.leaves_of(node.form, tag, vocabulary)
            if node.category not in {names[category] for _, category in leaves}:
                broken.append(f"{node.form!r} with the tag {node.tag} is no {node.category}")
        waiting += reversed(node.children)
    return broken
