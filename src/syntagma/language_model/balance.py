"""How much a language model counts beside the scorer: less, the more syntax is given; learned.

The weight of the language model's log-probabilities is exp(base + tags·t + arcs·a² + labels·l),
where t, a and l are the shares of words whose tag, head and label are given: only a tree that is
nearly complete says so much of the order that fluency hardly matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError
from syntagma.problem.problem import Problem
from syntagma.treebanks.conditions import MAIN_CONDITIONS, Condition

# Weights at which the development set is ordered; the least above zero is as good as nothing.
WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
_LEAST = 0.01
_CHOICES = 47  # weights that are compared, from the least to the largest, at equal ratios

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
            raise ModelError("the header does not say how much the language model counts")
        return cls(**value)


def measure(bleu: Callable[[str, float], float]) -> dict[str, list[float]]:
    """BLEU by condition at each of WEIGHTS; `bleu` orders the development set."""
    return {name: [bleu(name, weight) for weight in WEIGHTS] for name in MAIN_CONDITIONS}


def fit(curves: Curves) -> Balance:
    """The balance with the highest sum of BLEU over the main conditions, among weights that were
    measured.

    Each condition counts the same, however much it varies; between WEIGHTS, curves are straight
    lines, after each point was averaged with its neighbours: a lucky one does not decide. The
    weights for none, pos, tree and labelled can be chosen freely; that for half follows.
    """
    logs = np.linspace(math.log(_LEAST), math.log(WEIGHTS[-1]), _CHOICES)
    worth = {name: _worth(curve, logs) for name, curve in curves.items()}
    none, pos, tree = np.ix_(logs, logs, logs)
    half = none + (pos - none) / 2 + (tree - pos) / 4
    total = (
        worth["none"][:, None, None]
        + worth["pos"][None, :, None]
        + worth["tree"][None, None, :]
        + np.interp(half, logs, worth["half"])
    )
    best = np.unravel_index(int(total.argmax()), total.shape)
    of_none, of_pos, of_tree = (float(logs[i]) for i in best)
    of_labelled = float(logs[worth["labelled"].argmax()])
    found = (of_none, of_pos - of_none, of_tree - of_pos, of_labelled - of_tree)
    return Balance(*(round(value, 4) for value in found))


def _worth(curve: Sequence[float], logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """BLEU at weights with these logarithms, in units of how much the curve varies."""
    smooth = _smooth(curve)
    found = np.interp(np.exp(logs), WEIGHTS, smooth)
    return np.asarray(found / max(max(smooth) - min(smooth), 0.1))


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
