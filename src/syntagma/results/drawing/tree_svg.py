"""Dependency trees drawn as SVG: words in a row, labelled arcs above, tags below."""

from __future__ import annotations

from syntagma.results.drawing import svg
from syntagma.results.drawing.characters import runs_right_to_left
from syntagma.results.drawing.labelled_tree import LabelledTree
from syntagma.results.drawing.svg import Figure, Kind, number, point
from syntagma.results.drawing.tree_layout import RADIUS, Arc, TreeLayout, lay_out_tree

_TIP_LENGTH, _TIP_HALF = 7.0, 3.5
_BESIDE_LABEL = 3.0
_BELOW_BASELINE = 4.0  # from the middle of a small letter to its baseline
# From the lower end of the arcs down to the baselines of words and tags, and to the lower edge.
_WORDS, _TAGS, _WORDS_EDGE, _TAGS_EDGE = 19.0, 36.0, 25.0, 41.0


def draw_tree(tree: LabelledTree) -> Figure:
    """The figure of a tree; a sentence of a script written from right to left runs so."""
    layout = lay_out_tree(
        tree.heads,
        [
            max(svg.width(Kind.FORM, word), svg.width(Kind.TAG, tag))
            for word, tag in zip(tree.words, tree.tags, strict=True)
        ],
        [svg.width(Kind.LABEL, label) for label in tree.deprels],
    )
    leftwards = runs_right_to_left(tree.words)
    place = _Place(layout, leftwards)
    middles = [place.x(middle) for middle in layout.middles]
    words, tags = layout.height + _WORDS, layout.height + _TAGS
    centred = 'text-anchor="middle"'
    return Figure(
        layout.width,
        layout.height + (_TAGS_EDGE if any(tree.tags) else _WORDS_EDGE),
        (
            svg.group(Kind.LINE, [_line(arc, place) for arc in layout.arcs]),
            svg.group(Kind.TIP, [_tip(arc, place) for arc in layout.arcs]),
            svg.group(
                Kind.LABEL,
                [
                    svg.text(place.x(arc.label), place.y(arc.height) + _BELOW_BASELINE, label)
                    for arc, label in zip(layout.arcs, tree.deprels, strict=True)
                ],
                centred,
            ),
            svg.group(
                Kind.FORM,
                [svg.text(x, words, word) for x, word in zip(middles, tree.words, strict=True)],
                centred + ' direction="rtl"' * leftwards,
            ),
            svg.group(
                Kind.TAG,
                [svg.text(x, tags, tag) for x, tag in zip(middles, tree.tags, strict=True)],
                centred,
            ),
        ),
        _describe(tree),
    )


class _Place:
    """From the layout, left to right and upwards, to the picture."""

    def __init__(self, layout: TreeLayout, leftwards: bool) -> None:
        self.width, self.height = layout.width, layout.height
        self.leftwards = leftwards

    def x(self, x: float) -> float:
        return self.width - x if self.leftwards else x

    def y(self, height: float) -> float:
        return self.height - height


def _line(arc: Arc, place: _Place) -> str:
    """Up from the head, across, interrupted by the label, and down to the arrow head."""
    start, end, label = place.x(arc.start), place.x(arc.end), place.x(arc.label)
    top, bottom, tip = place.y(arc.height), place.height, place.height - _TIP_LENGTH
    if start == end:  # the arc of a root
        above = top + _BELOW_BASELINE + _BESIDE_LABEL if arc.label_width else top
        return svg.path(f"M{point(end, above)}", f"V{number(tip)}")
    side = 1 if end > start else -1
    radius = min(RADIUS, abs(end - start) / 2)
    gap = side * (arc.label_width / 2 + _BESIDE_LABEL)
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


def _tip(arc: Arc, place: _Place) -> str:
    end, bottom = place.x(arc.end), place.height
    top = bottom - _TIP_LENGTH
    return svg.path(
        f"M{point(end, bottom)}", f"L{point(end - _TIP_HALF, top)}", f"H{number(end + _TIP_HALF)}Z"
    )


def _describe(tree: LabelledTree) -> str:
    """The arcs in words: the (DT): det of dog."""
    words = []
    for word, tag, head, label in zip(tree.words, tree.tags, tree.heads, tree.deprels, strict=True):
        name = f"{word} ({tag})" if tag else word
        arc = f"{label or 'dependent'} of {tree.words[head - 1]}" if head else label or "root"
        words.append(f"{name}: {arc}")
    return "Dependency tree. " + "; ".join(words) + "."
