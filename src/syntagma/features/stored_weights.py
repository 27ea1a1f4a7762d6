"""Feature weights as a model file holds them: a hash table of fingerprints and 8-bit weights.

The tables in memory, for search and for training, are compiled: `_weights`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from syntagma.features._weights import Weights, build_columns
from syntagma.files.sections import Section, check_sections, damaged

# Weights are quantized to 8 bits, in steps that grow with the weight, because most weights are
# small and a few are huge: steps at zero are this many times finer than at the largest weight.
COMPANDING = 100.0

MAX_LEVELS = 256
# A look-up walks to the next empty slot. At most half of the slots are occupied, so that runs of
# more than a hundred hashed slots are unheard of. Longer ones would stall the search.
_LONGEST_RUN = 64  # bytes of `occupied` without an empty slot

# `occupied` has a bit for each slot.
TABLE = (
    Section("occupied", np.uint8, ("bytes",)),
    Section("fingerprints", np.uint32, ("features",), least=1),
    Section("weights", np.uint8, ("features",), below="levels"),
    Section("levels", np.float32, ("levels",)),
)


@dataclass(frozen=True, slots=True)
class StoredWeights:
    """A hash table of weights with one row per slot, empty slots included.

    The weight in slot i is `levels[steps[i]]`.
    """

    SECTIONS: ClassVar = frozenset(section.name for section in TABLE)

    fingerprints: npt.NDArray[np.uint32]
    steps: npt.NDArray[np.uint8]
    levels: npt.NDArray[np.float32]

    @classmethod
    def of(
        cls, keys: npt.NDArray[np.uint64], values: npt.NDArray[np.float32], max_features: int
    ) -> Self:
        """Keep the `max_features` largest weights, rounded to 255 levels."""
        if len(keys) > max_features:
            largest = np.lexsort((keys, -np.abs(values)))[:max_features]
            keys, values = keys[largest], values[largest]
        fingerprints, weights = build_columns(keys, values)
        levels = _levels(float(np.abs(weights).max()))
        steps = np.searchsorted((levels[1:] + levels[:-1]) / 2, weights).astype(np.uint8)
        return cls(fingerprints, steps, levels)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The sections of a model file, without empty slots; `from_arrays` is the inverse."""
        occupied = self.fingerprints != 0
        return {
            "occupied": np.packbits(occupied),
            "fingerprints": self.fingerprints[occupied],
            "weights": self.steps[occupied],
            "levels": self.levels,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        sizes = check_sections(arrays, TABLE)
        if not 1 <= sizes["levels"] <= MAX_LEVELS:
            raise damaged("levels", f"there are not 1 to {MAX_LEVELS} levels")
        _check_occupied(arrays["occupied"])
        occupied = np.unpackbits(arrays["occupied"]).view(bool)
        features = int(np.count_nonzero(occupied))
        if features != sizes["features"] or not 2 * features <= len(occupied) <= 8 * features + 16:
            raise damaged("occupied", f"it does not fit {sizes['features']} features")
        fingerprints, steps = np.zeros(len(occupied), np.uint32), np.zeros(len(occupied), np.uint8)
        fingerprints[occupied] = arrays["fingerprints"]
        steps[occupied] = arrays["weights"]
        return cls(fingerprints, steps, arrays["levels"])

    def weights(self) -> Weights:
        """The table that a search reads."""
        return Weights(self.fingerprints, self.levels[self.steps])

    def describe(self) -> dict[str, Any]:
        """What the header of a model file says about the weights."""
        return {"features": int(np.count_nonzero(self.fingerprints))}


def _check_occupied(occupied: npt.NDArray[np.uint8]) -> None:
    size = len(occupied)
    if size < 2 or size & (size - 1):
        raise damaged("occupied", "the number of slots is not a power of two")
    with_gap = np.flatnonzero(occupied != 0xFF)
    if not len(with_gap) or np.diff(with_gap, prepend=-1, append=size).max() > _LONGEST_RUN:
        raise damaged("occupied", "too many slots in a row are occupied")


def _levels(largest: float) -> npt.NDArray[np.float32]:
    """The 255 values, from -largest to largest, that a stored weight can have."""
    steps = np.arange(-127, 128) / 127
    sizes = largest * ((1 + COMPANDING) ** np.abs(steps) - 1) / COMPANDING
    return (np.sign(steps) * sizes).astype(np.float32)
