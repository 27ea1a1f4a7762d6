"""A language model and its weight beside the scorer, as a beam search uses them."""

from __future__ import annotations

from dataclasses import dataclass

from syntagma.language_model._ngrams import NGramScorer
from syntagma.language_model.balance import Balance
from syntagma.language_model.packed import LanguageModel
from syntagma.transition.encoding import Encoding


@dataclass(frozen=True, slots=True)
class WeightedLanguageModel:
    """A language model; its weight depends on how much syntax a problem gives."""

    language_model: LanguageModel
    balance: Balance

    def ngram_scorer(self, encoding: Encoding) -> NGramScorer:
        """The n-gram scorer of one search."""
        weight = self.balance.weight(*encoding.shares)
        return self.language_model.ngram_scorer(encoding.forms, weight, encoding.choices)
