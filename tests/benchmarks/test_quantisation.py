"""The benchmark of quantised weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import quantisation
from toys.benchmark_runs import call
from toys.models import toy_vocabulary
from toys.network import toy_header, toy_lexicon, toy_parameters, toy_stored

import syntagma
from syntagma.errors import ModelError
from syntagma.models.container import write_container
from syntagma.models.model import save_model
from syntagma.problem.problem import Problem


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """What training would keep of the toy model."""
    parameters = toy_parameters(toy_lexicon(), toy_vocabulary())
    average = np.concatenate([parameter.reshape(-1) for parameter in parameters.values()])
    write_container(tmp_path / "state", {"run": toy_header(), "epochs": []}, {"average": average})
    return tmp_path / "state"


def test_quantisation_compares_the_same_network(model: Path, state: Path) -> None:
    exact, stored, sizes = quantisation.both(model, state)
    assert sizes["stored"] < 0.6 * sizes["exact"]
    problem = Problem.of(["w1", "w2", "w3", "w4"])
    ordered = stored.order(problem)
    assert ordered.score == syntagma.load(model).order(problem).score
    assert ordered.score == pytest.approx(exact.order(problem).score, abs=0.5)
    assert ordered.score != exact.order(problem).score


def test_quantisation_refuses_what_does_not_belong_together(
    model: Path, state: Path, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="not files of a neural training run"):
        quantisation.both(model, model)
    other = tmp_path / "other.syntagma"
    header = {"name": "toy", **toy_header(), "tag_column": "upos"}
    save_model(other, header, toy_vocabulary(), toy_stored())
    with pytest.raises(ModelError, match="not of the same training run"):
        quantisation.both(other, state)
    with pytest.raises(ModelError, match="parameters, the network"):
        quantisation.cut(np.zeros(3, np.float32), {"a": (2, 2)})


def test_quantisation_in_a_table(
    model: Path,
    state: Path,
    treebank: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--beam", 4, "--limit", 4, "--conditions", "none", "tree"]
    call(monkeypatch, "quantisation.py", model, state, "--data", treebank, *options)
    quantisation.main()
    printed = capsys.readouterr().out
    assert "8 and 16 bits" in printed
    assert "condition:none/tree" in printed
