"""The linear scorer of a model: how it opens searches, and how a model file stores it.

Features are extracted and summed in `_search`; training is in `training`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from syntagma.errors import not_a_model
from syntagma.features._sparse import check_templates
from syntagma.features.stored_weights import StoredWeights
from syntagma.language_model._ngrams import NGramScorer
from syntagma.linear._search import LinearParameters, LinearSearch
from syntagma.linear.templates import FEATURE_SETS, templates
from syntagma.request import SearchName
from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition._search import Search
from syntagma.transition.encoding import Encoding, form_arrays
from syntagma.transition.vocabulary import Vocabulary

BEAM = 64


class LinearScorer(LinearParameters):
    """Opens beam searches that score actions by the sum of their features' weights."""

    batch = 1
    max_words = 10_000
    lifts = False
    merging = True  # may states be merged?
    chooses_forms = False
    vocabulary: Vocabulary | None = None  # if it chooses forms

    def beam(self, is_tree: bool) -> int:
        return BEAM

    def lift_scores(self, search: Search) -> None:
        return None

    def searches(
        self,
        encodings: Sequence[Encoding],
        widths: Sequence[int],
        ngram_scorers: Sequence[NGramScorer | None],
        clock: Clock = NO_LIMIT,
        *,
        merging: bool = True,
    ) -> Iterator[LinearSearch]:
        merging = merging and self.merging
        for encoding, width, ngrams in zip(encodings, widths, ngram_scorers, strict=True):
            forms = form_arrays(encoding, self.vocabulary) if self.vocabulary is not None else None
            yield LinearSearch(
                encoding.task, width, self, ngram_scorer=ngrams, merging=merging, forms=forms
            )


class StoredLinearScorer(StoredWeights):
    """The weights of a linear scorer as a model file holds them."""

    __slots__ = ()

    SEARCH: ClassVar[SearchName] = "beam"

    def scorer(self, header: Mapping[str, Any], vocabulary: Vocabulary) -> LinearScorer:
        if str(header.get("feature_set")) not in FEATURE_SETS:
            raise not_a_model("unknown feature set")
        arcs = header.get("arcs", "eager")  # models up to 0.9 do not state it
        if arcs not in ("eager", "lazy"):
            raise not_a_model("unknown order of arcs")
        vocabulary.check_proposals()
        forms = bool(header.get("chooses_forms", False))
        scorer = LinearScorer(
            templates(header["feature_set"], forms=forms),
            self.weights(),
            vocabulary.label_index,
            vocabulary.label_pool,
            arcs == "lazy",
            bool(header.get("every_label", False)),
            bool(header.get("wide_sets", False)),
        )
        scorer.merging = bool(header.get("merging", True))
        check_templates(header, scorer.templates)
        if forms:
            scorer.chooses_forms, scorer.vocabulary = True, vocabulary
        return scorer
