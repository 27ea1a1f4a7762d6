"""Results as HTML: figures, tables and pages are well-formed, and nothing in them is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from toys.pictures import linearization, tree

from syntagma.problem.problem import Problem
from syntagma.results.drawing import html as page
from syntagma.results.linearization import Linearization, Token
from syntagma.results.realization import NBest, Realization
from syntagma.results.spelling import Spelling

HOSTILE = """<script>alert("1")</script> & ]]> 'x' </summary></svg></table>"""
BARK = tree("The DT 2 det\ndog NN 3 nsubj\nbarks VBZ 0 root")
EMPTY = ("meta", "col", "path", "rect")  # elements without content


class Reader(HTMLParser):
    """Reads HTML and fails where elements do not match; notes ids, texts and elements."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[str] = []
        self.ids: list[str] = []
        self.directions: list[tuple[str, str]] = []
        self.texts: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        assert len({name for name, _ in attributes}) == len(attributes)
        self.ids += [value or "" for name, value in attributes if name == "id"]
        self.directions += [(tag, value or "") for name, value in attributes if name == "dir"]
        assert not any(name.startswith("on") for name, _ in attributes)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1], data))

    def of(self, tag: str) -> list[str]:
        return [text for element, text in self.texts if element == tag]


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    assert len(set(reader.ids)) == len(reader.ids)
    return reader


def test_a_figure() -> None:
    reader = read(BARK._repr_html_())
    assert reader.elements[:2] == ["figure", "svg"]
    assert [*reader.of("text")][-6:] == ["The", "dog", "barks", "DT", "NN", "VBZ"]


def test_a_table_of_the_n_best() -> None:
    other = linearization(["a", "b"], [2, 0], score=-1.5)
    reader = read(NBest([BARK, other])._repr_html_())
    assert reader.of("th") == ["rank", "score", "sentence", "1", "2"]
    assert reader.of("td") == ["0.0000", "-1.5000"]
    assert reader.of("summary") == ["The dog barks", "a b"]
    assert reader.elements.count("svg") == 2


def test_the_table_unfolds_the_first_tree() -> None:
    html = NBest([BARK, BARK])._repr_html_()
    assert re.findall(r"<details( open)?>", html) == [" open", ""]
    read(html)  # the same picture twice has two names


def test_an_empty_table() -> None:
    assert read(NBest[Linearization]()._repr_html_()).of("th") == ["rank", "score", "sentence"]


def test_a_page() -> None:
    spelt = Realization(BARK, Spelling((True, True, False)))
    results: list[Any] = [BARK, spelt, NBest([BARK, BARK]), NBest([spelt]), BARK]
    sections = [page.page_section(result, number) for number, result in enumerate(results, start=1)]
    html = page.PAGE_START + "".join(sections) + page.PAGE_END
    assert html.startswith("<!DOCTYPE html>\n")
    reader = read(html)
    assert reader.elements.count("section") == 5
    assert reader.of("h2") == ["The dog barks"] * 5
    assert "http" not in html.replace('xmlns="http://www.w3.org/2000/svg"', "")  # self-contained


def test_a_problem_with_an_id() -> None:
    problem = Problem.of(["go"], id="s<1>")
    result = Linearization((Token("go", "VB", 0, "root", 1),), 0.0, problem)
    assert read(page.page_section(result, 1)).of("h2") == ["s<1>"]


def test_nothing_given_is_markup() -> None:
    result = linearization([HOSTILE, "b"], [2, 0], [HOSTILE, "x"], [HOSTILE, "y"])
    for html in (
        result._repr_html_(),
        NBest([result])._repr_html_(),
        page.page_section(NBest([Realization(result, Spelling((True, False)))]), 1),
    ):
        assert "script" not in read(html).elements
        assert "<script" not in html
        assert "]]>" not in html


def test_control_characters_are_shown() -> None:
    result = linearization(["a\x00\ud800"], [0])
    html = NBest([result])._repr_html_()
    html.encode()
    assert read(html).of("summary") == [r"a\x00\ud800"]


def test_sentences_from_right_to_left() -> None:
    reader = read(page.page_section(NBest([linearization(["אב", "ג"], [0, 1])]), 1))
    assert reader.directions == [("h2", "rtl"), ("td", "rtl"), ("figure", "rtl")]
    reader = read(page.page_section(BARK, 1))
    assert reader.directions == [("h2", "ltr"), ("figure", "ltr")]
