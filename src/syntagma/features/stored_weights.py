"""Feature weights as a model file holds them: a hash table of fingerprints and weights, of 8 bits
or, if they are not to be rounded, of 32.

The tables in memory, for search and for training, are compiled: `_sparse`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from syntagma.features._sparse import Weights, build_columns
from syntagma.files.sections import Section, check_sections, damaged

# Weights are quantized to 8 bits, in steps that grow with the weight, because most weights are
# small and a few are huge: steps at zero are this many times finer than at the largest weight.
COMPANDING = 100.0

MAX_LEVELS = 256
# A look-up walks to the next empty slot. At most half of the slots are occupied, so that runs of
# more than a hundred hashed slots are unheard of. Longer ones would stall the search.
_LONGEST_RUN = 64  # bytes of `occupied` without an empty slot

# `occupied` has a bit for each slot. Weights that are not quantized have no levels.
_KEYS = (
    Section("occupied", np.uint8, ("bytes",)),
    Section("fingerprints", np.uint32, ("features",), least=1),
)
TABLE = (
    *_KEYS,
    Section("weights", np.uint8, ("features",), below="levels"),
    Section("levels", np.float32, ("levels",)),
)
UNQUANTIZED_TABLE = (*_KEYS, Section("weights", np.float32, ("features",)))


@dataclass(frozen=True, slots=True)
class StoredWeights:
    """A hash table of weights with one row per slot, empty slots included.

    The weight in slot i is `levels[steps[i]]`, or `steps[i]` itself if there are no levels.
    """

    fingerprints: npt.NDArray[np.uint32]
    steps: npt.NDArray[Any]
    levels: npt.NDArray[np.float32]

    @classmethod
    def of(
        cls,
        keys: npt.NDArray[np.uint64],
        values: npt.NDArray[np.float32],
        max_features: int,
        *,
        quantized: bool = True,
    ) -> Self:
        """Keep the `max_features` largest weights; if `quantized`, rounded to 255 levels."""
        if len(keys) > max_features:
            largest = np.lexsort((keys, -np.abs(values)))[:max_features]
            keys, values = keys[largest], values[largest]
        fingerprints, weights = build_columns(keys, values)
        if not quantized:
            return cls(fingerprints, weights, np.zeros(0, np.float32))
        levels = _levels(float(np.abs(weights).max()))
        steps = np.searchsorted((levels[1:] + levels[:-1]) / 2, weights).astype(np.uint8)
        return cls(fingerprints, steps, levels)

    @property
    def quantized(self) -> bool:
        return len(self.levels) > 0

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The sections of a model file, without empty slots; `from_arrays` is the inverse."""
        occupied = self.fingerprints != 0
        return {
            "occupied": np.packbits(occupied),
            "fingerprints": self.fingerprints[occupied],
            "weights": self.steps[occupied],
            **({"levels": self.levels} if self.quantized else {}),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        quantized = "levels" in arrays
        sizes = check_sections(arrays, TABLE if quantized else UNQUANTIZED_TABLE)
        if quantized and not 1 <= sizes["levels"] <= MAX_LEVELS:
            raise damaged("levels", f"there are not 1 to {MAX_LEVELS} levels")
        _check_occupied(arrays["occupied"])
        occupied = np.unpackbits(arrays["occupied"]).view(bool)
        features = int(np.count_nonzero(occupied))
        if features != sizes["features"] or not 2 * features <= len(occupied) <= 8 * features + 16:
            raise damaged("occupied", f"it does not fit {sizes['features']} features")
        fingerprints = np.zeros(len(occupied), np.uint32)
        steps = np.zeros(len(occupied), arrays["weights"].dtype)
        fingerprints[occupied] = arrays["fingerprints"]
        steps[occupied] = arrays["weights"]
        return cls(fingerprints, steps, arrays.get("levels", np.zeros(0, np.float32)))

    @classmethod
    def sections(cls, header: Mapping[str, Any]) -> frozenset[str]:
        """The sections of the weights in a file with this header."""
        quantized = header.get("quantized", True)
        return frozenset(section.name for section in (TABLE if quantized else UNQUANTIZED_TABLE))

    def weights(self) -> Weights:
        """The table that a search reads."""
        weights = self.levels[self.steps] if self.quantized else self.steps
        return Weights(self.fingerprints, weights)

    def describe(self) -> dict[str, Any]:
        """What the header of a model file says about the weights."""
        features = int(np.count_nonzero(self.fingerprints))
        return {"features": features, **({} if self.quantized else {"quantized": False})}


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
