"""A realization: lemmas inflected, in order and detokenised; made by `linearizer`."""

from __future__ import annotations

from dataclasses import dataclass

from syntagma.results.linearization import Linearization
from syntagma.results.spelling import Spelling


@dataclass(frozen=True, slots=True)
class Realization:
    """Lemmas inflected and in order, and how they are written."""

    linearization: Linearization
    spelling: Spelling

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The sentence, detokenised."""
        return self.spelling.text(self.words)

    @property
    def words(self) -> tuple[str, ...]:
        """The forms in order."""
        return self.linearization.words

    @property
    def score(self) -> float:
        return self.linearization.score

    @property
    def narrowed(self) -> bool:
        """Whether a time limit made the beam search consider less than it would have."""
        return self.linearization.narrowed
