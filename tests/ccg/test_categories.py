r"""Categories: their parts, and which rule and which head each pair has."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_data import CCG_DEV, EWT_DEV

from syntagma.ccg.categories import (
    DETERMINER,
    arguments,
    combine,
    is_conjunction,
    is_modifier,
    is_punctuation_category,
    is_type_raised,
    raising_mark,
    split_category,
    unify,
)
from syntagma.treebanks.corpus import read_ccgbank
from syntagma.treebanks.treebank import read_treebank

categories = st.recursive(
    st.sampled_from(["S", "NP", "PP", "S[dcl]", "N"]),
    lambda parts: st.builds(
        lambda a, slash, b: f"{_wrap(a)}{slash}{_wrap(b)}", parts, st.sampled_from("/\\|"), parts
    ),
)


def head_side(left: str, right: str, result: str) -> int:
    return combine(left, right, result).head


def _wrap(category: str) -> str:
    return f"({category})" if any(slash in category for slash in "/\\|") else category


@pytest.mark.parametrize(
    ("category", "parts"),
    [
        ("S", None),
        ("conj", None),
        (",", None),
        (r"S\NP", ("S", "\\", "NP")),
        ("NP|NP", ("NP", "|", "NP")),
        (r"(S\NP)/NP", (r"S\NP", "/", "NP")),
        (r"S\NP/NP", (r"S\NP", "/", "NP")),
        (r"((S\NP))/(NP)", (r"S\NP", "/", "NP")),
        (r"(S\NP)\(S\NP)", (r"S\NP", "\\", r"S\NP")),
        (r"NP\.,NP", ("NP", "\\", "NP")),
        (r"(S\NP)\.,(S\NP)", (r"S\NP", "\\", r"S\NP")),
    ],
)
def test_parts(category: str, parts: tuple[str, str, str] | None) -> None:
    assert split_category(category) == parts


@pytest.mark.parametrize(
    "category",
    ["", "/", "S/", "/S", "(S", "S)", ")S(", "(S/NP", r"S\NP)(S\NP", "()/S", "S//", "(" * 9999],
)
def test_what_is_not_well_formed_is_an_atom(category: str) -> None:
    assert split_category(category) is None
    assert arguments(category) == (category, ())
    assert head_side(category, "NP", "NP") in (0, 1)


def test_arguments_from_the_outermost_on() -> None:
    assert arguments(r"((S\NP)/PP)/(S|NP)") == (
        "S",
        (("/", "S|NP"), ("/", "PP"), ("\\", "NP")),
    )


@given(categories, categories, st.sampled_from("/\\|"))
def test_parts_are_what_a_functor_was_made_of(result: str, argument: str, slash: str) -> None:
    assert split_category(f"{_wrap(result)}{slash}{_wrap(argument)}") == (result, slash, argument)


@pytest.mark.slow
@given(categories, categories)
def test_application_and_its_mirror_image(result: str, argument: str) -> None:
    """But for pairs of like categories, where the left one is the first conjunct, and determiners,
    which have no mirror image."""
    forward = f"{_wrap(result)}/{_wrap(argument)}"
    backward = f"{_wrap(result)}\\{_wrap(argument)}"
    assert combine(forward, argument, result).mark == ">"
    assert combine(argument, backward, result).mark == "<"
    if forward == DETERMINER:
        assert head_side(forward, argument, result) == 1
    elif not is_type_raised(forward):  # S\(S\NP) is not type-raised, S/(S\NP) is
        head = head_side(forward, argument, result)
        assert head == (1 if is_modifier(forward) else 0)
        assert head_side(argument, backward, result) == 1 - head or is_type_raised(backward)


@pytest.mark.slow
@given(categories, categories)
def test_a_modifier_never_heads_what_it_modifies(modified: str, other: str) -> None:
    assert head_side(f"{_wrap(modified)}/{_wrap(modified)}", modified, modified) == 1
    assert head_side(modified, f"{_wrap(modified)}\\{_wrap(modified)}", modified) == 0


@given(categories, st.sampled_from([".", ",", ":", ";"]))
def test_punctuation_never_heads(category: str, mark: str) -> None:
    assert head_side(category, mark, category) == 0
    assert head_side(mark, category, category) == 1
    assert head_side("conj", mark, "conj") == 0


@given(st.text(alphabet="SN()/\\|.,", max_size=12), st.text(alphabet="SN()/\\|.,", max_size=12))
def test_any_strings_have_a_head(left: str, right: str) -> None:
    assert head_side(left, right, left) in (0, 1)
    assert raising_mark(left, right) in (">T", "<T", "lex")


@pytest.mark.parametrize(
    ("left", "right", "result", "mark", "head"),
    [
        ("NP/NP", "NP", "NP", ">", 1),
        ("NP", r"NP\NP", "NP", "<", 0),
        ("NP", r"S\NP", "S", "<", 1),
        (r"(S\NP)/NP", "NP", r"S\NP", ">", 0),
        (r"(S\NP)/(S\NP)", r"S\NP", r"S\NP", ">", 1),  # an auxiliary
        (r"(NP\NP)/NP", "NP", r"NP\NP", ">", 0),  # a preposition
        (r"S/(S\NP)", r"S\NP", "S", ">", 1),
        (r"S/(S\NP)", r"(S\NP)/NP", "S/NP", ">B", 1),
        ("S/(S/NP)", "S/NP", "S", ">", 1),
        ("S/S", r"S\(S/S)", "S", "<", 1),
        (r"S\NP", r"S\(S\NP)", "S", "<", 1),
        ("A/B", "B/C", "A/C", ">B", 0),
        ("A/B", r"B\C", r"A\C", ">Bx", 0),
        (r"B\C", r"A\B", r"A\C", "<B", 1),
        ("B/C", r"A\B", "A/C", "<Bx", 1),
        ("A/B", "(B/C)/D", "(A/C)/D", ">B2", 0),
        (r"(S\NP)/NP", r"(S\NP)\(S\NP)", r"(S\NP)/NP", "<Bx", 0),
        ("NP", "NP", "NP", "<Φ>", 0),
        ("NP/NP", "NP/NP", "NP/NP", "<Φ>", 0),
        ("conj", "NP", "NP", "conj", 1),
        ("conj", "NP", r"NP\NP", "conj", 1),
        ("NP", "conj", "NP", "conj", 0),
        ("conj", "conj", "conj", "<Φ>", 0),
        ("conj", r"conj\conj", "conj", "<", 0),
        ("NPNP", "NP", r"NP\.,NP", "conj", 1),
        (r"S\NP)(S\NP", r"S\NP", r"(S\NP)\.,(S\NP)", "conj", 1),
        ("NP", r"NP\.,NP", "NP", "<", 0),
        ("NP", ",", r"NP\NP", "rp", 0),
        (",", r"NP\NP", "NP", "lp", 1),
        ("conj", ".", "NP", "rp", 0),
        (",", ".", ".", "lex", 1),
        # Slashes that point the wrong way, and results of another type.
        ("NP", "S/NP", "S", "<", 1),
        ("NP", r"(S\NP)\NP", "S/NP", "<", 1),
        (r"(NP\NP)/(S\NP)", "S/NP", r"NP\NP", ">", 0),
        ("S/S", "S", r"(S\NP)\(S\NP)", ">", 1),
        ("S", "NP", "S", "lex", 0),
        ("NP", "S", "S", "lex", 1),
        ("NP", "PP", "S", "?", 0),
    ],
)
def test_combinations(left: str, right: str, result: str, mark: str, head: int) -> None:
    assert combine(left, right, result) == (mark, head)


def test_kinds() -> None:
    assert [
        each for each in (",", ".", "--", "NP", "conj", "$1") if is_punctuation_category(each)
    ] == [
        ",",
        ".",
        "--",
    ]
    kinds = ("conj", "NPNP", r"S\NP)(S\NP", "NP", r"NP\NP", "S)(NP", "", "N", "PP")
    assert [each for each in kinds if is_conjunction(each)] == ["conj", "NPNP", r"S\NP)(S\NP"]


def test_marks_of_unary_rules() -> None:
    assert raising_mark("NP", r"S/(S\NP)") == ">T"
    assert raising_mark("NP", r"S\(S/NP)") == "<T"
    assert raising_mark("NP", r"NP\NP") == "lex"
    assert raising_mark("S", r"S/(S\NP)") == "lex"


@pytest.mark.slow
@pytest.mark.skipif(
    not CCG_DEV.exists(), reason="the CCG derivations of EWT are not in SYNTAGMA_DATA"
)
def test_every_rule_of_a_ccgbank_is_known_by_name() -> None:
    marks = Counter(
        combine(node.children[0].category, node.children[1].category, node.category).mark
        for each in read_ccgbank(CCG_DEV)
        for node in each.derivation.nodes
        if len(node.children) == 2
    )
    assert "?" not in marks
    assert marks["lex"] <= 5


# ---- features --------------------------------------------------------------------------------


def _without_features(category: str) -> str:
    return re.sub(r"\[\w+\]", "", category)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("S", "S[dcl]", True),
        ("S[dcl]", "S[dcl]", True),
        ("S[b]", "S[dcl]", False),
        ("NP[nb]", "NP", True),
        ("N", "NP", False),
        (r"S\NP", r"S[dcl]\NP[nb]", True),
        (r"S[to]\NP", r"S\NP[expl]", True),
        (r"(S[b]\NP)/NP", r"(S[dcl]\NP)/NP", False),
        (r"S\NP", "S[dcl]/NP", True),
    ],
)
def test_categories_unify(one: str, other: str, expected: bool) -> None:
    assert unify(one, other) == unify(other, one) == expected
    if ("/" in one) == ("/" in other):
        assert unify(one, other, exact=True) == expected
    else:
        assert not unify(one, other, exact=True)


@given(categories, categories)
def test_laws_of_unification(one: str, other: str) -> None:
    bare, others = _without_features(one), _without_features(other)
    assert unify(one, one, exact=True)
    assert unify(one, bare, exact=True)
    assert unify(one, other) == unify(other, one)
    assert unify(bare, others, exact=True) == (bare == others)  # without features: equality
    if unify(one, other, exact=True):
        assert bare == others


@pytest.mark.parametrize(
    ("left", "right", "result", "mark", "head"),
    [
        ("S/S", "S[dcl]", "S[dcl]", ">", 1),
        ("S[dcl]", r"S\S", "S[dcl]", "<", 0),
        (r"S[ng]\NP", r"(S\NP)\(S\NP)", r"S[ng]\NP", "<", 0),
        (r"(S\NP)/(S\NP)", r"S[b]\NP", r"S[b]\NP", ">", 1),
        (r"(S[dcl]\NP)/(S[b]\NP)", r"S[b]\NP", r"S[dcl]\NP", ">", 0),
        (r"S/(S\NP)", r"S[dcl]\NP", "S[dcl]", ">", 1),
        (r"S/(S\NP)", r"(S[dcl]\NP)/NP", "S[dcl]/NP", ">B", 1),
        (r"(S[dcl]\NP)/(S[b]\NP)", r"(S\NP)\(S\NP)", r"(S[dcl]\NP)/(S[b]\NP)", "<Bx", 0),
        ("NP[nb]", r"S[dcl]\NP", "S[dcl]", "<", 1),
        ("NP[nb]", r"NP\NP", "NP", "<", 0),
        ("NP[nb]/N", "N", "NP[nb]", ">", 1),
        ("NP[nb]/N", "N[num]", "NP", ">", 1),
        ("NP/N", "N", "NP", ">", 1),
        ("NP", r"(NP[nb]/N)\NP", "NP[nb]/N", "<", 1),
        ("conj", "NP", "NP[conj]", "conj", 1),
        (",", "NP[nb]", "NP[conj]", "conj", 1),
        ("NP[nb]", "NP[conj]", "NP", "<Φ>", 0),
        (r"S[dcl]\NP", r"S[dcl]\NP[conj]", r"S[dcl]\NP", "<Φ>", 0),
        ("LRB", "NP", "NP", "lp", 1),
        ("NP", "RRB", "NP", "rp", 0),
        (",", "NP", r"(S\NP)\(S\NP)", "lp", 1),
        ("S[dcl]/S[dcl]", ",", "S/S", "rp", 0),
    ],
)
def test_combinations_with_features(
    left: str, right: str, result: str, mark: str, head: int
) -> None:
    assert combine(left, right, result) == (mark, head)


def test_a_result_carries_the_feature_of_its_argument() -> None:
    """A wrong feature is no result of composition."""
    assert combine(r"S/(S\NP)", r"(S[dcl]\NP)/NP", "S[dcl]/NP").mark == ">B"
    assert combine(r"S/(S\NP)", r"(S[dcl]\NP)/NP", "S[b]/NP").mark != ">B"


def test_raising_a_noun_phrase_with_a_feature() -> None:
    assert raising_mark("NP[nb]", r"S/(S\NP)") == ">T"
    assert raising_mark("NP[nb]", r"(S\NP)\((S\NP)/NP)") == "<T"


@pytest.mark.slow
@pytest.mark.skipif(
    not (CCG_DEV.exists() and EWT_DEV.exists()), reason="EWT, UD and CCG, is not in SYNTAGMA_DATA"
)
def test_heads_agree_with_a_treebank_but_for_function_words() -> None:
    gold = {each.id: each for each in read_treebank(EWT_DEV, "upos")}
    right = {"case": 0, "mark": 0, "obl": 0, "nmod": 0, "advcl": 0, "": 0}
    total = dict.fromkeys(right, 0)
    for each in read_ccgbank(CCG_DEV):
        sentence = each.sentence
        other = gold.get(each.id)
        if other is None or other.forms != sentence.forms:
            continue
        for head, true_head, label in zip(sentence.heads, other.heads, other.deprels, strict=True):
            group = label if label in right else ""
            right[group] += head == true_head
            total[group] += 1
    assert total[""] > 10_000
    assert right[""] / total[""] > 0.75
    assert right["case"] / total["case"] < 0.4  # adpositions head their phrases here
