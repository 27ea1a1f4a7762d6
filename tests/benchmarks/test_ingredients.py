"""The benchmark of ingredients, on a toy treebank."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pytest
from toys.benchmark_runs import call
from toys.network import toy_neural_linearizer

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import ingredients


def test_benchmark(
    model: Path, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "record.json"
    options = ("--data", treebank, "--json", record, "--conditions", "none", "labelled")
    call(monkeypatch, "ingredients.py", model, *options, "--earlier", f"training={model}")
    ingredients.main()
    without = json.loads(record.read_text())["without"]
    assert [*without] == [
        ingredients.ALL,
        "language model",
        "second opinion",
        "liftings",
        "UPOS tags and features",
        "training",
    ]
    assert without["training"] == without[ingredients.ALL]
    assert without["training"]["none"]["difference"] == 0


def test_without_second_opinion_scores_are_those_of_one_direction() -> None:
    linearizer = toy_neural_linearizer()
    words = ["w0", "w1", "w2", "w3"]
    both = linearizer.order(words).score
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ingredients.RERANKER, ingredients.NoOpinion)
        one = linearizer.order(words).score
    assert one != both
    assert linearizer.order(words).score == both


def test_an_earlier_model_has_a_name() -> None:
    assert ingredients.named_model("a step=b.syntagma") == ("a step", "b.syntagma")
    with pytest.raises(argparse.ArgumentTypeError, match="not NAME=MODEL"):
        ingredients.named_model("b.syntagma")
