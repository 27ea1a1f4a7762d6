"""A toy model without and with a language model, and what they were learned from."""

from __future__ import annotations

from pathlib import Path

import pytest
from toys.treebank import write_treebank

from syntagma import LinearSettings, read_treebank, train
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.training.language_model import add_lm, train_lm


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("language-models")


@pytest.fixture(scope="session")
def treebank(folder: Path) -> Path:
    return write_treebank(folder / "toy.conllu")


@pytest.fixture(scope="session")
def plain(folder: Path, treebank: Path) -> Path:
    """A model without a language model, which has not learned all that it could."""
    path = folder / "plain.syntagma"
    train(treebank, treebank, path, settings=LinearSettings(epochs=2, beam=4), name="toy")
    return path


@pytest.fixture(scope="session")
def lm(folder: Path, treebank: Path) -> Path:
    path = folder / "toy.lm"
    train_lm([treebank], path, settings=LanguageModelSettings(prune=(0,), min_count=1))
    return path


@pytest.fixture(scope="session")
def fluent(folder: Path, plain: Path, lm: Path, treebank: Path) -> Path:
    path = folder / "fluent.syntagma"
    add_lm(plain, lm, read_treebank(treebank), path)
    return path
