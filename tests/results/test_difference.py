"""The difference of two orders: its laws, and what counts as a difference and what does not."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import syntagma
from syntagma.errors import ArgumentError
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.difference import (
    FUNCTION_WORDS,
    difference,
    profile,
)
from syntagma.results.linearization import Linearization, Token

PUNCTUATION = (",", ".", "?", "``", ":)")
FORMS = ("dog", "Dog", "man", "bit", "the", "now")
LABELS = ("nsubj", "nsubj:pass", "obj", "aux", "det", "advmod", "cc", "punct")


def tree(text: str) -> Linearization:
    """A linearization of `form/label/head …`; the words of the problem are listed by form."""
    rows = [item.rsplit("/", 2) for item in text.split()]
    listed = sorted(range(len(rows)), key=lambda place: rows[place][0])
    tokens = tuple(
        Token(form, "X", int(head), label, listed.index(place) + 1)
        for place, (form, label, head) in enumerate(rows)
    )
    return Linearization(tokens, 0.0, Problem.of([rows[place][0] for place in listed]))


def build(forms: list[str], heads: list[int], labels: list[str]) -> Linearization:
    return tree(" ".join(map("/".join, zip(forms, labels, map(str, heads), strict=True))))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Linearization, Linearization]:
    """Two linearizations of the same words."""
    size = draw(st.integers(1, 6))
    labels = [[draw(st.sampled_from(LABELS)) for _ in range(size)] for _ in range(2)]
    forms = [draw(st.sampled_from(FORMS + PUNCTUATION)) for _ in range(size)]
    found = []
    for each in labels:
        order = draw(st.permutations(range(size)))
        heads = [0] * size
        for place in range(1, size):
            heads[order[place]] = order[draw(st.integers(0, place - 1))] + 1
        each[order[0]] = "root"
        found.append(build(draw(st.permutations(forms)), heads, each))
    return found[0], found[1]


# Laws


@given(pairs())
def test_it_is_symmetric_and_between_0_and_1(pair: tuple[Linearization, Linearization]) -> None:
    one, other = pair
    assert 0.0 <= difference(one, other) <= 1.0
    assert difference(one, other) == difference(other, one)  # to the last bit


def test_it_is_symmetric_to_the_last_bit_in_long_sentences() -> None:
    """Sums of many weights do not depend on the order in which they are added."""
    rng = Random(7)
    for _ in range(200):
        forms = [rng.choice("abcdefghij") for _ in range(20)]
        one, other = (
            build(
                rng.sample(forms, len(forms)),
                [rng.randrange(place) + 1 if place else 0 for place in range(len(forms))],
                ["root", *("dep" for _ in forms[1:])],
            )
            for _ in range(2)
        )
        assert difference(one, other) == difference(other, one)


@given(pairs())
def test_it_is_zero_on_itself(pair: tuple[Linearization, Linearization]) -> None:
    assert [difference(each, each) for each in pair] == [0.0, 0.0]


@given(pairs())
def test_it_is_zero_only_if_the_words_stand_in_the_same_order(
    pair: tuple[Linearization, Linearization],
) -> None:
    one, other = (
        [token.form.casefold() for token in each.tokens if token.form not in PUNCTUATION]
        for each in pair
    )
    assert (difference(*pair) == 0.0) == (one == other)


@given(pairs(), st.randoms(use_true_random=False))
def test_words_that_read_the_same_are_interchangeable(
    pair: tuple[Linearization, Linearization], rng: Any
) -> None:
    """Which of them stands where does not matter, nor does the listing of the problem."""
    one, other = pair
    size = len(one.tokens)
    listing = rng.sample(range(size), size)
    words = [one.problem.words[old] for old in listing]
    relisted = tuple(
        replace(token, source=listing.index(token.source - 1) + 1) for token in one.tokens
    )
    assert difference(replace(one, tokens=relisted, problem=Problem.of(words)), other) == (
        difference(one, other)
    )


@given(pairs(), st.data())
def test_punctuation_does_not_count(
    pair: tuple[Linearization, Linearization], data: st.DataObject
) -> None:
    """A mark may be added to a sentence anywhere, attached to any word."""
    for each in pair:
        rows = [(token.form, token.head, token.deprel) for token in each.tokens]
        at = data.draw(st.integers(0, len(rows)), label="place")
        rows = [(form, head + (head > at), label) for form, head, label in rows]
        head = data.draw(st.integers(1, len(rows)), label="head")
        rows.insert(at, ("!", head + (head > at), "punct"))
        forms, heads, labels = map(list, zip(*rows, strict=True))
        punctuated = build(forms, heads, labels)
        assert profile(punctuated) == profile(each)


@given(pairs())
def test_the_parts_are_those_of_a_plain_definition(
    pair: tuple[Linearization, Linearization],
) -> None:
    one, other = map(profile, pair)
    if one.words == other.words:
        return
    expected = (
        jaccard_distance(*map(weighted_arcs, pair))
        + kendall_distance(one.words, other.words)
        + (one.main_clause != other.main_clause)
    ) / 3
    assert difference(*pair) == pytest.approx(float(expected), abs=1e-12)


def weighted_arcs(found: Linearization) -> Counter[tuple[str, str, str]]:
    arcs: Counter[tuple[str, str, str]] = Counter()
    for token in found.tokens:
        if token.form in PUNCTUATION:
            continue
        above = []
        head = token.head
        while head:
            if found.tokens[head - 1].form not in PUNCTUATION:
                above.append(found.tokens[head - 1].form.casefold())
            head = found.tokens[head - 1].head
        label = token.deprel.split(":")[0]
        weight = Fraction(1, 4 if label in FUNCTION_WORDS else 1) / max(len(above), 1)
        arcs[token.form.casefold(), label, above[0] if above else ""] += weight  # type: ignore[assignment]
    return arcs


def jaccard_distance(one: Counter[Any], other: Counter[Any]) -> Fraction:
    return 1 - Fraction((one & other).total()) / Fraction((one | other).total())


def kendall_distance(one: tuple[str, ...], other: tuple[str, ...]) -> Fraction:
    def numbered(words: tuple[str, ...]) -> list[tuple[str, int]]:
        return [(word, words[:place].count(word)) for place, word in enumerate(words)]

    place = {word: at for at, word in enumerate(numbered(other))}
    compared = list(combinations(numbered(one), 2))
    return Fraction(sum(place[a] > place[b] for a, b in compared), len(compared))


# Examples

STATEMENT = "You/nsubj/3 are/aux/3 leaving/root/0 today/advmod/3 ./punct/3"
QUESTION = "are/aux/3 You/nsubj/3 leaving/root/0 today/advmod/3 ./punct/3"
FRONTED = "today/advmod/4 You/nsubj/4 are/aux/4 leaving/root/0 ./punct/4"


def test_another_subject() -> None:
    """Of five arcs, only the root is in both; every pair is in another order."""
    one, other = "dogs/nsubj/2 bite/root/0 men/obj/2", "men/nsubj/2 bite/root/0 dogs/obj/2"
    assert difference(tree(one), tree(other)) == pytest.approx((0.8 + 1 + 1) / 3)


def test_a_question() -> None:
    """The arcs are the same, one of six pairs is in another order."""
    assert difference(tree(STATEMENT), tree(QUESTION)) == pytest.approx((0 + 1 / 6 + 1) / 3)


def test_a_question_that_opens_like_a_statement() -> None:
    one = "when/advmod/4 you/nsubj/4 will/aux/4 leave/root/0"
    other = "when/advmod/4 will/aux/4 you/nsubj/4 leave/root/0"
    assert profile(tree(one)).main_clause.opening == profile(tree(other)).main_clause.opening
    assert difference(tree(one), tree(other)) == pytest.approx((0 + 1 / 6 + 1) / 3)


def test_a_fronted_adverbial() -> None:
    assert difference(tree(STATEMENT), tree(FRONTED)) == pytest.approx((0 + 3 / 6 + 1) / 3)


def test_an_adverbial_that_moves_inside_the_clause_counts_less() -> None:
    moved = "You/nsubj/4 are/aux/4 today/advmod/4 leaving/root/0 ./punct/4"
    assert difference(tree(STATEMENT), tree(moved)) == pytest.approx((0 + 1 / 6 + 0) / 3)


def test_an_attachment_counts_more_the_higher_it_is() -> None:
    """`near` and `far` change places below the root, then below a dependent."""
    high = difference(
        tree("go/root/0 near/advmod/1 homes/obj/1 far/amod/3"),
        tree("go/root/0 far/advmod/1 homes/obj/1 near/amod/3"),
    )
    low = difference(
        tree("go/root/0 homes/obj/1 near/amod/2 of/nmod/2 far/amod/4"),
        tree("go/root/0 homes/obj/1 far/amod/2 of/nmod/2 near/amod/4"),
    )
    assert high > low > 0


@pytest.mark.parametrize(
    "other",
    [
        "You/nsubj/4 ,/punct/4 are/aux/4 leaving/root/0 today/advmod/4",
        STATEMENT.replace("You", "you").replace("today", "Today"),
        STATEMENT.replace("nsubj", "nsubj:outer"),
        STATEMENT.replace("advmod/3", "discourse/3"),  # the same words in the same order
    ],
)
def test_what_does_not_count(other: str) -> None:
    statement = STATEMENT if "," not in other else STATEMENT.replace("./punct/3", ",/punct/3")
    assert difference(tree(statement), tree(other)) == 0.0


def test_subtypes_do_not_count() -> None:
    one, other = tree(STATEMENT), tree(FRONTED)
    assert difference(tree(STATEMENT.replace("nsubj", "nsubj:pass")), other) == (
        difference(one, other)
    )


@pytest.mark.parametrize(
    ("other", "part"),
    [
        ("now/advmod/2 see/root/0 me/nsubj/2 him/obj/2", "subjects"),
        ("now/advmod/2 see/root/0 him/nsubj/2 me/iobj/2", "objects"),
        ("see/root/0 now/advmod/1 him/nsubj/1 me/obj/1", "opening"),
        ("now/advmod/3 him/nsubj/3 see/root/0 me/obj/3", "inverted"),
        ("now/root/0 see/advmod/1 him/nsubj/1 me/obj/1", "roots"),
    ],
)
def test_each_choice_of_the_main_clause_counts(other: str, part: str) -> None:
    one = profile(tree("now/advmod/2 see/root/0 him/nsubj/2 me/obj/2")).main_clause
    two = profile(tree(other)).main_clause
    assert getattr(one, part) != getattr(two, part)
    assert one != two


def test_tags_do_not_count() -> None:
    one = tree(STATEMENT)
    other = replace(one, tokens=tuple(replace(token, tag="Y") for token in one.tokens))
    assert difference(one, other) == 0.0
    assert difference(one, tree(QUESTION)) == difference(other, tree(QUESTION))


@pytest.mark.parametrize("opener", ["and/cc", "oh/discourse", "Ann/vocative"])
def test_interjections_and_conjunctions_do_not_open_a_clause(opener: str) -> None:
    before = profile(tree(f"{opener}/3 we/nsubj/3 left/root/0 early/advmod/3"))
    after = profile(tree(f"we/nsubj/2 left/root/0 early/advmod/2 {opener}/2"))
    assert before.main_clause == after.main_clause
    assert before.main_clause.opening == "we"


def with_lemmas(found: Linearization, **lemmas: str) -> Linearization:
    words = [
        Word(word.form, lemma=lemmas.get(word.form or "", word.form))
        for word in found.problem.words
    ]
    return replace(found, problem=Problem.of(words))


def test_lemmas_are_compared_if_forms_differ() -> None:
    """Inflection is not a difference of order."""
    one = tree("dogs/nsubj/2 barked/root/0 loudly/advmod/2")
    other = tree("dog/nsubj/2 barks/root/0 loudly/advmod/2")
    moved = tree("loudly/advmod/3 dog/nsubj/3 barks/root/0")
    with pytest.raises(ArgumentError, match="orders of the same words"):
        difference(one, other)
    lemmas = {"dogs": "dog", "barked": "bark", "barks": "bark"}
    assert difference(with_lemmas(one, **lemmas), with_lemmas(other, **lemmas)) == 0.0
    assert difference(with_lemmas(one, **lemmas), with_lemmas(moved, **lemmas)) == (
        difference(other, moved)
    )


def test_forms_of_a_lemma_are_different_words() -> None:
    """Where the forms are the same, lemmas do not matter."""
    one = tree("she/nsubj/2 sees/root/0 her/obj/2")
    other = tree("her/nsubj/2 sees/root/0 she/obj/2")
    plain = difference(one, other)
    assert plain > 0.5
    assert difference(with_lemmas(one, her="she"), with_lemmas(other, her="she")) == plain
    assert profile(with_lemmas(one, her="she"), lemmas=True).words == ("she", "sees", "she")


def test_a_mark_that_is_the_root() -> None:
    """What depends on it becomes a root."""
    assert profile(tree("so/advmod/2 :/root/0 left/dep/2")).main_clause.roots == ("left", "so")


def test_nothing_but_punctuation() -> None:
    assert difference(tree("?/root/0 !/punct/1"), tree("!/punct/2 ?/root/0")) == 0.0


def test_a_tree_with_a_cycle_has_a_profile() -> None:
    """As a user may have made it: what hangs on no root has no arc."""
    broken = tree("a/dep/2 b/dep/1 c/root/0")
    assert profile(broken).words == ("a", "b", "c")
    assert list(profile(broken).relations) == [("c", "root", "")]


def test_a_tree_may_be_as_deep_as_a_sentence_is_long() -> None:
    """A chain of words, forwards and backwards: no recursion however deep the tree is."""
    size = 2000
    forwards = " ".join(f"w{i}/dep/{i}" for i in range(1, size))
    backwards = " ".join(f"w{i}/dep/{size - i + 1}" for i in range(size - 1, 0, -1))
    one, other = tree(f"w0/root/0 {forwards}"), tree(f"{backwards} w0/root/0")
    assert difference(one, other) == pytest.approx((0 + 1 + 1) / 3)


@pytest.mark.parametrize("odd", [None, "the dog", ["a"], 3])
def test_only_results_are_compared(odd: Any) -> None:
    with pytest.raises(ArgumentError, match="difference compares results of order, not"):
        difference(tree(STATEMENT), odd)
    with pytest.raises(ArgumentError, match="difference compares results of order, not"):
        difference(odd, tree(STATEMENT))


def test_the_words_must_be_the_same() -> None:
    with pytest.raises(ArgumentError, match=re.escape("'a b' and 'a c' have different ones")):
        syntagma.difference(tree("a/root/0 b/dep/1"), tree("a/root/0 c/dep/1"))


def test_lemmas_decide_what_is_punctuation() -> None:
    """A form of *'s* may be an apostrophe, which is a word as the other forms are."""
    problem = Problem((Word(lemma="it"), Word(lemma="'s"), Word(lemma="fun")))

    def realized(is_form: str, order: tuple[int, ...]) -> Linearization:
        forms = ("it", is_form, "fun")
        tokens = (
            Token(forms[at - 1], "X", int(at != 3) * order.index(3) + int(at != 3), "x", at)
            for at in order
        )
        return Linearization(tuple(tokens), 0.0, problem)

    one, other = realized("'s", (1, 2, 3)), realized("'", (2, 1, 3))
    assert Counter(profile(one, lemmas=True).words) == Counter(profile(other, lemmas=True).words)
    assert difference(one, other) > 0
