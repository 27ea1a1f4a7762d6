"""The reranker against the slow reference."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from references.brute_force import (
    Orders,
)
from references.neural import Configuration, canonical_moves, tree_of, turned
from references.transition import ClosedForm, Given
from toys.models import toy_vocabulary
from toys.network import random_slots
from toys.probes import beam_search, derivations
from toys.random_network import RandomNetwork, draw_problem, listed

from syntagma.transition.encoding import encode

TOLERANCE = 1e-4


def from_right_to_left(given: Given) -> Given:
    """What must stand before a word must be placed after it."""
    if given.predecessors is None:
        return given
    places = range(len(given.predecessors))
    followers = (sum((given.predecessors[i] >> j & 1) << i for i in places) for j in places)
    return replace(given, predecessors=tuple(followers))


@pytest.mark.slow
@pytest.mark.parametrize("orders", ["none", "exact"])
def test_reranked_scores_are_means_of_both_directions(orders: Orders) -> None:
    """Order constraints hold in both."""
    changed = 0
    for seed in range(150):
        rng = Random(seed)
        problem = draw_problem(rng, 7, orders)
        source = RandomNetwork(rng, random_slots(rng)).read(encode(problem, toy_vocabulary()))
        reference = source.reference()
        given = from_right_to_left(Given.of(listed(source.encoding)))
        search = source.search(4)
        first = beam_search(search, 4)
        source.reranker().judge(search)
        second = derivations(search, search.results(4))
        assert [score for score, _ in second] == sorted((s for s, _ in second), reverse=True)
        scores = {tuple(actions): score for score, actions in first}
        for score, actions in second:
            if tuple(actions) not in scores:  # another tree of the same order
                continue
            configuration = Configuration(listed(source.encoding))
            configuration.given, configuration.legality = given, ClosedForm(given)
            backward = 0.0
            for move in canonical_moves(*turned(given, *tree_of(actions))):
                backward += reference.log_probabilities(configuration)[move]
                configuration.apply(move)
            expected = (scores[tuple(actions)] + backward) / 2
            assert score == pytest.approx(expected, abs=TOLERANCE)
        changed += first[0][1] != second[0][1]
    assert changed > 20
