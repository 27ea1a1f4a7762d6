"""Trees over ordered words as lists of heads: cycles, projectivity, lifting.

Heads are 1-based, 0 stands for the root; `heads[0]` is the head of word 1.

A *lifting* says how many ancestors above its head each word is attached to, so that an order that
is not projective becomes one: 0 for most words. Which liftings a search tries is decided in
`transition.lifting`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush


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
    arcs = [
        (head, -word) if head < word else (word, -head) for word, head in enumerate(heads, start=1)
    ]
    open_ends: list[int] = []
    for low, end in sorted(arcs):
        high = -end
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
    visits = _visits(heads)
    return sum(not _spans_descendants(word, heads, *visits) for word in range(1, len(heads) + 1))


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
    waiting = [  # non-projective arcs: length, dependent, head
        arc
        for head in range(1, len(heads) + 1)
        for arc in _nonprojective(head, dependents[head], dependents)
    ]
    heapify(waiting)
    known = set(waiting)
    while waiting:
        _, dependent, head = heappop(waiting)
        above = lifted[dependent - 1] = lifted[head - 1]
        dependents[head].remove(dependent)
        dependents[above].add(dependent)
        # Only these arcs can be non-projective now and have not been so before.
        arcs = _nonprojective(head, dependents[head], dependents)
        arcs += _nonprojective(above, [dependent], dependents) if above else []
        for arc in set(arcs) - known:
            known.add(arc)
            heappush(waiting, arc)
    return tuple(lifted)


def least_lifting(
    heads: Sequence[int], known: Sequence[bool] | None = None
) -> tuple[int, ...] | None:
    """The least lifting that makes a tree projective; None if there is none.

    `known[w - 1]` says whether the arc of word w was given. Only given arcs are lifted, and only
    along given ones; by default all are.

    No other lifting that makes the tree projective lifts any word less. Take an arc (h, d) over a
    word x whose head, lifted as far as it must be, is neither h nor below h. However far words are
    lifted, x cannot come to stand below h, so d must leave h. Where there is no such arc, the tree
    is projective: the head of x cannot stand outside the arc, because its own arc would then be
    over h or d, whose heads are not below it; so the path from x up to h stays inside.

    `lift` may lift further: there a word moves on to the head that its head has by then.

    >>> least_lifting([3, 4, 0, 3])
    (0, 1, 0, 0)
    """
    steps = [0] * len(heads)
    if is_projective(heads):
        return tuple(steps)
    lifted = list(heads)
    enters, leaves = _visits(heads)
    changed = True
    while changed:
        changed = False
        for dependent in range(1, len(heads) + 1):
            while not _spans_descendants(dependent, lifted, enters, leaves):
                head = lifted[dependent - 1]
                above = heads[head - 1]
                given = known is None or (known[dependent - 1] and known[head - 1])
                if not (above and given):
                    return None
                lifted[dependent - 1] = above
                steps[dependent - 1] += 1
                changed = True
    return tuple(steps)


def lift_heads(heads: Sequence[int | None], lifting: Sequence[int]) -> tuple[int | None, ...]:
    """The heads after a lifting: those so many ancestors higher.

    >>> lift_heads([3, 4, 0, 3], [0, 1, 0, 0])
    (3, 3, 0, 3)
    """
    lifted = list(heads)
    for word, steps in enumerate(lifting):
        for _ in range(steps):
            head = lifted[word]
            above = heads[head - 1] if head else None
            if not above:
                raise ValueError(f"word {word + 1} cannot be lifted by {steps}")
            lifted[word] = above
    return tuple(lifted)


def lifting_room(heads: Sequence[int | None]) -> tuple[int, ...]:
    """How far each word can be lifted: the number of known ancestors above its head.

    >>> lifting_room([3, 4, 0, 3]), lifting_room([2, 3, None])
    ((0, 1, 0, 0), (1, 0, 0))
    """
    room = [0] * len(heads)
    for word, head in enumerate(heads):
        while head and (head := heads[head - 1]):
            room[word] += 1
    return tuple(room)


def walk(heads: Sequence[int]) -> tuple[list[list[int]], list[int]]:
    """The dependents of each word, 0 being the root's head, and all words, heads first.

    >>> walk([2, 0, 2])
    ([[2], [], [1, 3], []], [0, 2, 1, 3])
    """
    dependents: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for dependent, head in enumerate(heads, start=1):
        dependents[head].append(dependent)
    top_down = [0]
    for word in top_down:  # grows during iteration
        top_down += dependents[word]
    return dependents, top_down


def _visits(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """When a walk through the tree enters and leaves each word, from 0: word x is at or below word
    h if and only if `enters[h] <= enters[x] < leaves[h]`."""
    dependents, top_down = walk(heads)
    sizes = [1] * (len(heads) + 1)
    for word in reversed(top_down[1:]):
        sizes[heads[word - 1]] += sizes[word]
    enters = [0] * (len(heads) + 1)
    for word in top_down:
        place = enters[word] + 1
        for dependent in dependents[word]:
            enters[dependent] = place
            place += sizes[dependent]
    return enters, [enter + size for enter, size in zip(enters, sizes, strict=True)]


def _spans_descendants(
    dependent: int, lifted: Sequence[int], enters: Sequence[int], leaves: Sequence[int]
) -> bool:
    """Whether the heads of all words under the arc of a word are at or below its head."""
    head = lifted[dependent - 1]
    if not head:
        return True
    start, end = enters[head], leaves[head]
    low, high = min(head, dependent), max(head, dependent)
    return all(start <= enters[above] < end for above in lifted[low : high - 1])


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
