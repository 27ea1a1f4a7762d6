"""The settings that all learners share; those of one learner stand in its room."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from syntagma.errors import TrainingError
from syntagma.problem.word import TagColumn
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What all scorers share."""

    SCORER: ClassVar[str]
    PRETRAINS: ClassVar[bool] = False  # can learn from further treebanks, or go on from a model
    # How often a mixed condition is none, pos, in between, tree, labelled.
    SHARES: ClassVar[tuple[int, ...]] = (1, 1, 1, 1, 1)

    condition: str = "mixed"  # or one of conditions.CONDITIONS
    epochs: int = 10
    seed: int = 1
    tag_column: TagColumn = "xpos"

    def __post_init__(self) -> None:
        check_choice("condition", self.condition, ("mixed", *CONDITIONS))
        check_choice("tag_column", self.tag_column, ("xpos", "upos"))
        check_range("epochs", self.epochs, 10_000)

    @property
    def shares(self) -> tuple[int, ...]:
        return self.SHARES

    @property
    def dev_conditions(self) -> tuple[str, ...]:
        """What an epoch is judged by."""
        return MAIN_CONDITIONS if self.condition == "mixed" else (self.condition,)


def check_choice(name: str, value: str, choices: Iterable[str]) -> None:
    if value not in choices:
        raise TrainingError(f"{name} {value!r} is not one of {', '.join(choices)}")


def check_range(name: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise TrainingError(f"{name} must be between 1 and {most}, not {number}")
