"""Settings of the estimation of a language model."""

from __future__ import annotations

from dataclasses import dataclass

PRUNE = (0, 1, 1, 2)  # for much text


@dataclass(frozen=True, slots=True)
class LanguageModelSettings:
    """How `train_lm` estimates a language model."""

    order: int = 4
    prune: tuple[int, ...] | None = None  # n-grams seen so often or less are left out, by order
    min_count: int = 5  # rarer words go by their class
    max_ngrams: int | None = None  # what matters least beyond this is left out
    tokenized: bool = False  # the text is a sentence a line, words separated by spaces

    @property
    def thresholds(self) -> tuple[int, ...]:
        return PRUNE[: self.order] if self.prune is None else self.prune
