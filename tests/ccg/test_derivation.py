"""Derivations: what they tell of their words, and that depth is no problem."""

from __future__ import annotations

import pytest
from hypothesis import given
from toys.ccg import DERIVATIONS, chain, derivations, node, word

from syntagma.ccg.derivation import Derivation
from syntagma.problem.trees import is_projective


def test_words_from_left_to_right() -> None:
    derivation = DERIVATIONS["transitive"]
    assert derivation.text == "the cook hid the pear ."
    assert derivation.tags == ("DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT")
    assert [leaf.form for leaf in derivation.leaves] == list(derivation.forms)


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("transitive", (2, 3, 0, 5, 3, 3)),
        ("auxiliary", (2, 4, 4, 0, 4)),
        ("adjunct", (2, 0, 2, 5, 3, 2)),  # near heads the boat
        ("verbs", (2, 3, 0, 5, 3, 5)),  # ran heads sank, which heads and
        ("relative", (2, 7, 2, 5, 6, 3, 0, 7)),
        ("imperative", (0, 1)),
    ],
)
def test_heads(name: str, heads: tuple[int, ...]) -> None:
    assert DERIVATIONS[name].heads() == heads


@pytest.mark.slow
@given(derivations())
def test_heads_are_a_projective_tree(derivation: Derivation) -> None:
    heads = derivation.heads()
    assert len(heads) == len(derivation.forms)
    assert heads.count(0) == 1
    assert is_projective(heads)


@pytest.mark.slow
@given(derivations())
def test_orders_of_nodes(derivation: Derivation) -> None:
    top_down, bottom_up = list(derivation.nodes), derivation.bottom_up
    assert top_down[0] is derivation is bottom_up[-1]
    assert sorted(map(id, top_down)) == sorted(map(id, bottom_up))
    assert [each for each in bottom_up if not each.children] == list(derivation.leaves)


@pytest.mark.slow
@given(derivations(), derivations())
def test_equality_is_that_of_trees(one: Derivation, other: Derivation) -> None:
    assert (one == other) == (one._flat() == other._flat())
    copy = node("X", one)
    assert copy == node("X", one)
    assert hash(copy) == hash(node("X", one))
    assert copy != one
    assert one != one.text


def test_source_counts() -> None:
    assert Derivation("NP", form="we", tag="PRON", source=1) != word("we")


def test_repr_is_short() -> None:
    assert repr(DERIVATIONS["intransitive"]) == "<Derivation S: we ran>"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"form": "we"},
        {"tag": "PRON"},
        {"children": (word("we"),), "form": "we"},
        {"children": (word("we"),), "source": 1},
        {"children": (word("we"),) * 3},
    ],
)
def test_neither_word_nor_node(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="a node of a derivation"):
        Derivation("NP", **arguments)  # type: ignore[arg-type]


def test_deep_trees() -> None:
    deep, same = chain(5000), chain(5000)
    assert deep == same
    assert hash(deep) == hash(same)
    assert deep.heads() == (5000,) * 4999 + (0,)
    assert len(list(deep.nodes)) == 9999
    assert len(repr(deep)) > 5000
