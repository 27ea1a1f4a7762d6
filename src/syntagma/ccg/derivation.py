r"""CCG derivations: trees of categories over words. How categories combine is in `categories`.

S
  NP  Birds  NOUN
  S\NP  sing  VERB
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from syntagma.ccg.categories import LEFT, RIGHT, combine


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derivation:
    """A node and the tree below it: a word with its category, or one or two children.

    `source` is the 1-based index of the word in the problem, in derivations that a search found.
    `head` says which of two children is the head, 0 or 1; if it is None, `head_side` follows the
    rules of `categories`. Trees may be deep, so no method recurses.
    """

    category: str
    children: tuple[Derivation, ...] = ()
    form: str | None = None
    tag: str | None = None
    source: int | None = None
    head: int | None = None

    def __post_init__(self) -> None:
        if len(self.children) > 2:
            raise ValueError(f"a node of a derivation has {len(self.children)} children, at most 2")
        if self.children and (self.form, self.tag, self.source) != (None, None, None):
            raise ValueError("a node of a derivation is either a word or has children")
        if not self.children and (self.form is None or self.tag is None):
            raise ValueError("a node of a derivation without children needs a form and a tag")
        if self.head is not None and (len(self.children) != 2 or self.head not in (LEFT, RIGHT)):
            raise ValueError(
                "the head of a node of a derivation is one of its two children, 0 or 1"
            )

    @property
    def head_side(self) -> int:
        """Which child is the head: 0, or 1 for the right one of two."""
        if self.head is not None or len(self.children) < 2:
            return self.head or LEFT
        left, right = self.children
        return combine(left.category, right.category, self.category).head

    @property
    def nodes(self) -> Iterator[Derivation]:
        """All nodes in preorder: node, left child, right child."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    @property
    def bottom_up(self) -> list[Derivation]:
        """All nodes in postorder: left child, right child, node."""
        found = []
        waiting = [self]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(node.children)
        return found[::-1]

    @property
    def leaves(self) -> Iterator[Derivation]:
        """The words from left to right."""
        return (node for node in self.nodes if not node.children)

    @property
    def unary_chains(self) -> Iterator[tuple[str, ...]]:
        """The categories of each maximal chain of unary nodes, from its lowest child to its top."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            chain = [node.category]
            while len(node.children) == 1:
                [node] = node.children
                chain.append(node.category)
            if len(chain) > 1:
                yield tuple(reversed(chain))
            waiting.extend(reversed(node.children))

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(leaf.form for leaf in self.leaves if leaf.form is not None)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(leaf.tag for leaf in self.leaves if leaf.tag is not None)

    @property
    def text(self) -> str:
        """The sentence, forms separated by spaces."""
        return " ".join(self.forms)

    @property
    def has_given_heads(self) -> bool:
        """Whether the head of a node is given, and not found by rule."""
        return any(node.head is not None for node in self.nodes)

    def heads(self) -> tuple[int, ...]:
        """The 1-based head of each word, 0 for the root."""
        heads: list[int] = []
        waiting: list[int] = []  # head words of nodes without a parent yet, from left to right
        for node in self.bottom_up:
            if not node.children:
                heads.append(0)
                waiting.append(len(heads))
            elif len(node.children) == 2:
                second, first = waiting.pop(), waiting.pop()
                if node.head_side == LEFT:
                    heads[second - 1] = first
                    waiting.append(first)
                else:
                    heads[first - 1] = second
                    waiting.append(second)
        return tuple(heads)

    def _flat(self) -> tuple[tuple[Any, ...], ...]:
        return tuple(
            (node.category, len(node.children), node.form, node.tag, node.source, node.head_side)
            for node in self.nodes
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Derivation):
            return NotImplemented
        return self is other or self._flat() == other._flat()

    def __hash__(self) -> int:
        return hash(self._flat())

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_flat, (self._flat(),)

    def __deepcopy__(self, memo: dict[int, object]) -> Derivation:
        return self  # nothing in it changes

    def __repr__(self) -> str:
        return f"<Derivation {self.category}: {self.text}>"


def _of_flat(nodes: Sequence[tuple[Any, ...]]) -> Derivation:
    """The tree of nodes in preorder, each with the number of its children."""
    built: list[Derivation] = []
    for category, count, form, tag, source, side in reversed(nodes):
        children = tuple(built.pop() for _ in range(count))
        head = side if count == 2 else None
        built.append(Derivation(category, children, form, tag, source, head))
    return built.pop()
