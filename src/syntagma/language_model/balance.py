"""The language model weight of a problem: the more syntax is given, the lower.

The weight of the language model's log-probabilities is exp(base + tags·t + arcs·a² + labels·l),
where t, a and l are the shares of words whose tag, head and label are given. Arcs enter squared
because only a nearly complete tree makes the language model almost useless. The four numbers are
fitted by `training.language_model`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from syntagma.errors import ModelError


@dataclass(frozen=True, slots=True)
class Balance:
    """The four numbers that decide the language model weight."""

    base: float
    tags: float
    arcs: float
    labels: float

    def weight(self, tags: float, arcs: float, labels: float) -> float:
        """The language model weight, by the shares of words whose tag, head and label are given."""
        return math.exp(self.base + self.tags * tags + self.arcs * arcs**2 + self.labels * labels)

    def to_json(self) -> dict[str, float]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: object) -> Balance:
        if (
            not isinstance(value, dict)
            or value.keys() != asdict(cls(0, 0, 0, 0)).keys()
            or any(type(each) not in (int, float) for each in value.values())
            or not all(abs(each) <= 100 for each in value.values())
        ):
            raise ModelError(
                "the header has no valid balance of the language model: it must be the numbers "
                "base, tags, arcs and labels"
            )
        return cls(**value)
