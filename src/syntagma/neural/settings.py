"""Settings of the network and its training."""

from __future__ import annotations

from dataclasses import dataclass

from syntagma.errors import TrainingError
from syntagma.treebanks.settings import Settings, check_range

REALIZE = "realize"  # beside the conditions: a labelled tree of lemmas


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralSettings(Settings):
    """Settings of the network."""

    SCORER = "neural"
    PRETRAINS = True
    SHARES = (1, 1, 2, 3, 3)

    epochs: int = 30
    pretrain_epochs: int = 2
    learning_rate: float = 1.5e-3
    batch_words: int = 300
    min_count: int = 2  # rarer words are known by suffix and shape only
    dropout: float = 0.3
    word_dropout: float = 0.3  # share of the forms that are treated as unknown
    realize: bool = False  # learn to realize lemmas, too

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        check_range("pretrain_epochs", self.pretrain_epochs, 1000)
        check_range("batch_words", self.batch_words, 1_000_000)
        check_range("min_count", self.min_count, 1_000_000)
        for name, share in (("dropout", self.dropout), ("word_dropout", self.word_dropout)):
            if not 0 <= share < 1:
                raise TrainingError(f"{name} must be at least 0 and less than 1, not {share}")
        if not 0 < self.learning_rate <= 1:
            raise TrainingError(f"learning_rate must be between 0 and 1, not {self.learning_rate}")

    @property
    def dev_conditions(self) -> tuple[str, ...]:
        given = super(NeuralSettings, self).dev_conditions
        return (*given, REALIZE) if self.realize else given
