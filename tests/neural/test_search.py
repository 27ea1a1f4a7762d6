"""The compiled action scorer against the slow reference, and the search with it.

Its input is random here; test_encoder.py tests what the encoder makes of words.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import exp, fsum, inf
from random import Random
from typing import Any

import numpy as np
import pytest
from references.brute_force import (
    Orders,
    random_heads,
    random_problem,
    random_projective_order,
    satisfying,
)
from references.neural import Configuration
from references.transition import LEFTARC, SHIFT, Action, Move
from toys.models import toy_vocabulary
from toys.network import random_slots
from toys.probes import beam_search, decode_actions
from toys.random_network import Input, RandomNetwork, draw_problem, listed

from syntagma.neural._action_scorer import (
    CANDIDATE_ADDRESSES,
    COUNT_BUCKETS,
    COUNT_NAMES,
    SET_NAMES,
    STATE_ADDRESSES,
    VECTOR_MULTIPLE,
    ActionScorer,
)
from syntagma.neural._search import NeuralSearch
from syntagma.neural.parameters import SLOTS, SlotTable
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import violations
from syntagma.transition.encoding import encode

TOLERANCE = 1e-4
BEAM = 1024


# ---- one move after the other ----------------------------------------------------------------


def assert_scores_along_a_walk(rng: Random, source: Input) -> int:
    """The number of moves that were compared."""
    search, reference = source.search(), source.reference()
    configuration = Configuration(listed(source.encoding))
    compared = 0
    while not configuration.state.finished:
        found = {Move(a[0], a[1]): score for a, score in search.scored_actions()}
        assert all(a[2:] == (-1, -1) for a, _ in search.scored_actions()), "no tags, no labels"
        expected = reference.log_probabilities(configuration)
        assert found.keys() == expected.keys()
        assert found == pytest.approx(expected, abs=TOLERANCE)
        assert fsum(map(exp, found.values())) == pytest.approx(1, abs=1e-9)
        if len(found) == 1:
            assert list(found.values()) == [0.0]
        compared += len(found)
        move = rng.choice(sorted(found))
        search.move((*move, -1, -1))
        configuration.apply(move)
    assert search.scored_actions() == []
    return compared


@pytest.mark.slow
@pytest.mark.parametrize("orders", ["none", "exact"])
@pytest.mark.parametrize("table", ["shipped", "random"])
def test_legal_actions_and_their_scores_are_those_of_the_reference(
    table: str, orders: Orders
) -> None:
    compared = 0
    for seed in range(200):
        rng = Random(f"{table}:{orders}:{seed}")
        network = RandomNetwork(rng, SLOTS if table == "shipped" else random_slots(rng))
        problem = draw_problem(rng, 9, orders)
        source = network.read(encode(problem, toy_vocabulary()))
        compared += assert_scores_along_a_walk(rng, source)
    assert compared > 2500


def test_scores_of_long_problems_are_those_of_the_reference() -> None:
    """Long enough for the highest buckets, and for more than one 64-bit word of bits."""
    for seed in range(4):
        rng = Random(seed)
        n = 80
        heads = random_heads(rng, n)
        share = (1.0, 0.9, 0.5, 0.0)[seed]
        words = [
            Word(f"w{i}", head=h if rng.random() < share else None) for i, h in enumerate(heads)
        ]
        source = RandomNetwork(rng, SLOTS).read(encode(Problem(tuple(words)), toy_vocabulary()))
        search, reference = source.search(), source.reference()
        configuration = Configuration(listed(source.encoding))
        while not configuration.state.finished:
            found = [Move(a[0], a[1]) for a, _ in search.scored_actions()]
            if rng.random() < 0.1:
                scores = dict(zip(found, (s for _, s in search.scored_actions()), strict=True))
                expected = reference.log_probabilities(configuration)
                assert scores == pytest.approx(expected, abs=TOLERANCE)
            move = rng.choice(found)
            search.move((*move, -1, -1))
            configuration.apply(move)


def test_each_slot_is_read_where_it_says() -> None:
    """One slot at a time, so that no two can be mixed up."""
    tables = [
        *(((name,), (), (), ()) for name in STATE_ADDRESSES),
        *(((), (name,), (), ()) for name in STATE_ADDRESSES),
        *(((), (), (name,), ()) for name in CANDIDATE_ADDRESSES),
        *(((), (), (), (name,)) for name in SET_NAMES),
    ]
    for number, (state, arc, candidate, sets) in enumerate(tables):
        rng = Random(number)
        slots = SlotTable(state, arc or ("w0",), candidate, sets, ())
        network = RandomNetwork(rng, slots, scale=2)
        for _ in range(4):
            problem = draw_problem(rng, 8, "none")
            source = network.read(encode(problem, toy_vocabulary()))
            assert_scores_along_a_walk(rng, source)


def test_large_scores_do_not_overflow() -> None:
    rng = Random(5)
    network = RandomNetwork(rng, SLOTS, scale=60)
    source = network.read(encode(draw_problem(rng, 9, "none"), toy_vocabulary()))
    search = source.search()
    while found := search.scored_actions():
        assert all(score <= 0 for _, score in found)
        assert fsum(exp(score) for _, score in found) == pytest.approx(1, abs=1e-9)
        search.move(rng.choice(found)[0])


def test_looking_inside_changes_nothing() -> None:
    rng = Random(6)
    source = RandomNetwork(rng, SLOTS).read(encode(random_problem(rng, 9), toy_vocabulary()))
    search = source.search()
    while found := search.scored_actions():
        assert search.scored_actions() == found
        search.move(rng.choice(found)[0])


# ---- search ----------------------------------------------------------------------------------


def all_derivations(source: Input) -> Iterator[tuple[float, tuple[Action, ...]]]:
    agenda: list[tuple[float, tuple[Action, ...]]] = [(0.0, ())]
    while agenda:
        total, actions = agenda.pop()
        found = source.replay(actions).scored_actions()
        if not found:
            assert len(actions) == 2 * len(source.encoding.order) - 1, "a dead end"
            yield total, actions
        agenda += [(total + score, (*actions, action)) for action, score in found]


def result_of(actions: tuple[Action, ...], n: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Order and heads, as in brute_force.py."""
    order: list[int] = []
    stack: list[int] = []
    heads = [0] * n
    for kind, word, _, _ in actions:
        if kind == SHIFT:
            order.append(word + 1)
            stack.append(word + 1)
        else:
            dependent = stack.pop(-2 if kind == LEFTARC else -1)
            heads[dependent - 1] = stack[-1]
    return tuple(order), tuple(heads)


