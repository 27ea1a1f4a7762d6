"""Toy models for best-first search, trained on the toy treebank and the toy derivations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from syntagma.best_first.settings import BestFirstSettings, GrammarName
from syntagma.training.run import TrainingReport
from syntagma.training.train import train
from toys.ccg import write_ccgbank
from toys.treebank import write_treebank

GRAMMARS: tuple[GrammarName, ...] = ("dependency", "ccg")


def write_data(folder: Path, grammar: GrammarName) -> Path:
    """Write the training data of a grammar."""
    if grammar == "ccg":
        return write_ccgbank(folder / "toy.auto")
    return write_treebank(folder / "toy.conllu")


def edge_settings(grammar: GrammarName, **settings: Any) -> BestFirstSettings:
    column = "upos" if grammar == "ccg" else "xpos"
    return BestFirstSettings(grammar=grammar, **{"tag_column": column, **settings})


def run(
    data: Path, output: Path, settings: BestFirstSettings | None = None, **options: Any
) -> TrainingReport:
    grammar: GrammarName = "ccg" if data.suffix == ".auto" else "dependency"
    settings = settings or edge_settings(grammar, epochs=3)
    return train(data, data, output, settings=settings, name="toy", **options)


def train_edges(folder: Path, grammar: GrammarName) -> Path:
    """A model that has memorised most sentences of its data."""
    model = folder / f"{grammar}.syntagma"
    run(write_data(folder, grammar), model, edge_settings(grammar, epochs=8))
    return model
