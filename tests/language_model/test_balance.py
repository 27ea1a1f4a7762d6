"""The language model weight of a problem, and its four numbers in a header."""

from __future__ import annotations

import math
from typing import Any

import pytest

from syntagma.errors import ModelError
from syntagma.language_model.balance import Balance


def test_the_weight_of_a_problem_goes_by_the_shares_of_what_is_given() -> None:
    balance = Balance(-1.0, -0.4, -0.8, -1.6)
    weight = math.exp(-1 - 0.4 * 0.75 - 0.8 / 4 - 1.6 / 4)
    assert balance.weight(0.75, 0.5, 0.25) == pytest.approx(weight)


def test_json() -> None:
    balance = Balance(-0.6931, 0.0, -1.0, 0.25)
    value = balance.to_json()
    assert value == {"base": -0.6931, "tags": 0.0, "arcs": -1.0, "labels": 0.25}
    assert Balance.from_json(value) == balance
    assert Balance.from_json({"base": 0, "tags": 1, "arcs": -1, "labels": 0}).tags == 1


GOOD = {"base": 0.0, "tags": 0.0, "arcs": 0.0, "labels": 0.0}


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "0.5",
        {},
        [0.0, 0.0, 0.0, 0.0],
        {"base": 0.0, "tags": 0.0, "arcs": 0.0},
        {**GOOD, "more": 0.0},
        {**GOOD, "base": None},
        {**GOOD, "base": "0"},
        {**GOOD, "base": True},
        {**GOOD, "base": [0.0]},
        {**GOOD, "labels": 101.0},
        {**GOOD, "labels": -(10**400)},
        {**GOOD, "tags": math.inf},
        {**GOOD, "tags": math.nan},
    ],
)
def test_nonsense_is_refused(value: Any) -> None:
    with pytest.raises(ModelError, match="no valid balance"):
        Balance.from_json(value)
