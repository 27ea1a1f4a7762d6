"""Results as HTML: a figure, a table of the n best, and a page of them, problem by problem."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from syntagma.errors import visible
from syntagma.results.drawing.characters import runs_right_to_left
from syntagma.results.drawing.picture import draw_picture
from syntagma.results.drawing.svg import Panel

PAGE_START = """\
<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Syntagma</title>
<style>
body { font-family: system-ui, sans-serif; line-height: 1.5; margin: 1.5rem; }
h1, h2 { font-size: 1rem; }
h2 { margin-top: 2rem; }
</style>
</head>
<body>
<h1>Syntagma</h1>
"""
PAGE_END = "</body>\n</html>\n"
_CELL = "padding:.2em .8em;vertical-align:top;text-align:"


def figure(panel: Panel, suffix: str = "") -> str:
    """The picture of one result, which scrolls if it is wide; for the suffix see `draw_picture`."""
    picture = draw_picture([panel], suffix=suffix)
    style = "margin:0;overflow-x:auto"
    return f'<figure dir="{_direction(panel)}" style="{style}">\n{picture}</figure>\n'


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
        f'<td dir="{_direction(panel)}" style="{_CELL}start"><details{state}>'
        f"<summary>{_visible(panel.text)}</summary>\n"
        f"{figure(panel, f'{suffix}-{rank}')}</details></td></tr>\n"
    )


def _cell(element: str, side: str, content: str) -> str:
    return f'<{element} style="{_CELL}{side}">{content}</{element}>'


def _direction(panel: Panel) -> str:
    return "rtl" if runs_right_to_left(panel.words) else "ltr"


def _visible(text: str) -> str:
    return escape(visible(text))


def page_section(result: Any, number: int) -> str:
    """The part of one problem, a result or its n best, under its id or the sentence.

    `number` counts the problems.
    """
    if isinstance(result, list):
        panel = result[0]._panel()
        content = n_best_table([each._panel() for each in result], f"-{number}")
    else:
        panel = result._panel()
        content = figure(panel, f"-{number}")
    if panel.id is None:
        heading = f'<h2 dir="{_direction(panel)}">{_visible(panel.text)}</h2>'
    else:
        heading = f"<h2>{_visible(panel.id)}</h2>"
    return f"<section>\n{heading}\n{content}</section>\n"
