"""Dependency trees drawn as SVG: words in a row, labelled arcs above, tags below.

An arc runs up from the head, across, and down to the middle of the dependent. Arcs to the
dependents on one side of a word leave it on that side, all at the same point. Of two arcs over the
same words, the longer is the higher. A label interrupts the horizontal line of its arc. If arcs
cross, one cuts through the other above a word, so the label of an arc that is cut stands between
two neighbouring words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from syntagma.results.drawing import svg
from syntagma.results.drawing.characters import runs_right_to_left
from syntagma.results.drawing.svg import CENTRED, RIGHT_TO_LEFT, Figure, Kind, Panel, number, point

# The layout.
_RADIUS = 8.0  # of the corners of arcs
_LABEL_GAP = 3.0  # between a label and the line that it interrupts
_BESIDE_LABEL = _RADIUS + _LABEL_GAP
_LEG = 7.0  # from the middle of a word to the arcs that leave it
_BETWEEN_WORDS = 16.0
_NARROWEST_WORD = 2 * _LEG + 8
_LOWEST = 30.0
_FAR = 64.0  # from a dependent to the middle of the label, unless the label is long
# Vertical distances, from line to line.
_OVER_LINE, _OVER_LABEL, _LABEL_OVER_LABEL = 9.0, 15.0, 19.0
# The drawing.
_TIP_LENGTH, _TIP_HALF = 7.0, 3.5
_BELOW_BASELINE = 4.0  # from the middle of a small letter to its baseline
# From the lower end of the arcs down to the baselines of words and tags, and to the lower edge.
_WORDS, _TAGS, _WORDS_EDGE, _TAGS_EDGE = 19.0, 36.0, 25.0, 41.0


def tree_figure(panel: Panel) -> Figure:
    """The figure of a tree; a sentence of a script written from right to left runs so."""
    layout = lay_out_tree(
        panel.heads,
        [
            max(svg.width(Kind.FORM, word), svg.width(Kind.TAG, tag))
            for word, tag in zip(panel.words, panel.tags, strict=True)
        ],
        [svg.width(Kind.LABEL, label) for label in panel.deprels],
    )
    leftwards = runs_right_to_left(panel.words)
    middles, arcs, width, height = layout.middles, layout.arcs, layout.width, layout.height
    if leftwards:
        middles = tuple(width - middle for middle in middles)
        arcs = tuple(
            replace(arc, start=width - arc.start, end=width - arc.end, label=width - arc.label)
            for arc in arcs
        )
    labels = [
        (arc.label, height - arc.height + _BELOW_BASELINE, label)
        for arc, label in zip(arcs, panel.deprels, strict=True)
    ]
    words = [(x, height + _WORDS, word) for x, word in zip(middles, panel.words, strict=True)]
    tags = [(x, height + _TAGS, tag) for x, tag in zip(middles, panel.tags, strict=True)]
    groups = (
        svg.group(Kind.LINE, [_line(arc, height) for arc in arcs]),
        svg.group(Kind.TIP, [_tip(arc, height) for arc in arcs]),
        svg.text_group(Kind.LABEL, labels, CENTRED),
        svg.text_group(Kind.FORM, words, f"{CENTRED} {RIGHT_TO_LEFT}" if leftwards else CENTRED),
        svg.text_group(Kind.TAG, tags, CENTRED),
    )
    edge = _TAGS_EDGE if any(panel.tags) else _WORDS_EDGE
    return Figure(width, height + edge, groups, _describe(panel))


def _line(arc: Arc, bottom: float) -> str:
    """Up from the head, across, interrupted by the label, and down to the arrow head."""
    start, end, label = arc.start, arc.end, arc.label
    top, tip = bottom - arc.height, bottom - _TIP_LENGTH
    if start == end:  # the arc of a root
        above = top + _BELOW_BASELINE + _LABEL_GAP if arc.label_width else top
        return svg.path(f"M{point(end, above)}", f"V{number(tip)}")
    side = 1 if end > start else -1
    radius = min(_RADIUS, abs(end - start) / 2)
    gap = side * (arc.label_width / 2 + _LABEL_GAP)
    interruption = (
        [f"H{number(label - gap)}", f"M{point(label + gap, top)}"] if arc.label_width else []
    )
    return svg.path(
        f"M{point(start, bottom)}",
        f"V{number(top + radius)}",
        f"Q{point(start, top)} {point(start + side * radius, top)}",
        *interruption,
        f"H{number(end - side * radius)}",
        f"Q{point(end, top)} {point(end, top + radius)}",
        f"V{number(tip)}",
    )


def _tip(arc: Arc, bottom: float) -> str:
    left, right = arc.end - _TIP_HALF, arc.end + _TIP_HALF
    return svg.path(
        f"M{point(arc.end, bottom)}", f"L{point(left, bottom - _TIP_LENGTH)}", f"H{number(right)}Z"
    )


def _describe(panel: Panel) -> str:
    """The arcs in words: the (DT): det of dog."""
    words = []
    for word, tag, head, label in zip(
        panel.words, panel.tags, panel.heads, panel.deprels, strict=True
    ):
        name = f"{word} ({tag})" if tag else word
        arc = f"{label or 'dependent'} of {panel.words[head - 1]}" if head else label or "root"
        words.append(f"{name}: {arc}")
    return "Dependency tree. " + "; ".join(words) + "."


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
