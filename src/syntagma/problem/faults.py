"""Which constraints of a problem an order of its words breaks, for messages.

Only what is certain without a search is found: whether an order has a tree at all is decided there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from syntagma.errors import name_word, name_words
from syntagma.problem.problem import Problem


def order_faults(problem: Problem, words: Sequence[str]) -> Iterator[str]:
    """The order constraints that an order breaks, whichever of equal words it means."""
    forms = [word.form for word in problem.words]
    places: dict[str, list[int]] = {}
    for place, form in enumerate(words):
        places.setdefault(form, []).append(place)
    for a, b in problem.before:
        if places[forms[a - 1]][0] > places[forms[b - 1]][-1]:
            yield name_words(problem.words, (a, b), " does not stand before ")
    for index, place, name in ((problem.first, 0, "first"), (problem.last, -1, "last")):
        if index is not None and forms[index - 1] != words[place]:
            yield f"{name_word(problem.words, index)} does not stand {name}"


def crossing_arcs(problem: Problem, words: Sequence[str]) -> str:
    """Two given arcs that cross in an order, in words, or nothing. Only arcs between words that
    occur once are looked at."""
    counts = Counter(words)
    place = {form: at for at, form in enumerate(words, start=1) if counts[form] == 1}
    arcs = []
    for index, word in enumerate(problem.words, start=1):
        if word.head is None or word.form not in place:
            continue
        head = problem.words[word.head - 1].form if word.head else None
        if head is None or head in place:
            ends = place[word.form], 0 if head is None else place[head]
            arcs.append((min(ends), max(ends), index, word.head))
    for (low, high, *arc), (left, right, *other) in combinations(sorted(arcs), 2):
        if low < left < high < right:
            crossed = name_words(problem.words, other, " and its head ")
            if not low:
                return f"{name_word(problem.words, arc[0])}, the root, stands between {crossed}"
            crossing = name_words(problem.words, arc, " and its head ")
            return f"the arcs between {crossing}, and between {crossed}, cross"
    return ""
