"""The linear scorer of a model: how it opens searches, and how a model file stores it.

Features are extracted and summed in `_features` and `_search`; training is in `training`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from syntagma.errors import ModelError
from syntagma.features.stored_weights import StoredWeights
from syntagma.features.templates import check_templates
from syntagma.linear._search import LinearParameters, LinearSearch
from syntagma.linear.templates import FEATURE_SETS, templates
from syntagma.problem.problem import Problem
from syntagma.transition.encoding import Encoding
from syntagma.transition.vocabulary import Vocabulary

BEAM = 64


class LinearScorer(LinearParameters):
    """Opens beam searches that score actions by the sum of their features' weights."""

    batch = 1
    max_words = 10_000

    def beam(self, problem: Problem) -> int:
        return BEAM

    def searches(
        self, encodings: Sequence[Encoding], widths: Sequence[int]
    ) -> Iterator[LinearSearch]:
        for encoding, width in zip(encodings, widths, strict=True):
            yield LinearSearch(encoding.task, width, self)


class StoredLinearScorer(StoredWeights):
    """The weights of a linear scorer as a model file holds them."""

    __slots__ = ()

    def scorer(self, header: dict[str, Any], vocabulary: Vocabulary) -> LinearScorer:
        if header.get("feature_set") not in FEATURE_SETS:
            raise ModelError("not a model for ordering words (unknown feature set); train it again")
        scorer = LinearScorer(
            templates(header["feature_set"]),
            self.weights(),
            vocabulary.label_index,
            vocabulary.label_pool,
        )
        check_templates(scorer.templates, header)
        return scorer
