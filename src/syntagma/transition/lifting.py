"""Liftings: how a projective search finds orders that make a subtree discontinuous.

For the purpose of ordering, a word with a given head may depend on an ancestor of it instead
(Nivre and Nilsson 2005; in generation Bohnet et al. 2012). The lifted tree is ordered by the
projective search; the result has the given heads. A lifting is a tuple of steps, one per word: how
many ancestors above its head it is attached to.

A neural model learns how far words are lifted. `beam` searches with the few liftings that are most
probable, and with none. What liftings do to a tree is in `problem.trees`.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from syntagma.errors import ProblemError
from syntagma.problem.precedence import predecessors, renumbered
from syntagma.problem.trees import least_lifting, lifting_room
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import NONE, Encoding

Lifting = tuple[int, ...]
Floats = npt.NDArray[np.float32]

MOST_STEPS = 3  # that a model distinguishes; the last one also stands for more
MOST_LIFTINGS = 2  # that a search tries, besides the empty one
LEAST_SHARE = 0.6  # of the probability of the best lifting that others must have to be tried
LEAST_NONE = 0.25  # the same for the empty lifting
WEIGHT = 1.0  # of the log-probability of a lifting in the score
MOST_ASSIGNMENTS = 200  # assignments of equal forms to words that are tried


def room_of(heads: Sequence[int]) -> tuple[int, ...]:
    """How far each word can be lifted, by word number: its given ancestors above its head."""
    return lifting_room([head + 1 if head >= 0 else None for head in heads])


def unlifted(encoding: Encoding, heads: Sequence[int]) -> list[int]:
    """The heads that a search found, with the given ones of words that were lifted."""
    return [
        given if lifted else head
        for head, given, lifted in zip(heads, encoding.given_heads, encoding.lifts, strict=True)
    ]


def lift_encoding(encoding: Encoding, lifting: Lifting) -> Encoding:
    """The encoding with words lifted. Raises `ProblemError` if order constraints forbid it."""
    if not any(lifting):
        return encoding
    given = encoding.given_heads
    heads = list(given)
    for word, steps in enumerate(lifting):
        for _ in range(steps):
            heads[word] = given[heads[word]]
    # Words that were interchangeable are so still if they are lifted by the same number of steps.
    twins: list[int] = []
    leaders: list[int] = []
    last_of: dict[tuple[int, int], int] = {}
    for word, leader in enumerate(encoding.leaders):
        group = leader, lifting[word]
        twins.append(last_of.get(group, NONE))
        leaders.append(word if twins[word] == NONE else leaders[twins[word]])
        last_of[group] = word
    return replace(
        encoding,
        task=encoding.task.with_heads(heads, twins, _masks(encoding, lifting, heads)),
        heads=tuple(heads),
        leaders=tuple(leaders),
        lifts=lifting,
    )


def _masks(encoding: Encoding, lifting: Lifting, heads: Sequence[int]) -> list[int] | None:
    """The order constraints of the lifted problem, closed over its subtrees."""
    problem, order = encoding.problem, encoding.order
    if problem.predecessors is None:
        return None
    words = list(problem.words)
    for number, steps in enumerate(lifting):
        if steps:
            at = order[number]
            words[at] = replace(words[at], head=order[heads[number]] + 1)
    closure = predecessors(words, problem.before, problem.first, problem.last)
    return None if closure is None else list(renumbered((closure[at] for at in order), order))


def rival_liftings(encoding: Encoding, scores: Floats) -> list[tuple[Encoding, float]]:
    """The liftings to search with besides the empty one, each with its part of the score.

    They are those asked for and the most probable ones that the order constraints allow.
    """
    rivals = []
    likely = likely_liftings(scores, encoding.leaders)
    for lifting in dict.fromkeys([*(encoding.liftings or ()), *likely]):
        with suppress(ProblemError):
            if any(lifting):
                rivals.append((lift_encoding(encoding, lifting), weighted_odds(scores, lifting)))
    return rivals


def is_unlikely(rivals: Sequence[tuple[Encoding, float]]) -> bool:
    """Whether it is not worth the time to search with no word lifted."""
    return max((odds for _, odds in rivals), default=0.0) > -WEIGHT * math.log(LEAST_NONE)


def merge_lists(lists: Sequence[Sequence[Linearization]], n_best: int) -> list[Linearization]:
    """The best results of several lists, each once; of equal ones that of the first list is kept.

    The list whose next result is best gives it. So a longer list begins with the shorter one, if
    the lists do.
    """
    merged: dict[tuple[str, ...], Linearization] = {}
    rests = [list(reversed(each)) for each in lists]
    while len(merged) < n_best and any(rests):
        best = max((rest for rest in rests if rest), key=lambda rest: rest[-1].score)
        result = best.pop()
        merged.setdefault(result.words, result)
    return list(merged.values())


def weighted_odds(scores: Floats, lifting: Lifting) -> float:
    """The part of a lifting in the score of a result: how much more probable it is than that of no
    word. `scores` are log-probabilities [word, steps] of at most MOST_STEPS steps."""
    return WEIGHT * sum(
        float(scores[word, min(steps, MOST_STEPS)]) - float(scores[word, 0])
        for word, steps in enumerate(lifting)
        if steps
    )


def likely_liftings(scores: Floats, leaders: Sequence[int]) -> list[Lifting]:
    """The most probable liftings, best first.

    Of interchangeable words, those with the lowest numbers are lifted furthest. Steps that are not
    possible have a score of minus infinity.
    """
    best = scores.argmax(axis=1)
    top = scores[np.arange(len(scores)), best]
    losses = top[:, None] - scores
    least = float(np.log(LEAST_SHARE))
    words, steps = np.nonzero(losses < -least)
    # Changes of the best lifting, cheapest first; words in ascending order among equals.
    changes = sorted(
        (float(losses[word, step]), int(word), int(step))
        for word, step in zip(words, steps, strict=True)
        if step != best[word]
    )
    found: dict[Lifting, None] = {}
    for chosen in _cheapest_sets(changes, -least):
        lifting = best.tolist()
        for word, step in chosen:
            lifting[word] = step
        found.setdefault(_sorted_within(lifting, leaders))
        if len(found) == MOST_LIFTINGS:
            break
    return list(found)


def _cheapest_sets(
    changes: Sequence[tuple[float, int, int]], most: float
) -> Iterator[list[tuple[int, int]]]:
    """Sets of changes of different words, cheapest first, up to a cost; at first the empty one.

    Each set but the empty one is reached once: from the set without its last change, or from the
    one with the change before instead of the last.
    """
    waiting: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    tries = 0
    while waiting and tries < 16 * MOST_LIFTINGS:
        tries += 1
        cost, chosen = heapq.heappop(waiting)
        if cost > most:
            return
        words = [changes[i][1] for i in chosen]
        if len(set(words)) == len(words):
            yield [changes[i][1:] for i in chosen]
        following = chosen[-1] + 1 if chosen else 0
        if following < len(changes):
            added = changes[following][0]
            heapq.heappush(waiting, (cost + added, (*chosen, following)))
            if chosen:
                swapped = cost + added - changes[chosen[-1]][0]
                heapq.heappush(waiting, (swapped, (*chosen[:-1], following)))


def _sorted_within(lifting: Sequence[int], leaders: Sequence[int]) -> Lifting:
    """The lifting with the steps of interchangeable words in descending order."""
    steps: dict[int, list[int]] = {}
    for leader, step in sorted(zip(leaders, lifting, strict=True)):
        steps.setdefault(leader, []).append(step)
    return tuple(steps[leader].pop() for leader in leaders)


def liftings_of_order(encoding: Encoding, order: Sequence[str] | Sequence[int]) -> list[Lifting]:
    """The least liftings under which an order of all words can be projective.

    There is one, unless words of the same form have different heads: then the order, given by
    forms, does not say which is which. Several ways to tell them apart are looked at, and those
    that lift least are kept.

    If not all arcs are given, each tree of given arcs is lifted by itself.
    """
    if not any(room_of(encoding.given_heads)):
        return []
    number_of = {at: number for number, at in enumerate(encoding.order)}
    if isinstance(order[0], int):
        return [
            least_of_order([number_of[int(index) - 1] for index in order], encoding.given_heads)
        ]
    words = encoding.problem.words
    members: dict[str, list[int]] = {}
    for number, at in enumerate(encoding.order):
        members.setdefault(words[at].form, []).append(number)
    queues = {form: list(reversed(numbers)) for form, numbers in members.items()}
    numbers = [queues[str(form)].pop() for form in order]
    groups = [
        [place for place, form in enumerate(order) if form == each]
        for each, equal in members.items()
        if len({encoding.leaders[number] for number in equal}) > 1
    ]
    found = _rearranged(numbers, groups, encoding.given_heads)
    return sorted(found, key=lambda lifting: (sum(lifting), lifting))[:MOST_LIFTINGS]


def _rearranged(
    numbers: list[int], groups: Iterable[Sequence[int]], heads: Sequence[int]
) -> set[Lifting]:
    """The least liftings of an order and of those that differ by swaps within groups of places, as
    long as swaps make them less."""
    best = least_of_order(numbers, heads)
    found = {best}
    swaps = [(a, b) for places in groups for i, a in enumerate(places) for b in places[i + 1 :]]
    looked_at, improved = 0, True
    while improved:
        improved = False
        for a, b in swaps:
            if looked_at == MOST_ASSIGNMENTS:
                return found
            looked_at += 1
            numbers[a], numbers[b] = numbers[b], numbers[a]
            lifting = least_of_order(numbers, heads)
            found.add(lifting)
            if sum(lifting) < sum(best):
                best, improved = lifting, True
            else:
                numbers[a], numbers[b] = numbers[b], numbers[a]
    return found


def least_of_order(order: Sequence[int], heads: Sequence[int]) -> Lifting:
    """The least lifting of an order, given by word numbers; each tree of given arcs by itself."""
    tops = list(range(len(heads)))
    for word in range(len(heads)):
        while heads[tops[word]] >= 0:
            tops[word] = heads[tops[word]]
    trees: dict[int, list[int]] = {}
    for word in order:
        trees.setdefault(tops[word], []).append(word)
    lifting = [0] * len(heads)
    for tree in trees.values():
        place = {word: position for position, word in enumerate(tree, start=1)}
        steps = least_lifting([place.get(heads[word], 0) for word in tree])
        for word, step in zip(tree, steps or (), strict=True):
            lifting[word] = step
    return tuple(lifting)