@pytest.mark.parametrize("orders", ["none", "exact"])
def test_a_wide_beam_finds_the_best_of_all_derivations(orders: Orders) -> None:
    """A step has no more states than there are results, so the beam holds all of them."""
    rng, checked = Random(orders), 0
    while checked < 30:
        problem = random_problem(rng, 5, orders)
        n = len(problem.words)
        encoding = encode(problem, toy_vocabulary())
        results = satisfying(listed(encoding))
        if not 1 < len(results) <= (BEAM if checked % 10 == 0 else 120):
            continue
        source = RandomNetwork(rng, random_slots(rng) if checked % 2 else SLOTS).read(encoding)
        derivations = list(all_derivations(source))
        assert {result_of(actions, n) for _, actions in derivations} == results
        assert len(derivations) == len(results), "one derivation per result"
        assert fsum(exp(total) for total, _ in derivations) == pytest.approx(1, abs=1e-9)
        totals = {actions: total for total, actions in derivations}
        [(score, actions)] = beam_search(source.search(BEAM))
        assert score == pytest.approx(max(totals.values()), abs=1e-9)
        assert score == pytest.approx(totals[tuple(actions)], abs=1e-9)
        checked += 1


@pytest.mark.slow
@pytest.mark.parametrize("beam", [1, 4, 16])
@pytest.mark.parametrize("orders", ["none", "exact"])
def test_beams_end_with_what_satisfies_the_problem(beam: int, orders: Orders) -> None:
    """No beam is without a legal action, and the score is the sum of those of the actions."""
    vocabulary = toy_vocabulary()
    for seed in range(110):
        rng = Random(f"{orders}:{seed}")
        network = RandomNetwork(rng, SLOTS)
        problem = random_problem(rng, 40 if seed % 2 else 12, orders)
        source = network.read(encode(problem, vocabulary))
        found = beam_search(source.search(beam), 3)
        assert found, "a dead end"
        assert all(one[0] >= other[0] for one, other in pairwise(found))
        for score, actions in found:
            tagged = [(kind, word, 0, 0) for kind, word, _, _ in actions]
            assert violations(decode_actions(source.encoding, vocabulary, score, tagged)) == []
        score, actions = found[0]
        search, total = source.search(), 0.0
        for action in actions:
            total += dict(search.scored_actions())[action]
            search.move(action)
        assert score == pytest.approx(total, abs=1e-9)


def test_a_beam_of_one_takes_the_best_action_each_time() -> None:
    for seed in range(30):
        rng = Random(seed)
        source = RandomNetwork(rng, SLOTS).read(encode(random_problem(rng, 15), toy_vocabulary()))
        [(_, actions)] = beam_search(source.search(1))
        search = source.search()
        for action in actions:
            best = max(score for _, score in search.scored_actions())
            assert dict(search.scored_actions())[action] == best
            search.move(action)


