"""A model: vocabulary, templates and weights, with the header that says what it is.

The bytes on disk are model_file's business; what a model is used for, linearizer's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.core import Scorer, Weights, build_columns
from syntagma.errors import ModelError
from syntagma.model_file import read_container, write_container
from syntagma.templates import FEATURE_SETS, templates
from syntagma.vocabulary import Vocabulary

# The largest weight that is told apart from larger ones is this many times the mean size: weights
# are stored as 8-bit steps, and the few giants would make the steps coarse for all others.
CLIP = 24.0

_ARRAYS = frozenset(
    {"forms", "tags", "labels", "form_tags", "open_tags", "label_index", "label_pool"}
    | {"occupied", "fingerprints", "weights", "scale"}
)


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that a search needs."""

    header: dict[str, Any]
    vocabulary: Vocabulary
    scorer: Scorer


def build_model(
    header: dict[str, Any],
    vocabulary: Vocabulary,
    keys: npt.NDArray[np.uint64],
    values: npt.NDArray[np.float32],
) -> Model:
    """A model in memory with unquantised weights."""
    return _model(header, vocabulary, Weights(*build_columns(keys, values)))


def save_model(
    path: str | Path,
    header: dict[str, Any],
    vocabulary: Vocabulary,
    keys: npt.NDArray[np.uint64],
    values: npt.NDArray[np.float32],
    max_features: int,
) -> None:
    """Write a model with the `max_features` largest weights, in 8-bit steps."""
    if len(keys) > max_features:
        largest = np.lexsort((keys, -np.abs(values)))[:max_features]
        keys, values = keys[largest], values[largest]
    fingerprints, weights = build_columns(keys, values)
    occupied = fingerprints != 0
    scale = float(np.abs(weights[occupied]).mean()) * CLIP / 127 if len(keys) else 1.0
    steps = np.clip(np.rint(weights[occupied] / scale), -127, 127).astype(np.int8)
    write_container(
        path,
        {**header, "features": int(occupied.sum())},
        {
            **vocabulary.to_arrays(),
            "occupied": np.packbits(occupied),
            "fingerprints": fingerprints[occupied],
            "weights": steps,
            "scale": np.array([scale], np.float32),
        },
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
    occupied = np.unpackbits(arrays["occupied"]).view(bool)
    fingerprints = np.zeros(len(occupied), np.uint32)
    weights = np.zeros(len(occupied), np.float32)
    fingerprints[occupied] = arrays["fingerprints"]
    weights[occupied] = arrays["weights"] * arrays["scale"]
    try:
        return _model(header, Vocabulary.from_arrays(arrays), Weights(fingerprints, weights))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def _foreign(path: str | Path, why: str) -> ModelError:
    return ModelError(f"{path}: not a model for ordering words ({why}); train it again")


def _model(header: dict[str, Any], vocabulary: Vocabulary, weights: Weights) -> Model:
    scorer = Scorer(
        templates(header["feature_set"]), weights, vocabulary.label_index, vocabulary.label_pool
    )
    if "templates" in header and list(scorer.templates.texts) != header["templates"]:
        raise ModelError(
            "the model was trained with other feature templates than this version has; "
            "train it again or install the version that made it"
        )
    return Model(header, vocabulary, scorer)
