"""Pictures of results as SVG documents: one tree or CCG derivation, or several below each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from xml.sax.saxutils import escape

from syntagma.errors import visible
from syntagma.results.drawing import svg
from syntagma.results.drawing.characters import runs_right_to_left
from syntagma.results.drawing.derivations import derivation_figure
from syntagma.results.drawing.svg import RIGHT_TO_LEFT, Kind, Panel, number, point
from syntagma.results.drawing.tree_svg import tree_figure

_MARGIN = 14.0
_BETWEEN_PANELS = 26.0
_CAPTION, _NOTE, _LINE = 13.0, 16.0, 24.0  # baselines, and the height of a line


def draw_picture(panels: Sequence[Panel], *, ranked: bool = False, suffix: str = "") -> str:
    """An SVG document that ends with a newline; if ranked, each panel shows rank and score.

    Its identifiers are derived from its content. A page that may show the same picture twice gives
    each a suffix.
    """
    figures = [
        derivation_figure(panel.derivations) if panel.derivations else tree_figure(panel)
        for panel in panels
    ]
    ranks = [
        f"{rank}. score {panel.score:.4f}" if ranked else ""
        for rank, panel in enumerate(panels, start=1)
    ]
    above = [
        ((Kind.RANK, rank), (Kind.CAPTION, panel.caption))
        for rank, panel in zip(ranks, panels, strict=True)
    ]
    widths = [figure.width for figure in figures]
    for panel, lines in zip(panels, above, strict=True):
        widths += [svg.width(kind, line) for kind, line in (*lines, (Kind.NOTE, panel.note))]
    width = max(widths, default=0.0)
    # Figures and lines begin at the left, or at the right if the script runs leftwards.
    leftwards = runs_right_to_left(word for panel in panels for word in panel.words)
    content: list[str] = []
    descriptions = []
    y = _MARGIN

    def add_line(kind: Kind, line: str, baseline: float) -> None:
        nonlocal y
        if line:
            x = _MARGIN + (width if leftwards else 0)
            # The anchor is the right end: the end of English and the start of the sentence.
            anchor = RIGHT_TO_LEFT if kind is Kind.CAPTION else 'text-anchor="end"'
            texts = [(x, y + baseline, line)]
            content.append(svg.text_group(kind, texts, anchor if leftwards else ""))
            y += _LINE

    for panel, figure, lines in zip(panels, figures, above, strict=True):
        if content:
            y += _BETWEEN_PANELS
        for kind, line in lines:
            add_line(kind, line, _CAPTION)
        shown = "\n".join(filter(None, figure.groups))
        x = _MARGIN + (width - figure.width if leftwards else 0)
        content.append(f'<g transform="translate({point(x, y)})">\n{shown}\n</g>')
        y += figure.height
        add_line(Kind.NOTE, panel.note, _NOTE)
        parts = (*(line for _, line in lines), figure.description, panel.note)
        descriptions.append(" ".join(filter(None, parts)))
    title = escape(visible(panels[0].text if panels else ""))
    description = escape(visible(" ".join(descriptions)))
    drawn = "\n".join(content)
    digest = hashlib.sha256("\n".join((title, description, drawn)).encode())
    identifier = f"syntagma-{digest.hexdigest()[:12]}{suffix}"
    full_width, height = number(width + 2 * _MARGIN), number(y + _MARGIN)
    size = f'width="{full_width}" height="{height}"'
    paper = svg.group(Kind.PAPER, [f'<rect {size} rx="6"/>'])
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" id="{identifier}" role="img" \
aria-labelledby="{identifier}-title" aria-describedby="{identifier}-desc" \
{size} viewBox="0 0 {full_width} {height}" \
font-family="{svg.FONTS}" font-weight="400" direction="ltr">
<title id="{identifier}-title">{title}</title>
<desc id="{identifier}-desc">{description}</desc>
{svg.dark_style(identifier)}
{paper}
{drawn}
</svg>
"""