def test_a_search_for_one_order_finds_only_that() -> None:
    for seed in range(40):
        rng = Random(seed)
        problem = random_problem(rng, 8)
        heads = [word.head for word in problem.words]
        if None in heads:
            problem = Problem(tuple(Word(word.form) for word in problem.words))
            order = rng.sample(range(1, len(heads) + 1), len(heads))
        else:
            order = random_projective_order(rng, [head or 0 for head in heads])
        encoding = encode(problem, toy_vocabulary(), order)
        [(_, actions)] = beam_search(RandomNetwork(rng, SLOTS).read(encoding).search(8))
        words = [encoding.order[word] for kind, word, _, _ in actions if kind == SHIFT]
        forms = [problem.words[at].form for at in words]
        assert forms == [problem.words[index - 1].form for index in order]


# ---- what is refused -------------------------------------------------------------------------


def weights_for(hidden: int = 16, arc_hidden: int = 16) -> list[Any]:
    shapes = [(len(COUNT_NAMES), COUNT_BUCKETS, hidden), (hidden,), (2, arc_hidden), (2,)]
    return [np.zeros(shape, np.float32) for shape in shapes]


@pytest.mark.parametrize(
    ("part", "slots", "message"),
    [
        (0, ("S0", "S1", "S0"), "listed twice in S0, S1, S0"),
        (1, ("S0", "S0"), "listed twice"),
        (2, ("L", "A", "L"), "listed twice"),
        (3, ("path", "path"), "listed twice"),
        (0, ("S4",), "no address 'S4'; there are S0, S1"),
        (1, ("L",), "no address 'L'"),
        (2, ("S0",), "no address 'S0'; there are L, Lh"),
        (3, ("placed",), "no address 'placed'; there are unplaced, family"),
        (4, (("L", "S0"), ("A", "S0"), ("L", "S0")), "a pair is listed twice"),
        (4, (("S0", "L"),), "no address 'S0'"),
        (4, (("L", "S9"),), "no pair of 'L' and 'S9'"),
        (4, (("L", "family"),), "no pair of 'L' and 'family'"),
        (4, (("A", "dependents"),), "no pair of 'A' and 'dependents'"),
        (4, (("L", "path"),), "no pair of 'L' and 'path'"),
        (4, (("A", "unplaced"),), "only L can be paired with the unplaced words"),
    ],
)
def test_slot_tables_that_make_no_sense(part: int, slots: Any, message: str) -> None:
    table: list[Any] = [SLOTS.state, SLOTS.arc, SLOTS.candidate, SLOTS.sets, SLOTS.pairs]
    ActionScorer(*table, *weights_for())
    table[part] = slots
    with pytest.raises(ValueError, match=message):
        ActionScorer(*table, *weights_for())


def test_weights_that_do_not_fit_the_slots() -> None:
    table = (SLOTS.state, SLOTS.arc, SLOTS.candidate, SLOTS.sets, SLOTS.pairs)
    for sizes in [(24, 16), (16, 8)]:
        with pytest.raises(ValueError, match=f"a multiple of {VECTOR_MULTIPLE}"):
            ActionScorer(*table, *weights_for(*sizes))
    for number, shape in enumerate([(4, COUNT_BUCKETS, 16), (32,), (3, 16), (1,)]):
        weights = weights_for()
        weights[number] = np.zeros(shape, np.float32)
        with pytest.raises(ValueError, match=r"must hold|do not fit"):
            ActionScorer(*table, *weights)


def test_input_that_does_not_fit_the_problem() -> None:
    source = RandomNetwork(Random(1), SLOTS).read(
        encode(Problem((Word("w1"), Word("w2"))), toy_vocabulary())
    )
    source.search()
    n, _ = source.rows.shape
    tables, _, _ = source.pairs.shape
    good = source.slot_rows()
    task, scorer = source.encoding.task, source.network.scorer
    narrower = tuple(np.ascontiguousarray(rows[:, 1:]) for rows in good.words)
    for bad_rows, message in [
        (good._replace(words=tuple(rows[1:] for rows in good.words)), "a row for each member"),
        (good._replace(words=narrower), "a row for each member"),
        (good._replace(special=tuple(rows[1:] for rows in good.special)), "for nothing and for"),
        (good._replace(members=tuple(words + 1 for words in good.members)), "no word 2"),
        (good._replace(members=tuple(words - 1 for words in good.members)), "no word -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            NeuralSearch(task, 1, scorer, bad_rows, source.pairs)
    for shape in [(tables - 1, n, n), (tables, 3, 3), (tables, n + 1, n + 1), (tables, n, n + 1)]:
        bad = Input(source.network, source.encoding, source.rows, source.network.draw(*shape))
        with pytest.raises(ValueError, match="a table for each pair"):
            bad.search()
    with pytest.raises(ValueError, match="at least one state"):
        source.search(0)


def test_scores_are_finite_without_any_slot() -> None:
    slots = SlotTable((), ("S0",), (), (), ())
    source = RandomNetwork(Random(2), slots).read(
        encode(random_problem(Random(2), 7), toy_vocabulary())
    )
    [(score, _)] = beam_search(source.search(4))
    assert -inf < score <= 0
