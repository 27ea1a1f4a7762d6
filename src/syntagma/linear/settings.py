"""Settings of the averaged perceptron, which trains the linear scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from syntagma.features.settings import SparseSettings
from syntagma.linear.templates import FEATURE_SETS, FeatureSet
from syntagma.request import MAX_BEAM
from syntagma.treebanks.settings import check_limits, check_one_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearSettings(SparseSettings):
    """Settings of the averaged perceptron."""

    SCORER = "linear"

    features: FeatureSet = "p16+"
    update: Literal["early", "max-violation"] = "max-violation"
    beam: int = 16
    arcs: Literal["eager", "lazy"] = "eager"  # left arcs of a word first, or right arcs first
    batch: int = 8  # sentences that are searched with the same weights, before their updates
    every_label: bool = False  # each label of an arc is an action of its own, not only the best
    merging: bool = True  # when ordering, merge states with the same features
    realize: bool = False  # also learn to realize lemmas

    def __post_init__(self) -> None:
        SparseSettings.__post_init__(self)
        check_one_of("features", self.features, FEATURE_SETS)
        check_one_of("update", self.update, ("early", "max-violation"))
        check_one_of("arcs", self.arcs, ("eager", "lazy"))
        check_limits("beam", self.beam, MAX_BEAM)
        check_limits("batch", self.batch, 1 << 20)
