"""Toy data and models of the benchmarks."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from toys.models import toy_vocabulary
from toys.network import toy_header, toy_stored
from toys.treebank import write_treebank

from syntagma.language_model.balance import Balance
from syntagma.models.model import add_language_model, save_model
from syntagma.training.language_model import read_lm, train_lm
from syntagma.transition.strategy import WeightedLanguageModel


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("data") / "toy.conllu")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A neural model with random parameters."""
    path = tmp_path_factory.mktemp("model") / "toy.syntagma"
    save_model(path, {"name": "toy", **toy_header()}, toy_vocabulary(), toy_stored())
    return path


@pytest.fixture(scope="module")
def arpa(treebank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A language model of the treebank as ARPA, and beside it in the format of `train-lm`."""
    path = tmp_path_factory.mktemp("lm") / "toy.arpa"
    for suffix in (".arpa", ".lm"):
        train_lm([treebank], path.with_suffix(suffix))
    return path


@pytest.fixture(scope="module")
def fluent(model: Path, arpa: Path) -> Path:
    """The toy model with a language model."""
    path = model.with_name("fluent.syntagma")
    listened, about = read_lm(arpa.with_suffix(".lm"))
    add_language_model(
        path, model, WeightedLanguageModel(listened, Balance(math.log(0.5), 0, 0, 0)), about
    )
    return path
