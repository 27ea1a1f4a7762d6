"""Settings of the averaged perceptron, which trains the linear scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from syntagma.linear.templates import FEATURE_SETS, FeatureSet
from syntagma.transition.budget import MAX_BEAM
from syntagma.treebanks.settings import Settings, check_choice, check_range


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearSettings(Settings):
    """Settings of the averaged perceptron."""

    SCORER = "linear"

    features: FeatureSet = "p16+"
    update: Literal["early", "max-violation"] = "max-violation"
    beam: int = 16
    arcs: Literal["eager", "lazy"] = "eager"  # left arcs of a word first, or right arcs first
    max_features: int = 4_000_000
    realize: bool = False  # also learn to realize lemmas

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        check_choice("features", self.features, FEATURE_SETS)
        check_choice("update", self.update, ("early", "max-violation"))
        check_choice("arcs", self.arcs, ("eager", "lazy"))
        check_range("beam", self.beam, MAX_BEAM)
        check_range("max_features", self.max_features, 1 << 28)
