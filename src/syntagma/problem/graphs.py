"""Graphs as lists of predecessors: topological order, cycles."""

from __future__ import annotations

from collections.abc import Sequence


def topological_order(predecessors: Sequence[Sequence[int]]) -> list[int]:
    """The nodes, each after its predecessors (Kahn 1962); nodes on or behind a cycle are left out.

    >>> topological_order([[2], [], [1]]), topological_order([[], [2], [1]])
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


def find_cycle_among(predecessors: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    """A cycle among the nodes that a topological order left out, each node before the next.

    >>> find_cycle_among([[], [2], [1]], [0])
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
