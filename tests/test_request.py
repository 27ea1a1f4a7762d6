"""Requests: what is refused, in whose words, and that nothing is checked anywhere else."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any, get_args

import numpy as np
import pytest
from toys.models import toy_linearizer

from syntagma.errors import ArgumentError, ModelError
from syntagma.request import DEFAULTS, OPTIONS, Operation, Request

# For each option a value that some operation takes.
GIVEN: dict[str, Any] = {
    "n_best": 3,
    "diverse": True,
    "beam": 4,
    "timeout": 1.5,
    "expansions": 9,
    "max_words": 20,
    "projective": True,
    "judge": False,
    "margin": 0.5,
}


def test_every_option_has_a_default_and_an_operation() -> None:
    assert set(OPTIONS) == set(get_args(Operation))
    assert set().union(*OPTIONS.values()) == set(DEFAULTS) == set(GIVEN)
    assert {each.name for each in fields(Request)} == {"operation", "search", *DEFAULTS}


@pytest.mark.parametrize("operation", get_args(Operation))
@pytest.mark.parametrize("option", GIVEN)
def test_an_operation_takes_its_options_and_no_others(operation: Operation, option: str) -> None:
    given: dict[str, Any] = {option: GIVEN[option]}
    if option == "diverse" and operation in ("order", "realize"):
        given["n_best"] = 2
    if option == "expansions":
        given["search"] = "best-first"
    if option in OPTIONS[operation]:
        assert getattr(Request(operation=operation, **given), option) == GIVEN[option]
        return
    with pytest.raises(ArgumentError, match=f"{option} does not go with {operation}") as caught:
        Request(operation=operation, **given)
    assert caught.value.field == option


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"operation": "sort"}, "operation", "operation must be one of order, realize, score"),
        ({"search": "a-star"}, "search", "search must be one of beam, best-first, not 'a-star'"),
        ({"n_best": 0}, "n_best", "n_best must be between 1 and 1024, not 0"),
        ({"n_best": 2.0}, "n_best", "n_best must be an integer, not 2.0"),
        ({"beam": True}, "beam", "beam must be an integer, not True"),
        ({"max_words": 0}, "max_words", "max_words must be between 1 and"),
        ({"timeout": "1"}, "timeout", "timeout must be more than 0 and at most 86400 seconds"),
        ({"projective": 1}, "projective", "projective must be True or False, not 1"),
        ({"diverse": True}, "diverse", "diverse chooses among several results: set n_best"),
        ({"expansions": 9}, "expansions", "beam search takes no expansions"),
        ({"search": "best-first", "beam": 4}, "beam", "best-first search has no beam"),
        (
            {"search": "best-first", "n_best": 2, "diverse": True},
            "diverse",
            "diverse goes with a model for beam search",
        ),
        ({"operation": "accept", "margin": -1}, "margin", "margin must be a number that is 0 or"),
    ],
)
def test_what_is_refused(given: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as caught:
        Request(**given)
    assert caught.value.field == field


def test_an_entrance_names_the_options_in_its_own_way() -> None:
    with pytest.raises(ArgumentError) as caught:
        Request(diverse=True)
    assert caught.value.renamed(lambda name: f"options.{name}") == (
        "options.diverse chooses among several results: set options.n_best to how many"
    )
    assert ArgumentError("no field").renamed(str.upper) == "no field"


def test_a_request_is_frozen_and_plain() -> None:
    request = Request(n_best=np.int64(3), beam=np.int32(8))  # type: ignore[arg-type]
    assert type(request.n_best) is type(request.beam) is int
    with pytest.raises(FrozenInstanceError):
        request.beam = 3  # type: ignore[misc]


def test_what_depends_on_the_model_is_checked_before_anything_is_read() -> None:
    linearizer = toy_linearizer()

    def unread() -> Any:
        raise AssertionError("read")
        yield

    with pytest.raises(ArgumentError, match="the request is for best-first search"):
        linearizer.solve(unread(), Request(search="best-first"))
    with pytest.raises(ArgumentError, match="max_words must be between 1 and") as caught:
        linearizer.solve(unread(), Request(max_words=10**6))
    assert caught.value.field == "max_words"
    with pytest.raises(ModelError, match="has no margin for acceptable orders"):
        linearizer.solve(unread(), Request(operation="accept"))
    with pytest.raises(ModelError, match="has not learned to realize lemmas"):
        linearizer.solve(unread(), Request(operation="realize"))


def test_score_is_one_of_the_operations() -> None:
    linearizer = toy_linearizer()
    words, order = ["w1", "w2", "w3"], ["w3", "w1", "w2"]
    [scored] = linearizer.solve([(words, order)], Request(operation="score"))
    assert scored == linearizer.score(words, order)
    [error] = linearizer.solve([(words, ["w3"])], Request(operation="score"), on_error="yield")
    assert "is missing in the given order" in str(error)
