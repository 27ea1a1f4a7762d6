"""The systems of the papers: which model each is, and how it is trained.

What is measured with them is listed in `papers_experiments`; `papers_cells` trains and measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from samples import Grammar

from syntagma.linear.settings import LinearSettings
from syntagma.request import SearchName
from syntagma.training.presets import paper_settings
from syntagma.treebanks.settings import Settings

TrainingSet = Literal["train", "beams"]

BEAMS = (1, 2, 4, 8, 16, 32, 64, 128)  # L15 Figure 7
ALSO_AVERAGED = ("z12", "ccg-scaled", "ccg-negatives", "zc15-ccg")  # for ZC15 Table 4
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
    lm: str | None = None  # the model whose language model scores are features

    @property
    def grammar(self) -> Grammar:
        return getattr(self.settings, "grammar", "dependency")


def systems(epochs: int, beams_epochs: int) -> dict[str, System]:
    """All systems by name.

    L15 and P16 do not say on which conditions the systems of their nine experiments were trained:
    ours learn from all of them at once, and from labelled trees where they are given labels. ZC15
    (§5.5) trains the dependency system without input tags and arcs; its CCG systems are given the
    tags of all words. Zhang 2013 leaves a sentence after its first update (ZC15 §4.4): with few
    epochs it learns next to nothing, so that `z13` goes on, as Algorithm 2 does.
    """
    found = [
        System("en", "the shipped neural model", "beam", None),
        beam("p16+", "P16 with our features and updates", LinearSettings(epochs=epochs)),
    ]
    changes: dict[str, Any]
    for name, about, preset, changes in (
        ("l15", "L15", "l15", {"condition": "mixed"}),
        ("l15-labelled", "L15, labelled trees", "l15", {"condition": "labelled"}),
        ("l15-none", "L15, trained on bare bags of words", "l15", {}),
        ("l15-eager", "L15, left arcs first", "l15", {"condition": "mixed", "arcs": "eager"}),
        ("p16", "P16", "p16", {"condition": "mixed", "unlabelled": True}),
        ("p16-labelled", "P16, labelled trees", "p16", {}),
    ):
        found.append(beam(name, about, paper_settings(preset, epochs=epochs, **changes)))
    given: dict[str, Any] = {"condition": "mixed", "epochs": epochs}
    found.append(beam("l15-small", "L15, fewer sentences", paper_settings("l15", **given), "beams"))
    for width in BEAMS:
        settings = paper_settings("l15", beam=width, epochs=beams_epochs)
        found.append(beam(f"beam-{width}", f"L15, beam {width}", settings, "beams", width))
    for name, about, preset, changes in (
        ("zc15", "ZC15, dependencies", "zc15", {}),
        ("zc15-averaged", "ZC15, averaged weights", "zc15", {"averaged": True}),
        ("zc15-labelled", "ZC15, labelled trees", "zc15", {"condition": "labelled"}),
        ("zc15-tree", "ZC15, trained on trees", "zc15", {"condition": "tree"}),
        ("standard", "ZC15, not scaled, no negatives", "zc15", UNSCALED),
        ("z13", "Zhang 2013, dependencies", "z13", {"first_update": False}),
        ("z13-labelled", "Zhang 2013, labelled trees", "z13", LABELLED_Z13),
        ("z13-first", "Zhang 2013, one update for each sentence", "z13", {}),
        ("zc15-ccg", "ZC15, CCG", "zc15", CCG),
        ("ccg-scaled", "CCG, scaled, no negatives", "zc15", {**CCG, "negatives": False}),
        ("ccg-negatives", "CCG, not scaled, negatives", "zc15", {**CCG, "scaled": False}),
        ("z12", "Zhang et al. 2012, CCG", "z11", {"update": "margin"}),
        ("z11", "Zhang and Clark 2011, CCG", "z11", {}),
    ):
        settings = paper_settings(preset, epochs=epochs, **changes)
        found.append(System(name, about, "best-first", settings))
        if name in ALSO_AVERAGED:
            settings = paper_settings(preset, epochs=epochs, **changes, averaged=True)
            found.append(System(f"{name}-averaged", f"{about}, averaged", "best-first", settings))
    margin = paper_settings("z11", epochs=epochs, update="margin")
    about = "Zhang et al. 2012 with a language model, CCG"
    found.append(System("z12+lm", about, "best-first", margin, lm="en"))
    return {system.name: system for system in found}


UNSCALED: dict[str, Any] = {"scaled": False, "negatives": False}
LABELLED_Z13: dict[str, Any] = {"first_update": False, "condition": "labelled"}
CCG: dict[str, Any] = {"grammar": "ccg", "condition": "pos"}


def beam(
    name: str,
    about: str,
    settings: Settings,
    training: TrainingSet = "train",
    width: int = BEAM,
) -> System:
    return System(name, about, "beam", settings, training, width)
