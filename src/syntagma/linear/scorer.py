"""The linear scorer of a model: weights of features, and how a model file holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError
from syntagma.features._templates import TemplateTable
from syntagma.features._weights import Weights, build_columns
from syntagma.language_model._ngrams import NGramScorer
from syntagma.linear._search import LinearScorer, LinearSearch
from syntagma.linear.templates import FEATURE_SETS, templates
from syntagma.problem.problem import Problem
from syntagma.transition.budget import SearchName
from syntagma.transition.encoding import Encoding
from syntagma.transition.vocabulary import Vocabulary

BEAM = 64

# Weights are stored in 8 bits, in steps that grow with the weight: most are small, few are giants.
# This many times finer are the steps at zero than at the largest weight.
COMPANDING = 100.0


class EncodingScorer(LinearScorer):
    """The core's scorer, opening searches over encodings."""

    batch = 1
    max_words = 10_000

    def beam(self, problem: Problem) -> int:
        return BEAM

    def searches(
        self,
        encodings: Sequence[Encoding],
        widths: Sequence[int],
        ngram_scorers: Sequence[NGramScorer | None],
        *,
        merging: bool = True,
    ) -> Iterator[LinearSearch]:
        for encoding, width, ngrams in zip(encodings, widths, ngram_scorers, strict=True):
            yield LinearSearch(encoding.task, width, self, ngram_scorer=ngrams, merging=merging)


@dataclass(frozen=True, slots=True)
class StoredWeights:
    """A table of weights as a model file holds it: each slot has a level, empty ones count, too."""

    SEARCH: ClassVar[SearchName] = "beam"
    SECTIONS: ClassVar = frozenset({"occupied", "fingerprints", "weights", "levels"})

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
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> StoredWeights:
        occupied = np.unpackbits(arrays["occupied"]).view(bool)
        fingerprints, steps = np.zeros(len(occupied), np.uint32), np.zeros(len(occupied), np.uint8)
        fingerprints[occupied] = arrays["fingerprints"]
        steps[occupied] = arrays["weights"]
        return cls(fingerprints, steps, arrays["levels"])

    @classmethod
    def sections(cls, header: Mapping[str, Any]) -> frozenset[str]:
        return cls.SECTIONS

    def weights(self) -> Weights:
        return Weights(self.fingerprints, self.levels[self.steps])

    def describe(self) -> dict[str, Any]:
        return {"features": int(np.count_nonzero(self.fingerprints))}

    def scorer(self, header: Mapping[str, Any], vocabulary: Vocabulary) -> EncodingScorer:
        if header.get("feature_set") not in FEATURE_SETS:
            raise ModelError("not a model for ordering words (unknown feature set); train it again")
        scorer = EncodingScorer(
            templates(header["feature_set"]),
            self.weights(),
            vocabulary.label_index,
            vocabulary.label_pool,
        )
        check_templates(scorer.templates, header)
        return scorer


def check_templates(templates: TemplateTable, header: Mapping[str, Any]) -> None:
    """Weights mean something for the features only that they were learned for."""
    if list(templates.texts) != header.get("templates"):
        raise ModelError(
            "the model was trained with other feature templates than this version has; "
            "train it again or install the version that made it"
        )


def _levels(largest: float) -> npt.NDArray[np.float32]:
    """255 weights from -largest to largest, as a stored weight may have them."""
    steps = np.arange(-127, 128) / 127
    sizes = largest * ((1 + COMPANDING) ** np.abs(steps) - 1) / COMPANDING
    return (np.sign(steps) * sizes).astype(np.float32)
