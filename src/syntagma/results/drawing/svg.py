"""SVG elements and their colours, and what is drawn of a result: `Panel`.

Colours are attributes of groups of elements, so that every viewer shows the light palette; a style
sheet replaces them where the reader prefers dark. `tree_svg` and `derivations` draw groups, of
which `picture` makes a document.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape

from syntagma.ccg.derivation import Derivation
from syntagma.errors import visible
from syntagma.results.drawing.characters import text_width

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
CENTRED, RIGHT_TO_LEFT = 'text-anchor="middle"', 'direction="rtl"'


class _Look(NamedTuple):
    class_name: str
    paint: Literal["fill", "stroke"]
    light: str
    dark: str
    size: int = 0  # of the font


class Kind(Enum):
    """The kinds of elements and their looks. All texts have a contrast of 4.5 or more."""

    PAPER = _Look("syn-paper", "fill", "#ffffff", "#0d1117")
    LINE = _Look("syn-line", "stroke", "#6e7781", "#8b949e")
    TIP = _Look("syn-tip", "fill", "#6e7781", "#8b949e")
    FORM = _Look("syn-form", "fill", "#1f2328", "#e6edf3", 16)
    CATEGORY = _Look("syn-category", "fill", "#1f2328", "#e6edf3", 13)
    TAG = _Look("syn-tag", "fill", "#57606a", "#9da7b3", 11)
    LABEL = _Look("syn-label", "fill", "#0550ae", "#79c0ff", 11)
    RANK = _Look("syn-rank", "fill", "#57606a", "#9da7b3", 13)
    CAPTION = _Look("syn-caption", "fill", "#1f2328", "#e6edf3", 14)
    NOTE = _Look("syn-note", "fill", "#953800", "#ffa657", 12)


@dataclass(frozen=True, slots=True)
class Panel:
    """A result to draw: its derivations if it has any, else its tree, whose arcs may cross.

    A word has a tag, a 1-based head (0 for a root) and the label of its arc. `text` is the
    sentence. `caption` is shown above the drawing and `note` below it.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    text: str
    score: float
    derivations: tuple[Derivation, ...] = ()
    caption: str = ""
    note: str = ""
    id: str | None = None  # of the problem


@dataclass(frozen=True, slots=True)
class Figure:
    """Groups of elements within a width and a height, and what they show in words."""

    width: float
    height: float
    groups: tuple[str, ...]
    description: str


def group(kind: Kind, elements: Iterable[str], attributes: str = "") -> str:
    """Elements of one kind; none make no group."""
    look = kind.value
    paint = f'{look.paint}="{look.light}"'
    if look.paint == "stroke":
        paint += ' fill="none" stroke-width="1.3"'
    if look.size:
        paint += f' font-size="{look.size}"'
    if attributes:
        paint += " " + attributes
    content = "\n".join(each for each in elements if each)
    return f'<g class="{look.class_name}" {paint}>\n{content}\n</g>' if content else ""


def text_group(kind: Kind, texts: Iterable[tuple[float, float, str]], attributes: str = "") -> str:
    """Lines of text, each with its place; empty ones make no elements."""
    elements = (
        f'<text x="{number(x)}" y="{number(y)}">{escape(visible(content))}</text>'
        for x, y, content in texts
        if content
    )
    return group(kind, elements, attributes)


def path(*commands: str) -> str:
    return f'<path d="{" ".join(commands)}"/>'


def point(x: float, y: float) -> str:
    return f"{number(x)},{number(y)}"


def number(value: float) -> str:
    """A coordinate, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")


def width(kind: Kind, content: str) -> float:
    """An estimate of the width of a text."""
    return text_width(visible(content), kind.value.size)


def dark_style(identifier: str) -> str:
    """The style sheet of one picture, for readers who prefer dark."""
    rules = "\n".join(
        f"#{identifier} .{look.class_name}{{{look.paint}:{look.dark}}}"
        for look in (kind.value for kind in Kind)
    )
    return f"<style>@media (prefers-color-scheme:dark){{\n{rules}\n}}</style>"
