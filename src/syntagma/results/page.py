"""A page of results in HTML, problem by problem; tables and figures are drawn in `drawing`."""

from __future__ import annotations

from syntagma.results.drawing import html
from syntagma.results.linearization import Linearization
from syntagma.results.n_best import NBest
from syntagma.results.realization import Realization

START, END = html.PAGE_START, html.PAGE_END


def section(
    result: Linearization | Realization | NBest[Linearization] | NBest[Realization], number: int
) -> str:
    """The part of one problem, under its id or the sentence; `number` counts the problems."""
    suffix = f"-{number}"
    if isinstance(result, NBest):
        content = html.table([each._panel() for each in result], suffix)
        best = result[0]
    else:
        content = html.figure(result._panel(), suffix)
        best = result
    problem = best.problem if isinstance(best, Linearization) else best.linearization.problem
    return html.section(best._panel(), problem.id, content)
