"""How much a language model counts beside the scorer: less, the more syntax is given; learned.

The weight of the language model's log-probabilities is exp(base + tags·t + arcs·a + labels·l),
where t, a and l are the shares of words whose tag, head and label are given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from syntagma.conditions import CONDITIONS, MAIN_CONDITIONS, Condition
from syntagma.errors import ModelError
from syntagma.problem import Problem

# Weights at which the development set is ordered.
WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
_LEAST = -4.0  # exp(-4) is as good as nothing
_STEPS = (0.5, 0.2, 0.1, 0.05, 0.02)

Curves = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Balance:
    """The four numbers that say how much the language model counts."""

    base: float
    tags: float
    arcs: float
    labels: float

    def of_problem(self, problem: Problem) -> float:
        """The weight of the language model for a problem."""
        words = problem.words
        return self._weight(
            sum(word.tag is not None for word in words) / len(words),
            sum(word.head is not None for word in words) / len(words),
            sum(word.deprel is not None for word in words) / len(words),
        )

    def of_condition(self, condition: Condition) -> float:
        return self._weight(
            condition.tags, condition.arcs, condition.arcs if condition.labelled else 0.0
        )

    def _weight(self, tags: float, arcs: float, labels: float) -> float:
        return math.exp(self.base + self.tags * tags + self.arcs * arcs + self.labels * labels)

    def to_json(self) -> dict[str, float]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: object) -> Balance:
        if (
            not isinstance(value, dict)
            or value.keys() != asdict(cls(0, 0, 0, 0)).keys()
            or any(type(each) not in (int, float) or abs(each) > 100 for each in value.values())
        ):
            raise ModelError("the header does not say how much the language model counts")
        return cls(**value)


def measure(bleu: Callable[[str, float], float]) -> dict[str, list[float]]:
    """BLEU by condition at each of WEIGHTS; `bleu` orders the development set."""
    return {name: [bleu(name, weight) for weight in WEIGHTS] for name in MAIN_CONDITIONS}


def fit(curves: Curves) -> Balance:
    """The balance with the highest sum of BLEU over the conditions.

    Each condition counts the same, however much it varies; between WEIGHTS, curves are straight
    lines, after each point was averaged with its neighbours: a lucky one does not decide.
    """
    smooth = {name: _smooth(curve) for name, curve in curves.items()}
    scale = {name: max(max(curve) - min(curve), 0.1) for name, curve in smooth.items()}

    def worth(parameters: Sequence[float]) -> float:
        balance = Balance(*parameters)
        return sum(
            float(np.interp(balance.of_condition(CONDITIONS[name]), WEIGHTS, curve)) / scale[name]
            for name, curve in smooth.items()
        )

    best = [math.log(0.5), 0.0, -1.0, 0.0]
    for step in _STEPS:
        improved = True
        while improved:
            improved = False
            for i in range(len(best)):
                for change in (-step, step):
                    tried = [*best]
                    tried[i] += change
                    if abs(tried[i]) <= -_LEAST and worth(tried) > worth(best) + 1e-9:
                        best, improved = tried, True
    return Balance(*(round(value, 4) for value in best))


def _smooth(curve: Sequence[float]) -> list[float]:
    """Each point with half of the weight, its neighbours with the other half; the ends stay."""
    middle = [
        (before + 2 * point + after) / 4
        for before, point, after in zip(curve[:-2], curve[1:-1], curve[2:], strict=True)
    ]
    return [curve[0], *middle, curve[-1]]


def describe(curves: Curves) -> dict[str, Any]:
    """What the header of a model says of how its balance was found."""
    return {
        "weights": list(WEIGHTS),
        "bleu": {name: [round(value, 2) for value in curve] for name, curve in curves.items()},
    }
