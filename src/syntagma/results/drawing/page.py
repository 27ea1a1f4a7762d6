"""A page of results in HTML, problem by problem; figures and tables are drawn in `html`."""

from __future__ import annotations

from syntagma.results.drawing.html import direction, figure, n_best_table, visible_html
from syntagma.results.linearization import Linearization
from syntagma.results.n_best import NBest
from syntagma.results.realization import Realization

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


def page_section(
    result: Linearization | Realization | NBest[Linearization] | NBest[Realization], number: int
) -> str:
    """The part of one problem, under its id or the sentence; `number` counts the problems."""
    if isinstance(result, NBest):
        best = result[0]
        content = n_best_table([each._panel() for each in result], f"-{number}")
    else:
        best = result
        content = figure(best._panel(), f"-{number}")
    panel = best._panel()
    id = (best if isinstance(best, Linearization) else best.linearization).problem.id
    if id is None:
        heading = f'<h2 dir="{direction(panel)}">{visible_html(panel.text)}</h2>'
    else:
        heading = f"<h2>{visible_html(id)}</h2>"
    return f"<section>\n{heading}\n{content}</section>\n"
