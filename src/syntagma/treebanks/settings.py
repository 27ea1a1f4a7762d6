"""The training settings that all learners share.

Each learner adds its own in its package: `linear/settings.py`, `neural/settings.py` and
`best_first/settings.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, ClassVar

from syntagma.arguments import as_integer
from syntagma.errors import TrainingError, shown
from syntagma.problem.word import TagColumn
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS

MAX_SEED = 1 << 63
REALIZE = "realize"  # measured besides the conditions: trees of lemmas
LEMMAS = 0.6  # share of visits from lemmas, for models that also learn realisation
DEV_SENTENCES = 300
MAX_SENTENCES = 1 << 31
_KINDS: dict[type, str] = {
    bool: "True or False",
    int: "an integer",
    float: "a number",
    str: "a string",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The training settings that all learners share."""

    SCORER: ClassVar[str]
    PRETRAINS: ClassVar[bool] = False  # can pretrain on further treebanks, or start from a model
    # Relative frequencies of none, pos, in between, tree, labelled in the mixed condition.
    SHARES: ClassVar[tuple[int, ...]] = (1, 1, 1, 1, 1)

    condition: str = "mixed"  # or the name of one of CONDITIONS
    epochs: int | None = None  # None: the treebank decides; each learner says whether it can
    seed: int = 1
    tag_column: TagColumn | None = None  # None: xpos, or upos if the treebank lacks XPOS tags
    dev_sentences: int = DEV_SENTENCES  # of the development set, measured after each epoch, at most

    def __post_init__(self) -> None:
        check_types(self)
        check_type(self, "epochs", int)
        check_one_of("condition", self.condition, ("mixed", *CONDITIONS))
        if self.tag_column is not None:
            check_one_of("tag_column", self.tag_column, ("xpos", "upos"))
        check_limits("epochs", self.epochs, 10_000)
        check_limits("dev_sentences", self.dev_sentences, MAX_SENTENCES)
        if not abs(self.seed) < MAX_SEED:
            raise TrainingError(f"seed must be less than 2⁶³, not {shown(self.seed)}")

    @property
    def shares(self) -> tuple[int, ...]:
        """The relative frequencies of conditions, as `draw_condition` takes them."""
        return self.SHARES

    @property
    def lemmas(self) -> float:
        """The share of visits from lemmas, if the model also learns realisation."""
        return LEMMAS

    @property
    def labelled(self) -> bool:
        """Whether the labels of a problem may be given in training."""
        return True

    @property
    def dev_conditions(self) -> tuple[str, ...]:
        """The conditions in which the development set is scored after an epoch."""
        conditions = MAIN_CONDITIONS if self.condition == "mixed" else (self.condition,)
        return (*conditions, REALIZE) if self.realizes else conditions

    @property
    def realizes(self) -> bool:
        """Whether the model also learns to realize lemmas; not all learners can."""
        return bool(getattr(self, "realize", False))


def check_one_of(name: str, value: str, choices: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise TrainingError(f"{name} {shown(value)} is not one of {', '.join(choices)}")


def check_limits(name: str, number: int | None, most: int, least: int = 1) -> None:
    if number is not None and not least <= number <= most:
        raise TrainingError(f"{name} must be between {least} and {most}, not {shown(number)}")


def check_types(settings: Any) -> None:
    """Every setting must be of the type of its default. NumPy's numbers become Python's."""
    for each in fields(settings):
        kind = type(each.default)
        if kind in _KINDS:
            _check_kind(settings, each.name, kind)


def check_type(settings: Any, name: str, kind: type) -> None:
    """A setting that is not left open must be of this type. NumPy's numbers become Python's."""
    if getattr(settings, name) is not None:
        _check_kind(settings, name, kind)


def _check_kind(settings: Any, name: str, kind: type) -> None:
    value = getattr(settings, name)
    if type(value) is kind:
        return
    plain: object = None
    if kind is int:
        plain = as_integer(value)
    elif kind is float and isinstance(value, Real) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError):
            plain = float(value)
    elif kind is str and isinstance(value, str):
        plain = str.__str__(value)
    if plain is None:
        raise TrainingError(f"{name} must be {_KINDS[kind]}, not {shown(value)}")
    object.__setattr__(settings, name, plain)
