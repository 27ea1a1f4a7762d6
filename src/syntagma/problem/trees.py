"""Trees over ordered words as lists of heads: cycles, projectivity, lifting.

Heads are 1-based, 0 stands for the root; `heads[0]` is the head of word 1.
"""

from __future__ import annotations

from collections.abc import Sequence


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
    # It is enough that no word between the two has its head outside: going up from such a word one
    # never leaves the span except through its ends.
    for dependent, head in enumerate(heads, start=1):
        if head:
            low, high = (head, dependent) if head < dependent else (dependent, head)
            for between in range(low, high - 1):
                if not low <= heads[between] <= high:
                    return False
    return True


def lift(heads: Sequence[int]) -> tuple[int, ...]:
    """Make a tree projective (Nivre & Nilsson 2005, §2).

    Again and again the dependent of the shortest non-projective arc (the leftmost of these) moves
    up to the head of its head.
    """
    lifted = list(heads)
    if is_projective(lifted):
        return tuple(lifted)
    while (dependent := _shortest_nonprojective(lifted)) is not None:
        lifted[dependent - 1] = lifted[lifted[dependent - 1] - 1]
    return tuple(lifted)


def _shortest_nonprojective(heads: Sequence[int]) -> int | None:
    arcs = [
        (abs(head - dependent), dependent) for dependent, head in enumerate(heads, start=1) if head
    ]
    for _, dependent in sorted(arcs):
        head = heads[dependent - 1]
        low, high = min(head, dependent), max(head, dependent)
        if not all(_descends(heads, word, head) for word in range(low + 1, high)):
            return dependent
    return None


def _descends(heads: Sequence[int], word: int, ancestor: int) -> bool:
    while word and word != ancestor:
        word = heads[word - 1]
    return word == ancestor
