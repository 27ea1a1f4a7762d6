"""A form that a word may take: what `realization` proposes and a search chooses from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alternative:
    """A form that a word may take, in the middle of a sentence and as its first word, and the
    logarithm of its share among the forms of the word."""

    text: str
    initial: str
    log_share: float = 0.0

    @property
    def spoken(self) -> bool:
        """Whether it is more than punctuation, so that the next word is not the first any more."""
        return any(map(str.isalnum, self.text))
