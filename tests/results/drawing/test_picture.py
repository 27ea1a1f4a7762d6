"""Pictures: several results in one, names for screen readers, palettes, the same bytes always."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.pictures import SVG, Picture, linearization, read_picture, tree
from toys.strategies import trees

from syntagma.results.drawing.svg import Kind
from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, Realization
from syntagma.results.spelling import Spelling

BARK = tree("The DT 2 det\ndog NN 3 nsubj\nbarks VBZ 0 root\n. . 3 punct")
SPELT = Realization(BARK, Spelling((True, True, False, False)))

BARK_AS_SVG = (Path(__file__).parent / "bark.svg").read_text(encoding="utf-8")


def test_a_picture_to_look_at() -> None:
    assert BARK.to_svg() == BARK_AS_SVG


def test_notebooks_show_the_same_picture() -> None:
    for result in (BARK, SPELT, NBest([BARK, BARK])):
        assert result._repr_svg_() == result.to_svg()
    assert BARK.to_svg() in BARK._repr_html_()
    assert SPELT.to_svg() in SPELT._repr_html_()


def test_ipython_finds_pictures_and_tables() -> None:
    pytest.importorskip("IPython", reason="no IPython: pip install ipython")
    from IPython.core.formatters import DisplayFormatter

    for result in (BARK, SPELT, NBest([BARK])):
        shown, _ = DisplayFormatter().format(result)  # type: ignore[no-untyped-call]
        assert set(shown) == {"text/plain", "text/html", "image/svg+xml"}
        assert shown["image/svg+xml"] == result.to_svg()
        assert "<svg" in shown["text/html"]


def test_a_realization_is_drawn_under_its_text() -> None:
    picture = read_picture(SPELT.to_svg())
    (caption,) = picture.of("caption")
    assert caption.text == picture.title == "The dog barks."
    assert all(caption.bottom < box.top for box in picture.texts if box is not caption)
    assert picture.description.startswith("The dog barks. Dependency tree. The (DT): det of dog;")


def test_a_part_of_the_n_best_is_drawn_like_all() -> None:
    results = NBest([linearization([word], [0]) for word in "abc"])
    assert results[:2].to_svg() == NBest(list(results)[:2]).to_svg()
    assert results[::-1][0] is results[2]


def test_a_note_says_that_the_time_limit_narrowed_the_search() -> None:
    picture = read_picture(replace(BARK, narrowed=True).to_svg())
    assert [box.text for box in picture.of("note")] == ["Narrowed by the time limit"]
    assert picture.description.endswith("Narrowed by the time limit")


def test_n_best_below_each_other() -> None:
    results = NBest([linearization([word], [0], score=-n / 8) for n, word in enumerate("abc")])
    picture = check_stacked(read_picture(results.to_svg()))
    assert [box.text for box in picture.of("rank")] == [
        "1. score 0.0000",
        "2. score -0.1250",
        "3. score -0.2500",
    ]
    assert [box.text for box in picture.of("form")] == ["a", "b", "c"]
    assert picture.title == "a"
    assert picture.description.count("Dependency tree.") == 3


def test_n_best_realizations_have_their_texts() -> None:
    picture = check_stacked(read_picture(NBest([SPELT, SPELT]).to_svg()))
    assert [box.text for box in picture.of("caption")] == ["The dog barks."] * 2


def test_no_results() -> None:
    picture = read_picture(NBest[Linearization]().to_svg())
    assert not picture.texts


def check_stacked(picture: Picture) -> Picture:
    for number, box in enumerate(picture.texts):
        assert 0 <= box.left <= box.right <= picture.width
        assert 0 <= box.top <= box.bottom <= picture.height
        assert not any(box.meets(other) for other in picture.texts[:number])
    return picture


@pytest.mark.slow
@settings(max_examples=50)
@given(st.lists(trees(max_size=6), min_size=1, max_size=3), st.sampled_from(["word", "אבג"]))
def test_laws_of_the_stack(all_heads: list[list[int]], word: str) -> None:
    results: NBest[Realization] = NBest(
        Realization(linearization([word] * len(heads), heads), Spelling((False,) * len(heads)))
        for heads in all_heads
    )
    picture = check_stacked(read_picture(results.to_svg()))
    assert len(picture.of("form")) == sum(map(len, all_heads))


def test_captions_from_right_to_left() -> None:
    result = linearization(["אבגדהוזחט", "אב"], [0, 1])
    short = Realization(linearization(["א"], [0]), Spelling((False,)))
    picture = read_picture(NBest([Realization(result, Spelling((True, False))), short]).to_svg())
    edges = {round(box.right, 3) for kind in ("rank", "caption") for box in picture.of(kind)}
    assert len(edges) == 1
    assert edges.pop() == pytest.approx(picture.width - 14)


# Names


def test_title_and_description_name_the_picture() -> None:
    picture = read_picture(BARK.to_svg())
    root = picture.root
    assert root.attrib["role"] == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert title is root[0]  # where viewers look for it
    assert root.attrib["aria-labelledby"] == title.attrib["id"]
    assert root.attrib["aria-describedby"] == description.attrib["id"]


def test_names_follow_from_what_is_shown() -> None:
    def name(result: Linearization | NBest[Linearization]) -> str:
        return read_picture(result.to_svg()).root.attrib["id"]

    assert name(BARK) == name(tree("The DT 2 det\ndog NN 3 nsubj\nbarks VBZ 0 root\n. . 3 punct"))
    others: list[Linearization | NBest[Linearization]] = [
        tree("The DT 2 det\ndog NN 3 nsubj\nbarks VBZ 0 root\n! . 3 punct"),
        tree("The DT 2 det\ndog NN 3 obj\nbarks VBZ 0 root\n. . 3 punct"),
        tree("The DT 3 det\ndog NN 3 nsubj\nbarks VBZ 0 root\n. . 3 punct"),
        tree("The XX 2 det\ndog NN 3 nsubj\nbarks VBZ 0 root\n. . 3 punct"),
        NBest([BARK]),
    ]
    assert len({name(BARK), *map(name, others)}) == 6


def test_styles_hold_for_one_picture() -> None:
    picture = read_picture(BARK.to_svg())
    style = picture.root.findtext(f"{SVG}style") or ""
    head, _, rules = style.partition("{")
    assert head == "@media (prefers-color-scheme:dark)"
    selectors = re.findall(r"^(.*?)\{", rules, re.MULTILINE)
    assert selectors == [f"#{picture.root.attrib['id']} .{kind.value.class_name}" for kind in Kind]


def test_pages_around_a_picture_do_not_change_it() -> None:
    """What texts inherit where an attribute of theirs does not say otherwise."""
    root = read_picture(BARK.to_svg()).root
    assert root.attrib["direction"] == "ltr"
    assert root.attrib["font-weight"] == "400"
    assert root.attrib["font-family"].endswith("sans-serif")


# Palettes


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    paper = Kind.PAPER.value
    for look in (kind.value for kind in Kind):
        if look is not paper:
            least = 4.5 if look.size else 3  # WCAG AA: text, graphics
            assert contrast(look.light, paper.light) >= least, look
            assert contrast(look.dark, paper.dark) >= least, look


# The same input gives the same bytes

PROGRAM = """
import sys
from toys.pictures import linearization
from syntagma.results.realization import NBest
from syntagma.results.drawing.html import page_section
result = linearization(["a", "b", "c", "אב"], [2, 0, 2, 1])
sys.stdout.buffer.write((page_section(NBest([result]), 1) + result.to_svg()).encode())
"""


@pytest.mark.slow
def test_the_same_bytes_in_every_process() -> None:
    tests = Path(__file__).parents[2]
    source = tests.parent / "src"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ
            | {"PYTHONHASHSEED": seed, "PYTHONPATH": f"{tests}{os.pathsep}{source}", "LC_ALL": "C"},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1
    assert b"<svg" in outputs.pop()
