"""A model: vocabulary, templates and weights, with the header that says what it is.

The bytes on disk are model_file's business; what a model is used for, linearizer's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.core import LinearScorer, Weights, build_columns
from syntagma.errors import ModelError
from syntagma.model_file import read_container, write_container
from syntagma.templates import FEATURE_SETS, templates
from syntagma.vocabulary import Vocabulary

# Weights are stored in 8 bits, in steps that grow with the weight: most are small, few are giants.
# This many times finer are the steps at zero than at the largest weight.
COMPANDING = 100.0

_ARRAYS = frozenset(
    {"forms", "tags", "labels", "form_tags", "open_tags", "label_index", "label_pool"}
    | {"occupied", "fingerprints", "weights", "levels"}
)


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that a search needs."""

    header: dict[str, Any]
    vocabulary: Vocabulary
    scorer: LinearScorer


@dataclass(frozen=True, slots=True)
class StoredWeights:
    """A table of weights as a model file holds it: each slot has a level, empty ones count, too."""

    fingerprints: npt.NDArray[np.uint32]
    steps: npt.NDArray[np.uint8]
    levels: npt.NDArray[np.float32]

    @classmethod
    def of(
        cls, keys: npt.NDArray[np.uint64], values: npt.NDArray[np.float32], max_features: int
    ) -> StoredWeights:
        """Keep the `max_features` largest weights, rounded to 255 levels."""
        if len(keys) > max_features:
            largest = np.lexsort((keys, -np.abs(values)))[:max_features]
            keys, values = keys[largest], values[largest]
        fingerprints, weights = build_columns(keys, values)
        levels = _levels(float(np.abs(weights).max()))
        steps = np.searchsorted((levels[1:] + levels[:-1]) / 2, weights).astype(np.uint8)
        return cls(fingerprints, steps, levels)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Without the empty slots; `from_arrays` is the inverse."""
        occupied = self.fingerprints != 0
        return {
            "occupied": np.packbits(occupied),
            "fingerprints": self.fingerprints[occupied],
            "weights": self.steps[occupied],
            "levels": self.levels,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> StoredWeights:
        occupied = np.unpackbits(arrays["occupied"]).view(bool)
        fingerprints, steps = np.zeros(len(occupied), np.uint32), np.zeros(len(occupied), np.uint8)
        fingerprints[occupied] = arrays["fingerprints"]
        steps[occupied] = arrays["weights"]
        return cls(fingerprints, steps, arrays["levels"])

    def __len__(self) -> int:
        return int(np.count_nonzero(self.fingerprints))

    def table(self) -> Weights:
        return Weights(self.fingerprints, self.levels[self.steps])


def build_model(header: dict[str, Any], vocabulary: Vocabulary, weights: StoredWeights) -> Model:
    """The model in memory, just as it is after saving and loading."""
    scorer = LinearScorer(
        templates(header["feature_set"]),
        weights.table(),
        vocabulary.label_index,
        vocabulary.label_pool,
    )
    if list(scorer.templates.texts) != header["templates"]:
        raise ModelError(
            "the model was trained with other feature templates than this version has; "
            "train it again or install the version that made it"
        )
    return Model(header, vocabulary, scorer)


def save_model(
    path: str | Path, header: dict[str, Any], vocabulary: Vocabulary, weights: StoredWeights
) -> None:
    write_container(
        path,
        {**header, "features": len(weights)},
        {**vocabulary.to_arrays(), **weights.to_arrays()},
    )


def load_model(path: str | Path) -> Model:
    header, arrays = read_container(path)
    missing = _ARRAYS - arrays.keys()
    if missing:
        raise _foreign(path, f"no section {min(missing)!r}")
    if header.get("feature_set") not in FEATURE_SETS:
        raise _foreign(path, "unknown feature set")
    if header.get("tag_column") not in ("upos", "xpos"):
        raise _foreign(path, "no tag column")
    try:
        return build_model(
            header, Vocabulary.from_arrays(arrays), StoredWeights.from_arrays(arrays)
        )
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def _levels(largest: float) -> npt.NDArray[np.float32]:
    """255 weights from -largest to largest, as a stored weight may have them."""
    steps = np.arange(-127, 128) / 127
    sizes = largest * ((1 + COMPANDING) ** np.abs(steps) - 1) / COMPANDING
    return (np.sign(steps) * sizes).astype(np.float32)


def _foreign(path: str | Path, why: str) -> ModelError:
    return ModelError(f"{path}: not a model for ordering words ({why}); train it again")
