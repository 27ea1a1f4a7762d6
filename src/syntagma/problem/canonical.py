"""The canonical order of a problem's words: the same however the words are listed.

Colour refinement (Weisfeiler & Leman 1968): words start with the colour of their own attributes and
are told apart by the colours of their heads, dependents and order partners until nothing changes.
Colours are numbered by sorting, never by `hash()`, so that the result is the same in every process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from syntagma.problem.word import Word

# How a neighbour that changed its colour is related to the word that looks at it.
_HEAD, _DEPENDENT, _BEFORE, _AFTER = range(4)

_Trace = list[tuple[int, tuple[tuple[tuple[tuple[int, int], ...], int], ...]]]


Pairs = Sequence[tuple[int, int]]


def canonical_order(
    words: Sequence[Word], before: Pairs, first: int | None, last: int | None
) -> tuple[int, ...]:
    """The 0-based indices of the words in canonical order; see `Problem.canonical`."""
    keys = [
        (
            word.form,
            word.tag or "",
            word.deprel or "",
            -1 if word.head is None else min(word.head, 1),
            index == first,
            index == last,
            word.lemma or "",
            word.features is not None,
            word.features or "",
        )
        for index, word in enumerate(words, start=1)
    ]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    if all(keys[a] != keys[b] for a, b in pairwise(order)):
        return tuple(order)
    ranks = [0] * len(keys)
    for position, (previous, word) in enumerate(pairwise(order), start=1):
        ranks[word] = ranks[previous] if keys[previous] == keys[word] else position
    colours = _Colouring(ranks, _neighbours(words, before))
    colours.refine(range(len(keys)))
    entangled = _entangled(words, before)
    while (tied := colours.first_tie()) is not None:
        # Tied words of a forest can be swapped, so any of them will do. Around a cycle words may
        # look alike only from nearby: choose by what refinement finds once they are told apart.
        members = sorted(tied)
        if entangled.isdisjoint(members):
            colours.individualise(members[0])
        elif colours.are_twins(members):
            for word in members[1:]:
                colours.individualise(word)
        else:
            colours = min((colours.individualised(word) for word in members), key=_trace)
    return tuple(sorted(range(len(keys)), key=lambda word: (ranks[word], colours.colour[word])))


def _neighbours(words: Sequence[Word], before: Pairs) -> list[list[tuple[int, int]]]:
    """For each word the words that look at it, each with what it is to them."""
    neighbours: list[list[tuple[int, int]]] = [[] for _ in words]
    for index, word in enumerate(words):
        if word.head:
            neighbours[index].append((word.head - 1, _DEPENDENT))
            neighbours[word.head - 1].append((index, _HEAD))
    for earlier, later in before:
        neighbours[earlier - 1].append((later - 1, _BEFORE))
        neighbours[later - 1].append((earlier - 1, _AFTER))
    return neighbours


def _entangled(words: Sequence[Word], before: Pairs) -> set[int]:
    """The words of components that are not trees, arcs and order constraints taken together."""
    if not before:
        return set()
    leader = list(range(len(words)))

    def find(word: int) -> int:
        while leader[word] != word:
            leader[word] = leader[leader[word]]
            word = leader[word]
        return word

    arcs = [(index, word.head) for index, word in enumerate(words, start=1) if word.head]
    cyclic = []
    for a, b in (*arcs, *before):
        if find(a - 1) == find(b - 1):
            cyclic.append(a - 1)
        leader[find(a - 1)] = find(b - 1)
    leaders = {find(word) for word in cyclic}
    return {word for word in range(len(leader)) if find(word) in leaders}


class _Colouring:
    """A partition of the words into colours, made finer step by step.

    When a class splits, its largest part keeps the colour, and words look only at neighbours whose
    colour changed (Hopcroft's trick): words of one class agree on all other neighbours already.
    """

    def __init__(self, ranks: list[int], neighbours: list[list[tuple[int, int]]]) -> None:
        self.neighbours = neighbours
        self.colour = list(ranks)
        self.classes: dict[int, set[int]] = {}
        for word, rank in enumerate(ranks):
            self.classes.setdefault(rank, set()).add(word)
        self.next_colour = len(ranks)
        self.trace: _Trace = []

    def refine(self, changed: Iterable[int]) -> None:
        """Split classes until the words of each see the same colours around them."""
        colour, classes = self.colour, self.classes
        while changed:
            seen: dict[int, list[tuple[int, int]]] = {}
            for word in changed:
                for other, relation in self.neighbours[word]:
                    if len(classes[colour[other]]) > 1:
                        seen.setdefault(other, []).append((relation, colour[word]))
            touched: dict[int, dict[tuple[tuple[int, int], ...], list[int]]] = {}
            for word, view in seen.items():
                parts = touched.setdefault(colour[word], {})
                parts.setdefault(tuple(sorted(view)), []).append(word)
            changed = []
            for old in sorted(touched):
                changed += self._split(old, touched[old])

    def _split(self, old: int, parts: dict[tuple[tuple[int, int], ...], list[int]]) -> list[int]:
        members = self.classes[old]
        views = sorted(parts)
        self.trace.append((old, tuple((view, len(parts[view])) for view in views)))
        rest = len(members) - sum(map(len, parts.values()))
        largest = max(views, key=lambda view: len(parts[view]))
        keeper = largest if len(parts[largest]) > rest else None
        if rest and keeper is not None:
            touched = {word for part in parts.values() for word in part}
            parts[()] = [word for word in members if word not in touched]
            views.insert(0, ())
        changed: list[int] = []
        for view in views:
            if view != keeper:
                self._recolour(old, parts[view])
                changed += parts[view]
        return changed

    def _recolour(self, old: int, words: list[int]) -> None:
        self.classes[old].difference_update(words)
        self.classes[self.next_colour] = set(words)
        for word in words:
            self.colour[word] = self.next_colour
        self.next_colour += 1

    def first_tie(self) -> set[int] | None:
        tied = [colour for colour, members in self.classes.items() if len(members) > 1]
        return self.classes[min(tied)] if tied else None

    def are_twins(self, words: list[int]) -> bool:
        """Whether words have the very same neighbours, so that any two of them can be swapped."""
        first = set(self.neighbours[words[0]])
        return all(set(self.neighbours[word]) == first for word in words[1:])

    def individualise(self, word: int) -> None:
        """Give a word a colour of its own and let the others see it."""
        self._recolour(self.colour[word], [word])
        self.refine([word])

    def individualised(self, word: int) -> _Colouring:
        copy = _Colouring(self.colour, self.neighbours)
        copy.next_colour = self.next_colour
        copy.individualise(word)
        return copy


def _trace(colours: _Colouring) -> _Trace:
    """What refinement found, in terms that do not depend on how the words are listed."""
    return colours.trace
