"""`--projective` on the command line, with a model that has learned other orders."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from toys.models import toy_vocabulary
from toys.network import toy_header, toy_stored
from toys.sentences import write_sentences

from syntagma.cli.app import run
from syntagma.models.model import save_model
from syntagma.problem.trees import is_projective
from syntagma.treebanks.treebank import Sentence

WORDS = [{"form": f"w{at}", "head": head} for at, head in enumerate((0, 1, 2, 2, 4, 1))]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model that lifts all words it can."""
    stored = toy_stored(lifting=True)
    stored.arrays["network.lift.out.bias"][:] = np.array([0, 9, 0, 0])
    path = tmp_path_factory.mktemp("model") / "lifts.syntagma"
    save_model(path, toy_header(lifting=True), toy_vocabulary(), stored)
    return str(path)


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("problem") / "tree.json"
    path.write_text(json.dumps({"words": WORDS}) + "\n")
    return str(path)


def test_order(model: str, problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["order", "--model", model, "--file", problem, "--format"]
    assert run([*command, "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["projective"] is False
    assert not is_projective([word["head"] for word in result["words"]])
    assert run([*command, "json", "--projective"]) == 0
    tied = json.loads(capsys.readouterr().out)
    assert "projective" not in tied
    assert is_projective([word["head"] for word in tied["words"]])
    assert run([*command, "conllu"]) == 0
    assert "# projective = no\n" in capsys.readouterr().out


def test_score_and_accept(model: str, problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--model", model, "--file", problem, "--order", "w2 w5 w1 w4 w0 w3"]
    assert run(["score", *given]) == 0
    assert capsys.readouterr().out.endswith("\tw2 w5 w1 w4 w0 w3\n")
    assert run(["score", *given, "--projective"]) == 2
    assert "the given order has no projective tree" in capsys.readouterr().err
    run(["accept", *given, "--margin", "0"])
    assert "the root, stands between" not in capsys.readouterr().out
    run(["accept", *given, "--margin", "0", "--projective"])
    assert "the root, stands between" in capsys.readouterr().out


def test_evaluate(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = Sentence(("w1", "w2", "w3", "w4"), ("NN",) * 4, (3, 4, 0, 3), ("det",) * 4)
    data = write_sentences(tmp_path / "toy.conllu", [sentence])
    command = ["evaluate", "--model", model, "--data", str(data), "--json", str(tmp_path / "out")]
    assert run([*command, "--condition", "none", "--condition", "tree"]) == 0
    assert "non-projective %" in capsys.readouterr().out
    none, tree = json.loads((tmp_path / "out").read_text())["conditions"]
    assert "projectivity" not in none
    assert tree["projectivity"]["gold_share"] == 100
    assert tree["projectivity"]["lifted"]["gold"] == 1
    assert "orders:" not in tree["signature"]
    assert run([*command, "--condition", "tree", "--projective"]) == 0
    record = json.loads((tmp_path / "out").read_text())
    assert record["orders"] == "projective"
    [tree] = record["conditions"]
    assert tree["projectivity"]["output_share"] == 0
    assert "|orders:projective|" in tree["signature"]


def test_info(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", model]) == 0
    assert "also non-projective ones of given trees" in capsys.readouterr().out
