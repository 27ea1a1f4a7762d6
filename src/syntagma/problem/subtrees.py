"""The closure of order constraints over given subtrees, which are contiguous.

A graph whose nodes are the words and, for each given subtree, its begin and its end: what reaches
the begin precedes the whole subtree; the end is reached from all of it. Where a word of one subtree
precedes a word of its sibling, an edge from the end of the one to the begin of the other is added,
until there are none to add. A head is a sibling of its dependents' subtrees, and stands for itself
alone: edges from its dependents enter its `before` node.

Words are numbered so that each subtree is a range of bits, and siblings are mostly in the order in
which they will stand: the last sibling found to precede a subtree then implies most others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from syntagma.errors import ProblemError, name_word
from syntagma.problem.graphs import find_cycle_among, topological_order
from syntagma.problem.masks import renumbered
from syntagma.problem.word import Word


def close_over_subtrees(
    words: Sequence[Word], earlier: Sequence[Sequence[int]], order: Sequence[int]
) -> tuple[int, ...]:
    """For each word the mask of the words that must precede it.

    `earlier` holds the words that directly precede each, `order` is a topological order of it.
    """
    graph = _Graph([word.head or 0 for word in words], earlier, order)
    while True:
        cycle = graph.close()
        if cycle:
            one, other = graph.contradiction(cycle)
            raise ProblemError(
                f"the order constraints cannot be met: {name_word(words, one + 1)} would have "
                f"to stand both before and after {name_word(words, other + 1)} "
                "(order constraints and given arcs together)"
            )
        if not graph.add_edges():
            return graph.masks()


class _Graph:
    def __init__(
        self, heads: Sequence[int], earlier: Sequence[Sequence[int]], order: Sequence[int]
    ) -> None:
        count = self.count = len(heads)
        self.begin, self.end, self.head = count, 2 * count, 3 * count  # nodes of word w: plus w
        self.children: list[list[int]] = [[] for _ in heads]
        for word, head in enumerate(heads):
            if head:
                self.children[head - 1].append(word)
        self._number(heads, order)
        self.edges: list[list[int]] = [list(direct) for direct in earlier]
        self.edges += [[] for _ in range(3 * count)]
        for word, head in enumerate(heads):
            self.edges[self.end + word] = [word, *(self.end + each for each in self.children[word])]
            if head:
                self.edges[word].append(self.begin + word)
                self.edges[self.begin + word].append(self.begin + head - 1)
            if self.children[word]:
                self.edges[word].append(self.head + word)
        self.closed = [0] * (4 * count)

    def _number(self, heads: Sequence[int], order: Sequence[int]) -> None:
        """Number the words: heads before their dependents, siblings by their last word so far."""
        latest = [0] * self.count
        for rank, word in enumerate(order):
            latest[word] = rank
        top_down = [word for word, head in enumerate(heads) if not head]
        for word in top_down:  # grows while it is read
            top_down += self.children[word]
        size = [1] * self.count
        for word in reversed(top_down):
            if heads[word]:
                head = heads[word] - 1
                size[head] += size[word]
                latest[head] = max(latest[head], latest[word])
        self.position = [0] * self.count
        following = 0
        for word in top_down:
            if not heads[word]:
                self.position[word] = following
                following += size[word]
            self.children[word].sort(key=latest.__getitem__)
            at = self.position[word] + 1
            for child in self.children[word]:
                self.position[child] = at
                at += size[child]
        self.bit = [1 << position for position in self.position]
        self.subtree = [
            ((1 << size[word]) - 1) << position for word, position in enumerate(self.position)
        ]

    def close(self) -> list[int]:
        """Find what precedes each node; returns a cycle if there is one."""
        order = topological_order(self.edges)
        if len(order) < len(self.edges):
            return find_cycle_among(self.edges, order)
        closed, edges, count = self.closed, self.edges, self.count
        for node in order:
            mask = closed[node]
            for other in edges[node]:
                mask |= closed[other]
            closed[node] = mask | self.bit[node] if node < count else mask
        return []

    def add_edges(self) -> bool:
        """Order whole subtrees where some of their words are ordered; True if that is new."""
        added = False
        for head, children in enumerate(self.children):
            if not children:
                continue
            starts = [self.position[child] for child in children]
            whole = self.subtree[head]
            # What is known to precede the head and each subtree as a whole, new edges included.
            known = {head: self.closed[self.head + head] | self.bit[head]}
            for sibling in (head, *children):
                if sibling == head:
                    target, partly, own = self.head + head, self.closed[head], self.bit[head]
                else:
                    target = self.begin + sibling
                    partly, own = self.closed[self.end + sibling], self.subtree[sibling]
                    known[sibling] = self.closed[target] | own
                while new := partly & whole & ~known[sibling]:
                    at = bisect_right(starts, new.bit_length() - 1) - 1
                    other = children[at] if at >= 0 else head
                    self.edges[target].append(other if at < 0 else self.end + other)
                    known[sibling] |= known.get(other, 0) | (
                        self.bit[head] if at < 0 else self.subtree[other]
                    )
                    added = True
        return added

    def contradiction(self, cycle: list[int]) -> tuple[int, int]:
        """Two words of a cycle, each of which would precede the other."""
        count = self.count

        def is_added(one: int, other: int) -> bool:
            entered = other // count
            return entered == 3 or (entered == 1 and one // count != 1)

        at = next(i for i in range(len(cycle)) if is_added(cycle[i - 1], cycle[i]))
        cycle = cycle[at:] + cycle[:at]
        words = [node for node in cycle if node < count]
        return words[0], words[-1]

    def masks(self) -> tuple[int, ...]:
        """What precedes each word, with bits by the indices of the words."""
        masks = (self.closed[word] & ~self.bit[word] for word in range(self.count))
        return tuple(renumbered(masks, self.position))
