"""What a training run is going to do, settled before its first epoch.

The choices that depend on the treebank are made in `tag_column` and `neural/adaptation.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from syntagma.neural.settings import AdaptedSettings
from syntagma.treebanks.settings import Settings


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The settings of a run, none of them open, and the size of its treebank."""

    settings: Settings
    sentences: int
    words: int
    dev_sentences: int
    held_out: bool  # whether the development set was taken from the treebank

    def lines(self) -> list[str]:
        """The plan as lines to show; the second one says what the treebank decided."""
        return [self._data(), self._choices()]

    def _data(self) -> str:
        dev = f"{self.dev_sentences:,} held out of them" if self.held_out else ""
        sentences = self.sentences + self.dev_sentences * self.held_out
        measured = min(self.dev_sentences, self.settings.dev_sentences)
        line = f"{sentences:,} sentences, {self.words:,} words to learn from; "
        line += f"dev: {dev or f'{self.dev_sentences:,} sentences'}"
        return line + (f", {measured:,} of which are measured" * (measured < self.dev_sentences))

    def _choices(self) -> str:
        settings = self.settings
        tags = (settings.tag_column or "xpos").upper()
        parts = [f"{settings.epochs} epochs", f"{tags} tags"]
        if isinstance(settings, AdaptedSettings):
            parts[1:1] = [f"width {settings.width}", f"dropout {settings.dropout:g}"]
            parts += [
                f"words from {settings.min_count} occurrences on",
                f"suffixes of {settings.suffix_length}",
            ]
        parts.append("orders and realizes" if settings.realizes else "orders only")
        return ", ".join(parts)
