"""Which gold derivations a CCG grammar can build: the share that best-first search could reach.

    python benchmarks/derivability.py TRAIN.auto DEV.auto [--heads file|rule]

The grammar is that of TRAIN. A derivation is reachable if all its rules and chains of unary rules
are in the grammar; `without chains` is what a grammar reaches that applies no unary rule on top of
another. `lexicon` is the share of derivations whose words may have their gold categories, given
their tags; training adds those of its own derivations. `both heads` are rules that occur with the
head on either side, and `minority` is the share of binary nodes with the rarer head of their rule.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from syntagma.best_first.ccg_grammar import CHAINS, CcgGrammar
from syntagma.best_first.training import extract_grammar, is_derivable
from syntagma.ccg.derivation import Derivation
from syntagma.formats.auto import HeadSource
from syntagma.transition.training import learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.corpus import read_ccgbank


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("--heads", choices=("file", "rule"))
    options = parser.parse_args(arguments)
    print("\n".join(measure(options.train, options.dev, options.heads)))


def measure(train: Path, dev: Path, heads: HeadSource | None = None) -> list[str]:
    """The rows of a table in Markdown, and a line about heads."""
    sentences = read_ccgbank(train, heads)
    vocabulary = learn_vocabulary(each.sentence for each in sentences)
    grammar = extract_grammar((each.derivation for each in sentences), vocabulary)
    plain = without_chains(grammar)
    rows = [
        "| derivations | number | with chains | reachable without chains | reachable | lexicon |",
        "|---|---|---|---|---|---|",
    ]
    for path in (train, dev):
        trees = [each.derivation for each in read_ccgbank(path, heads)]
        shares = [
            [any(len(chain) > 2 for chain in tree.unary_chains) for tree in trees],
            [is_derivable(tree, plain) for tree in trees],
            [is_derivable(tree, grammar) for tree in trees],
            [has_leaves(tree, grammar, vocabulary) for tree in trees],
        ]
        cells = " | ".join(f"{sum(each) / len(trees):.2%}" for each in shares)
        rows.append(f"| {path.name} | {len(trees):,} | {cells} |")
    both, minority = head_sides([each.derivation for each in sentences])
    rows.append("")
    rows.append(
        f"{len(grammar.binary):,} binary and {len(grammar.unary):,} unary rules; {both:,} have "
        f"both heads, minority {minority:.2%}"
    )
    return rows


def without_chains(grammar: CcgGrammar) -> CcgGrammar:
    """The grammar without unary rules on top of unary rules."""
    arrays = grammar.to_arrays()
    arrays.pop(CHAINS.name, None)
    return CcgGrammar.from_arrays(arrays)


def has_leaves(tree: Derivation, grammar: CcgGrammar, vocabulary: Vocabulary) -> bool:
    """Whether the lexicon proposes the gold category of each word, given its tag."""
    for leaf in tree.leaves:
        tag = vocabulary.tag_numbers.get(leaf.tag or "")
        category = grammar.category_numbers.get(leaf.category)
        if (tag, category) not in grammar.leaves_of(leaf.form or "", tag, vocabulary):
            return False
    return True


def head_sides(trees: Sequence[Derivation]) -> tuple[int, float]:
    """The number of rules that occur with both heads, and the share of nodes with the rarer one."""
    counts: defaultdict[tuple[str, str, str], Counter[int]] = defaultdict(Counter)
    for tree in trees:
        for node in tree.nodes:
            if len(node.children) == 2:
                left, right = node.children
                counts[left.category, right.category, node.category][node.head_side] += 1
    both = [sides for sides in counts.values() if len(sides) == 2]
    nodes = sum(sides.total() for sides in counts.values())
    return len(both), sum(min(sides.values()) for sides in both) / max(nodes, 1)


if __name__ == "__main__":
    main()
