"""Liftings: what they reach, against brute force; which of them a search tries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, permutations, product
from random import Random

import numpy as np
import pytest
from references.brute_force import (
    Orders,
    random_heads,
    random_problem,
    satisfying,
    without_unknown,
)
from toys.models import relist, toy_vocabulary
from toys.reachable import reachable

from syntagma.errors import ProblemError
from syntagma.problem.problem import Problem
from syntagma.problem.trees import is_projective, least_lifting, lift_heads, lifting_room
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, Token
from syntagma.transition.encoding import Encoding, encode
from syntagma.transition.lifting import (
    LEAST_SHARE,
    MOST_STEPS,
    Floats,
    Lifting,
    lift_encoding,
    liftings_of_order,
    likely_liftings,
    merge_lists,
    rival_liftings,
    room_of,
    weighted_odds,
)

VOCABULARY = toy_vocabulary()
# The forms in order, and the positions of their heads.
Sentence = tuple[tuple[str, ...], tuple[int, ...]]


def all_liftings(problem: Problem) -> Iterator[Lifting]:
    room = lifting_room([word.head for word in problem.words])
    return product(*(range(steps + 1) for steps in room))


def lifted_problem(problem: Problem, lifting: Lifting) -> Problem:
    """Raises `ProblemError` if order constraints forbid it."""
    heads = lift_heads([word.head for word in problem.words], lifting)
    words = (replace(word, head=head) for word, head in zip(problem.words, heads, strict=True))
    return replace(problem, words=tuple(words))


def read_sentence(
    problem: Problem, order: Sequence[int], heads: Sequence[int], lifting: Lifting
) -> Sentence:
    """A result of the lifted problem, with the heads that were given."""
    place = {word: position for position, word in enumerate(order, start=1)} | {0: 0}
    true = [
        problem.words[word - 1].head if lifting[word - 1] else heads[word - 1] for word in order
    ]
    forms = tuple(problem.words[word - 1].form for word in order)
    return forms, tuple(place[head or 0] for head in true)


def expected_sentences(problem: Problem) -> set[Sentence]:
    """Every order and tree that some lifting makes projective, by trying all of them."""
    apart = [replace(word, form=f"v{at}") for at, word in enumerate(problem.words)]
    found = set()
    for lifting in all_liftings(problem):
        try:
            lifted = lifted_problem(replace(problem, words=tuple(apart)), lifting)
        except ProblemError:
            continue
        for order, heads in satisfying(lifted):
            found.add(read_sentence(problem, order, heads, lifting))
    return found


def reached_sentences(problem: Problem, encoding: Encoding) -> set[Sentence]:
    """What the compiled core reaches with some lifting."""
    found = set()
    for lifting in all_liftings(problem):
        try:
            lifted = lift_encoding(encoding, lifting)
        except ProblemError:
            continue
        results, dead_ends = reachable(lifted.task, "eager")
        assert len(results) == len(set(results)), "one derivation per result"
        assert not dead_ends
        for order, heads in results:
            found.add(read_sentence(problem, order, heads, lifting))
    return found


def listed_problem(rng: Random, max_words: int, orders: Orders) -> tuple[Problem, Encoding]:
    """A random problem whose words are listed by their numbers in its encoding."""
    problem = random_problem(rng, max_words, orders)
    encoding = encode(problem, VOCABULARY)
    listed = relist(problem, encoding.order)
    return without_unknown(listed, VOCABULARY.tags, VOCABULARY.labels), encoding


def assert_liftings_reach_what_they_allow(rng: Random, max_words: int, orders: Orders) -> None:
    problem, encoding = listed_problem(rng, max_words, orders)
    reached = reached_sentences(problem, encoding)
    assert reached == expected_sentences(problem), problem
    given = [word.head for word in problem.words]
    if None not in given and orders == "none":
        forms = [word.form for word in problem.words]
        assert {words for words, _ in reached} == set(permutations(forms)), "every order of a tree"


@pytest.mark.parametrize("orders", ["none", "exact"])
def test_results_are_all_orders_that_some_lifting_makes_projective(orders: Orders) -> None:
    rng = Random(19)
    for _ in range(120):
        assert_liftings_reach_what_they_allow(rng, 4, orders)


@pytest.mark.slow
@pytest.mark.parametrize("orders", ["none", "exact"])
def test_results_of_five_words(orders: Orders) -> None:
    rng = Random(20)
    for _ in range(150):
        assert_liftings_reach_what_they_allow(rng, 5, orders)


def test_an_encoding_without_lifting_is_the_same() -> None:
    encoding = encode(Problem.of([Word("a", head=0), Word("b", head=1)]), VOCABULARY)
    assert lift_encoding(encoding, (0, 0)) is encoding


def test_words_that_are_lifted_differently_are_not_interchangeable() -> None:
    words = [Word("r", head=0), Word("h", head=1), *[Word("x", head=2)] * 3]
    encoding = encode(Problem.of(words), VOCABULARY)
    first, *others = (number for number, at in enumerate(encoding.order) if at > 1)
    assert encoding.leaders[others[1]] == first
    lifting = tuple(int(number == others[0]) for number in range(5))
    lifted = lift_encoding(encoding, lifting)
    assert lifted.leaders[others[0]] == others[0]
    assert lifted.leaders[others[1]] == first
    assert lifted.heads[others[0]] == encoding.heads[encoding.heads[others[0]]]
    assert lifted.given_heads == encoding.heads


# ---- the least liftings of an order ----------------------------------------------------------


def random_tree_problem(rng: Random, n: int, forms: int) -> Problem:
    heads = random_heads(rng, n)
    return Problem.of(Word(f"w{rng.randrange(forms)}", head=head) for head in heads)


def in_order(heads: Sequence[int], order: Sequence[int]) -> list[int]:
    """Heads of words, and an order, 0-based: the heads by position, 1-based."""
    place = {word: position for position, word in enumerate(order, start=1)}
    return [place.get(heads[word], 0) for word in order]


def test_the_lifting_of_an_order_by_indices_makes_it_projective() -> None:
    rng = Random(5)
    for _ in range(100):
        problem = random_tree_problem(rng, rng.randint(3, 9), 20)
        encoding = encode(problem, VOCABULARY)
        order = rng.sample(range(1, len(problem.words) + 1), len(problem.words))
        found = liftings_of_order(encoding, order)
        if not found:
            assert not any(room_of(encoding.heads))
            continue
        [lifting] = found
        numbers = [encoding.order.index(at - 1) for at in order]
        assert is_projective(in_order(lift_encoding(encoding, lifting).heads, numbers))
        least = least_lifting(in_order(encoding.heads, numbers))
        assert [lifting[number] for number in numbers] == list(least or ())


def test_the_lifting_of_an_order_by_forms_tells_equal_words_apart() -> None:
    rng = Random(6)
    least_found = tries = 0
    for _ in range(60):
        problem = random_tree_problem(rng, rng.randint(3, 6), 3)
        encoding = encode(problem, VOCABULARY)
        numbers = rng.sample(range(len(problem.words)), len(problem.words))
        forms = [encoding.forms[number] for number in numbers]
        found = liftings_of_order(encoding, forms)
        if not any(room_of(encoding.heads)):
            continue
        ways = [
            way
            for way in permutations(range(len(forms)))
            if [encoding.forms[number] for number in way] == forms
        ]
        for lifting in found:
            heads = lift_encoding(encoding, lifting).heads
            assert any(is_projective(in_order(heads, way)) for way in ways)
        best = min(sum(least_lifting(in_order(encoding.heads, way)) or ()) for way in ways)
        least_found += sum(found[0]) == best
        tries += 1
    assert least_found > 0.9 * tries > 30, "most often the best way is found"


def test_trees_of_given_arcs_are_lifted_by_themselves() -> None:
    words = [Word("a"), Word("b", head=1), Word("c", head=2), Word("x"), Word("y", head=4)]
    encoding = encode(Problem.of(words), VOCABULARY)
    [lifting] = liftings_of_order(encoding, [3, 4, 1, 5, 2])
    assert [lifting[encoding.order.index(at)] for at in range(5)] == [0, 0, 1, 0, 0]


# ---- likely liftings -------------------------------------------------------------------------


def random_scores(rng: Random, heads: Sequence[int]) -> Floats:
    """Log-probabilities such as a lift head gives."""
    scores = np.full((len(heads), MOST_STEPS + 1), -np.inf, np.float32)
    for word, room in enumerate(room_of(heads)):
        possible = min(room, MOST_STEPS) + 1
        weights = np.array([rng.gauss(0, 3) for _ in range(possible)])
        scores[word, :possible] = weights - np.log(np.exp(weights).sum())
    return scores


@pytest.mark.parametrize("most", [1, 4])
def test_likely_liftings_are_the_most_probable_ones(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syntagma.transition.lifting.MOST_LIFTINGS", most)
    rng = Random(7)
    for _ in range(200):
        problem = random_tree_problem(rng, rng.randint(2, 6), 20)
        encoding = encode(problem, VOCABULARY)
        scores = random_scores(rng, encoding.heads)
        every = product(*(range(min(r, MOST_STEPS) + 1) for r in room_of(encoding.heads)))
        ranked = sorted(every, key=lambda lifting: -weighted_odds(scores, lifting))
        odds = [weighted_odds(scores, lifting) for lifting in ranked]
        apart = range(len(problem.words))
        wanted = [
            lifting
            for lifting, each in zip(ranked, odds, strict=True)
            if each > odds[0] + np.log(LEAST_SHARE)
        ]
        found = likely_liftings(scores, apart)
        assert [weighted_odds(scores, lifting) for lifting in found] == pytest.approx(
            [weighted_odds(scores, lifting) for lifting in wanted[:most]], abs=1e-4
        )
        assert len(set(found)) == len(found)


def test_of_interchangeable_words_the_first_is_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("syntagma.transition.lifting.MOST_LIFTINGS", 4)
    monkeypatch.setattr("syntagma.transition.lifting.LEAST_SHARE", 0.1)
    scores = np.full((3, MOST_STEPS + 1), -np.inf, np.float32)
    scores[0, 0] = 0.0
    scores[1:, :2] = np.log([[0.8, 0.2], [0.3, 0.7]])
    assert likely_liftings(scores, [0, 1, 2]) == [(0, 0, 1), (0, 0, 0), (0, 1, 1), (0, 1, 0)]
    assert likely_liftings(scores, [0, 1, 1]) == [(0, 1, 0), (0, 0, 0), (0, 1, 1)]


def test_liftings_that_order_constraints_forbid_are_left_out() -> None:
    words = [Word("r", head=0), Word("h", head=1), Word("x", head=2), Word("y", head=2)]
    scores = np.log(np.array([[0.01, 0.99, 0, 0]] * 4, np.float32) + 1e-30)
    free = encode(Problem.of(words), VOCABULARY)
    scores[[number for number, at in enumerate(free.order) if at < 2]] = [0, *[-np.inf] * 3]
    assert len(rival_liftings(free, scores)) > 0
    # With y lifted and x not, y cannot stand between h and x.
    bound = encode(Problem.of(words, before=[(2, 4), (4, 3)]), VOCABULARY)
    y, x = (bound.order.index(at) for at in (3, 2))
    rivals = [encoding.lifts for encoding, _ in rival_liftings(bound, scores)]
    assert rivals
    assert all(lifting[y] <= lifting[x] for lifting in rivals)


# ---- lists of results ------------------------------------------------------------------------


def result(text: str, score: float) -> Linearization:
    forms = text.split()
    tokens = tuple(Token(form, "", 0, "", at) for at, form in enumerate(forms, start=1))
    return Linearization(tokens, score, Problem.of(forms))


def test_longer_merged_lists_begin_with_the_shorter_ones() -> None:
    rng = Random(8)
    for _ in range(100):
        lists = []
        for _ in range(rng.randint(1, 4)):
            orders = rng.sample([*permutations("abc")], rng.randint(0, 6))
            lists.append([result(" ".join(order), rng.random()) for order in orders])
        merged = [merge_lists([each[:n] for each in lists], n) for n in range(1, 7)]
        for shorter, longer in pairwise(merged):
            assert longer[: len(shorter)] == shorter
        assert len({each.words for each in merged[-1]}) == len(merged[-1])
        distinct = {each.words for one in lists for each in one}
        assert len(merged[-1]) == min(6, len(distinct))
        firsts = [one[0].score for one in lists if one]
        assert not firsts or merged[0][0].score == max(firsts)
