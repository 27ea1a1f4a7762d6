"""Embedding tables, in 32 bits or quantised to 8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.neural._encoder import add_byte_rows, add_rows
from syntagma.neural.parameters import Floats


@dataclass(frozen=True, slots=True)
class EmbeddingTable:
    """Rows of 32-bit floats or, with a scale for each row, of 8-bit integers."""

    rows: npt.NDArray[Any]
    scales: Floats | None = None

    @classmethod
    def quantised(cls, rows: Floats) -> EmbeddingTable:
        """Round to 8 bits; the scale of a row to 16, as model files store it."""
        scales = (np.abs(rows).max(axis=1) / 127).astype(np.float16).astype(np.float32)
        safe = np.where(scales > 0, scales, 1)
        return cls(np.clip(np.rint(rows / safe[:, None]), -127, 127).astype(np.int8), scales)

    def as_floats(self) -> Floats:
        rows = self.rows.astype(np.float32)
        return rows if self.scales is None else rows * self.scales[:, None]

    def add_to(self, out: Floats, numbers: npt.NDArray[np.int32]) -> None:
        """Add row `numbers[i]` of the table to row i of `out`."""
        if self.scales is None:
            add_rows(out, self.rows, numbers)
        else:
            add_byte_rows(out, self.rows, self.scales, numbers)
