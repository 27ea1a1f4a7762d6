"""The margin in the header of a model: checked when it is loaded, one for each kind of score."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from toys.models import toy_vocabulary
from toys.network import toy_header, toy_stored
from toys.searches import toy_language_model

from syntagma import load
from syntagma.errors import ModelError
from syntagma.language_model.balance import Balance
from syntagma.models.container import read_container, write_container
from syntagma.models.loading import load_model
from syntagma.models.model import Margin, add_language_model, read_margin, save_model
from syntagma.transition.strategy import WeightedLanguageModel

PLAIN = Margin(0.5, 0.9, 0.1, 300, 12)
FLUENT = Margin(0.7, 0.91, 0.05, 301, 12)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model with a language model, and a margin for each of its scores."""
    plain, path = tmp_path / "plain.syntagma", tmp_path / "toy.syntagma"
    header = {**toy_header(), "margin": PLAIN.to_json()}
    save_model(plain, header, toy_vocabulary(), toy_stored())
    weighted = WeightedLanguageModel(toy_language_model(2), Balance(math.log(0.5), 0, 0, 0))
    add_language_model(path, plain, weighted, {"margin": FLUENT.to_json()})
    return path


def test_the_margin_belongs_to_the_scores(path: Path) -> None:
    assert load_model(path).margin == FLUENT
    assert load_model(path, language_model=False).margin == PLAIN
    words = ["w0", "w1", "w2", "w3"]
    assert load(path).accept(words, words).margin == FLUENT.loss
    assert load(path, language_model=False).accept(words, words).margin == PLAIN.loss


def test_the_margin_without_language_model_does_not_stand_in() -> None:
    header = {"margin": PLAIN.to_json(), "language_model": {"words": 3}}
    assert read_margin(header, language_model=True) is None
    assert read_margin(header, language_model=False) == PLAIN
    assert read_margin({}, language_model=False) is None


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {**PLAIN.to_json(), "loss": -0.1},
        {**PLAIN.to_json(), "loss": True},
        {**PLAIN.to_json(), "loss": "1"},
        {**PLAIN.to_json(), "loss": 1e30},
        {**PLAIN.to_json(), "more": 1},
        {name: value for name, value in PLAIN.to_json().items() if name != "swapped"},
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_bad_margins_are_refused(path: Path, bad: dict[str, Any], inside: bool) -> None:
    header, arrays = read_container(path)
    (header["language_model"] if inside else header)["margin"] = bad
    write_container(path, header, arrays)
    with pytest.raises(ModelError) as caught:
        load_model(path, language_model=inside)
    assert str(caught.value) == (
        f"{path}: the header has no valid margin: it must be the numbers loss, attested, swapped, "
        "sentences, max_words"
    )


def test_a_margin_that_is_no_object(path: Path) -> None:
    header, arrays = read_container(path)
    write_container(path, {**header, "margin": 0.5}, arrays)
    with pytest.raises(ModelError, match="the header field 'margin' is not an object"):
        load_model(path)
