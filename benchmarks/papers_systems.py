"""The systems of the papers: which model each is, and how it is trained.

What is measured with them is listed in `papers_tables`; `papers_cells` trains and measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from samples import Grammar

from syntagma.best_first.settings import BestFirstSettings
from syntagma.linear.settings import LinearSettings
from syntagma.transition.budget import SearchName
from syntagma.treebanks.settings import Settings

TrainingSet = Literal["train", "beams"]

BEAMS = (1, 2, 4, 8, 16, 32, 64, 128)  # L15 Figure 7
BEAM = 64  # L15 §4.1: in training and in ordering


@dataclass(frozen=True, slots=True)
class System:
    """A model, trained by the papers' commands unless it is a shipped one.

    `training` is the set of sentences that it learns from; CCG has files of its own.
    """

    name: str
    about: str
    search: SearchName
    settings: Settings | None  # None: shipped
    training: TrainingSet = "train"
    beam: int | None = None  # of ordering; None: the model's own, or a best-first search

    @property
    def grammar(self) -> Grammar:
        return getattr(self.settings, "grammar", "dependency")


def systems(epochs: int, beams_epochs: int) -> dict[str, System]:
    """All systems by name."""
    found = [
        linear("l15", "L15", epochs, **L15),
        linear("p16", "P16", epochs, **P16),
        linear("p16+", "P16 with our features and updates", epochs),
        linear("l15-none", "L15, trained on bare bags of words", epochs, condition="none", **L15),
        best_first("zc15", "ZC15, dependencies", epochs),
        best_first("z13", "Zhang 2013, dependencies", epochs, **Z13),
        best_first("zc15-tree", "ZC15, trained on trees", epochs, condition="tree"),
        System("en", "the shipped neural model", "beam", None),
    ]
    for name, (about, changed) in CCG.items():
        found.append(best_first(name, about, epochs, condition="pos", **CCG_DATA, **changed))
    found.append(best_first("standard", "Zhang 2012, dependencies", epochs, **STANDARD))
    for beam in BEAMS:
        given = {**L15, "beam": beam, "condition": "none"}
        about = f"L15, beam {beam}"
        found.append(linear(f"beam-{beam}", about, beams_epochs, "beams", **given))
    return {system.name: system for system in found}


# How the settings differ from the defaults. ZC15 (§5.5) trains the dependency system without input
# tags and arcs; its CCG systems are given the tags of all words.
L15: dict[str, Any] = {"features": "l15", "update": "early", "beam": BEAM}
P16: dict[str, Any] = {"features": "p16", "update": "early", "beam": BEAM}
Z13: dict[str, Any] = {"negatives": False}
STANDARD: dict[str, Any] = {"scaled": False, "negatives": False}
CCG_DATA: dict[str, Any] = {"grammar": "ccg"}
CCG: Mapping[str, tuple[str, dict[str, Any]]] = {
    "zc15-ccg": ("ZC15, CCG", {}),
    "ccg-scaled": ("CCG, scaled, no negatives", {"negatives": False}),
    "ccg-negatives": ("CCG, not scaled, negatives", {"scaled": False}),
    "z12": ("Zhang 2012, CCG", STANDARD),
    "z11": ("Zhang and Clark 2011, CCG", {**STANDARD, "update": "perceptron"}),
}


def linear(
    name: str, about: str, epochs: int, training: TrainingSet = "train", **changed: Any
) -> System:
    settings = LinearSettings(epochs=epochs, **changed)
    beam = settings.beam if training == "beams" else BEAM
    return System(name, about, "beam", settings, training, beam)


def best_first(name: str, about: str, epochs: int, **changed: Any) -> System:
    settings = BestFirstSettings(**{"condition": "none", "epochs": epochs, **changed})
    return System(name, about, "best-first", settings)
