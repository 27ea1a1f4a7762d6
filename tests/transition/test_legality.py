"""The compiled core's legality: against the reference move by move, and against brute force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from references.brute_force import Orders, random_problem, satisfying, without_unknown
from references.transition import (
    LEFTARC,
    RIGHTARC,
    SHIFT,
    Action,
    Arcs,
    Given,
    Move,
    closed_form,
)
from toys.models import (
    clashing_problem,
    model_of,
    relist,
    toy_linearizer,
    toy_vocabulary,
)
from toys.probes import beam_search, decode_actions
from toys.reachable import UNWEIGHTED, reachable
from toys.repetitions import cases

from syntagma.errors import UnsatisfiableError, name_word, name_words
from syntagma.linear._perceptron import DerivationWalk
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition.beam import WORK_LIMIT
from syntagma.transition.encoding import encode
from syntagma.transition.strategy import Scorer

NONE = -1
VOCABULARY = toy_vocabulary()


# ---- derivations that the papers print -------------------------------------------------------


def replay(arcs: Arcs, problem: Problem, derivation: str) -> tuple[list[str], list[str]]:
    """(the stack after each action, arcs built as "head dependent") of a derivation like
    "SHIFT-a SHIFT-b LEFTARC"; every action must be legal."""
    encoding = encode(problem, VOCABULARY)
    forms = [problem.words[at].form for at in encoding.order]
    walk = DerivationWalk(encoding.task, UNWEIGHTED[arcs])
    stack: list[str] = []
    stacks, built = [], []
    for step in derivation.split():
        name, _, form = step.partition("-")
        wanted = (KINDS[name], forms.index(form) if form else NONE)
        walk.apply(next(action for action in walk.legal() if action[:2] == wanted))
        if form:
            stack.append(form)
        else:
            dependent = stack.pop(-1 if name == "RIGHTARC" else -2)
            built.append(f"{stack[-1]} {dependent}")
        stacks.append(" ".join(stack))
    assert walk.finished
    return stacks, built


KINDS = {"SHIFT": SHIFT, "LEFTARC": LEFTARC, "RIGHTARC": RIGHTARC}
# L15 Table 1, with its column σ; the tree is that of its Figure 2.
L15_TABLE_1 = """
    SHIFT-1 SHIFT-2 SHIFT-3 SHIFT-4 SHIFT-5 RIGHTARC RIGHTARC RIGHTARC SHIFT-6 RIGHTARC LEFTARC
