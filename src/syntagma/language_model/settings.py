"""Settings of language model estimation."""

from __future__ import annotations

from dataclasses import dataclass

PRUNE = (0, 1, 1, 2)  # for large texts


@dataclass(frozen=True, slots=True)
class LanguageModelSettings:
    """How `train_lm` estimates a language model."""

    order: int = 4
    prune: tuple[int, ...] | None = None  # by order: drop n-grams seen at most this often
    min_count: int = 5  # rarer words are replaced by their class
    max_ngrams: int | None = None  # entropy pruning down to this many
    tokenized: bool = False  # the text has one sentence per line, words separated by spaces

    @property
    def thresholds(self) -> tuple[int, ...]:
        return PRUNE[: self.order] if self.prune is None else self.prune
