"""The training trace against the slow reference."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from references.neural import Configuration, canonical_moves, turned
from references.transition import LEFTARC, RIGHTARC, SHIFT, Given, Move
from toys.models import toy_sentence, toy_vocabulary
from toys.random_network import listed

from syntagma.neural._action_scorer import (
    CANDIDATE_ADDRESSES,
    COUNT_NAMES,
    STATE_ADDRESSES,
    trace,
)
from syntagma.transition.training import encode_training
from syntagma.treebanks.conditions import CONDITIONS, constrain


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("condition", ["none", "half", "tree", "labelled", "tags100-arcs50"])
def test_a_trace_shows_what_the_reference_sees(condition: str, backward: bool) -> None:
    vocabulary = toy_vocabulary(sentences=60)
    for seed in range(25):
        rng = Random(seed)
        sentence = toy_sentence(rng, 9)
        problem = constrain(sentence, CONDITIONS[condition], rng, shuffle=False)
        encoding, gold = encode_training(sentence, problem, vocabulary)
        found = trace(encoding.task, gold.order, gold.heads, backward)
        n = len(sentence)
        order, heads = gold.order.tolist(), gold.heads.tolist()
        if backward:
            order, heads = turned(Given.of(listed(encoding)), order, heads)
        configuration = Configuration(listed(encoding))
        step = candidate = 0
        for move in canonical_moves(order, heads):
            legal = sorted(configuration.legal())
            assert move in legal
            if len(legal) > 1:
                at = configuration.state_addresses()
                assert found["states"][step].tolist() == rows(at, STATE_ADDRESSES, n)
                assert set(members(found["unplaced"], step)) == configuration.state.buffer
                arcs = [Move(kind) in legal for kind in (LEFTARC, RIGHTARC)]
                assert found["arcs"][step].tolist() == arcs
                shifts = [each.word for each in legal if each.kind == SHIFT]
                chosen = found["chosen"][step]
                assert chosen == (
                    candidate + shifts.index(move.word) if move.kind == 0 else -move.kind
                )
                for word in shifts:
                    assert found["steps"][candidate] == step
                    at = configuration.candidate_addresses(word)
                    expected = rows(at, CANDIDATE_ADDRESSES, n)
                    assert found["candidates"][candidate].tolist() == expected
                    counts = configuration.counts(word)
                    expected = [counts[name] for name in COUNT_NAMES]
                    assert found["counts"][candidate].tolist() == expected
                    sets = configuration.sets(word)
                    for name in ("family", "dependents", "path"):
                        listed_ = members(found[name], candidate)
                        assert sorted(listed_) == sorted(sets[name])
                    candidate += 1
                step += 1
            configuration.apply(move)
        assert (step, candidate) == (len(found["states"]), len(found["candidates"]))


def rows(at: dict[str, int], names: tuple[str, ...], n: int) -> list[int]:
    """Numbers of words; n for nothing, n + 1 for the start."""
    return [word if (word := at.get(name, -2)) >= 0 else n + 2 + word for name in names]


def members(members_and_starts: tuple[Any, Any], number: int) -> list[int]:
    flat, starts = members_and_starts
    ends = [*starts[1:], len(flat)]
    found: list[int] = flat[starts[number] : ends[number]].tolist()
    return found
