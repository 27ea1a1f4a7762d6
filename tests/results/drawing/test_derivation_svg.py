r"""CCG derivations drawn as SVG: laws of the picture, and its words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.ccg import DERIVATIONS, chain, derivations, node, word
from toys.pictures import Picture, linearization, read_picture

from syntagma.ccg.derivation import Derivation
from syntagma.errors import visible


def draw(*pieces: Derivation) -> Picture:
    words = [form for piece in pieces for form in piece.forms]
    result = linearization(words, [0] * len(words))
    return read_picture(replace(result, derivations=pieces).to_svg())


def check(*pieces: Derivation) -> Picture:
    picture = draw(*pieces)
    nodes = [node for piece in pieces for node in piece.nodes]
    forms = picture.of("form")
    assert [box.text for box in forms] == [
        visible(form) for piece in pieces for form in piece.forms
    ]
    assert len({box.top for box in forms}) == 1
    assert [box.left for box in forms] == sorted(box.left for box in forms)
    assert sorted(box.text for box in picture.of("category")) == sorted(
        node.category for node in nodes
    )
    assert len(picture.lines) == sum(bool(node.children) for node in nodes)
    for number, box in enumerate(picture.texts):
        assert 0 <= box.left <= box.right <= picture.width
        assert 0 <= box.top <= box.bottom <= picture.height
        assert not any(box.meets(other) for other in picture.texts[:number])
        assert not any(box.is_cut_by(*stroke) for line in picture.lines for stroke in line)
    return picture


@pytest.mark.slow
@settings(max_examples=50)
@given(st.lists(derivations(), min_size=1, max_size=2))
def test_laws_of_the_picture(pieces: list[Derivation]) -> None:
    check(*pieces)


def test_a_sentence() -> None:
    picture = check(DERIVATIONS["verbs"])
    assert [box.text for box in picture.of("label")] == [">", "<", "conj", "<Φ>", "<"]
    assert picture.title == "the boat ran and sank slowly"
    assert picture.description == (
        r"CCG derivation. the: NP/NP; boat: NP; ran: S\NP; and: conj; sank: S\NP; "
        r"slowly: (S\NP)\(S\NP); the … boat: NP; sank … slowly: S\NP; and … slowly: S\NP; "
        r"ran … slowly: S\NP; the … slowly: S."
    )


def test_a_result_wider_than_what_it_is_made_of() -> None:
    check(DERIVATIONS["reduced"])


def test_a_word() -> None:
    picture = check(word("slowly"))
    assert not picture.lines


def test_pieces_stand_beside_each_other() -> None:
    picture = check(DERIVATIONS["imperative"], DERIVATIONS["relative"])
    assert picture.description.count("CCG derivation.") == 2


def test_from_right_to_left() -> None:
    subject = Derivation("NP", form="הילדה", tag="NOUN")
    verb = Derivation(r"S\NP", form="קראה", tag="VERB")
    picture = draw(node("S", subject, verb))
    first, second = picture.of("form")
    assert second.right < first.left
    ((start, _),), (mark,) = picture.lines[0], picture.of("label")
    assert mark.right < start[0]  # the mark is at the end of the line, which is the left


def test_deep_trees() -> None:
    picture = draw(chain(300))
    assert len(picture.of("form")) == 300


def test_markup_is_text() -> None:
    hostile = Derivation("<b>&", form="</text><script>", tag="X")
    picture = check(hostile)
    assert [box.text for box in picture.texts] == ["</text><script>", "<b>&"]
