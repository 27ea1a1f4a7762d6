"""The layout of trees against a plain one that compares every arc with every other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys.strategies import trees

from syntagma.results.drawing.tree_svg import Arc, lay_out_tree

LOWEST = 30.0


Extent = tuple[float, float]


def overlap(one: Extent | None, other: Extent | None) -> bool:
    return one is not None and other is not None and one[0] < other[1] and other[0] < one[1]


def label(arc: Arc) -> Extent | None:
    half = arc.label_width / 2
    return (arc.label - half, arc.label + half) if half else None


def line(arc: Arc) -> Extent:
    if arc.start == arc.end:  # a root, which has nothing but its label
        return label(arc) or (arc.start, arc.end)
    return min(arc.start, arc.end), max(arc.start, arc.end)


def apart(above: Arc, below: Arc) -> float:
    """How much higher an arc must be than one below it: more where a label is in between."""
    if not overlap(line(above), line(below)):
        return 0
    if overlap(label(above), label(below)):
        return 19
    if overlap(label(above), line(below)) or overlap(line(above), label(below)):
        return 15
    return 9


@pytest.mark.slow
@given(trees(max_size=20), st.data())
def test_every_arc_is_as_low_as_the_shorter_ones_allow(
    heads: list[int], data: st.DataObject
) -> None:
    size = len(heads)
    widths = st.lists(st.sampled_from([0.0, 5.0, 20.0, 60.0, 200.0]), min_size=size, max_size=size)
    words, labels = data.draw(widths), data.draw(widths)
    arcs = lay_out_tree(heads, words, labels).arcs
    lengths = [abs(word - head) if head else size for word, head in enumerate(heads, start=1)]
    by_length = sorted(range(size), key=lambda word: lengths[word])
    for place, word in enumerate(by_length):
        below = [arcs[other] for other in by_length[:place]]
        needed = [other.height + apart(arcs[word], other) for other in below]
        met = [height for height, other in zip(needed, below, strict=True) if height > other.height]
        assert arcs[word].height == max(met, default=LOWEST)


def test_words_have_no_more_room_than_they_need() -> None:
    layout = lay_out_tree([2, 0, 2], [30.0, 40.0, 50.0], [10.0, 20.0, 10.0])
    assert layout.middles == (15.0, 66.0, 127.0)
    assert layout.width == 152.0


def test_a_label_of_a_long_arc_stands_near_the_dependent() -> None:
    layout = lay_out_tree([0, *[1] * 20], [30.0] * 21, [20.0] * 21)
    last = layout.arcs[-1]
    assert last.end - last.label == 64
    short = layout.arcs[1]
    assert short.label == (short.start + short.end) / 2


def test_arcs_to_both_sides_of_a_word_share_a_height() -> None:
    left, _, right = lay_out_tree([2, 0, 2], [30.0] * 3, [20.0] * 3).arcs
    assert left.height == right.height == LOWEST
