"""Quantises numbers to codes of one byte, for the log-probabilities of `packed`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

CODES = 256
_ROUNDS = 20  # of Lloyd's algorithm

Floats = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint8]


def quantise(values: Floats) -> tuple[Codes, Floats]:
    """(codes, table) with 256 values (Lloyd 1982); exact if there are no more distinct values."""
    distinct, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    table = np.zeros(CODES, np.float32)
    if len(distinct) <= CODES:
        table[: len(distinct)] = distinct
        return inverse.astype(np.uint8), table
    # Start with half of the centres at quantiles, half at equal distances.
    quantiles = np.quantile(values, np.linspace(0, 1, CODES // 2))
    centres = np.sort(np.concatenate([quantiles, np.linspace(distinct[0], distinct[-1], 128)]))
    sizes = np.concatenate([[0], np.cumsum(counts)])
    sums = np.concatenate([[0], np.cumsum(counts * distinct.astype(np.float64))])
    for _ in range(_ROUNDS):
        bounds = np.searchsorted(distinct, (centres[1:] + centres[:-1]) / 2, side="right")
        parts = np.concatenate([[0], bounds, [len(distinct)]])
        size = np.diff(sizes[parts])
        centres = np.divide(np.diff(sums[parts]), size, out=centres.copy(), where=size > 0)
        centres.sort()
    codes = np.searchsorted((centres[1:] + centres[:-1]) / 2, distinct, side="right")
    size = np.bincount(codes, counts, minlength=CODES)
    sums = np.bincount(codes, counts * distinct.astype(np.float64), minlength=CODES)
    table[:] = np.divide(sums, size, out=centres, where=size > 0)
    return codes[inverse].astype(np.uint8), table
