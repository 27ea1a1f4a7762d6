"""Settings of training the network."""

from __future__ import annotations

from dataclasses import dataclass

from syntagma.errors import TrainingError
from syntagma.treebanks.settings import Settings, check_range


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralSettings(Settings):
    """Settings of training the network."""

    SCORER = "neural"
    PRETRAINS = True
    SHARES = (1, 1, 2, 3, 3)

    epochs: int = 30
    pretrain_epochs: int = 2
    learning_rate: float = 1.5e-3
    batch_words: int = 300  # words per batch
    min_count: int = 2  # rarer forms are unknown: only their suffix and shape are read
    dropout: float = 0.3
    word_dropout: float = 0.3  # rate at which forms are replaced by unknown
    realize: bool = False  # also learn to realize lemmas

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        check_range("pretrain_epochs", self.pretrain_epochs, 1000)
        check_range("batch_words", self.batch_words, 1_000_000)
        check_range("min_count", self.min_count, 1_000_000)
        for name, rate in (("dropout", self.dropout), ("word_dropout", self.word_dropout)):
            if not 0 <= rate < 1:
                raise TrainingError(f"{name} must be at least 0 and less than 1, not {rate}")
        if not 0 < self.learning_rate <= 1:
            raise TrainingError(f"learning_rate must be between 0 and 1, not {self.learning_rate}")
