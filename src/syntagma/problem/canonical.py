"""The canonical order of a problem's words: the same however the words are listed.

Colour refinement (Weisfeiler & Leman 1968): words start with the colour of their own attributes and
are split by the colours of their heads, dependents and order partners until nothing changes.
Colours are numbered by sorting, never by `hash()`, so that the result is the same in every process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from syntagma.problem.word import Word

# What a neighbour that changed its colour is to the word that looks at it.
_HEAD, _DEPENDENT, _BEFORE, _AFTER = range(4)

# Words that refinement may visit to choose among the tied words of a component, in all trials, and
# how often components may be split further. Both are far beyond what problems need.
_WORK = 60_000
_MAX_DEPTH = 16

Pairs = Sequence[tuple[int, int]]
_Trace = list[tuple[int, tuple[tuple[tuple[tuple[int, int], ...], int], ...]]]
_Certificate = tuple[tuple[int, tuple[tuple[int, int], ...]], ...]


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
            word.upos or "",
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
    if before:
        for word in _tie_breaks(colours, _WORK, _MAX_DEPTH):
            colours.individualise(word)
    # The remaining ties are within trees, whose tied words are interchangeable.
    colours.individualise_the_rest()
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


def _tie_breaks(colours: _Colouring, work: int, depth: int) -> list[int]:
    """Tied words around cycles, in the order in which they are to be individualised.

    Words that are not tied do not connect components, so each component of tied words can be
    brought into canonical order by itself. Equal components are interchangeable.
    """
    components = [] if depth == 0 else _cyclic_components(colours)
    size = sum(map(len, components))
    ordered = [
        _ordered_component(colours, component, work * len(component) // size, depth)
        for component in components
    ]
    ordered.sort(key=lambda each: each[0])
    return [word for _, order in ordered for word in order]


def _ordered_component(
    colours: _Colouring, component: list[int], work: int, depth: int
) -> tuple[_Certificate, list[int]]:
    """The words of a component in canonical order, with its certificate: equal components, and only
    these, have equal certificates."""
    local = {word: index for index, word in enumerate(component)}
    neighbours = [
        [(local[other], relation) for other, relation in colours.neighbours[word] if other in local]
        for word in component
    ]
    numbers = {
        colour: number
        for number, colour in enumerate(sorted({colours.colour[word] for word in component}))
    }
    part = _Colouring([numbers[colours.colour[word]] for word in component], neighbours)
    part.refine(range(len(component)))
    tied = part.first_tie()
    if tied is not None:
        members = sorted(tied)
        if part.are_twins(members):
            for word in members[1:]:
                part.individualise(word)
        else:
            # Around a cycle, words may differ only at a distance: choose by what refinement finds
            # once each is individualised.
            limit = work // len(members)
            part.individualise(min(members, key=lambda word: part.trial(word, limit)))
        for word in _tie_breaks(part, work // 2, depth - 1):
            part.individualise(word)
        part.individualise_the_rest()
    order = sorted(range(len(component)), key=part.colour.__getitem__)
    place = {word: index for index, word in enumerate(order)}
    certificate = tuple(
        (
            colours.colour[component[word]],
            tuple(sorted((place[other], relation) for other, relation in neighbours[word])),
        )
        for word in order
    )
    return certificate, [component[word] for word in order]


def _cyclic_components(colours: _Colouring) -> list[list[int]]:
    """The components of the tied words, arcs and order constraints taken together, without those
    that are trees."""
    found = []
    waiting = {word for members in colours.classes.values() if len(members) > 1 for word in members}
    tied = frozenset(waiting)
    while waiting:
        component = [waiting.pop()]
        ends = 0
        for word in component:  # grows while it is read
            for other, _ in colours.neighbours[word]:
                if other in tied:
                    ends += 1
                    if other in waiting:
                        waiting.remove(other)
                        component.append(other)
        if ends > 2 * (len(component) - 1):
            found.append(sorted(component))
    return found


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
        self._tied = list(self.classes)  # a heap; colours of which no two words are left stay in it
        heapify(self._tied)
        self._moves: list[tuple[int, list[int]]] = []

    def refine(self, changed: Iterable[int], limit: int | None = None) -> None:
        """Split classes until the words of each see the same colours around them.

        With a limit, no new round begins after this many visits of a word by a neighbour.
        """
        colour, classes = self.colour, self.classes
        visits = 0
        while changed and (limit is None or visits <= limit):
            seen: dict[int, list[tuple[int, int]]] = {}
            for word in changed:
                visits += len(self.neighbours[word])
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
        if len(words) > 1:
            heappush(self._tied, self.next_colour)
        self._moves.append((old, words))
        self.next_colour += 1

    def first_tie(self) -> set[int] | None:
        while self._tied:
            members = self.classes[self._tied[0]]
            if len(members) > 1:
                return members
            heappop(self._tied)
        return None

    def are_twins(self, words: list[int]) -> bool:
        """Whether words have the very same neighbours, so that any two of them can be swapped."""
        degree, first = len(self.neighbours[words[0]]), set(self.neighbours[words[0]])
        return all(
            len(self.neighbours[word]) == degree and first.issuperset(self.neighbours[word])
            for word in words[1:]
        )

    def individualise(self, word: int) -> None:
        """Give a word a colour of its own and let the others see it."""
        self._recolour(self.colour[word], [word])
        self.refine([word])

    def individualise_the_rest(self) -> None:
        """Give a colour of its own to any of the first tied words until none are tied."""
        while (tied := self.first_tie()) is not None:
            members = sorted(tied)
            for word in members[:-1] if self.are_twins(members) else members[:1]:
                self.individualise(word)

    def trial(self, word: int, limit: int) -> _Trace:
        """What refinement finds if this word is individualised, independent of how the words are
        listed; the colouring stays as it is."""
        begin, trace = len(self._moves), self.trace
        self.trace = []
        heap = list(self._tied)
        self._recolour(self.colour[word], [word])
        self.refine([word], limit)
        found, self.trace, self._tied = self.trace, trace, heap
        for old, words in reversed(self._moves[begin:]):
            self.next_colour -= 1
            del self.classes[self.next_colour]
            self.classes[old].update(words)
            for each in words:
                self.colour[each] = old
        del self._moves[begin:]
        return found
