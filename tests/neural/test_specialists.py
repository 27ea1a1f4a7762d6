"""Two networks with one lexicon: each problem is ordered by its own, as if there were no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

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
from syntagma.models.model import Model, save_model
from syntagma.neural.parameters import SHARED, Floats
from syntagma.neural.scorer import NeuralScorer, join_networks, networks_of
from syntagma.neural.stored import StoredNetwork
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import encode

TREES = toy_parameters(toy_lexicon(), toy_vocabulary(), 1, lifting=True)
BAGS = {
    **toy_parameters(toy_lexicon(), toy_vocabulary(), 2, lifting=True),
    **{name: TREES[name] for name in SHARED},
}
HEADER = toy_header(lifting=True)
PAIR_HEADER = {**HEADER, "networks": {"bags": HEADER["dimensions"]}}


def network(parameters: dict[str, Floats]) -> NeuralScorer:
    return NeuralScorer.from_parameters(SMALL, toy_lexicon(), toy_vocabulary(), parameters)


def linearizer(scorer: NeuralScorer) -> Linearizer:
    return Linearizer(Model(HEADER, toy_vocabulary(), scorer))


def stored() -> StoredNetwork:
    return StoredNetwork.from_parameters(toy_lexicon(), TREES, {"bags": BAGS})


def all_arcs(problem: Problem) -> bool:
    return all(word.head is not None for word in problem.words)


def problems(seed: int, count: int) -> list[Problem]:
    """Bags, partial trees and trees; of these, as many as of the others."""
    rng = Random(seed)
    found: list[Problem] = []
    for number in range(count):
        problem = in_many_shapes(rng, random_problem(rng, 8, "exact"))
        while all_arcs(problem) != bool(number % 2):
            problem = in_many_shapes(rng, random_problem(rng, 8, "exact"))
        found.append(problem)
    return found


def test_each_problem_is_ordered_by_its_own_network() -> None:
    both = linearizer(join_networks({"trees": network(TREES), "bags": network(BAGS)}))
    trees, bags = linearizer(network(TREES)), linearizer(network(BAGS))
    different = 0
    for problem in problems(1, 40):
        own, other = (trees, bags) if all_arcs(problem) else (bags, trees)
        results = [shown(each) for each in both.order(problem, n_best=3)]
        assert results == [shown(each) for each in own.order(problem, n_best=3)]
        different += results != [shown(each) for each in other.order(problem, n_best=3)]
        order = own.order(problem).words
        assert both.score(problem, order).score == own.score(problem, order).score
    assert different > 20


def test_problems_of_both_kinds_in_one_batch() -> None:
    both = linearizer(join_networks({"trees": network(TREES), "bags": network(BAGS)}))
    mixed = problems(2, 30)
    for shuffled in (mixed, Random(3).sample(mixed, len(mixed)), mixed[::2], mixed[1::2]):
        for one, each in zip(both.order_many(shuffled), shuffled, strict=True):
            assert isinstance(one, Linearization)
            assert shown(one) == shown(both.order(each))


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "pair"
    save_model(path, PAIR_HEADER, toy_vocabulary(), stored())
    loaded = load_model(path)
    alone = {
        True: linearizer(network(loaded.scorer.parameters())),
        False: linearizer(network(loaded.scorer.bags.parameters())),
    }
    for problem in problems(4, 20):
        own = alone[all_arcs(problem)]
        assert shown(Linearizer(loaded).order(problem)) == shown(own.order(problem))
    again = StoredNetwork.from_arrays(read_container(path)[1])
    save_model(tmp_path / "again", PAIR_HEADER, toy_vocabulary(), again)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_lexical_tables_are_stored_once_and_matrices_in_8_bits() -> None:
    arrays = stored().arrays
    of_bags = {name for name in arrays if name.startswith("bags.")}
    assert {name for name in of_bags if not name.endswith(".scales")} == {
        f"bags.{name}" for name in BAGS.keys() - SHARED
    }
    assert not any(f"bags.{name}" in arrays for name in SHARED)
    pair = stored().scorer(PAIR_HEADER, toy_vocabulary())
    assert pair.bags is not None
    quantised = 0
    for prefix, its, given in (("network", pair, TREES), ("bags", pair.bags, BAGS)):
        for name, array in its.parameters().items():
            if arrays.get(f"{prefix}.{name}", arrays[f"network.{name}"]).dtype == np.int8:
                quantised += given[name].size
                precision = np.abs(given[name]).max(axis=1, keepdims=True) / 200
            else:
                precision = np.abs(given[name]) / 1000 + 1e-6
            assert (np.abs(array - given[name]) <= precision).all(), name
    assert quantised > 0.5 * sum(array.size for array in (*TREES.values(), *BAGS.values()))


def test_rounding_again_changes_nothing() -> None:
    pair = stored().scorer(PAIR_HEADER, toy_vocabulary())
    assert pair.bags is not None
    again = StoredNetwork.from_parameters(
        toy_lexicon(), pair.parameters(), {"bags": pair.bags.parameters()}
    )
    for name, array in stored().arrays.items():
        np.testing.assert_array_equal(again.arrays[name], array, err_msg=name)


def test_a_file_and_its_header_must_agree_on_the_second_network(tmp_path: Path) -> None:
    def refused(header: dict[str, object], arrays: dict[str, np.ndarray]) -> str:
        write_container(tmp_path / "bad", header, arrays)
        with pytest.raises(ModelError) as error:
            load_model(tmp_path / "bad")
        return str(error.value)

    save_model(tmp_path / "pair", PAIR_HEADER, toy_vocabulary(), stored())
    header, arrays = read_container(tmp_path / "pair")
    without = {name: value for name, value in header.items() if name != "networks"}
    assert "no parameter layers.0.qkv.weight of shape (24, 72) and type float16" in refused(
        without, arrays
    )
    assert "'networks' is not an object" in refused({**header, "networks": 1}, arrays)
    unknown = {"networks": {"verbs": HEADER["dimensions"]}}
    assert "unknown network, 'verbs'" in refused({**header, **unknown}, arrays)
    twice = {"networks": {"trees": HEADER["dimensions"]}}
    assert "unknown network, 'trees'" in refused({**header, **twice}, arrays)
    wider = {"networks": {"bags": {**HEADER["dimensions"], "width": 32}}}
    assert "differ in width" in refused({**header, **wider}, arrays)
    assert "does not state the dimensions" in refused({**header, "networks": {"bags": 1}}, arrays)
    for name in ("bags.special", "bags.layers.0.qkv.weight"):
        fewer = {key: array for key, array in arrays.items() if key != name}
        assert f"no parameter {name} of shape" in refused(header, fewer)
    for name in ("bags.special", "bags.layers.0.qkv.weight.scales"):
        bad = arrays[name].copy()
        bad.flat[0] = np.nan
        assert f"the parameter {name} of the network is not finite" in refused(
            header, {**arrays, name: bad}
        )
    surplus = {**arrays, "bags.more": np.zeros(1, np.float16)}
    assert "arrays, not" in refused(header, surplus)


def test_what_decides_is_whether_all_arcs_are_given() -> None:
    pair = join_networks({"trees": network(TREES), "bags": network(BAGS)})
    [tree] = problems(5, 2)[1:]
    whole = encode(tree, pair.vocabulary)
    assert whole.is_tree
    partial = []
    for at in range(len(tree.words)):
        words = list(tree.words)
        words[at] = replace(words[at], head=None, deprel=None)
        partial.append(encode(replace(tree, words=tuple(words)), pair.vocabulary))
    assert not any(each.is_tree for each in partial)
    asked: list[tuple[str, int]] = []
    for name, scorer in networks_of(pair).items():
        original = scorer.encoder.encode

        def encode_noted(given: Any, *clock: Any, name: str = name, ask: Any = original) -> Any:
            asked.append((name, len(given)))
            return ask(given, *clock)

        scorer.encoder.encode = encode_noted  # type: ignore[assignment, method-assign]
    both = [whole, *partial]
    list(pair.searches(both, [4] * len(both), [None] * len(both)))
    assert sorted(asked) == [("bags", len(partial)), ("trees", 1)]
