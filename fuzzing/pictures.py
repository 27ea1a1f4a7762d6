"""The target `pictures`: trees of any characters and any arcs, drawn as SVG and as HTML.

Each picture is XML that says what was given, and nothing given becomes markup.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from random import Random
from typing import Any

from syntagma.errors import visible
from syntagma.problem.problem import Problem
from syntagma.results.drawing import html as page
from syntagma.results.linearization import Linearization, Token
from syntagma.results.realization import NBest, Realization
from syntagma.results.spelling import Spelling

MAX_WORDS = 40
MARKUP = ("", "dog", "<script>alert(1)</script>", "&amp;", "]]>", "--", "'", '"', "</text>")
CONTROLS = ("\x00", "\x1b[31m", "\r\n", "\u2028", "\ufeff", "\ufffe", "\U0010ffff", "\ud800")
SCRIPTS = ("\u202e", "\u2067", "\u200d", "e\u0301", "\u0301", "猫", "אב", "طفل", "ﷺ", "👩\u200d👧")
ODD_TEXTS = (*MARKUP, *CONTROLS, *SCRIPTS, "New York", "x" * 400)
SVG = "{http://www.w3.org/2000/svg}"


class Pictures:
    """Draws one tree, or the same tree as the n best of a realization."""

    def case(self, rng: Random) -> bytes:
        size = rng.choice([0, 1, 2, 5, rng.randint(1, MAX_WORDS)])
        order = rng.sample(range(1, size + 1), size)
        heads = [0] * size
        for place, word in enumerate(order[1:], start=1):
            heads[word - 1] = rng.choice([0, rng.choice(order[:place])])
        texts = {name: [_text(rng) for _ in heads] for name in ("words", "tags", "labels")}
        return json.dumps({**texts, "heads": heads, "finished": rng.random() < 0.8}).encode()

    def run(self, data: bytes) -> None:
        case = json.loads(data)
        result = _linearization(case)
        _check(result.to_svg(), case, 1)
        realization = Realization(result, Spelling((True,) * len(case["words"])))
        _check(NBest([realization, realization]).to_svg(), case, 2)
        for html in (
            result._repr_html_(),
            NBest([result])._repr_html_(),
            page.page_section(NBest([realization]), 1),
        ):
            html.encode()
            assert "<script" not in html


def _text(rng: Random) -> str:
    if rng.random() < 0.5:
        return rng.choice(ODD_TEXTS)
    first = rng.choice([0x20, 0x370, 0x590, 0x600, 0x900, 0x4E00, 0xD780, 0xFE00, 0x1F300])
    return "".join(chr(first + rng.randrange(256)) for _ in range(rng.randint(1, 8)))


def _linearization(case: dict[str, Any]) -> Linearization:
    rows = zip(case["words"], case["tags"], case["heads"], case["labels"], strict=True)
    tokens = tuple(Token(*row, source) for source, row in enumerate(rows, start=1))
    problem = Problem.of(["w"] * (len(tokens) + 1))
    return Linearization(tokens, -1.5, problem, finished=case["finished"])


def _check(svg: str, case: dict[str, Any], times: int) -> None:
    root = ElementTree.fromstring(svg.encode())
    for kind, name in (("form", "words"), ("tag", "tags"), ("label", "labels")):
        groups = root.iterfind(f".//{SVG}g[@class='syn-{kind}']/{SVG}text")
        shown = [text.text for text in groups]
        assert shown == times * [visible(text) for text in case[name] if text], name
