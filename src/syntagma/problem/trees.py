"""Trees over ordered words as lists of heads: cycles, projectivity, lifting.

Heads are 1-based, 0 stands for the root; `heads[0]` is the head of word 1.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush


def find_cycle(heads: Sequence[int | None]) -> list[int]:
    """The words of a cycle of heads, the first repeated at the end; empty if there is none."""
    visited_from = [0] * (len(heads) + 1)
    for start in range(1, len(heads) + 1):
        word = start
        while word and not visited_from[word]:
            visited_from[word] = start
            word = heads[word - 1] or 0
        if word and visited_from[word] == start:
            cycle = [word, heads[word - 1] or 0]
            while cycle[-1] != word:
                cycle.append(heads[cycle[-1] - 1] or 0)
            return cycle
    return []


def is_projective(heads: Sequence[int]) -> bool:
    """Whether every word between a head and its dependent descends from that head.

    >>> is_projective([2, 0, 2]), is_projective([3, 4, 0, 3])
    (True, False)
    """
    # No two arcs cross, that from outside to the root included. By left ends, the outer of two
    # that begin at the same word first, each arc must end within the last that is still open.
    arcs = [(min(arc), max(arc)) for arc in enumerate(heads, start=1)]
    open_ends: list[int] = []
    for low, high in sorted(arcs, key=lambda arc: (arc[0], -arc[1])):
        while open_ends and open_ends[-1] <= low:
            open_ends.pop()
        if open_ends and open_ends[-1] < high:
            return False
        open_ends.append(high)
    return True


def count_nonprojective(heads: Sequence[int]) -> int:
    """The number of arcs between words over a word that does not descend from their head.

    >>> count_nonprojective([2, 0, 2]), count_nonprojective([3, 4, 0, 3])
    (0, 1)
    """
    if is_projective(heads):
        return 0
    dependents: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for dependent, head in enumerate(heads, start=1):
        dependents[head].append(dependent)
    return sum(
        len(_nonprojective(head, dependents[head], dependents)) for head in range(1, len(heads) + 1)
    )


def lift(heads: Sequence[int]) -> tuple[int, ...]:
    """Make a tree projective (Nivre & Nilsson 2005, §2).

    Again and again the dependent of the shortest non-projective arc (the leftmost of these) moves
    up to the head of its head.
    """
    if is_projective(heads):
        return tuple(heads)
    lifted = list(heads)
    dependents: list[set[int]] = [set() for _ in range(len(heads) + 1)]
    for dependent, head in enumerate(heads, start=1):
        dependents[head].add(dependent)
    waiting: list[tuple[int, int, int]] = []  # non-projective arcs: length, dependent, head
    for head in range(1, len(heads) + 1):
        for arc in _nonprojective(head, dependents[head], dependents):
            heappush(waiting, arc)
    known = set(waiting)
    while waiting:
        _, dependent, head = heappop(waiting)
        above = lifted[dependent - 1] = lifted[head - 1]
        dependents[head].remove(dependent)
        dependents[above].add(dependent)
        # Only these arcs can be non-projective now and have not been so before.
        arcs = _nonprojective(head, dependents[head], dependents)
        arcs += _nonprojective(above, [dependent], dependents) if above else []
        for arc in arcs:
            if arc not in known:
                known.add(arc)
                heappush(waiting, arc)
    return tuple(lifted)


def _nonprojective(
    head: int, candidates: Collection[int], dependents: Sequence[Collection[int]]
) -> list[tuple[int, int, int]]:
    """The arcs from a head to the candidates over words that do not descend from it."""
    if all(abs(head - dependent) == 1 for dependent in candidates):
        return []
    below = bytearray(len(dependents))
    waiting = [head]
    while waiting:
        word = waiting.pop()
        below[word] = 1
        waiting.extend(dependents[word])
    found = []
    for dependent in candidates:
        low, high = min(head, dependent), max(head, dependent)
        if below.count(1, low + 1, high) < high - low - 1:
            found.append((high - low, dependent, head))
    return found
