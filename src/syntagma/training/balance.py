"""Fits the language model weight: measures BLEU by condition and weight, and chooses the balance.

What a balance is, `language_model.balance` says; ordering the development set is the business of
`training.language_model`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.language_model.balance import Balance
from syntagma.treebanks.conditions import MAIN_CONDITIONS, Condition

# Weights at which the development set is ordered; the least above zero is as good as nothing.
WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
_LEAST = 0.01
_CHOICES = 47  # weights that are compared, from the least to the largest, at equal ratios

Curves = Mapping[str, Sequence[float]]


def weight_under(balance: Balance, condition: Condition) -> float:
    """The weight of the language model for a problem of a condition."""
    labels = condition.arcs if condition.labelled else 0.0
    return balance.weight(condition.tags, condition.arcs, labels)


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
