"""Embedding tables in 32 and in 8 bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from syntagma.neural.parameters import EmbeddingTable


def test_rows_are_added_by_number() -> None:
    rng = np.random.default_rng(1)
    for width in (1, 15, 16, 37):
        rows = rng.standard_normal((7, width)).astype(np.float32)
        numbers = rng.integers(7, size=11).astype(np.int32)
        before = rng.standard_normal((11, width)).astype(np.float32)
        quantised = EmbeddingTable.quantised(rows)
        scales = np.asarray(quantised.scales)[:, None]
        for table, expected in [(EmbeddingTable(rows), rows), (quantised, quantised.rows * scales)]:
            out = before.copy()
            table.add_to(out, numbers)
            np.testing.assert_allclose(out, before + expected[numbers], atol=1e-6)


def looked_up(table: EmbeddingTable, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    out = np.zeros((len(numbers), table.rows.shape[1]), np.float32)
    table.add_to(out, numbers)
    return out


@settings(max_examples=100, deadline=None)
@given(
    arrays(
        np.float32,
        array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.floats(-8, 8, width=32),
    )
)
def test_rounding_to_8_bits_is_off_by_half_a_step(rows: npt.NDArray[np.float32]) -> None:
    """A step is a 127th of the largest value of a row, itself kept in 16 bits."""
    table = EmbeddingTable.quantised(rows)
    assert table.rows.dtype == np.int8
    found = looked_up(table, np.arange(len(rows), dtype=np.int32))
    step = np.abs(rows).max(axis=1, keepdims=True) / 127
    tiny = 127 * 2.0**-25  # where the step itself is nearly too small for 16 bits
    assert (np.abs(found - rows) <= 0.57 * step + tiny).all()
