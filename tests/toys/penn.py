"""Penn-style trees of our own: random ones, and ways to write them."""

from __future__ import annotations

from random import Random

from syntagma.formats.penn import Node, PennTree, read_penn

PHRASES = ("NP", "NP", "VP", "S", "SBAR", "PP", "ADJP", "ADVP", "QP", "PRN", "WHNP", "NX", "TITLE")
MARKS = ("", "", "", "-SBJ", "-1", "=2", "-PRD", "-TMP-3")
TAGS = (
    "DT",
    "NN",
    "NNS",
    "VBD",
    "VBN",
    "MD",
    "IN",
    "JJ",
    "RB",
    ",",
    ".",
    ":",
    "-LRB-",
    "POS",
    "CD",
)
TRACE = "-NONE-"


def parse(text: str) -> Node:
    """The only tree of a text."""
    [tree] = read_penn(text.splitlines(), "toy")
    assert isinstance(tree, PennTree), tree
    return tree.root


def random_tree(rng: Random, depth: int = 5) -> str:
    """A tree in one line; its words are numbered, and about one in five is a trace."""
    words = iter(range(1, 10_000))

    def bracket(depth: int) -> str:
        if depth == 0 or rng.random() < 0.25:
            if rng.random() < 0.2:
                return f"({TRACE} *T*-{rng.randrange(3)})"
            return f"({rng.choice(TAGS)} w{next(words)})"
        children = " ".join(bracket(depth - 1) for _ in range(rng.choice((1, 1, 2, 2, 3, 4))))
        return f"({rng.choice(PHRASES)}{rng.choice(MARKS)} {children})"

    return f"( {bracket(depth)} )"


def spread(rng: Random, tree: str) -> str:
    """The same tree over several lines, indented at random as no two treebanks are alike."""
    return "".join(
        f"\n{' ' * rng.randrange(1, 6)}" if part == " " and rng.random() < 0.3 else part
        for part in tree
    ).replace(")(", ") (")
