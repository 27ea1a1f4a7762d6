"""Quantisation: few values are exact, many keep their order and are close."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from syntagma.language_model.packed import quantise

float32s = st.floats(-300, 0, width=32)


@given(st.lists(float32s, max_size=400), st.integers(1, 256))
@settings(deadline=None)
def test_few_values_are_kept(drawn: list[float], size: int) -> None:
    few = [*dict.fromkeys(drawn)][:size]
    values = np.array(few * 3, np.float32)
    codes, table = quantise(values)
    assert codes.dtype == np.uint8
    assert table.dtype == np.float32
    assert table.shape == (256,)
    np.testing.assert_array_equal(table[codes], values)


def test_256_values_are_few_and_257_are_not() -> None:
    values = np.linspace(-9, 0, 257, dtype=np.float32)
    for size, exact in ((255, True), (256, True), (257, False)):
        codes, table = quantise(values[:size])
        assert np.array_equal(table[codes], values[:size]) == exact


@pytest.mark.slow
@given(hnp.arrays(np.float32, st.integers(257, 3000), elements=float32s))
@settings(deadline=None, max_examples=50)
def test_quantised_values_keep_their_order_and_stay_among_those_with_their_code(
    values: npt.NDArray[np.float32],
) -> None:
    """Up to rounding."""
    codes, table = quantise(values)
    by_value = np.argsort(values)
    assert (np.diff(table[codes][by_value]) >= 0).all()
    assert (np.diff(codes[by_value].astype(int)) >= 0).all()
    for code in np.unique(codes):
        part = values[codes == code]
        assert part.min() - 1e-4 <= table[code] <= part.max() + 1e-4


@pytest.mark.parametrize(
    "drawn",
    [
        [-0.5, *range(-317, 1)],
        np.round(-np.random.default_rng(4).uniform(0, 300, 600), 1),
        -np.random.default_rng(1).gamma(1, 3, 3000),
    ],
    ids=["even", "tenths", "gamma"],
)
def test_a_value_with_a_code_of_its_own_is_exact(drawn: npt.ArrayLike) -> None:
    """Up to rounding."""
    values = np.unique(np.asarray(drawn, np.float32))
    codes, table = quantise(values)
    alone = np.bincount(codes, minlength=256)[codes] == 1
    assert alone.any()
    np.testing.assert_allclose(table[codes[alone]], values[alone], rtol=0, atol=1e-4)


@pytest.mark.parametrize("scale", [0.01, 0.3, 3.0])
def test_what_is_no_context_stays_none(scale: float) -> None:
    """A back-off of 0 is kept, however many values are near it."""
    others = -np.random.default_rng(1).gamma(1, scale, 1000).astype(np.float32)
    codes, table = quantise(np.concatenate([np.zeros(5000, np.float32), others]))
    assert (table[codes[:5000]] == 0).all()


def test_the_error_of_many_values_is_small() -> None:
    """For evenly spaced values, half a step of 256; for gamma-distributed ones, a small mean."""
    even = np.linspace(-10, 0, 20_000, dtype=np.float32)
    codes, table = quantise(even)
    assert np.abs(table[codes] - even).max() <= 10 / 256 / 2 * 1.02
    drawn = -np.random.default_rng(1).gamma(3, 2, 50_000).astype(np.float32)
    codes, table = quantise(drawn)
    assert np.abs(table[codes] - drawn).mean() < 0.001 * np.ptp(drawn)
