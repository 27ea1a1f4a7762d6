"""Settings of learning guided by best-first search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from syntagma.best_first.model import MAX_CHART, GrammarName
from syntagma.errors import TrainingError
from syntagma.transition.budget import MAX_EXPANSIONS
from syntagma.treebanks.conditions import CONDITIONS
from syntagma.treebanks.settings import Settings, check_choice, check_range


@dataclass(frozen=True, slots=True, kw_only=True)
class BestFirstSettings(Settings):
    """Settings of learning guided by best-first search."""

    SCORER = "edges"

    grammar: GrammarName = "dependency"
    update: Literal["margin", "perceptron"] = "margin"
    scaled: bool = True  # edges are compared by f(e) / |e|
    negatives: bool = True  # edges that are not gold are expanded in training, too
    averaged: bool = True
    chart: int = 256
    expansions: int = 500  # how many edges a visit of a sentence may expand
    dev_expansions: int = 1000  # the same of a sentence of the development set
    max_features: int = 4_000_000

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        check_choice("grammar", self.grammar, ("dependency", "ccg"))
        check_choice("update", self.update, ("margin", "perceptron"))
        check_range("chart", self.chart, MAX_CHART)
        check_range("expansions", self.expansions, MAX_EXPANSIONS)
        check_range("dev_expansions", self.dev_expansions, MAX_EXPANSIONS)
        check_range("max_features", self.max_features, 1 << 28)
        given = CONDITIONS.get(self.condition)
        if self.grammar == "ccg" and given is not None and given.arcs > 0:
            raise TrainingError(
                f"condition {self.condition!r} gives arcs, which CCG models cannot keep: "
                "choose none, pos or mixed"
            )

    @property
    def shares(self) -> tuple[int, ...]:
        """CCG models know no arcs: there, only tags are drawn."""
        return (1, 1, 0, 0, 0) if self.grammar == "ccg" else self.SHARES

    @property
    def dev_conditions(self) -> tuple[str, ...]:
        if self.grammar == "ccg" and self.condition == "mixed":
            return ("none", "pos")
        return super(BestFirstSettings, self).dev_conditions
