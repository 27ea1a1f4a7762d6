r"""CCG derivations drawn for the terminal, as plain text. Dependency trees are drawn in
`tree_text`.

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

from rich.cells import cell_len

from syntagma.ccg.derivation import Derivation
from syntagma.results.drawing.characters import visible
from syntagma.results.drawing.derivation_layout import Box, Measures, lay_out_derivation

_COLUMNS = Measures(cell_len, cell_len, cell_len, gap=2, shortest_line=1)


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
