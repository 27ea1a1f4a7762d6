r"""CCG derivations drawn for the terminal and as SVG. Dependency trees are drawn in `tree_text` and
`tree_svg`.

     the   dog  barks
    NP/NP  NP   S\NP
    ─────────>
        NP
    ────────────────<
            S

Words are on top, their categories below. A line under the parts that combine ends with the mark of
the rule (listed in `ccg/categories.py`); the resulting category is below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import ceil

from rich.cells import cell_len

from syntagma.ccg.categories import combine, raising_mark
from syntagma.ccg.derivation import Derivation
from syntagma.errors import visible
from syntagma.results.drawing import svg
from syntagma.results.drawing.characters import runs_right_to_left
from syntagma.results.drawing.svg import CENTRED, RIGHT_TO_LEFT, Figure, Kind, number, point


@dataclass(slots=True)
class Box:
    """The box of a node: a word over its category, or a line with a mark over the result.

    Words are on level 0. `at` is the left end.
    """

    above: str
    below: str
    level: int = 0
    width: int = 0
    at: int = 0
    children: list[Box] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Measures:
    """Widths of words (`FORM`), categories and marks (`LABEL`), the gap between neighbours, and the
    shortest line beside a mark."""

    width: Callable[[Kind, str], int]
    gap: int
    shortest_line: int


def lay_out_derivation(derivation: Derivation, measures: Measures) -> list[Box]:
    """The boxes of all nodes, the root's first."""
    waiting: list[Box] = []  # complete boxes without a parent, from left to right
    for node in derivation.bottom_up:
        category = visible(node.category)
        if not node.children:
            box = Box(visible(node.form or ""), category)
            inner = measures.width(Kind.FORM, box.above)
        else:
            box = Box(_mark(node), category)
            box.children = waiting[-len(node.children) :]
            del waiting[-len(node.children) :]
            box.level = 1 + max(child.level for child in box.children)
            shortest = measures.width(Kind.LABEL, box.above) + measures.shortest_line
            inner = max(_inner_width(box, measures), shortest)
        box.width = max(inner, measures.width(Kind.CATEGORY, category))
        waiting.append(box)
    boxes = [*waiting]
    for box in boxes:  # grows during iteration
        at = box.at + (box.width - _inner_width(box, measures)) // 2
        for child in box.children:
            child.at = at
            at += child.width + measures.gap
        boxes += box.children
    return boxes


def _inner_width(box: Box, measures: Measures) -> int:
    return sum(child.width for child in box.children) + measures.gap * (len(box.children) - 1)


def _mark(node: Derivation) -> str:
    names = [child.category for child in node.children]
    if len(names) == 1:
        return raising_mark(names[0], node.category)
    return combine(names[0], names[1], node.category).mark


# ---- for the terminal

_COLUMNS = Measures(lambda kind, text: cell_len(text), gap=2, shortest_line=1)


def indent(derivation: Derivation) -> str:
    """A derivation as an indented tree: one node per line, two spaces per level."""
    lines = []
    waiting = [(derivation, 0)]
    while waiting:
        node, level = waiting.pop()
        lines.append("  " * level + _label(node))
        waiting += [(child, level + 1) for child in reversed(node.children)]
    return "\n".join(lines)


def draw_derivation(derivation: Derivation, width: int | None = None) -> str:
    """A derivation as lines of text, words on top.

    If the lines would be wider than `width` columns, draw a tree that grows to the right instead.
    """
    boxes = lay_out_derivation(derivation, _COLUMNS)
    if width is not None and boxes[0].width > width:
        return _draw_branches(derivation)
    rows: list[list[tuple[int, str]]] = [[] for _ in range(2 * boxes[0].level + 2)]
    for box in boxes:
        row = 2 * box.level
        if box.children:
            rows[row].append((box.at, "─" * (box.width - cell_len(box.above)) + box.above))
        else:
            rows[row].append((_centre(box, box.above), box.above))
        rows[row + 1].append((_centre(box, box.below), box.below))
    return "\n".join(map(_line, rows))


def _centre(box: Box, text: str) -> int:
    return box.at + (box.width - cell_len(text)) // 2


def _line(texts: list[tuple[int, str]]) -> str:
    line = ""
    end = 0
    for at, text in sorted(texts):
        line += " " * (at - end) + text
        end = at + cell_len(text)
    return line


def _draw_branches(derivation: Derivation) -> str:
    lines = []
    waiting = [(derivation, "", "")]
    while waiting:
        node, first, further = waiting.pop()
        lines.append(first + _label(node))
        below = [
            (child, f"{further}╰─ ", f"{further}   ")
            if i == len(node.children)
            else (child, f"{further}├─ ", f"{further}│  ")
            for i, child in enumerate(node.children, start=1)
        ]
        waiting += reversed(below)
    return "\n".join(lines)


def _label(node: Derivation) -> str:
    parts = (node.category, node.form, node.tag)
    return "  ".join(visible(part) for part in parts if part is not None)


# ---- as SVG

_PIXELS = Measures(lambda kind, text: ceil(svg.width(kind, text)), gap=18, shortest_line=12)
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
    for piece in pieces:
        for box in piece:
            box.at += at
        at += piece[0].width + _BETWEEN_PIECES
    width = at - _BETWEEN_PIECES
    # Row by row in the order of the words, as a reader selects them.
    boxes = sorted(chain.from_iterable(pieces), key=lambda box: (box.level, box.at))
    if leftwards:
        for box in boxes:
            box.at = width - box.at - box.width
    leaves = [box for box in boxes if not box.children]
    nodes = [box for box in boxes if box.children]
    lines = [_result_line(box, leftwards) for box in nodes]
    marks = [
        (box.at if leftwards else box.at + box.width, _line_height(box) + _MARK, box.above)
        for box in nodes
    ]
    words = [(_middle(box), _WORD, box.above) for box in leaves]
    categories = [(_middle(box), _baseline(box.level), box.below) for box in boxes]
    groups = (
        svg.group(Kind.LINE, lines),
        svg.text_group(Kind.LABEL, marks, f'text-anchor="{"start" if leftwards else "end"}"'),
        svg.text_group(Kind.FORM, words, f"{CENTRED} {RIGHT_TO_LEFT}" if leftwards else CENTRED),
        svg.text_group(Kind.CATEGORY, categories, CENTRED),
    )
    height = _baseline(max(box.level for box in boxes)) + _EDGE
    return Figure(width, height, groups, " ".join(map(_describe, derivations)))


def _baseline(level: int) -> int:
    return _FIRST_CATEGORY + _LEVEL * level


def _line_height(box: Box) -> int:
    return _baseline(box.level - 1) + _LINE


def _middle(box: Box) -> float:
    return box.at + box.width / 2


def _result_line(box: Box, leftwards: bool) -> str:
    """The line under the parts that combine; its mark stands at the end of it."""
    room = _PIXELS.width(Kind.LABEL, box.above) + 3
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
