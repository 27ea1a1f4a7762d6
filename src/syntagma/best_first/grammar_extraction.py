"""Extraction of a CCG grammar from derivations (ZC15 §3.1), for training.

The grammar has every instance of a binary or unary rule that occurs in the derivations, and no
other. Unary rules may be applied on top of each other if they ever are in the derivations. A rule
that occurs with its head on the left and on the right gives two rules.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from syntagma.best_first.ccg_grammar import CcgGrammar, Int32, LexicalEntry
from syntagma.ccg.derivation import Derivation
from syntagma.errors import SyntagmaWarning, shown
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence

# On EWT's dev set, the lexicon proposes 6 categories per word on average if tags are given, and the
# gold category is among them for 96.7% of the words; without tags it proposes 11 pairs of tag and
# category, and the gold pair is among them for 95.0%. (RARE = 10: 96.3% of 5.6, 94.7% of 10.3.)
RARE = 20  # forms seen less often may have categories that they were not seen with
MAX_CATEGORIES = 20  # per tag
MIN_SHARE = 0.005  # rarer pairs of a form, and rarer categories of a tag, are not proposed

T = TypeVar("T", bound=Hashable)


def extract_grammar(derivations: Iterable[Derivation], vocabulary: Vocabulary) -> CcgGrammar:
    """The grammar of the derivations; the vocabulary must contain their tags."""
    names: set[str] = set()
    binary: set[tuple[str, str, str, int]] = set()
    unary: set[tuple[str, str]] = set()
    words: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    chains = False
    for derivation in derivations:
        chains = chains or any(len(chain) > 2 for chain in derivation.unary_chains)
        for node in derivation.nodes:
            names.add(node.category)
            if len(node.children) == 2:
                left, right = node.children
                binary.add((left.category, right.category, node.category, node.head_side))
            elif node.children:
                unary.add((node.children[0].category, node.category))
            elif node.form is not None and node.tag is not None:
                words[node.form][node.tag, node.category] += 1
    categories = sorted(names)
    number = {category: i for i, category in enumerate(categories)}
    forms: dict[str, Counter[LexicalEntry]] = {
        form: Counter(
            {
                (vocabulary.tag_numbers[tag], number[category]): count
                for (tag, category), count in words[form].items()
            }
        )
        for form in sorted(words)
    }
    rare = frozenset(form for form, counts in forms.items() if counts.total() < RARE)
    return CcgGrammar(
        categories,
        _rows(((number[a], number[b], number[c], side) for a, b, c, side in binary), 4),
        _rows(((number[a], number[b]) for a, b in unary), 2),
        {form: _most_frequent(counts) for form, counts in forms.items()},
        rare,
        _categories_by_tag(forms, rare, len(vocabulary.tags)),
        chains=chains,
    )


def returns(chain: Sequence[str]) -> bool:
    """Whether a chain of unary rules, from its lowest category on, returns to one of its
    categories, so that no search builds it. It may begin with a rule X -> X."""
    return any(category in chain[:place] for place, category in enumerate(chain) if place > 1)


def is_derivable(derivation: Derivation, grammar: CcgGrammar) -> bool:
    """Whether a search with the grammar can build the derivation, given the leaves."""
    for chain in derivation.unary_chains:
        if returns(chain) or (len(chain) > 2 and not grammar.chains):
            return False
    numbers = grammar.category_numbers
    for node in derivation.nodes:
        below = (child.category for child in node.children)
        side = (node.head_side,) if len(node.children) == 2 else ()
        rule = (*(numbers.get(category) for category in (*below, node.category)), *side)
        if node.children and rule not in grammar.rule_numbers:
            return False
    return True


def count_unreachable(sentences: Sequence[Sentence], grammar: CcgGrammar) -> int:
    """The number of gold derivations that a search with the grammar cannot build; warn of them."""
    faulty = [
        each
        for each in sentences
        if each.derivation is not None and not is_derivable(each.derivation, grammar)
    ]
    if faulty:
        first = faulty[0].id or shown(" ".join(faulty[0].forms))
        warnings.warn(
            f"{len(faulty)} of {len(sentences)} gold derivations are unreachable, because a chain "
            f"of unary rules returns to a category, as in X -> Y -> X; the first: {first}",
            SyntagmaWarning,
            stacklevel=2,
        )
    return len(faulty)


def _rows(rules: Iterable[tuple[int, ...]], width: int) -> Int32:
    return np.array(sorted(rules), np.int32).reshape(-1, width)


def _most_frequent(counts: Counter[T], limit: int | None = None) -> tuple[T, ...]:
    """The items by frequency, ties in sorted order; rare ones are dropped, but never the first."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]
    least = MIN_SHARE * counts.total()
    return tuple(item for i, (item, count) in enumerate(ranked) if i == 0 or count >= least)


def _categories_by_tag(
    forms: Mapping[str, Counter[LexicalEntry]], rare: frozenset[str], size: int
) -> list[tuple[int, ...]]:
    """The categories of each tag: those of its rare forms, or of all its forms if none is rare.

    The last list is for unknown tags: the categories of rare forms with any tag.
    """
    of_rare = [Counter[int]() for _ in range(size + 1)]
    of_all = [Counter[int]() for _ in range(size + 1)]
    for form, counts in forms.items():
        for (tag, category), count in counts.items():
            for each in (tag, size):
                of_all[each][category] += count
                if form in rare:
                    of_rare[each][category] += count
    chosen = [
        _most_frequent(some or every, MAX_CATEGORIES)
        for some, every in zip(of_rare, of_all, strict=True)
    ]
    return [categories or chosen[size] or (0,) for categories in chosen]
