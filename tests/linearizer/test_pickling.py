"""Linearizers, results and errors in other processes: pickled, copied, sent to a pool."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import shutil
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from toys.models import bag, make_scorer, random_weights, toy_linearizer, toy_vocabulary

import syntagma
from syntagma.ccg.derivation import Derivation
from syntagma.errors import (
    ArgumentError,
    FormatError,
    ModelError,
    ProblemError,
    SyntagmaError,
    UnsatisfiableError,
)
from syntagma.linear.scorer import StoredLinearScorer
from syntagma.linear.templates import templates
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.model import save_model
from syntagma.results.linearization import Linearization
from syntagma.results.realization import Realization
from syntagma.transition.encoding import encode

BAGS = [["w1", "w2", "w3"], ["w4", "w1"], ["w5", "w6", "w7", "w8"]]


def save_toy(path: Path, seed: int = 1) -> Path:
    vocabulary = toy_vocabulary()
    encodings = [encode(bag(*forms), vocabulary) for forms in BAGS]
    drawn = random_weights(Random(seed), make_scorer("p16", vocabulary), encodings)
    keys, values = np.array(list(drawn), np.uint64), np.array(list(drawn.values()), np.float32)
    header = {
        "name": "toy",
        "tag_column": "xpos",
        "scorer": "linear",
        "feature_set": "p16",
        "templates": list(templates("p16").texts),
    }
    save_model(path, header, vocabulary, StoredLinearScorer.of(keys, values, 10**6))
    return path


@pytest.fixture
def toy(tmp_path: Path) -> Linearizer:
    return syntagma.load(save_toy(tmp_path / "toy.syntagma"))


@pytest.mark.parametrize(
    "twin_of", [lambda each: pickle.loads(pickle.dumps(each)), copy.copy, copy.deepcopy]
)
def test_a_twin_orders_alike(toy: Linearizer, twin_of: Any) -> None:
    twin = twin_of(toy)
    assert twin is not toy
    assert twin.info == toy.info
    assert twin.search == toy.search
    for forms in BAGS:
        assert twin.order(forms, n_best=3) == toy.order(forms, n_best=3)


def test_processes_of_a_pool_use_the_model(
    toy: Linearizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Started anew, in another folder."""
    monkeypatch.chdir(tmp_path)
    by_relative_path = syntagma.load("./toy.syntagma")
    monkeypatch.chdir("/")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(by_relative_path.order, BAGS)
        with pytest.raises(ProblemError, match="empty bag"):
            pool.apply(toy.order, ([],))
    assert found == [toy.order(forms) for forms in BAGS]


def test_a_shipped_model_is_pickled_by_its_name() -> None:
    english = syntagma.load("en", language_model=False)
    pickled = pickle.dumps(english)
    assert len(pickled) < 1000
    assert os.fsencode(Path(syntagma.__file__).parent) not in pickled
    twin = pickle.loads(pickled)
    assert not twin.has_language_model
    assert twin.order(["barked", "the", "dog"]) == english.order(["barked", "the", "dog"])
    assert pickle.loads(pickled) is twin  # loaded once per process


def test_another_model_in_the_same_place_is_refused(toy: Linearizer, tmp_path: Path) -> None:
    path = tmp_path / "toy.syntagma"
    pickled = pickle.dumps(toy)
    kept = shutil.copy(path, tmp_path / "kept")
    save_toy(path, seed=2)
    for refused in (lambda: pickle.loads(pickled), lambda: pickle.dumps(toy)):
        with pytest.raises(ModelError, match="the file has changed since"):
            refused()
    path.unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        pickle.loads(pickled)
    shutil.move(kept, path)  # the same content
    assert pickle.loads(pickled).order(BAGS[0]) == toy.order(BAGS[0])


def test_a_model_without_a_file() -> None:
    toy = toy_linearizer()
    with pytest.raises(ModelError, match="not loaded from a file"):
        pickle.dumps(toy)
    assert copy.deepcopy(toy).order(["w1", "w2"]) == toy.order(["w1", "w2"])


def test_results_are_printed_as_text_and_can_be_sent(toy: Linearizer) -> None:
    result = toy.order(BAGS[0])
    written = toy.spell(result)
    for each in (result, written):
        assert str(each) == f"{each}" == each.text
        assert repr(each) != each.text
        for twin in (pickle.loads(pickle.dumps(each)), copy.copy(each), copy.deepcopy(each)):
            assert twin == each
    assert isinstance(toy.order(BAGS[0], n_best=2), list)
    assert (type(result), type(written)) == (Linearization, Realization)


@pytest.mark.parametrize(
    "error",
    [
        SyntagmaError("a"),
        ArgumentError("a"),
        ModelError("a"),
        UnsatisfiableError("a", limit_reached=True),
        FormatError("a", "b.txt", 3),
        FormatError("a"),
    ],
)
def test_errors_can_be_sent(error: SyntagmaError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)


def test_deep_derivations_can_be_sent() -> None:
    tree = Derivation("NP", form="a", tag="X", source=1)
    for _ in range(5000):
        tree = Derivation("NP", (Derivation(",", form=",", tag=",", source=2), tree))
    for twin in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):
        assert twin == tree
