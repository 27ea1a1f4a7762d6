"""The benchmark of ingredients, on a toy treebank."""

from __future__ import annotations

import argparse
import json
from itertools import repeat
from pathlib import Path

import ingredients
import pytest
from toys.benchmark_runs import call
from toys.models import toy_vocabulary
from toys.network import SMALL, toy_header, toy_lexicon, toy_neural_linearizer, toy_parameters

import syntagma
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.model import Model
from syntagma.neural.scorer import NeuralScorer, RerankedSearch, join_networks
from syntagma.transition._search import FoundTree


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
        "search from right to left",
        "second network for trees",
        "second opinions, one search",
        "liftings",
        "UPOS tags and features",
        "training",
    ]
    assert without["training"] == without[ingredients.ALL]
    assert without["training"]["none"]["difference"] == 0
    call(
        monkeypatch,
        *("ingredients.py", model, *options, "--earlier", f"training={model}", "--training-only"),
    )
    ingredients.main()
    assert [*json.loads(record.read_text())["without"]] == [ingredients.ALL, "training"]


def test_without_second_opinion_scores_are_those_of_one_direction() -> None:
    linearizer = toy_neural_linearizer()
    words = ["w0", "w1", "w2", "w3"]
    both = linearizer.order(words).score
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ingredients.RERANKER, ingredients.NoOpinion)
        one = linearizer.order(words).score
    assert one != both
    assert linearizer.order(words).score == both


def test_without_the_second_network_trees_are_scored_by_the_first() -> None:
    lexicon, vocabulary = toy_lexicon(), toy_vocabulary()
    first, second = (
        NeuralScorer.from_parameters(
            SMALL, lexicon, vocabulary, toy_parameters(lexicon, vocabulary, seed)
        )
        for seed in range(2)
    )
    both = Linearizer(
        Model(toy_header(), vocabulary, join_networks({"trees": first, "second": second}))
    )
    words = [syntagma.Word(f"w{i}", head=head) for i, head in enumerate((2, 0, 2, 3))]
    scores = [linearizer.order(words).score for linearizer in (toy_neural_linearizer(), both)]
    assert scores[0] != scores[1]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ingredients.SECOND_NETWORK, lambda self, encodings, clock: repeat([]))
        assert both.order(words).score == scores[0]


def test_without_the_search_from_right_to_left_there_is_one_search() -> None:
    searches: list[bool] = []

    class Noting(RerankedSearch):
        def results(self, n_best: int) -> list[FoundTree]:
            searches.append(self.mirrored)
            return super().results(n_best)

    sentence = syntagma.Sentence(("w0", "w1", "w2"), ("NN",) * 3, (0, 1, 1), ("root", "x", "x"))
    for both_ways, expected in ((True, [False, True]), (False, [False])):
        variant = ingredients.Variant(toy_neural_linearizer(), [sentence], both_ways=both_ways)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("syntagma.neural.scorer.RerankedSearch", Noting)
            variant.evaluate("both", ["none"])
        assert searches == expected
        searches.clear()


def test_an_earlier_model_has_a_name() -> None:
    assert ingredients.named_model("a step=b.syntagma") == ("a step", "b.syntagma")
    with pytest.raises(argparse.ArgumentTypeError, match="not NAME=MODEL"):
        ingredients.named_model("b.syntagma")
