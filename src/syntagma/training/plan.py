"""What a training run is going to do, settled before its first epoch.

The choices that depend on the treebank are made in `tag_column` and `neural/adaptation.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from syntagma.neural.settings import AdaptedSettings
from syntagma.training.data import TrainingData
from syntagma.treebanks.settings import Settings


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The settings of a run, none of them open, and the size of its treebank."""

    settings: Settings
    sentences: int
    words: int
    dev_sentences: int
    held_out: bool  # whether the development set was taken from the treebank

    @classmethod
    def of(cls, settings: Settings, data: TrainingData) -> TrainingPlan:
        sizes = len(data.sentences), sum(map(len, data.sentences)), len(data.dev)
        return cls(settings, *sizes, data.held_out)

    def lines(self) -> list[str]:
        """The plan as lines to show; the second one says what the treebank decided."""
        return [self._data(), self._choices()]

    def _data(self) -> str:
        dev = f"{self.dev_sentences:,} held-out" if self.held_out else f"{self.dev_sentences:,}"
        measured = min(self.dev_sentences, self.settings.dev_sentences)
        sampled = f" ({measured:,} measured)" if measured < self.dev_sentences else ""
        return (
            f"{_counted(self.sentences, 'sentence')}, {_counted(self.words, 'word')}; "
            f"development set: {dev} sentence{'s' * (self.dev_sentences != 1)}{sampled}"
        )

    def _choices(self) -> str:
        settings = self.settings
        tags = (settings.tag_column or "xpos").upper()
        parts = [_counted(settings.epochs or 0, "epoch"), f"{tags} tags"]
        if isinstance(settings, AdaptedSettings):
            parts[1:1] = [f"width {settings.width}", f"dropout {settings.dropout:g}"]
            parts.append(f"min count {settings.min_count}")
            parts.append(f"suffix length {settings.suffix_length}")
        return ", ".join(parts) + (
            "; learns to order and to realize" if settings.realizes else "; learns to order"
        )


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
