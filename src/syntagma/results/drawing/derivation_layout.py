"""Where the parts of a CCG derivation stand in a drawing, whether of text or of SVG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from syntagma.ccg.categories import combine, raising_mark
from syntagma.ccg.derivation import Derivation
from syntagma.results.drawing.characters import visible


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
    """Widths of texts, the gap between neighbours, and the shortest line beside a mark."""

    word: Callable[[str], int]
    category: Callable[[str], int]
    mark: Callable[[str], int]
    gap: int
    shortest_line: int


def lay_out_derivation(derivation: Derivation, measures: Measures) -> list[Box]:
    """The boxes of all nodes, the root's first."""
    waiting: list[Box] = []  # complete boxes without a parent, from left to right
    for node in derivation.bottom_up:
        category = visible(node.category)
        if not node.children:
            box = Box(visible(node.form or ""), category)
            inner = measures.word(box.above)
        else:
            box = Box(_mark(node), category)
            box.children = waiting[-len(node.children) :]
            del waiting[-len(node.children) :]
            box.level = 1 + max(child.level for child in box.children)
            shortest = measures.mark(box.above) + measures.shortest_line
            inner = max(_inner_width(box, measures), shortest)
        box.width = max(inner, measures.category(category))
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
