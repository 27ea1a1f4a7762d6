"""CCG derivations drawn as SVG: words on top, and below them how their categories combine."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from syntagma.ccg.derivation import Derivation
from syntagma.results.drawing import svg
from syntagma.results.drawing.characters import runs_right_to_left
from syntagma.results.drawing.derivation_layout import Box, Measures, lay_out_derivation
from syntagma.results.drawing.svg import Figure, Kind, number, point

_PIXELS = Measures(
    word=lambda word: ceil(svg.width(Kind.FORM, word)),
    category=lambda category: ceil(svg.width(Kind.CATEGORY, category)),
    mark=lambda mark: ceil(svg.width(Kind.LABEL, mark)),
    gap=18,
    shortest_line=12,
)
_BETWEEN_PIECES = 48
_WORD, _FIRST_CATEGORY = 16, 36  # baselines
_LEVEL = 28
_LINE = 8  # from the baseline of a category down to the line below it
_MARK = 4  # from a line down to the baseline of its mark
_EDGE = 7


def derivation_figure(derivations: Sequence[Derivation]) -> Figure:
    """The figure of a derivation, or of several pieces beside each other."""
    leftwards = runs_right_to_left(word for each in derivations for word in each.forms)
    pieces = [lay_out_derivation(each, _PIXELS) for each in derivations]
    at = 0
    for boxes in pieces:
        for box in boxes:
            box.at += at
        at += boxes[0].width + _BETWEEN_PIECES
    width = at - _BETWEEN_PIECES
    if leftwards:
        for boxes in pieces:
            for box in boxes:
                box.at = width - box.at - box.width
    # Row by row in the order of the words, as a reader selects them.
    boxes = sorted(
        (box for boxes in pieces for box in boxes),
        key=lambda box: (box.level, -box.at if leftwards else box.at),
    )
    leaves = [box for box in boxes if not box.children]
    nodes = [box for box in boxes if box.children]
    centred = 'text-anchor="middle"'
    end = 'text-anchor="start"' if leftwards else 'text-anchor="end"'
    return Figure(
        width,
        _baseline(max(box.level for box in boxes)) + _EDGE,
        (
            svg.group(Kind.LINE, [_line(box, leftwards) for box in nodes]),
            svg.group(
                Kind.LABEL,
                [
                    svg.text_element(
                        box.at if leftwards else box.at + box.width,
                        _line_height(box) + _MARK,
                        box.above,
                    )
                    for box in nodes
                ],
                end,
            ),
            svg.group(
                Kind.FORM,
                [svg.text_element(_middle(box), _WORD, box.above) for box in leaves],
                centred + ' direction="rtl"' * leftwards,
            ),
            svg.group(
                Kind.CATEGORY,
                [svg.text_element(_middle(box), _baseline(box.level), box.below) for box in boxes],
                centred,
            ),
        ),
        " ".join(map(_describe, derivations)),
    )


def _baseline(level: int) -> int:
    return _FIRST_CATEGORY + _LEVEL * level


def _line_height(box: Box) -> int:
    return _baseline(box.level - 1) + _LINE


def _middle(box: Box) -> float:
    return box.at + box.width / 2


def _line(box: Box, leftwards: bool) -> str:
    """The line under the parts that combine; its mark stands at the end of it."""
    room = _PIXELS.mark(box.above) + 3
    start = box.at + room if leftwards else box.at
    return svg.path(f"M{point(start, _line_height(box))}", f"h{number(box.width - room)}")


def _describe(derivation: Derivation) -> str:
    """Each word with its category, then what the words from one to another combine to."""
    parts = []
    spans: list[tuple[str, str]] = []
    combined = []
    for node in derivation.bottom_up:
        if not node.children:
            parts.append(f"{node.form}: {node.category}")
            spans.append((node.form or "", node.form or ""))
        elif len(node.children) == 1:
            combined.append(f"{_span(spans[-1])}: {node.category}")
        else:
            last, first = spans.pop(), spans.pop()
            spans.append((first[0], last[1]))
            combined.append(f"{_span(spans[-1])}: {node.category}")
    return "CCG derivation. " + "; ".join(parts + combined) + "."


def _span(ends: tuple[str, str]) -> str:
    first, last = ends
    return first if first == last else f"{first} … {last}"
