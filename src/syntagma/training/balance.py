"""Fits the language model weight to BLEU on a development set, by condition and weight.

`language_model.balance` computes the weight of a problem. `training.language_model` orders the
development set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.language_model.balance import Balance
from syntagma.treebanks.conditions import MAIN_CONDITIONS, Condition

# Weights at which BLEU is measured.
WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
_LEAST = 0.01  # practically zero; a balance cannot express zero itself
_CHOICES = 47  # weights that are compared, from the least to the largest, at equal ratios

Curves = Mapping[str, Sequence[float]]


def weight_under(balance: Balance, condition: Condition) -> float:
    """The language model weight of problems of this condition."""
    labels = condition.arcs if condition.labelled else 0.0
    return balance.weight(condition.tags, condition.arcs, labels)


def measure_weights(bleu: Callable[[str, float], float]) -> dict[str, list[float]]:
    """BLEU by condition at each of WEIGHTS, as `bleu(condition, weight)` measures it."""
    return {name: [bleu(name, weight) for weight in WEIGHTS] for name in MAIN_CONDITIONS}


def fit_balance(curves: Curves) -> Balance:
    """The balance with the highest sum of BLEU over the main conditions, within WEIGHTS.

    Curves are scaled to the same height, so that all conditions count the same. They are smoothed,
    so that one lucky point does not decide, and interpolated linearly. The weights for none, pos,
    tree and labelled can be chosen freely; that for half follows from them.
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
    """BLEU at weights with these logarithms, divided by the range of the curve."""
    smooth = _smooth(curve)
    found = np.interp(np.exp(logs), WEIGHTS, smooth)
    return np.asarray(found / max(max(smooth) - min(smooth), 0.1))


def _smooth(curve: Sequence[float]) -> list[float]:
    """Each point averaged with its neighbours, which count half; the ends stay."""
    middle = [
        (before + 2 * point + after) / 4
        for before, point, after in zip(curve[:-2], curve[1:-1], curve[2:], strict=True)
    ]
    return [curve[0], *middle, curve[-1]]


def describe_fit(curves: Curves) -> dict[str, Any]:
    """What the header of a model says about how its balance was fitted."""
    return {
        "weights": list(WEIGHTS),
        "bleu": {name: [round(value, 2) for value in curve] for name, curve in curves.items()},
    }
