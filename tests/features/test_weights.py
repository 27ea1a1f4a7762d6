"""Hash tables of weights: look-ups find what was stored, and nothing else."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from toys.models import make_scorer, toy_vocabulary

from syntagma.errors import ModelError
from syntagma.features._sparse import TrainingWeights, Weights, build_columns
from syntagma.linear._perceptron import DerivationWalk
from syntagma.linear.scorer import LinearScorer
from syntagma.linear.templates import templates
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.transition.encoding import encode


def test_columns_hold_every_feature() -> None:
    rng = Random(0)
    keys = np.array([rng.getrandbits(64) for _ in range(3000)], np.uint64)
    values = np.array([rng.uniform(-1, 1) for _ in keys], np.float32)
    fingerprints, weights = build_columns(keys, values, 0.8)
    assert len(fingerprints) == 4096
    assert len(Weights(fingerprints, weights)) == 3000
    home = (keys & np.uint64(4095)).astype(np.int64)
    assert np.isin(keys >> np.uint64(32), fingerprints).all()
    assert (fingerprints[home] != 0).all()
    assert sorted(weights[fingerprints != 0].tolist()) == sorted(values.tolist())


@pytest.mark.parametrize("load", [0.5, 0.85, 0.999])
def test_features_are_found_among_many_others(load: float) -> None:
    """At any load factor, and where probing wraps around the end of the table."""
    rng = Random(1)
    vocabulary = toy_vocabulary()
    encoding = encode(Problem(tuple(Word(f"w{i}") for i in range(6))), vocabulary)
    weights = {rng.getrandbits(64): 1000.0 for _ in range(900)}
    derivation = DerivationWalk(encoding.task, make_scorer("p16", vocabulary))
    actions = derivation.legal()
    expected = []
    for action in actions:
        own = {key: rng.randint(-64, 64) / 64 for key in derivation.features(action)}
        weights = own | weights
        expected.append(sum(weights[key] for key in derivation.features(action)))
    keys, values = np.array(list(weights), np.uint64), np.array(list(weights.values()), np.float32)
    table = Weights(*build_columns(keys, values, load))
    scorer = LinearScorer(templates("p16"), table, vocabulary.label_index, vocabulary.label_pool)
    derivation = DerivationWalk(encoding.task, scorer)
    assert [derivation.score(action) for action in actions] == expected


def test_features_that_the_look_up_cannot_tell_apart_share_their_weight() -> None:
    key = 0xABCDEF0123456789
    fingerprints, weights = build_columns(
        np.array([key, key ^ 1 << 20], np.uint64), np.array([1.0, 2.0], np.float32)
    )
    assert np.count_nonzero(fingerprints) == 1
    assert weights.max() == 3.0


@pytest.mark.parametrize(("fingerprints", "weights"), [(0, 0), (3, 3), (4, 2)])
def test_tables_of_a_wrong_size_are_rejected(fingerprints: int, weights: int) -> None:
    with pytest.raises(ValueError, match="power of two"):
        Weights(np.zeros(fingerprints, np.uint32), np.zeros(weights, np.float32))


@pytest.mark.parametrize(
    "change",
    [
        {"capacity_steps": np.array([0, 0], np.uint64)},
        {"capacity_steps": np.array([(1 << 20) + 1, 0], np.uint64)},
        {"capacity_steps": np.array([1 << 60, 0], np.uint64)},
        {"capacity_steps": np.array([1 << 20], np.uint64)},
        {"keys": np.zeros(1, np.uint64)},
        {"slots": np.zeros(0, np.int64)},
        {
            name: np.zeros(1 << 20, dtype)
            for name, dtype in (("slots", "u8"), ("keys", "u8"), ("sums", "f8"))
        },
    ],
)
def test_a_state_that_cannot_be_restored(change: dict[str, npt.NDArray[Any]]) -> None:
    weights = TrainingWeights()
    with pytest.raises(ModelError, match="damaged model: section"):
        weights.restore({**weights.state(), **change})
