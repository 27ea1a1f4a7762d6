"""Pictures of results as SVG documents: one tree or CCG derivation, or several below each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from xml.sax.saxutils import escape

from syntagma.results.drawing import svg
from syntagma.results.drawing.characters import runs_right_to_left, visible
from syntagma.results.drawing.derivations import derivation_figure
from syntagma.results.drawing.svg import Figure, Kind, Panel, number, point
from syntagma.results.drawing.tree_svg import tree_figure

_MARGIN = 14.0
_BETWEEN_PANELS = 26.0
_CAPTION, _NOTE, _CAPTION_LINE = 13.0, 16.0, 24.0  # baselines, and the height of a line


def draw_picture(panels: Sequence[Panel], *, ranked: bool = False, suffix: str = "") -> str:
    """An SVG document that ends with a newline; if ranked, each panel shows rank and score.

    Its identifiers are derived from its content. A page that may show the same picture twice gives
    each a suffix.
    """
    figures = [_figure(panel) for panel in panels]
    ranks = [
        f"{rank}. score {panel.score:.4f}" if ranked else ""
        for rank, panel in enumerate(panels, start=1)
    ]
    width = max(map(_width, panels, figures, ranks), default=0.0)
    leftwards = runs_right_to_left(word for panel in panels for word in panel.words)
    sides = _Sides(width, leftwards)
    content: list[str] = []
    y = _MARGIN
    for panel, figure, rank in zip(panels, figures, ranks, strict=True):
        if content:
            y += _BETWEEN_PANELS
        if rank:
            content.append(sides.line(Kind.RANK, rank, y + _CAPTION))
            y += _CAPTION_LINE
        if panel.caption:
            content.append(sides.line(Kind.CAPTION, panel.caption, y + _CAPTION))
            y += _CAPTION_LINE
        shown = "\n".join(filter(None, figure.groups))
        content.append(f'<g transform="translate({point(sides.x(figure), y)})">\n{shown}\n</g>')
        y += figure.height
        if panel.note:
            content.append(sides.line(Kind.NOTE, panel.note, y + _NOTE))
            y += _CAPTION_LINE
    return _document(
        width + 2 * _MARGIN,
        y + _MARGIN,
        panels[0].text if panels else "",
        " ".join(map(_describe, panels, figures, ranks)),
        "\n".join(content),
        suffix,
    )


def _width(panel: Panel, figure: Figure, rank: str) -> float:
    return max(
        figure.width,
        svg.width(Kind.RANK, rank),
        svg.width(Kind.CAPTION, panel.caption),
        svg.width(Kind.NOTE, panel.note),
    )


class _Sides:
    """Figures and lines begin at the left, or at the right if the script runs leftwards."""

    def __init__(self, width: float, leftwards: bool) -> None:
        self.width, self.leftwards = width, leftwards

    def x(self, figure: Figure) -> float:
        return _MARGIN + (self.width - figure.width if self.leftwards else 0.0)

    def line(self, kind: Kind, content: str, y: float) -> str:
        if not self.leftwards:
            return svg.group(kind, [svg.text_element(_MARGIN, y, content)])
        # The anchor is the right end, which is the end of English and the start of the sentence.
        anchor = 'direction="rtl"' if kind is Kind.CAPTION else 'text-anchor="end"'
        return svg.group(kind, [svg.text_element(_MARGIN + self.width, y, content)], anchor)


def _figure(panel: Panel) -> Figure:
    return derivation_figure(panel.derivations) if panel.derivations else tree_figure(panel)


def _describe(panel: Panel, figure: Figure, rank: str) -> str:
    return " ".join(filter(None, (rank, panel.caption, figure.description, panel.note)))


def _document(
    width: float,
    height: float,
    title: str,
    description: str,
    content: str,
    suffix: str,
) -> str:
    title, description = escape(visible(title)), escape(visible(description))
    digest = hashlib.sha256("\n".join((title, description, content)).encode())
    identifier = f"syntagma-{digest.hexdigest()[:12]}{suffix}"
    size = f'width="{number(width)}" height="{number(height)}"'
    paper = svg.group(Kind.PAPER, [f'<rect {size} rx="6"/>'])
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" id="{identifier}" role="img" \
aria-labelledby="{identifier}-title" aria-describedby="{identifier}-desc" \
{size} viewBox="0 0 {number(width)} {number(height)}" \
font-family="{svg.FONTS}" font-weight="400" direction="ltr">
<title id="{identifier}-title">{title}</title>
<desc id="{identifier}-desc">{description}</desc>
{svg.dark_style(identifier)}
{paper}
{content}
</svg>
"""
