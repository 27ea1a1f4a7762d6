"""Dependency trees drawn for the terminal, as plain text.

      ╭─► the    DT   det
    ╭─┴─► dog    NN   nsubj
    ╰─┬─● barks  VBZ  root
      ╰─► now    RB   advmod

One word per line. The leftmost arc of a word leads to its head, the others to its dependents. Where
arcs cross, the horizontal line is interrupted by the vertical one. CCG derivations are drawn in
`derivations`.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len

from syntagma.errors import visible
from syntagma.results.linearization import Linearization

_DEPENDENT, _ROOT = "►", "●"
_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOX = {
    0: " ",
    _LEFT | _RIGHT: "─",
    _UP | _DOWN: "│",
    _DOWN | _RIGHT: "╭",
    _UP | _RIGHT: "╰",
    _UP | _DOWN | _RIGHT: "├",
    _LEFT | _RIGHT | _DOWN: "┬",
    _LEFT | _RIGHT | _UP: "┴",
    _LEFT | _RIGHT | _UP | _DOWN: "┼",
}


def draw_tree(tree: Linearization, width: int | None = None) -> str:
    """A tree as lines of text: arcs, words, tags and labels in columns.

    If the lines would be wider than `width` columns, the arcs move closer together.
    """
    table = _columns(
        [[visible(text) for text in column] for column in (tree.words, tree.tags, tree.deprels)]
    )
    arcs = _arcs(tree.heads, spacing=2)
    if width is not None and len(arcs[0]) + max(map(cell_len, table)) + 1 > width:
        arcs = _arcs(tree.heads, spacing=1)
    return "\n".join(f"{arc} {row}".rstrip() for arc, row in zip(arcs, table, strict=True))


def _levels(heads: Sequence[int]) -> list[int]:
    """For each word, how far left of the words its arc to its head runs, from 1; 0 for the root.

    That arc runs left of those to the dependents of the word. No two arcs run over the same line at
    the same level. Shorter arcs choose first, the level nearest to the words that is left of those
    between their two words. So arcs of a projective tree never cross.
    """
    spans = [(min(word, head), max(word, head)) for word, head in enumerate(heads, start=1)]
    waiting_for = Counter(heads)
    ready = [
        (high - low, word)
        for word, (low, high) in enumerate(spans, start=1)
        if not waiting_for[word]
    ]
    heapq.heapify(ready)
    levels = [0] * (len(heads) + 1)
    lowest = [1] * (len(heads) + 1)  # left of the arcs to the dependents of a word
    placed: list[tuple[int, int, int]] = []
    while ready:
        _, word = heapq.heappop(ready)
        head = heads[word - 1]
        if not head:
            continue
        low, high = spans[word - 1]
        met = [each for each in placed if each[0] < high and low < each[1]]
        inside = [level + 1 for first, last, level in met if low <= first and last <= high]
        level = max([lowest[word], *inside])
        taken = {level for _, _, level in met}
        while level in taken:
            level += 1
        levels[word] = level
        placed.append((low, high, level))
        lowest[head] = max(lowest[head], level + 1)
        waiting_for[head] -= 1
        if not waiting_for[head]:
            heapq.heappush(ready, (spans[head - 1][1] - spans[head - 1][0], head))
    return levels[1:]


def _arcs(heads: Sequence[int], spacing: int) -> list[str]:
    """The drawing to the left of each word; all lines have the same length."""
    levels = _levels(heads)
    size = max(levels) * spacing
    grid = [[0] * size for _ in heads]
    over = [[False] * size for _ in heads]  # an arc between other words
    for dependent, (head, level) in enumerate(zip(heads, levels, strict=True), start=1):
        if not head:
            continue
        column = size - level * spacing
        top, bottom = min(head, dependent) - 1, max(head, dependent) - 1
        grid[top][column] |= _DOWN
        grid[bottom][column] |= _UP
        for row in range(top + 1, bottom):
            grid[row][column] |= _UP | _DOWN
            over[row][column] = True
        for row in (top, bottom):
            grid[row][column] |= _RIGHT
            for right in range(column + 1, size):
                grid[row][right] |= _LEFT | _RIGHT
    return [
        "".join(
            _BOX[_UP | _DOWN if crossed else cell]
            for cell, crossed in zip(row, crossings, strict=True)
        )
        + (_DEPENDENT if head else _ROOT)
        for row, crossings, head in zip(grid, over, heads, strict=True)
    ]


def _columns(columns: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells, padded to their width on a terminal."""
    widths = [max(map(cell_len, column)) for column in columns]
    return [
        "  ".join(
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        )
        for row in zip(*columns, strict=True)
    ]
