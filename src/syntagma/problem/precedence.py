"""Which words must precede which: the closure of a problem's order constraints over its given arcs.

The constraints are fields of `problem.Problem`; the search (`transition`) enforces the closure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from syntagma.errors import ProblemError, name_word, name_words
from syntagma.problem.word import Word

Pairs = tuple[tuple[int, int], ...]


def predecessors(
    words: Sequence[Word], pairs: Pairs, first: int | None, last: int | None
) -> tuple[int, ...] | None:
    """For each word (0-based) the set of words that must precede it, as a bit mask.

    The constraints are pairs of 1-based indices (a before b), the first word and the last word.
    Returns `None` if there are none. Raises `ProblemError` if they contradict each other or the
    given arcs.

    The closure is transitive and knows that subtrees are contiguous: if a precedes b and their
    paths to their lowest common ancestor g come in through u and v, then all of u's given subtree
    precedes all of v's (g standing for itself alone). On a full tree this is exact: two words are
    ordered here if and only if all projective orders that meet the constraints agree on them.
    """
    if not pairs and first is None and last is None:
        return None
    earlier: list[list[int]] = [[] for _ in words]
    for one, other in pairs:
        earlier[other - 1].append(one - 1)
    order = _topological_order(earlier)
    if len(order) < len(words):
        word = min(_find_cycle_among(earlier, order))
        cycle = _shortest_cycle(pairs, word + 1)
        pair = next(number for number, pair in enumerate(pairs) if pair == (cycle[0], cycle[1]))
        raise ProblemError(
            f"the order constraints contradict each other: {name_words(words, cycle, ' before ')}",
            field=f"before[{pair}]",
        )
    if first is not None:
        _reject_outside(words, [a for a, b in pairs if b == first], first, "first")
        for index, direct in enumerate(earlier):
            if index != first - 1:
                direct.append(first - 1)
        order.remove(first - 1)
        order.insert(0, first - 1)
    if last is not None:
        _reject_outside(words, [b for a, b in pairs if a == last], last, "last")
        earlier[last - 1] = [index for index in range(len(words)) if index != last - 1]
        order.remove(last - 1)
        order.append(last - 1)
    before = _closure(earlier, order)
    heads = [word.head or 0 for word in words]
    if not any(heads):
        return tuple(before)
    graph = _Graph(heads, earlier, order)
    while not (cycle := graph.close()):
        if not graph.add_edges():
            return graph.masks()
    one, other = graph.contradiction(cycle)
    raise ProblemError(
        f"the order constraints cannot be met: {name_word(words, one + 1)} would have to stand "
        f"both before and after {name_word(words, other + 1)} "
        "(order constraints and given arcs together)"
    )


def _closure(earlier: list[list[int]], order: list[int]) -> list[int]:
    """The transitive closure; drops from `earlier` what follows from the rest."""
    before = [0] * len(order)
    rank = [0] * len(order)
    for position, word in enumerate(order):
        rank[word] = position
    for word in order:
        mask = 0
        needed = []
        for other in sorted(earlier[word], key=rank.__getitem__, reverse=True):
            if not mask >> other & 1:
                mask |= before[other] | 1 << other
                needed.append(other)
        before[word], earlier[word] = mask, needed
    return before


def _shortest_cycle(pairs: Pairs, start: int) -> list[int]:
    later: dict[int, list[int]] = {}
    for a, b in pairs:
        later.setdefault(a, []).append(b)
    came_from: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        word = waiting.popleft()
        for following in later.get(word, ()):
            if following == start:
                cycle = [start, word]
                while cycle[-1] != start:
                    cycle.append(came_from[cycle[-1]])
                return cycle[::-1]
            if following not in came_from:
                came_from[following] = word
                waiting.append(following)
    raise AssertionError("no cycle through a word that precedes itself")


def _reject_outside(words: Sequence[Word], outside: list[int], bound: int, name: str) -> None:
    if outside:
        side = "before" if name == "first" else "after"
        raise ProblemError(
            f"the order constraints contradict each other: {name_word(words, min(outside))} is to "
            f"stand {side} {name_word(words, bound)}, which is given as {name}",
            field=name,
        )


def _topological_order(predecessors: Sequence[Sequence[int]]) -> list[int]:
    """The nodes, each after its predecessors (Kahn 1962); nodes on or behind a cycle are left out.

    >>> _topological_order([[2], [], [1]]), _topological_order([[], [2], [1]])
    ([1, 2, 0], [0])
    """
    successors: list[list[int]] = [[] for _ in predecessors]
    missing = [0] * len(predecessors)
    for node, before in enumerate(predecessors):
        missing[node] = len(before)
        for other in before:
            successors[other].append(node)
    order = [node for node, count in enumerate(missing) if not count]
    for node in order:  # grows while it is read
        for other in successors[node]:
            missing[other] -= 1
            if not missing[other]:
                order.append(other)
    return order


def _find_cycle_among(predecessors: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    """A cycle among the nodes that a topological order left out, each node before the next.

    >>> _find_cycle_among([[], [2], [1]], [0])
    [2, 1]
    """
    placed = set(order)
    node = next(node for node in range(len(predecessors)) if node not in placed)
    path: dict[int, None] = {}
    while node not in path:
        path[node] = None
        node = next(other for other in predecessors[node] if other not in placed)
    backwards = list(path)
    return backwards[backwards.index(node) :][::-1]


def renumbered(masks: Iterable[int], order: Sequence[int]) -> Iterator[int]:
    """Each mask with bit i where it had bit `order[i]`.

    >>> [bin(mask) for mask in renumbered([0b001, 0b110], [1, 2, 0])]
    ['0b100', '0b11']
    """
    size = (len(order) + 7) // 8
    rows = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), np.uint8)
    bits = np.unpackbits(rows.reshape(-1, size), axis=1, bitorder="little")[:, order]
    for row in np.packbits(bits, axis=1, bitorder="little"):
        yield int.from_bytes(row.tobytes(), "little")


class _Graph:
    """The words and, for each given subtree, its begin and its end, as nodes of a graph.

    What reaches the begin of a subtree precedes all of it; its end is reached from all of it. Where
    a word of one subtree precedes a word of its sibling, an edge from the end of the one to the
    begin of the other is added, until there are none to add. A head is a sibling of its
    dependents' subtrees, and stands for itself alone: edges from its dependents enter its `head`
    node.

    Words are numbered so that each subtree is a range of bits, and siblings are mostly in the order
    in which they will stand: the last sibling found to precede a subtree then implies most others.
    """

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
        order = _topological_order(self.edges)
        if len(order) < len(self.edges):
            return _find_cycle_among(self.edges, order)
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
