"""The compiled core's legality: against the reference move by move, and against brute force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from references.brute_force import Orders, Result, random_problem, satisfying, without_unknown
from references.transition import LEFTARC, RIGHTARC, SHIFT, Action, ClosedForm, Given, Move
from toys.models import (
    clashing_problem,
    few_templates,
    make_scorer,
    model_of,
    relist,
    toy_linearizer,
    toy_vocabulary,
)
from toys.probes import beam_search, decode_actions

from syntagma.errors import UnsatisfiableError, name_word, name_words
from syntagma.linear._derivation_walk import DerivationWalk
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization, violations
from syntagma.transition._state import SearchTask
from syntagma.transition.beam import WORK_LIMIT, Scorer
from syntagma.transition.encoding import encode

NONE = -1
VOCABULARY = toy_vocabulary()
UNWEIGHTED = make_scorer(few_templates(), VOCABULARY)


# ---- move by move ----------------------------------------------------------------------------


def expected_actions(
    problem: Problem, move: Move, arc: tuple[int, int], tags: dict[int, int]
) -> set[Action]:
    """The move with every tag or label that may be chosen; `arc` is (head, dependent)."""
    if move.kind == SHIFT:
        word = problem.words[move.word]
        proposed = VOCABULARY.tags_of(word.form)
        if word.tag in VOCABULARY.tags:
            proposed = (VOCABULARY.tags.index(word.tag),)
        return {(SHIFT, move.word, tag, NONE) for tag in proposed}
    head, dependent = arc
    deprel = problem.words[dependent].deprel
    if deprel in VOCABULARY.labels:
        labels = [VOCABULARY.labels.index(deprel)]
    else:
        start, count = VOCABULARY.label_index[move.kind - 1, tags[head], tags[dependent]]
        labels = VOCABULARY.label_pool[start : start + count].tolist()
    return {(move.kind, NONE, NONE, label) for label in labels}


def assert_same_moves(problem: Problem, rng: Random) -> None:
    encoding = encode(problem, VOCABULARY)
    listed = relist(problem, encoding.order)
    given = Given.of(without_unknown(listed, VOCABULARY.tags, VOCABULARY.labels))
    closed, state = ClosedForm(given), given.start
    derivation = DerivationWalk(encoding.task, UNWEIGHTED)
    tags: dict[int, int] = {}
    while not derivation.finished:
        expected: set[Action] = set()
        for move in closed.legal(state):
            arc = (NONE, NONE)
            if move.kind != SHIFT:
                s1, s0 = state.stack[-2:]
                arc = (s0, s1) if move.kind == LEFTARC else (s1, s0)
            expected |= expected_actions(listed, move, arc, tags)
        legal = derivation.legal()
        assert len(legal) == len(set(legal))
        assert set(legal) == expected, (problem, state)
        if not legal:
            return  # a dead end, which mixed constraints may have
        kind, word, tag, _ = action = rng.choice(legal)
        if kind == SHIFT:
            tags[word] = tag
        derivation.apply(action)
        state = state.after(Move(kind, word))
    assert state.finished


@pytest.mark.slow
@pytest.mark.parametrize("orders", ["none", "exact", "mixed"])
@pytest.mark.parametrize(("walks", "max_words"), [(400, 12), (12, 60), (3, 150)])
def test_core_and_reference_allow_the_same_actions(
    walks: int, max_words: int, orders: Orders
) -> None:
    rng = Random(max_words)
    for _ in range(walks):
        assert_same_moves(random_problem(rng, max_words, orders), rng)


# ---- against brute force ---------------------------------------------------------------------


def reachable(encoded: SearchTask) -> tuple[list[Result], int]:
    """The results of all sequences of legal moves in the core, and the number of dead ends."""
    results: list[Result] = []
    agenda: list[tuple[Action, ...]] = [()]
    dead_ends = 0
    while agenda:
        actions = agenda.pop()
        derivation = DerivationWalk(encoded, UNWEIGHTED)
        for action in actions:
            derivation.apply(action)
        while not derivation.finished:
            by_move = {action[:2]: action for action in derivation.legal()}  # any tag, any label
            if not by_move:
                dead_ends += 1
                break
            *others, action = by_move.values()
            agenda += [(*actions, other) for other in others]
            actions = (*actions, action)
            derivation.apply(action)
        else:
            results.append(read_off(actions))
    return results, dead_ends


def read_off(actions: tuple[Action, ...]) -> Result:
    """(order, heads) that a derivation builds, 1-based."""
    order: list[int] = []
    stack: list[int] = []
    heads: dict[int, int] = {}
    for kind, word, _, _ in actions:
        if kind == SHIFT:
            order.append(word + 1)
            stack.append(word + 1)
        else:
            dependent = stack.pop(-1 if kind == RIGHTARC else -2)
            heads[dependent] = stack[-1]
    return tuple(order), tuple(heads.get(word, 0) for word in range(1, len(order) + 1))


@pytest.mark.slow
@pytest.mark.parametrize("orders", ["none", "exact", "mixed"])
@pytest.mark.parametrize(("count", "max_words"), [(1200, 4), (800, 5)])
def test_legal_actions_reach_exactly_what_satisfies_the_problem(
    count: int, max_words: int, orders: Orders
) -> None:
    rng = Random(count + max_words)
    for _ in range(count):
        problem = random_problem(rng, max_words, orders)
        encoding = encode(problem, VOCABULARY)
        listed = relist(problem, encoding.order)
        listed = without_unknown(listed, VOCABULARY.tags, VOCABULARY.labels)
        results, dead_ends = reachable(encoding.task)
        assert len(results) == len(set(results)), "one derivation per result"
        assert set(results) == satisfying(listed), problem
        assert orders == "mixed" or not dead_ends


# ---- no dead ends ----------------------------------------------------------------------------


def assert_beam_keeps_its_promise(problem: Problem, scorer: Scorer, beam: int) -> None:
    encoding = encode(problem, VOCABULARY)
    [(score, actions)] = beam_search(next(scorer.searches([encoding], [beam], [None])))
    assert violations(decode_actions(encoding, VOCABULARY, score, actions)) == []


@pytest.mark.slow
@pytest.mark.parametrize("orders", ["none", "exact"])
def test_no_beam_comes_to_a_dead_end(orders: Orders) -> None:
    rng = Random(7)
    scorer = model_of(toy_linearizer()).scorer
    for _ in range(1000):
        problem = random_problem(rng, 60, orders)
        assert_beam_keeps_its_promise(problem, scorer, rng.choice((1, 4, 64)))
    for _ in range(20):  # more than one machine word of bits
        assert_beam_keeps_its_promise(random_problem(rng, 200, orders), scorer, 2)


# ---- order constraints on partial trees ------------------------------------------------------


def outcome(problem: Problem, beam: int) -> Linearization | UnsatisfiableError:
    try:
        return toy_linearizer().order(problem, beam=beam)
    except UnsatisfiableError as error:
        return error


@pytest.mark.slow
def test_mixed_constraints_end_in_a_sentence_or_an_error() -> None:
    """Whichever it is, it is right: of up to 5 words, brute force knows."""
    rng = Random(3)
    rejected = 0
    for _ in range(3000):
        problem = clashing_problem(rng, 5)
        result = outcome(problem, rng.choice((1, 4, 64)))
        if isinstance(result, Linearization):
            assert violations(result) == []
        else:
            rejected += 1
            assert not satisfying(problem), problem
            assert not result.limit_reached
            assert_real_conflict(problem, str(result))
    assert rejected > 20, "the problems drawn should clash now and then"


def assert_real_conflict(problem: Problem, message: str) -> None:
    """The constraints named cannot be met together; without any one of them, the rest can."""
    named = named_constraints(problem, message.partition(": ")[2].split("; "))
    assert not satisfying(named), message
    for fewer in without_one(named):
        assert satisfying(fewer), (message, fewer)


def named_constraints(problem: Problem, texts: list[str]) -> Problem:
    words = problem.words
    before = [pair for pair in problem.before if name_words(words, pair, " before ") in texts]
    first = problem.first if f"{name_word(words, problem.first or 1)} first" in texts else None
    last = problem.last if f"{name_word(words, problem.last or 1)} last" in texts else None
    assert len(before) + (first is not None) + (last is not None) == len(texts), texts
    return Problem(words, tuple(before), first, last)


def without_one(problem: Problem) -> Iterator[Problem]:
    for pair in problem.before:
        yield replace(problem, before=tuple(other for other in problem.before if other != pair))
    if problem.first is not None:
        yield replace(problem, first=None)
    if problem.last is not None:
        yield replace(problem, last=None)


@pytest.mark.slow
def test_mixed_constraints_on_long_sentences_never_break_the_promise() -> None:
    rng = Random(4)
    solved = 0
    for _ in range(200):
        problem = random_problem(rng, 40, "mixed")  # satisfiable
        result = outcome(problem, rng.choice((1, 4, 64)))
        if isinstance(result, Linearization):
            solved += 1
            assert violations(result) == []
        else:
            assert result.limit_reached, "an exhaustive search cannot miss what is there"
            assert str(WORK_LIMIT) in str(result)
    assert solved > 180