"""
L15_STACKS = ["1", "1 2", "1 2 3", "1 2 3 4", "1 2 3 4 5", "1 2 3 4", "1 2 3", "1 2", "1 2 6"]
L15_HEADS = {"1": 2, "2": 0, "3": 2, "4": 3, "5": 4, "6": 2}
# P16 §2, of the bag {John, loves, Mary}.
P16_EXAMPLE = "SHIFT-John SHIFT-loves LEFTARC SHIFT-Mary RIGHTARC"
P16_HEADS = {"John": 2, "loves": 0, "Mary": 2}


def given(heads: dict[str, int], share: str) -> Problem:
    known = {"no arc": set[str](), "some arcs": set(list(heads)[::2]), "all arcs": set(heads)}[
        share
    ]
    return Problem(tuple(Word(form, head=heads[form] if form in known else None) for form in heads))


@pytest.mark.parametrize("share", ["no arc", "some arcs", "all arcs"])
def test_the_derivation_of_l15_table_1_is_lazy(share: str) -> None:
    problem = given(L15_HEADS, share)
    stacks, built = replay("lazy", problem, L15_TABLE_1)
    assert stacks == [*L15_STACKS, "1 2", "2"]
    assert built == ["4 5", "3 4", "2 3", "2 6", "2 1"]
    with pytest.raises(StopIteration):
        replay("eager", problem, L15_TABLE_1)


@pytest.mark.parametrize("share", ["no arc", "some arcs", "all arcs"])
def test_the_derivation_of_p16_is_eager(share: str) -> None:
    problem = given(P16_HEADS, share)
    assert replay("eager", problem, P16_EXAMPLE)[1] == ["loves John", "loves Mary"]
    with pytest.raises(StopIteration):
        replay("lazy", problem, P16_EXAMPLE)


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


def assert_same_moves(problem: Problem, rng: Random, arcs: Arcs) -> None:
    encoding = encode(problem, VOCABULARY)
    listed = relist(problem, encoding.order)
    given = Given.of(without_unknown(listed, VOCABULARY.tags, VOCABULARY.labels), arcs)
    closed, state = closed_form(given), given.start
    derivation = DerivationWalk(encoding.task, UNWEIGHTED[arcs])
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
@pytest.mark.parametrize("arcs", ["eager", "lazy"])
@pytest.mark.parametrize("orders", ["none", "exact", "mixed"])
@pytest.mark.parametrize(("walks", "max_words"), [(400, 12), (12, 60), (3, 150)])
def test_core_and_reference_allow_the_same_actions(
    walks: int, max_words: int, orders: Orders, arcs: Arcs
) -> None:
    rng = Random(max_words)
    for _ in range(cases(walks)):
        assert_same_moves(random_problem(rng, max_words, orders), rng, arcs)


# ---- against brute force ---------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("orders", ["none", "exact", "mixed"])
@pytest.mark.parametrize(
    ("arcs", "count", "max_words"),
    [("eager", 1200, 4), ("eager", 800, 5), ("lazy", 600, 4), ("lazy", 300, 5)],
)
def test_legal_actions_reach_exactly_what_satisfies_the_problem(
    count: int, max_words: int, orders: Orders, arcs: Arcs
) -> None:
    rng = Random(count + max_words)
    for _ in range(cases(count)):
        problem = random_problem(rng, max_words, orders)
        encoding = encode(problem, VOCABULARY)
        listed = relist(problem, encoding.order)
        listed = without_unknown(listed, VOCABULARY.tags, VOCABULARY.labels)
        results, dead_ends = reachable(encoding.task, arcs)
        assert len(results) == len(set(results)), "one derivation per result"
        assert set(results) == satisfying(listed), problem
        assert orders == "mixed" or not dead_ends


# ---- no dead ends ----------------------------------------------------------------------------


def assert_beam_keeps_its_promise(problem: Problem, scorer: Scorer, beam: int) -> None:
    encoding = encode(problem, VOCABULARY)
    [(score, actions)] = beam_search(next(scorer.searches([encoding], [beam], [None])))
    assert violations(decode_actions(encoding, VOCABULARY, score, actions)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("arcs", "count"), [("eager", 1000), ("lazy", 400)])
@pytest.mark.parametrize("orders", ["none", "exact"])
def test_no_beam_comes_to_a_dead_end(orders: Orders, arcs: Arcs, count: int) -> None:
    rng = Random(7)
    scorer = model_of(toy_linearizer(arcs=arcs)).scorer
    for _ in range(cases(count)):
        problem = random_problem(rng, 60, orders)
        assert_beam_keeps_its_promise(problem, scorer, rng.choice((1, 4, 64)))
    for _ in range(cases(count) // 50):  # more than one machine word of bits
        assert_beam_keeps_its_promise(random_problem(rng, 200, orders), scorer, 2)


# ---- order constraints on partial trees ------------------------------------------------------


def outcome(
    problem: Problem, beam: int, arcs: Arcs = "eager"
) -> Linearization | UnsatisfiableError:
    try:
        return toy_linearizer(arcs=arcs).order(problem, beam=beam)
    except UnsatisfiableError as error:
        return error


@pytest.mark.slow
@pytest.mark.parametrize(("arcs", "count"), [("eager", 3000), ("lazy", 1500)])
def test_mixed_constraints_end_in_a_sentence_or_an_error(arcs: Arcs, count: int) -> None:
    """Whichever it is, it is right: of up to 5 words, brute force knows."""
    rng = Random(3)
    rejected = 0
    for _ in range(count):
        problem = clashing_problem(rng, 5)
        result = outcome(problem, rng.choice((1, 4, 64)), arcs)
        if isinstance(result, Linearization):
            assert violations(result) == []
        else:
            rejected += 1
            assert not satisfying(problem), problem
            assert not result.limit_reached
            assert_real_conflict(problem, str(result))
    assert rejected > count / 150, "the problems drawn should clash now and then"


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
@pytest.mark.parametrize(("arcs", "count"), [("eager", 200), ("lazy", 80)])
def test_mixed_constraints_on_long_sentences_never_break_the_promise(
    arcs: Arcs, count: int
) -> None:
    rng = Random(4)
    solved = 0
    for _ in range(cases(count)):
        problem = random_problem(rng, 40, "mixed")  # satisfiable
        result = outcome(problem, rng.choice((1, 4, 64)), arcs)
        if isinstance(result, Linearization):
            solved += 1
            assert violations(result) == []
        else:
            assert result.limit_reached, "an exhaustive search cannot miss what is there"
            assert str(WORK_LIMIT) in str(result)
    assert solved > 0.9 * cases(count)
