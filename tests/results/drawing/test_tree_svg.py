"""Trees drawn as SVG: laws of the picture over random trees, and pictures of each kind."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.pictures import Box, Picture, linearization, read_picture, tree
from toys.strategies import trees

from syntagma.problem.trees import lift
from syntagma.results.linearization import Linearization

LEG = 7.0  # from the middle of a head to where its arcs begin

WORDS = ["a", "I", "dog", "unbelievably", "New York City", "猫", "e\u0301", "\x07", ".", "🦊"]
LABELS = ["", "x", "det", "nsubj:pass", "a-label-that-is-longer-than-most-words"]


@st.composite
def drawn_trees(draw: st.DrawFn, max_size: int = 12) -> Linearization:
    """Trees, most often with crossing arcs, of short and long words and labels; some in pieces."""
    heads = draw(trees(max_size))
    if draw(st.booleans()):
        heads = list(lift(heads))
    if draw(st.booleans()):
        heads = [0 if draw(st.booleans()) else head for head in heads]
    words = draw(st.sampled_from([WORDS, ["אב", "ג", "1"]]))
    size = len(heads)

    def some(texts: list[str]) -> list[str]:
        return draw(st.lists(st.sampled_from(texts), min_size=size, max_size=size))

    return linearization(some(words), heads, some(["", "NN", "LONGTAG"]), some(LABELS))


def check(result: Linearization) -> Picture:
    """The laws that hold for every tree."""
    picture = read_picture(result.to_svg())
    forms, labels = picture.of("form"), picture.of("label")
    assert [box.text.replace("\\x07", "\x07") for box in forms] == list(result.words)
    assert [box.text for box in labels] == [label for label in result.deprels if label]
    assert [box.text for box in picture.of("tag")] == [tag for tag in result.tags if tag]
    for number, box in enumerate(picture.texts):
        assert 0 <= box.left <= box.right <= picture.width
        assert 0 <= box.top <= box.bottom <= picture.height
        for other in picture.texts[:number]:
            assert not box.meets(other), (box, other)
        for line in [*picture.lines, *picture.tips]:
            for stroke in line:
                assert not box.is_cut_by(*stroke), (box, stroke)
    for number, (line, tip) in enumerate(zip(picture.lines, picture.tips, strict=True)):
        head = result.heads[number]
        end = line[-1][1]
        assert end[0] == pytest.approx(forms[number].middle, abs=0.11)
        assert tip[0][0][0] == end[0]
        assert end[1] < tip[0][0][1] < forms[number].top
        start = line[0][0]
        if head:
            assert abs(start[0] - forms[head - 1].middle) == pytest.approx(LEG, abs=0.11)
            # It leaves on the side of the dependent.
            assert (start[0] < forms[head - 1].middle) == (end[0] < forms[head - 1].middle)
        else:
            assert start[0] == end[0]
    check_horizontal_lines(picture)
    return picture


def check_horizontal_lines(picture: Picture) -> None:
    """No two lines lie on each other, or so near that they look like one."""
    spans = []
    for line in picture.lines:
        flat = [(a, b) for a, b in line if a[1] == b[1] and a[0] != b[0]]
        if flat:
            xs = [point[0] for stroke in flat for point in stroke]
            spans.append((min(xs), max(xs), flat[0][0][1]))
    for number, (left, right, y) in enumerate(spans):
        for other_left, other_right, other_y in spans[:number]:
            if left < other_right and other_left < right:
                assert abs(y - other_y) >= 6.9


@pytest.mark.slow
@given(drawn_trees())
def test_laws_of_the_picture(result: Linearization) -> None:
    check(result)


@pytest.mark.slow
@settings(max_examples=40)
@given(trees(max_size=16))
def test_arcs_without_crossings_do_not_cross(heads: list[int]) -> None:
    heads = list(lift(heads))
    picture = check(linearization(["word"] * len(heads), heads))
    strokes = [(line, a, b) for line in picture.lines for a, b in line]
    upright = [(line, a, b) for line, a, b in strokes if a[0] == b[0]]
    flat = [(line, a, b) for line, a, b in strokes if a[1] == b[1]]
    for line, (x, y1), (_, y2) in upright:
        for other, (x1, y), (x2, _) in flat:
            inside = min(x1, x2) < x < max(x1, x2) and min(y1, y2) < y < max(y1, y2)
            assert line is other or not inside


@given(trees(max_size=8), st.randoms())
def test_the_same_tree_gives_the_same_bytes(heads: list[int], rng: random.Random) -> None:
    words = [rng.choice(WORDS) for _ in heads]
    assert linearization(words, heads).to_svg() == linearization(words, heads).to_svg()


def test_a_sentence() -> None:
    result = tree("the DT 2 det\ndog NN 3 nsubj\nbarks VBZ 0 root\nnow RB 3 advmod")
    picture = check(result)
    assert picture.title == "the dog barks now"
    assert picture.description == (
        "Dependency tree. the (DT): det of dog; dog (NN): nsubj of barks; barks (VBZ): root; "
        "now (RB): advmod of barks."
    )


CROSSING = tree("""
A DT 2 det
hearing NN 4 nsubj
is VBZ 4 aux
scheduled VBN 0 root
on IN 7 case
the DT 7 det
issue NN 2 nmod
today NN 4 obl
""")


def test_arcs_that_cross() -> None:
    picture = check(CROSSING)
    heights = [min(y for stroke in line for _, y in stroke) for line in picture.lines]
    nmod, obl = heights[6], heights[7]
    assert nmod != obl  # one passes over the other


def test_one_word() -> None:
    picture = check(tree("go VB 0 root"))
    assert [box.text for box in picture.texts] == ["root", "go", "VB"]


def test_no_word() -> None:
    picture = read_picture(linearization([], [], finished=False).to_svg())
    assert [box.text for box in picture.texts] == ["Unfinished; left out: word 1 'w'"]


def test_pieces_without_tags() -> None:
    result = linearization(["a", "b", "c"], [0, 1, 0], ["", "", ""], ["", "x", ""], finished=False)
    picture = check_forms(result)
    assert len(picture.lines) == 3
    assert [box.text for box in picture.of("note")] == ["Unfinished"]
    assert "a: root; b: x of a; c: root. Unfinished" in picture.description


def check_forms(result: Linearization) -> Picture:
    picture = read_picture(result.to_svg())
    assert [box.text for box in picture.of("form")] == list(result.words)
    return picture


def test_from_right_to_left() -> None:
    arabic = tree("كتب VERB 0 root\nطفل NOUN 1 nsubj\nفي ADP 4 case\n2024 NUM 1 obl")
    picture = check(arabic)
    middles = [box.middle for box in picture.of("form")]
    assert middles == sorted(middles, reverse=True)
    group = next(each for each in picture.root.iter() if each.get("class") == "syn-form")
    assert group.get("direction") == "rtl"
    english = check(tree("He PRP 2 nsubj\nsaid VBD 0 root\nלחם X 2 obj"))
    middles = [box.middle for box in english.of("form")]
    assert middles == sorted(middles)


@pytest.mark.parametrize(
    ("heads", "highest"),
    [
        pytest.param(list(range(60)), 120, id="chain of 60"),
        pytest.param([*range(2, 513), 0], 120, id="chain of 512"),
        pytest.param([0] + [1] * 59, 60 * 16 + 100, id="star of 60"),
        pytest.param([30] * 29 + [0] + [30] * 30, 30 * 16 + 120, id="star of 60, both sides"),
        pytest.param([0] + [1] * 511, 512 * 16 + 100, id="star of 512"),
    ],
)
def test_height_of_long_sentences(heads: list[int], highest: float) -> None:
    picture = read_picture(linearization(["word"] * len(heads), heads).to_svg())
    assert picture.height <= highest
    assert picture.width <= 80 * len(heads)


def test_long_labels_make_room() -> None:
    def gap(label: str) -> float:
        picture = check(linearization(["a", "b"], [2, 0], labels=[label, "root"]))
        first, second = picture.of("form")
        return second.middle - first.middle

    assert gap("det") < gap("a-label-that-is-longer")


HOSTILE = """<script>alert("1")</script> & ]]> 'x' </text></svg>"""


def test_markup_is_text() -> None:
    result = linearization([HOSTILE, "b"], [2, 0], [HOSTILE, "<b>"], [HOSTILE, "&amp;"])
    picture = check(result)
    assert picture.title == result.text
    assert "<script>" not in result.to_svg()


@pytest.mark.parametrize(
    ("word", "shown"),
    [("a\x00", "a\\x00"), ("\ud800", "\\ud800"), ("\ufffe", "\\ufffe"), ("a\nb\t", "a\\nb\\t")],
)
def test_characters_that_xml_does_not_know(word: str, shown: str) -> None:
    picture = read_picture(linearization([word], [0], [word], [word]).to_svg())
    assert [box.text for box in picture.texts] == [shown] * 3
    assert picture.title == shown
    picture.root.attrib["id"].encode()


def test_boxes_meet_and_are_cut() -> None:
    box = Box("form", "x", 0, 10, 0, 10)
    assert box.meets(Box("form", "y", 9, 12, 9, 12))
    assert not box.meets(Box("form", "y", 10, 12, 0, 10))
    assert box.is_cut_by((-5, 5), (5, 5))
    assert not box.is_cut_by((-5, 10), (5, 10))
