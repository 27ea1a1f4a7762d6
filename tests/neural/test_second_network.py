"""A second network: it has a share in the scores of orders of trees, and in nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from references.brute_force import random_problem
from toys.models import toy_vocabulary
from toys.network import SMALL, in_many_shapes, shown, toy_header, toy_lexicon, toy_parameters

from syntagma.errors import ModelError
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.loading import load_model
from syntagma.models.model import Model, save_model
from syntagma.neural.parameters import SHARED, Dimensions, Floats
from syntagma.neural.scorer import SECOND_NETWORK, NeuralScorer, join_networks, networks_of
from syntagma.neural.stored import StoredNetwork, describe_network
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization

LARGER = replace(SMALL, hidden=SMALL.hidden + 16, feedforward=SMALL.feedforward + 4)
HEADER = toy_header(lifting=True)


def drawn(seed: int, dimensions: Dimensions = SMALL) -> dict[str, Floats]:
    """Parameters with the lexical tables of the first seed."""
    parameters = toy_parameters(toy_lexicon(), toy_vocabulary(), seed, dimensions, lifting=True)
    first = toy_parameters(toy_lexicon(), toy_vocabulary(), 1, lifting=True)
    return {**parameters, **{name: first[name] for name in SHARED}}


def network(seed: int, dimensions: Dimensions = SMALL) -> NeuralScorer:
    return NeuralScorer.from_parameters(
        dimensions, toy_lexicon(), toy_vocabulary(), drawn(seed, dimensions)
    )


def with_second() -> NeuralScorer:
    return join_networks({"trees": network(1), "second": network(2, LARGER)})


def linearizer(scorer: NeuralScorer) -> Linearizer:
    return Linearizer(Model(HEADER, toy_vocabulary(), scorer))


def problems(seed: int, count: int, *, trees: bool) -> list[Problem]:
    rng = Random(seed)
    found: list[Problem] = []
    while len(found) < count:
        problem = in_many_shapes(rng, random_problem(rng, 7, "exact"))
        if all(word.head is not None for word in problem.words) == trees and len(problem.words) > 1:
            found.append(problem)
    return found


def test_scores_of_trees_are_weighted_means_of_both_networks() -> None:
    both, one, other = map(linearizer, (with_second(), network(1), network(2, LARGER)))
    changed = 0
    for problem in problems(1, 60, trees=True):
        found = both.order(problem, n_best=4, projective=True)
        for each in found:
            scores = [
                single.score(problem, each.words, projective=True).score for single in (one, other)
            ]
            expected = (1 - SECOND_NETWORK) * scores[0] + SECOND_NETWORK * scores[1]
            assert each.score == pytest.approx(expected, abs=1e-4)
            again = both.score(problem, each.words, projective=True)
            assert again.score == pytest.approx(each.score, abs=1e-4)
        changed += shown(found[0]) != shown(one.order(problem, projective=True))
    assert changed > 5


def test_bags_and_partial_trees_do_without_it() -> None:
    both, alone = linearizer(with_second()), linearizer(network(1))
    for problem in problems(2, 30, trees=False):
        found = [shown(each) for each in both.order(problem, n_best=3)]
        assert found == [shown(each) for each in alone.order(problem, n_best=3)]


def test_trees_and_bags_in_one_batch() -> None:
    triple = join_networks({"trees": network(1), "bags": network(3), "second": network(2)})
    mixed = [*problems(3, 12, trees=True), *problems(4, 12, trees=False)]
    for scorer in (with_second(), triple):
        both = linearizer(scorer)
        for seed in range(3):
            shuffled = Random(seed).sample(mixed, len(mixed))
            for one, each in zip(both.order_many(shuffled), shuffled, strict=True):
                assert isinstance(one, Linearization)
                assert shown(one) == shown(both.order(each))


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    """Networks of different sizes, all of their own."""
    further = {"bags": drawn(3), "second": drawn(2, LARGER)}
    described = describe_network(SMALL, further={"bags": SMALL, "second": LARGER})
    header = {**HEADER, **described}
    stored = StoredNetwork.from_parameters(toy_lexicon(), drawn(1), further)
    save_model(tmp_path / "model", header, toy_vocabulary(), stored)
    loaded = load_model(tmp_path / "model").scorer
    networks = networks_of(loaded)
    assert {kind: each.dimensions for kind, each in networks.items()} == {
        **{"trees": SMALL, "bags": SMALL},
        "second": LARGER,
    }
    again = {kind: each.parameters() for kind, each in networks.items()}
    twice = StoredNetwork.from_parameters(toy_lexicon(), again.pop("trees"), again)
    assert twice.arrays.keys() == stored.arrays.keys()
    for name, array in stored.arrays.items():
        np.testing.assert_array_equal(twice.arrays[name], array, err_msg=name)


def test_a_header_with_other_dimensions_is_refused(tmp_path: Path) -> None:
    stored = StoredNetwork.from_parameters(toy_lexicon(), drawn(1), {"second": drawn(2, LARGER)})
    header = {**HEADER, **describe_network(SMALL, further={"second": SMALL})}
    save_model(tmp_path / "model", header, toy_vocabulary(), stored)
    with pytest.raises(ModelError, match=r"no parameter second\.\S+ of shape"):
        load_model(tmp_path / "model")
