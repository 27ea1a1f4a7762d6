"""Where the words and arcs of a dependency tree stand in a picture; `tree_svg` draws them.

Words stand in a row. An arc runs up from the head, across, and down to the middle of the dependent;
the arcs to the dependents on one side of a word leave it on that side, all at the same point. Of
two arcs over the same words, the longer is the higher. A label interrupts the horizontal line of
its arc. If arcs cross, one cuts through the other above a word, so the label of an arc that is cut
stands between two neighbouring words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

RADIUS = 8.0  # of the corners of arcs
_BESIDE_LABEL = RADIUS + 3
_LEG = 7.0  # from the middle of a word to the arcs that leave it
_BETWEEN_WORDS = 16.0
_NARROWEST_WORD = 2 * _LEG + 8
_LOWEST = 30.0
_FAR = 64.0  # from a dependent to the middle of the label, unless the label is long
# Vertical distances, from line to line.
_OVER_LINE, _OVER_LABEL, _LABEL_OVER_LABEL = 9.0, 15.0, 19.0


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc from `start`, beside the head, to `end`, the middle of the dependent.

    The height is that of its horizontal line above the words. `label` is the middle of the label.
    The arc of a root comes straight down from its label, so `start` equals `end`.
    """

    start: float
    end: float
    height: float
    label: float
    label_width: float

    @property
    def line(self) -> tuple[float, float]:
        """From where to where the arc is at its height."""
        if self.start == self.end:
            return self.label_extent
        return min(self.start, self.end), max(self.start, self.end)

    @property
    def label_extent(self) -> tuple[float, float]:
        return self.label - self.label_width / 2, self.label + self.label_width / 2


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """The middle of each word, and its arc."""

    middles: tuple[float, ...]
    arcs: tuple[Arc, ...]
    width: float
    height: float


def lay_out_tree(
    heads: Sequence[int], word_widths: Sequence[float], label_widths: Sequence[float]
) -> TreeLayout:
    """Places for words and arcs, from left to right. Heads are 1-based; no label has width 0."""
    if not heads:
        return TreeLayout((), (), 0.0, 0.0)
    ends = [(min(word, head), max(word, head)) for word, head in enumerate(heads, start=1)]
    rooms = [_room_of_label(word, heads, ends) for word in range(1, len(heads) + 1)]
    widths = [
        max(_NARROWEST_WORD, word, 0 if head else label)
        for head, word, label in zip(heads, word_widths, label_widths, strict=True)
    ]
    middles = _middles(widths, rooms, label_widths)
    arcs: dict[int, Arc] = {}
    stack = _Stack()
    for word in sorted(range(1, len(heads) + 1), key=lambda word: _length(heads, word)):
        arcs[word] = stack.put(
            _flat_arc(word, heads[word - 1], middles, rooms[word - 1], label_widths[word - 1])
        )
    return TreeLayout(
        tuple(middles),
        tuple(arcs[word] for word in range(1, len(heads) + 1)),
        middles[-1] + widths[-1] / 2,
        max(arc.height for arc in arcs.values()) + _OVER_LABEL,
    )


def _length(heads: Sequence[int], word: int) -> int:
    """The length of the arc in words; the arc of a root stands above all others."""
    head = heads[word - 1]
    return abs(head - word) if head else len(heads)


def _room_of_label(
    word: int, heads: Sequence[int], ends: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """The words between which the label stands; nothing cuts the arc between them."""
    head = heads[word - 1]
    if not head:
        return word, word
    first, last = ends[word - 1]
    # The arc of a root, which counts as one from 0, cuts those above the root.
    is_cut = any(first < low < last < high or low < first < high < last for low, high in ends)
    if not is_cut:
        return first, last
    return (word, word + 1) if head > word else (word - 1, word)


def _middles(
    widths: Sequence[float], rooms: Sequence[tuple[int, int]], label_widths: Sequence[float]
) -> list[float]:
    """The middles of the words, far enough from each other for words and labels."""
    steps = [(left + right) / 2 + _BETWEEN_WORDS for left, right in pairwise(widths)]
    narrowest_first = sorted(
        zip(rooms, label_widths, strict=True), key=lambda each: each[0][1] - each[0][0]
    )
    for (first, last), width in narrowest_first:
        missing = width + 2 * _BESIDE_LABEL + _LEG - sum(steps[first - 1 : last - 1])
        if width and first < last and missing > 0:
            for gap in range(first - 1, last - 1):
                steps[gap] += missing / (last - first)
    middles = [widths[0] / 2]
    for step in steps:
        middles.append(middles[-1] + step)
    return middles


def _flat_arc(
    word: int, head: int, middles: Sequence[float], room: tuple[int, int], label_width: float
) -> Arc:
    """The arc with its label in place, as low as can be."""
    end = middles[word - 1]
    if not head:
        return Arc(end, end, _LOWEST, end, label_width)
    side = 1 if head > word else -1
    first, last = (middles[each - 1] for each in room)
    distance = min((last - first - _LEG) / 2, max(_FAR, _BESIDE_LABEL + label_width / 2))
    return Arc(middles[head - 1] - side * _LEG, end, _LOWEST, end + side * distance, label_width)


class _Stack:
    """Arcs above each other, each as low as those before it allow."""

    def __init__(self) -> None:
        # Ends and arc. One with a longer one above all of it is left out: what is clear of the
        # longer one is clear of it, as it is at least two distances below.
        self.open: list[tuple[float, float, Arc]] = []

    def put(self, arc: Arc) -> Arc:
        """The arc at its height."""
        start, end = arc.line
        met = [each for each in self.open if each[0] < end and start < each[1]]
        lowest = [other.height + _distance(arc, other) for _, _, other in met]
        arc = replace(arc, height=max(lowest, default=arc.height))
        self.open = [each for each in self.open if each[0] < start or end < each[1]]
        self.open.append((start, end, arc))
        return arc


def _distance(above: Arc, below: Arc) -> float:
    """From one horizontal line up to the other: more where a label is above or below."""
    above_label = below.label_width > 0 and _overlap(above.line, below.label_extent)
    label_above = above.label_width > 0 and _overlap(above.label_extent, below.line)
    if above_label and label_above and _overlap(above.label_extent, below.label_extent):
        return _LABEL_OVER_LABEL
    return _OVER_LABEL if above_label or label_above else _OVER_LINE


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
