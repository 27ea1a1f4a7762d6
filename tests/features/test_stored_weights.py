"""Weights as a model file holds them: rounded to 255 levels, the largest ones kept."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from syntagma.errors import ModelError
from syntagma.features.stored_weights import StoredWeights


def stored(count: int, max_features: int) -> StoredWeights:
    rng = Random(count)
    keys = np.array([rng.getrandbits(64) for _ in range(count)], np.uint64)
    values = np.array([rng.choice((-1, 1)) * 2.0 ** rng.uniform(-6, 6) for _ in keys], np.float32)
    return StoredWeights.of(keys, values, max_features)


@pytest.mark.parametrize("count", [1, 2, 100, 3000])
def test_arrays_give_the_weights_back(count: int) -> None:
    one = stored(count, 10**6)
    arrays = one.to_arrays()
    assert arrays.keys() == StoredWeights.sections({})
    assert len(arrays["weights"]) == count
    again = StoredWeights.from_arrays(arrays)
    occupied = one.fingerprints != 0
    assert np.array_equal(again.fingerprints, one.fingerprints)
    assert np.array_equal(again.steps[occupied], one.steps[occupied])
    assert np.array_equal(again.levels, one.levels)
    assert len(again.weights()) == count
    assert again.describe() == one.describe() == {"features": count}


def test_only_the_largest_weights_are_kept() -> None:
    all_of_them, some = stored(1000, 1000), stored(1000, 50)
    kept = np.abs(some.levels[some.steps[some.fingerprints != 0]])
    every = np.sort(np.abs(all_of_them.levels[all_of_them.steps[all_of_them.fingerprints != 0]]))
    assert some.describe() == {"features": 50}
    assert np.array_equal(np.sort(kept), every[-50:])


def test_weights_that_are_not_quantized_are_kept_exactly() -> None:
    rng = Random(0)
    keys = np.array([rng.getrandbits(64) for _ in range(500)], np.uint64)
    values = np.array([rng.gauss(0, 1) for _ in keys], np.float32)
    one = StoredWeights.of(keys, values, 10**6, quantized=False)
    arrays = one.to_arrays()
    assert "levels" not in arrays
    assert arrays["weights"].dtype == np.float32
    assert np.array_equal(np.sort(arrays["weights"]), np.sort(values))
    again = StoredWeights.from_arrays(arrays)
    assert np.array_equal(again.steps, one.steps)
    assert again.describe() == {"features": 500, "quantized": False}
    rounded = StoredWeights.of(keys, values, 10**6)
    assert not np.array_equal(rounded.levels[rounded.steps], one.steps)


def test_weights_that_are_not_quantized_must_be_finite() -> None:
    arrays = StoredWeights.of(
        np.array([1 << 40], np.uint64), np.array([2.5], np.float32), 10, quantized=False
    ).to_arrays()
    with pytest.raises(ModelError, match="'weights'"):
        StoredWeights.from_arrays({**arrays, "weights": np.array([np.nan], np.float32)})
    with pytest.raises(ModelError, match="'weights'"):
        StoredWeights.from_arrays({**arrays, "weights": np.array([1], np.uint8)})
