"""Settings of language model estimation."""

from __future__ import annotations

from dataclasses import dataclass

from syntagma.arguments import as_integer, is_collection
from syntagma.errors import TrainingError, shown
from syntagma.treebanks.settings import check_type, check_types

PRUNE = (0, 1, 1, 2)  # for large texts


@dataclass(frozen=True, slots=True)
class LanguageModelSettings:
    """How `train_lm` estimates a language model."""

    order: int = 4
    prune: tuple[int, ...] | None = None  # by order: drop n-grams seen at most this often
    min_count: int = 5  # rarer words are replaced by their class
    max_ngrams: int | None = None  # entropy pruning down to this many
    tokenized: bool = False  # the text has one sentence per line, words separated by spaces

    def __post_init__(self) -> None:
        check_types(self)
        check_type(self, "max_ngrams", int)
        if self.prune is not None:
            if not is_collection(self.prune):
                raise TrainingError(f"prune must be a list of integers, not {shown(self.prune)}")
            given = tuple(self.prune)
            for each in given:
                if as_integer(each) is None:
                    raise TrainingError(f"prune must be an integer, not {shown(each)}")
            object.__setattr__(self, "prune", tuple(map(int, given)))

    @property
    def thresholds(self) -> tuple[int, ...]:
        return PRUNE[: self.order] if self.prune is None else self.prune
