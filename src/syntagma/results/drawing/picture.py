"""Pictures of results as SVG documents: one tree or CCG derivation, or several below each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from syntagma.results.derivation import Derivation
from syntagma.results.drawing import svg
from syntagma.results.drawing.characters import runs_right_to_left, visible
from syntagma.results.drawing.labelled_tree import LabelledTree
from syntagma.results.drawing.svg import Figure, Kind, number, point

_MARGIN = 14.0
_BETWEEN_PANELS = 26.0
_CAPTION_LINE, _NOTE_LINE = 24.0, 20.0


@dataclass(frozen=True, slots=True)
class Panel:
    """One result in a picture: its derivations if it has any, else its tree."""

    tree: LabelledTree
    derivations: tuple[Derivation, ...] = ()
    caption: str = ""  # a line above
    note: str = ""  # a line below


def draw_picture(panels: Sequence[Panel], title: str, number_on_page: int | None = None) -> str:
    """An SVG document that ends with a newline.

    Its identifiers follow from what it shows; on a page that shows the same twice, the number of
    the picture tells the two apart.
    """
    figures = [_figure(panel) for panel in panels]
    leftwards = runs_right_to_left(panels[0].tree.words)
    width = max(
        max(figure.width, svg.width(Kind.CAPTION, panel.caption), svg.width(Kind.NOTE, panel.note))
        for panel, figure in zip(panels, figures, strict=True)
    )
    edge = 'text-anchor="end"' if leftwards else ""
    content = []
    y = _MARGIN
    for panel, figure in zip(panels, figures, strict=True):
        if content:
            y += _BETWEEN_PANELS
        x = _MARGIN + (width - figure.width if leftwards else 0)
        side = _MARGIN + (width if leftwards else 0)
        if panel.caption:
            content.append(svg.group(Kind.CAPTION, [svg.text(side, y + 13, panel.caption)], edge))
            y += _CAPTION_LINE
        shown = "\n".join(group for group in figure.groups if group)
        content.append(f'<g transform="translate({point(x, y)})">\n{shown}\n</g>')
        y += figure.height
        if panel.note:
            y += _NOTE_LINE
            content.append(svg.group(Kind.NOTE, [svg.text(side, y - 4, panel.note)], edge))
    return _document(
        width + 2 * _MARGIN,
        y + _MARGIN,
        title,
        " ".join(_described(panel, figure) for panel, figure in zip(panels, figures, strict=True)),
        "\n".join(content),
        number_on_page,
    )


def _figure(panel: Panel) -> Figure:
    if panel.derivations:
        from syntagma.results.drawing.derivation_svg import draw_derivations

        return draw_derivations(panel.derivations)
    from syntagma.results.drawing.tree_svg import draw_tree

    return draw_tree(panel.tree)


def _described(panel: Panel, figure: Figure) -> str:
    return " ".join(part for part in (panel.caption, figure.description, panel.note) if part)


def _document(
    width: float,
    height: float,
    title: str,
    description: str,
    content: str,
    number_on_page: int | None,
) -> str:
    title, description = escape(visible(title)), escape(visible(description))
    digest = hashlib.sha256("\n".join((title, description, content)).encode())
    identifier = f"syntagma-{digest.hexdigest()[:12]}"
    if number_on_page is not None:
        identifier += f"-{number_on_page}"
    size = f'width="{number(width)}" height="{number(height)}"'
    paper = svg.group(Kind.PAPER, [f'<rect {size} rx="6"/>'])
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" id="{identifier}" role="img" \
aria-labelledby="{identifier}-title" aria-describedby="{identifier}-desc" \
{size} viewBox="0 0 {number(width)} {number(height)}" \
font-family="{svg.FONTS}" xml:space="preserve">
<title id="{identifier}-title">{title}</title>
<desc id="{identifier}-desc">{description}</desc>
{svg.dark_style(identifier)}
{paper}
{content}
</svg>
"""
