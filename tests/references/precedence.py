"""The closure of order constraints over given arcs, slow and plain.

The package computes it in `problem/precedence.py` and `problem/precedence.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    count = len(words)
    before = [0] * count
    for earlier, later in pairs:
        before[later - 1] |= 1 << (earlier - 1)
    _close_transitively(before)
    _reject_cycle(words, pairs, before, "")
    everything = (1 << count) - 1
    if first is not None:
        bit = 1 << (first - 1)
        _reject_outside(words, before[first - 1], first, "first")
        before = [mask | bit for mask in before]
        before[first - 1] = 0
    if last is not None:
        bit = 1 << (last - 1)
        after_last = sum(1 << word for word, mask in enumerate(before) if mask & bit)
        _reject_outside(words, after_last, last, "last")
        before[last - 1] = everything & ~bit
    families = _families(words)
    while families and _close_over_families(before, families):
        _close_transitively(before)
        _reject_cycle(words, pairs, before, " (order constraints and given arcs together)")
    return tuple(before)


def _close_transitively(before: list[int]) -> None:
    for middle in range(len(before)):
        earlier = before[middle]
        if earlier:
            bit = 1 << middle
            for word, mask in enumerate(before):
                if mask & bit:
                    before[word] = mask | earlier


# A family: a head and its given dependents, as the masks of the blocks that must stay contiguous
# (the head alone; each dependent with its given subtree), the words of each block beside it.
_Family = list[tuple[int, list[int]]]


def _families(words: Sequence[Word]) -> list[_Family]:
    dependents: dict[int, list[int]] = {}
    for index, word in enumerate(words):
        if word.head:
            dependents.setdefault(word.head - 1, []).append(index)
    if not dependents:
        return []
    order = [index for index, word in enumerate(words) if not word.head]
    for head in order:  # grows while it is read: heads come before their dependents
        order.extend(dependents.get(head, ()))
    subtree = [[index] for index in range(len(words))]
    for index in reversed(order):
        head_index = words[index].head
        if head_index:
            subtree[head_index - 1] += subtree[index]
    return [
        [(1 << head, [head])]
        + [(sum(1 << word for word in subtree[child]), subtree[child]) for child in children]
        for head, children in dependents.items()
    ]


def _close_over_families(before: list[int], families: list[_Family]) -> bool:
    """Order whole blocks where some of their words are ordered; True if that added anything."""
    added = False
    for family in families:
        whole = 0
        for block, _ in family:
            whole |= block
        for block, words in family:
            earlier = 0
            for word in words:
                earlier |= before[word]
            earlier &= whole & ~block
            if not earlier:
                continue
            for other, _ in family:
                if earlier & other:
                    earlier |= other
            for word in words:
                if earlier & ~before[word]:
                    before[word] |= earlier
                    added = True
    return added


def _reject_cycle(words: Sequence[Word], pairs: Pairs, before: list[int], because: str) -> None:
    for word, earlier in enumerate(before):
        if not earlier >> word & 1:
            continue
        if not because:
            cycle = _shortest_cycle(pairs, word + 1)
            raise ProblemError(
                "the order constraints contradict each other: "
                f"{name_words(words, cycle, ' before ')}"
            )
        other = next(
            index
            for index, mask in enumerate(before)
            if index != word and earlier >> index & 1 and mask >> word & 1
        )
        raise ProblemError(
            f"the order constraints cannot be met: {name_word(words, word + 1)} would have "
            f"to stand both before and after {name_word(words, other + 1)}{because}"
        )


def _shortest_cycle(pairs: Pairs, start: int) -> list[int]:
    later: dict[int, list[int]] = {}
    for a, b in pairs:
        later.setdefault(a, []).append(b)
    paths = [[start]]
    seen: set[int] = set()
    for path in paths:  # grows while it is read: breadth first
        for word in later.get(path[-1], ()):
            if word == start:
                return [*path, start]
            if word not in seen:
                seen.add(word)
                paths.append([*path, word])
    raise AssertionError("no cycle through a word that precedes itself")


def _reject_outside(words: Sequence[Word], outside: int, bound: int, name: str) -> None:
    if outside:
        word = (outside & -outside).bit_length()
        side = "before" if name == "first" else "after"
        raise ProblemError(
            f"the order constraints contradict each other: {name_word(words, word)} is to "
            f"stand {side} {name_word(words, bound)}, which is given as {name}"
        )
