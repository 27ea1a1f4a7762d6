"""Which words must precede which: the closure of a problem's order constraints over its given arcs.

The constraints are fields of `problem.Problem`; the search (`transition`) enforces the closure. How
constraints and subtrees act on each other is in `subtrees`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from syntagma.errors import ProblemError, name_word, name_words
from syntagma.problem.graphs import find_cycle_among, topological_order
from syntagma.problem.subtrees import close_over_subtrees
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
    order = topological_order(earlier)
    if len(order) < len(words):
        word = min(find_cycle_among(earlier, order))
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
    heads = [word.head for word in words]
    if not any(heads):
        return tuple(before)
    return close_over_subtrees(words, earlier, order)


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
