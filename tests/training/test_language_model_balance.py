"""The language model weight is fitted to curves of BLEU by condition and weight."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from syntagma.language_model.balance import Balance
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.training.language_model import (
    WEIGHTS,
    Curves,
    describe_fit,
    fit_balance,
    weight_under,
)
from syntagma.transition.encoding import encode
from syntagma.transition.training import learn_vocabulary
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS
from syntagma.treebanks.treebank import Sentence

Peaks = dict[str, float]


def peaks(balance: Balance) -> Peaks:
    return {name: weight_under(balance, CONDITIONS[name]) for name in MAIN_CONDITIONS}


def peaked(at: float, height: float = 10, width: float = 0.4) -> list[float]:
    """A curve of BLEU that is best at this weight."""
    return [50 + height * math.exp(-(((weight - at) / width) ** 2)) for weight in WEIGHTS]


def smooth(curve: Sequence[float]) -> list[float]:
    inner = np.convolve(curve, [0.25, 0.5, 0.25], "valid")
    return [curve[0], *map(float, inner), curve[-1]]


def total(curves: Curves, weights: Peaks) -> float:
    """What `fit` maximises, for any weights: each curve is scaled to a range of 1."""
    result = 0.0
    for name, curve in curves.items():
        even = smooth(curve)
        value = float(np.interp(weights[name], WEIGHTS, even))
        result += value / max(max(even) - min(even), 0.1)
    return result


LEAST = 0.01  # the smallest weight that `fit` chooses
NOTHING = dict.fromkeys(MAIN_CONDITIONS, 0.0)
# Realistic: the more is given, the less the language model helps.
REALISTIC = {
    "none": peaked(0.6, 12),
    "pos": peaked(0.45, 8),
    "half": peaked(0.35, 5),
    "tree": peaked(0.2, 1),
    "labelled": peaked(0.1, 0.3),
}


# Weights


def test_the_weight_is_an_exponential_of_what_is_given() -> None:
    """Arcs enter squared: half of them is a quarter of the exponent."""
    balance = Balance(math.log(0.5), -0.25, -1.0, -0.5)
    expected = {"none": 0.0, "pos": -0.25, "half": -0.375, "tree": -1.25, "labelled": -1.75}
    assert peaks(balance) == pytest.approx(
        {name: 0.5 * math.exp(exponent) for name, exponent in expected.items()}
    )


def test_a_problem_weighs_as_its_condition() -> None:
    balance = Balance(-0.5, -0.3, -0.7, -0.2)

    def problem(tag: str | None, heads: tuple[int | None, int | None], label: bool) -> Problem:
        labels = ("nsubj", "root") if label else (None, None)
        return Problem(
            tuple(
                Word(form, tag, head, deprel)
                for form, head, deprel in zip(("wug", "plogs"), heads, labels, strict=True)
            )
        )

    vocabulary = learn_vocabulary([Sentence(("a", "b"), ("X", "X"), (2, 0), ("nsubj", "root"))])
    for name, given_problem in [
        ("none", problem(None, (None, None), False)),
        ("pos", problem("X", (None, None), False)),
        ("tree", problem("X", (2, 0), False)),
        ("labelled", problem("X", (2, 0), True)),
    ]:
        expected = weight_under(balance, CONDITIONS[name])
        assert balance.weight(*encode(given_problem, vocabulary).shares) == pytest.approx(expected)


# Fitting


@pytest.mark.parametrize(
    "true",
    [
        Balance(math.log(0.5), 0, -1, 0),
        Balance(math.log(0.3), 0.2, -1, -0.2),
        Balance(math.log(0.6), -0.3, -0.8, -0.4),
        Balance(math.log(0.8), 0, -0.5, -1),
        Balance(math.log(0.2), 0, 0, 0),
    ],
)
def test_fit_finds_what_made_the_curves(true: Balance) -> None:
    """The weights, up to the distance of measured points, and nearly all of the gain."""
    curves = {name: peaked(weight) for name, weight in peaks(true).items()}
    found = peaks(fit_balance(curves))
    assert total(curves, found) >= total(curves, peaks(true)) - 0.02
    assert found == pytest.approx(peaks(true), abs=0.15)


def test_the_weight_falls_where_the_curves_say_so() -> None:
    weights = list(peaks(fit_balance(REALISTIC)).values())
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0.4
    assert weights[-1] < 0.2


def test_a_slope_far_from_the_start_is_found() -> None:
    """Four conditions are flat; labelled trees gain from a weight of 0.65 on."""
    flat = [100.0] * len(WEIGHTS)
    curves = {**dict.fromkeys(MAIN_CONDITIONS, flat), "labelled": [90.0] * 6 + [100.0] * 3}
    assert total(curves, peaks(fit_balance(curves))) == pytest.approx(
        total(curves, dict.fromkeys(MAIN_CONDITIONS, 1.0)), abs=0.01
    )


@pytest.mark.parametrize("fall", [0.2, 10.0])
def test_a_useless_language_model_counts_next_to_nothing(fall: float) -> None:
    curves = {name: [50 - fall * weight for weight in WEIGHTS] for name in MAIN_CONDITIONS}
    assert max(peaks(fit_balance(curves)).values()) < 0.05


def test_no_weight_is_beyond_those_that_were_measured() -> None:
    """Even if the curves still rise at the last weight."""
    curves = {name: [50 + 10 * weight for weight in WEIGHTS] for name in MAIN_CONDITIONS}
    assert max(peaks(fit_balance(curves)).values()) <= WEIGHTS[-1] + 1e-3


curve = st.builds(peaked, st.floats(0, 1), st.floats(0.3, 10), st.floats(0.2, 0.8))


@pytest.mark.slow
@given(st.fixed_dictionaries(dict.fromkeys(MAIN_CONDITIONS, curve)))
@settings(deadline=None, max_examples=60)
def test_nothing_is_lost_in_total(curves: dict[str, list[float]]) -> None:
    """Curves with one peak. A weight is never quite zero, hence the tolerance: for each condition,
    a fifth of the loss between a weight of zero and the next measured one."""
    found = total(curves, peaks(fit_balance(curves)))
    next_to_nothing = dict.fromkeys(MAIN_CONDITIONS, LEAST)
    assert found >= total(curves, next_to_nothing) - 1e-3
    lost = total(curves, NOTHING) - total(curves, dict.fromkeys(MAIN_CONDITIONS, WEIGHTS[1]))
    assert found >= total(curves, NOTHING) - max(lost, 0) * LEAST / WEIGHTS[1] - 0.01


points = st.lists(st.floats(0, 100), min_size=len(WEIGHTS), max_size=len(WEIGHTS))


@given(st.fixed_dictionaries(dict.fromkeys(MAIN_CONDITIONS, points)))
@example({**dict.fromkeys(MAIN_CONDITIONS, [0.0] * 9), "pos": [1.0] * 3 + [0.0] * 6})
@settings(deadline=None, max_examples=40)
def test_nothing_is_lost_in_total_however_rough_the_curves(
    curves: dict[str, list[float]],
) -> None:
    found = total(curves, peaks(fit_balance(curves)))
    for weight in (LEAST, math.exp(-4)):
        assert found >= total(curves, dict.fromkeys(MAIN_CONDITIONS, weight)) - 0.01


# Among the weights that are compared.
choice = st.integers(0, 23).map(lambda i: LEAST ** (1 - i / 23))


@pytest.mark.slow
@given(
    st.fixed_dictionaries(dict.fromkeys(MAIN_CONDITIONS, curve)),
    st.lists(st.tuples(choice, choice, choice, choice), min_size=20, max_size=20),
)
@settings(deadline=None, max_examples=40)
def test_no_other_balance_is_better(
    curves: dict[str, list[float]], choices: list[tuple[float, float, float, float]]
) -> None:
    """Also in total, if the best weights of conditions contradict each other."""
    best = total(curves, peaks(fit_balance(curves)))
    for weights in choices:
        none, pos, tree, labelled = map(math.log, weights)
        other = peaks(Balance(none, pos - none, tree - pos, labelled - tree))
        assert [other[name] for name in ("none", "pos", "tree", "labelled")] == pytest.approx(
            weights
        )
        assert best >= total(curves, other) - 0.01


@given(st.fixed_dictionaries(dict.fromkeys(MAIN_CONDITIONS, points)))
@settings(deadline=None, max_examples=40)
def test_weights_stay_among_those_that_were_measured(curves: dict[str, list[float]]) -> None:
    weights = peaks(fit_balance(curves)).values()
    assert min(weights) >= LEAST * 0.999
    assert max(weights) <= WEIGHTS[-1] * 1.001


def test_fit_is_deterministic() -> None:
    assert fit_balance(REALISTIC) == fit_balance(
        {name: [*curve] for name, curve in REALISTIC.items()}
    )


def test_a_constant_does_not_matter() -> None:
    """Nor does the scale of a curve: all conditions count the same."""
    shifted = {name: [2 * value - 30 for value in curve] for name, curve in REALISTIC.items()}
    assert peaks(fit_balance(shifted)) == pytest.approx(peaks(fit_balance(REALISTIC)), abs=0.05)


def test_the_first_weight_is_none_at_all() -> None:
    assert WEIGHTS[0] == 0
    assert list(WEIGHTS) == sorted(WEIGHTS)


def test_the_header_tells_how_it_was_found() -> None:
    curves = {"none": [1.23456] * len(WEIGHTS), "tree": [99.999] * len(WEIGHTS)}
    assert describe_fit(curves) == {
        "weights": list(WEIGHTS),
        "bleu": {"none": [1.23] * len(WEIGHTS), "tree": [100.0] * len(WEIGHTS)},
    }
