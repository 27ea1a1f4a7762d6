"""Results as HTML: a figure, and a table of the n best. Both are put on a page in `page`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from syntagma.results.drawing.characters import runs_right_to_left, visible
from syntagma.results.drawing.panel import Panel
from syntagma.results.drawing.picture import draw_picture

_CELL = "padding:.2em .8em;vertical-align:top;text-align:"


def figure(panel: Panel, suffix: str = "") -> str:
    """The picture of one result, which scrolls if it is wide; for the suffix see `draw_picture`."""
    picture = draw_picture([panel], suffix=suffix)
    style = "margin:0;overflow-x:auto"
    return f'<figure dir="{direction(panel)}" style="{style}">\n{picture}</figure>\n'


def n_best_table(panels: Sequence[Panel], suffix: str = "") -> str:
    """Rank, score and sentence of each result, with its picture to unfold; the first is open."""
    head = _cell("th", "right", "rank") + _cell("th", "right", "score")
    head += _cell("th", "left", "sentence")
    rows = "".join(_row(rank, panel, suffix) for rank, panel in enumerate(panels, start=1))
    # A fixed layout, or wide pictures would widen the table instead of scrolling.
    return (
        '<table style="border-collapse:collapse;table-layout:fixed;width:100%">\n'
        '<colgroup><col style="width:4em"><col style="width:8em"><col></colgroup>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )


def _row(rank: int, panel: Panel, suffix: str) -> str:
    state = " open" if rank == 1 else ""
    return (
        f"<tr>{_cell('th', 'right', str(rank))}{_cell('td', 'right', f'{panel.score:.4f}')}"
        f'<td dir="{direction(panel)}" style="{_CELL}start"><details{state}>'
        f"<summary>{visible_html(panel.text)}</summary>\n"
        f"{figure(panel, f'{suffix}-{rank}')}</details></td></tr>\n"
    )


def _cell(element: str, side: str, content: str) -> str:
    return f'<{element} style="{_CELL}{side}">{content}</{element}>'


def direction(panel: Panel) -> str:
    return "rtl" if runs_right_to_left(panel.tree.words) else "ltr"


def visible_html(text: str) -> str:
    return escape(visible(text))
