r"""CCG derivations drawn for the terminal, as plain text. Dependency trees are drawn in
`tree_text`.

     the   dog  barks
    NP/NP  NP   S\NP
    ─────────>
        NP
    ────────────────<
            S

Words are on top, their categories below. A line under the parts that combine ends with the mark of
the rule (listed in `results/categories.py`); the resulting category is below it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.cells import cell_len

from syntagma.results.categories import combine, raising_mark
from syntagma.results.derivation import Derivation
from syntagma.results.drawing.characters import visible

_GAP = 2  # columns between words


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
    boxes = _layout(derivation)
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


@dataclass(slots=True)
class _Box:
    """The box of a node: a word over its category, or the mark of a rule over its result."""

    above: str
    below: str
    level: int = 0
    width: int = 0
    at: int = 0
    children: list[_Box] = field(default_factory=list)


def _layout(derivation: Derivation) -> list[_Box]:
    """The boxes of all nodes, the root's first."""
    waiting: list[_Box] = []  # complete boxes without a parent, from left to right
    for node in derivation.bottom_up:
        category = visible(node.category)
        if not node.children:
            box = _Box(visible(node.form or ""), category)
            inner = cell_len(box.above)
        else:
            box = _Box(_mark(node), category)
            box.children = waiting[-len(node.children) :]
            del waiting[-len(node.children) :]
            box.level = 1 + max(child.level for child in box.children)
            inner = max(_inner_width(box), cell_len(box.above) + 1)
        box.width = max(inner, cell_len(category))
        waiting.append(box)
    boxes = [*waiting]
    for box in boxes:  # grows during iteration
        at = box.at + (box.width - _inner_width(box)) // 2
        for child in box.children:
            child.at = at
            at += child.width + _GAP
        boxes += box.children
    return boxes


def _inner_width(box: _Box) -> int:
    return sum(child.width for child in box.children) + _GAP * (len(box.children) - 1)


def _centre(box: _Box, text: str) -> int:
    return box.at + (box.width - cell_len(text)) // 2


def _mark(node: Derivation) -> str:
    names = [child.category for child in node.children]
    if len(names) == 1:
        return raising_mark(names[0], node.category)
    return combine(names[0], names[1], node.category).mark


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
