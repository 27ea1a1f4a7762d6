"""Trees to draw, and SVG pictures read back: texts with their boxes, and lines."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from syntagma.problem.problem import Problem
from syntagma.results.drawing.characters import text_width
from syntagma.results.linearization import Linearization, Token

SVG = "{http://www.w3.org/2000/svg}"
# What may be in a picture, by the SVG specification.
ATTRIBUTES = {
    "svg": "xmlns id role aria-labelledby aria-describedby width height viewBox font-family "
    "font-weight direction",
    "title": "id",
    "desc": "id",
    "style": "",
    "rect": "width height rx",
    "g": "class fill stroke stroke-width font-size text-anchor direction transform",
    "path": "d",
    "text": "x y",
}

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A text and the space that it is given."""

    kind: str
    text: str
    left: float
    right: float
    top: float
    bottom: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def is_cut_by(self, start: Point, end: Point) -> bool:
        """Whether a line, either horizontal or vertical, passes through it."""
        (x1, y1), (x2, y2) = start, end
        return (
            min(x1, x2) < self.right
            and self.left < max(x1, x2)
            and min(y1, y2) < self.bottom
            and self.top < max(y1, y2)
        )


@dataclass
class Picture:
    """An SVG document, read back; lines are lists of strokes."""

    root: ElementTree.Element
    width: float
    height: float
    texts: list[Box] = field(default_factory=list)
    lines: list[list[tuple[Point, Point]]] = field(default_factory=list)
    tips: list[list[tuple[Point, Point]]] = field(default_factory=list)

    def of(self, kind: str) -> list[Box]:
        return [text for text in self.texts if text.kind == kind]

    @property
    def title(self) -> str:
        return self.root.findtext(f"{SVG}title") or ""

    @property
    def description(self) -> str:
        return self.root.findtext(f"{SVG}desc") or ""


def read_picture(svg: str) -> Picture:
    """The texts and lines of a document of known elements and attributes."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        name = element.tag.removeprefix(SVG)
        assert name in ATTRIBUTES, name
        assert set(element.attrib) <= set(ATTRIBUTES[name].split()), element.attrib
    picture = Picture(root, float(root.attrib["width"]), float(root.attrib["height"]))
    _read(root, {}, (0.0, 0.0), picture)
    return picture


def _read(
    element: ElementTree.Element, inherited: dict[str, str], at: Point, picture: Picture
) -> None:
    inherited = inherited | element.attrib
    if moved := re.fullmatch(r"translate\(([\d.]+),([\d.]+)\)", element.get("transform", "")):
        at = (at[0] + float(moved[1]), at[1] + float(moved[2]))
    kind = inherited.get("class", "").removeprefix("syn-")
    if element.tag == f"{SVG}text":
        picture.texts.append(_box(kind, element, inherited, at))
    elif element.tag == f"{SVG}path":
        drawn = picture.lines if kind == "line" else picture.tips
        drawn.append(list(_strokes(element.attrib["d"], at)))
    for child in element:
        _read(child, inherited, at, picture)


def _box(kind: str, element: ElementTree.Element, style: dict[str, str], at: Point) -> Box:
    text = "".join(element.itertext())
    size = float(style["font-size"])
    width = text_width(text, size)
    anchor = style.get("text-anchor", "start")
    if style.get("direction") == "rtl":
        anchor = {"start": "end", "end": "start", "middle": "middle"}[anchor]
    x, y = at[0] + float(element.attrib["x"]), at[1] + float(element.attrib["y"])
    left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return Box(kind, text, left, left + width, y - 0.75 * size, y + 0.22 * size)


def _strokes(path: str, at: Point) -> Iterator[tuple[Point, Point]]:
    """The strokes of a path; of a curve, the two lines that hold it."""
    here = start = (0.0, 0.0)
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        values = [float(each) for each in re.findall(r"-?[\d.]+", rest)]
        points: list[Point] = []
        match command:
            case "M":
                here = start = (values[0] + at[0], values[1] + at[1])
            case "H":
                points = [(values[0] + at[0], here[1])]
            case "h":
                points = [(values[0] + here[0], here[1])]
            case "V":
                points = [(here[0], values[0] + at[1])]
            case "L" | "Q":
                pairs = zip(values[::2], values[1::2], strict=True)
                points = [(x + at[0], y + at[1]) for x, y in pairs]
            case "Z":
                points = [start]
            case _:
                raise AssertionError(f"unknown command {command}")
        for point in points:
            yield here, point
            here = point


def tree(text: str) -> Linearization:
    """A tree from lines of form, tag, head and label, "_" for an empty one."""
    rows = [
        ["" if cell == "_" else cell for cell in line.split(" ")]
        for line in text.strip().split("\n")
    ]
    return linearization(
        [row[0] for row in rows],
        [int(row[2]) for row in rows],
        [row[1] for row in rows],
        [row[3] for row in rows],
    )


def linearization(
    words: Sequence[str],
    heads: Sequence[int],
    tags: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    score: float = 0.0,
    finished: bool = True,
) -> Linearization:
    """A result of any words, heads, tags and labels."""
    tokens = tuple(
        Token(word, tag, head, label, source)
        for source, (word, tag, head, label) in enumerate(
            zip(
                words, tags or ["T"] * len(words), heads, labels or ["l"] * len(words), strict=True
            ),
            start=1,
        )
    )
    problem = Problem.of(["w"] * max(1, len(tokens)))
    return Linearization(tokens, score, problem, finished=finished)
