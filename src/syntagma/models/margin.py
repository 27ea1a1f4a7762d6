"""The margin of a model: how much worse than the best order an acceptable one may score.

It is learned by `training.margin`, stored in the header, and used by `linearizer.acceptance`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from syntagma.errors import ModelError
from syntagma.models.header import LANGUAGE_MODEL

# The field of the header; that of the language model has one of its own.
MARGIN: Final = "margin"


@dataclass(frozen=True, slots=True)
class Margin:
    """The loss that is accepted for each pair of neighbours, and what it was learned from.

    With it, `attested` is the share of accepted orders among those of the development set,
    `swapped` among the same orders with two words swapped; `sentences` of at most `max_words` words
    were judged.
    """

    loss: float
    attested: float
    swapped: float
    sentences: int
    max_words: int

    def to_json(self) -> dict[str, float | int]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: object) -> Margin:
        if (
            not isinstance(value, dict)
            or value.keys() != set(cls.__slots__)
            or any(type(each) not in (int, float) for each in value.values())
            or not all(0 <= each <= 1e9 for each in value.values())
        ):
            raise ModelError(
                f"the header has no valid margin: it must be the numbers {', '.join(cls.__slots__)}"
            )
        return cls(**value)


def read_margin(header: Mapping[str, Any], *, language_model: bool) -> Margin | None:
    """The margin of a model for scores with or without its language model, if it has one."""
    about = header.get(LANGUAGE_MODEL) if language_model else header
    if not isinstance(about, Mapping) or MARGIN not in about:
        return None
    return Margin.from_json(about[MARGIN])
