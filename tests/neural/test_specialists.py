"""Two networks with one lexicon: each problem is ordered by its own, as if there were no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from references.brute_force import random_problem
from toys.models import toy_vocabulary
from toys.network import (
    SMALL,
    in_many_shapes,
    shown,
    toy_header,
    toy_lexicon,
    toy_parameters,
)

from syntagma.errors import ModelError
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.container import read_container, write_container
from syntagma.models.loading import load_model
from syntagma.models.model import Model
from syntagma.models.saving import save_model
from syntagma.neural.parameters import Floats
from syntagma.neural.scorer import NeuralScorer, is_tree
from syntagma.neural.specialists import SHARED, Specialists, own_parameters
from syntagma.neural.stored import StoredNetwork
from syntagma.problem.problem import Problem

TREES = toy_parameters(toy_lexicon(), toy_vocabulary(), 1, lifting=True)
BAGS = {
    **toy_parameters(toy_lexicon(), toy_vocabulary(), 2, lifting=True),
    **{name: TREES[name] for name in SHARED},
}
HEADER = toy_header(lifting=True)
PAIR_HEADER = {**HEADER, "specialists": True}


def network(parameters: dict[str, Floats]) -> NeuralScorer:
    return NeuralScorer.from_parameters(SMALL, toy_lexicon(), toy_vocabulary(), parameters)


def linearizer(scorer: NeuralScorer | Specialists) -> Linearizer:
    return Linearizer(Model(HEADER, toy_vocabulary(), scorer))


def stored() -> StoredNetwork:
    return StoredNetwork.from_parameters(toy_lexicon(), TREES, BAGS)


def problems(seed: int, count: int) -> list[Problem]:
    """Bags, partial trees and trees; of these, as many as of the others."""
    rng = Random(seed)
    found: list[Problem] = []
    for number in range(count):
        problem = in_many_shapes(rng, random_problem(rng, 8, "exact"))
        while is_tree(problem) != bool(number % 2):
            problem = in_many_shapes(rng, random_problem(rng, 8, "exact"))
        found.append(problem)
    return found


def test_each_problem_is_ordered_by_its_own_network() -> None:
    both = linearizer(Specialists(network(TREES), network(BAGS)))
    trees, bags = linearizer(network(TREES)), linearizer(network(BAGS))
    different = 0
    for problem in problems(1, 40):
        own, other = (trees, bags) if is_tree(problem) else (bags, trees)
        results = [shown(each) for each in both.order(problem, n_best=3)]
        assert results == [shown(each) for each in own.order(problem, n_best=3)]
        different += results != [shown(each) for each in other.order(problem, n_best=3)]
        order = own.order(problem).words
        assert both.score(problem, order).score == own.score(problem, order).score
    assert different > 20


def test_problems_of_both_kinds_in_one_batch() -> None:
    both = linearizer(Specialists(network(TREES), network(BAGS)))
    mixed = problems(2, 30)
    for shuffled in (mixed, Random(3).sample(mixed, len(mixed)), mixed[::2], mixed[1::2]):
        together = [shown(each) for each in both.order_many(shuffled)]
        assert together == [shown(both.order(each)) for each in shuffled]


def test_a_loaded_pair_finds_what_the_stored_one_finds(tmp_path: Path) -> None:
    path = tmp_path / "pair"
    save_model(path, PAIR_HEADER, toy_vocabulary(), stored())
    loaded = load_model(path)
    assert isinstance(loaded.scorer, Specialists)
    alone = {}
    for name, parameters in (("trees", TREES), ("bags", BAGS)):
        one = StoredNetwork.from_parameters(toy_lexicon(), parameters)
        save_model(tmp_path / name, HEADER, toy_vocabulary(), one)
        alone[name] = Linearizer(load_model(tmp_path / name))
    for problem in problems(4, 20):
        own = alone["trees" if is_tree(problem) else "bags"]
        assert shown(Linearizer(loaded).order(problem)) == shown(own.order(problem))
    again = StoredNetwork.from_arrays(read_container(path)[1])
    save_model(tmp_path / "again", PAIR_HEADER, toy_vocabulary(), again)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_lexical_tables_are_stored_once(tmp_path: Path) -> None:
    names = set(stored().arrays)
    alone = set(StoredNetwork.from_parameters(toy_lexicon(), TREES).arrays)
    assert names - alone == {f"bags.{name}" for name in own_parameters(BAGS)}
    assert TREES.keys() > SHARED
    assert not SHARED & own_parameters(BAGS).keys()


def test_a_file_and_its_header_must_agree_on_the_second_network(tmp_path: Path) -> None:
    def refused(header: dict[str, object], arrays: dict[str, np.ndarray]) -> str:
        write_container(tmp_path / "bad", header, arrays)
        with pytest.raises(ModelError) as error:
            load_model(tmp_path / "bad")
        return str(error.value)

    save_model(tmp_path / "pair", PAIR_HEADER, toy_vocabulary(), stored())
    header, arrays = read_container(tmp_path / "pair")
    without = {name: value for name, value in header.items() if name != "specialists"}
    assert "arrays, not" in refused(without, arrays)
    assert "'specialists' is not true or false" in refused({**header, "specialists": 1}, arrays)
    for name in ("bags.special", "bags.layers.0.qkv.weight"):
        fewer = {key: array for key, array in arrays.items() if key != name}
        assert f"no parameter {name} of shape" in refused(header, fewer)
        bad = arrays[name].copy()
        bad.flat[0] = np.nan
        assert f"the parameter {name} of the network is not finite" in refused(
            header, {**arrays, name: bad}
        )
    surplus = {**arrays, "bags.more": np.zeros(1, np.float16)}
    assert "arrays, not" in refused(header, surplus)


def test_the_network_halfway_between_the_two() -> None:
    mean = Specialists(network(TREES), network(BAGS)).mean().parameters()
    assert mean.keys() == TREES.keys()
    for name, array in mean.items():
        np.testing.assert_allclose(array, (TREES[name] + BAGS[name]) / 2, atol=1e-6)


def test_what_decides_is_whether_all_arcs_are_given() -> None:
    pair = Specialists(network(TREES), network(BAGS))
    [tree] = problems(5, 2)[1:]
    assert pair.specialist(tree) is pair.trees
    for at in range(len(tree.words)):
        words = list(tree.words)
        words[at] = replace(words[at], head=None, deprel=None)
        assert pair.specialist(replace(tree, words=tuple(words))) is pair.bags
