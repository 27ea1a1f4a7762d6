"""Settings of training guided by best-first search (ZC15 §3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from syntagma.best_first.strategy import MAX_CHART
from syntagma.errors import TrainingError
from syntagma.features.settings import SparseSettings
from syntagma.formats.auto import HeadSource
from syntagma.request import MAX_EXPANSIONS
from syntagma.treebanks.conditions import CONDITIONS
from syntagma.treebanks.settings import check_limits, check_one_of

GrammarName = Literal["dependency", "ccg"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BestFirstSettings(SparseSettings):
    """Settings of training guided by best-first search."""

    SCORER = "edges"

    grammar: GrammarName = "dependency"
    heads: HeadSource | None = None  # of derivations; None: the file's if categories have features
    update: Literal["margin", "perceptron"] = "margin"
    scaled: bool = True  # rank edges by f(e) / |e| instead of f(e)
    negatives: bool = True  # expand edges that are not gold, too (Algorithm 3)
    first_update: bool = False  # leave a training sentence after its first update (Zhang 2013)
    averaged: bool = True  # keep averaged weights instead of the last ones
    chart: int = 256  # edges that the chart may hold
    chart_by_size: bool = False  # as many for each number of words (§3.4, the previous papers)
    expansions: int = 500  # search budget of a training sentence
    dev_expansions: int = 1000  # search budget of a sentence of the development set
    realize: bool = False  # also learn to choose the forms of lemmas

    def __post_init__(self) -> None:
        SparseSettings.__post_init__(self)
        check_one_of("grammar", self.grammar, ("dependency", "ccg"))
        if self.heads is not None:
            check_one_of("heads", self.heads, ("file", "rule"))
            if self.grammar != "ccg":
                raise TrainingError("heads are a setting of the grammar ccg (--grammar ccg)")
        check_one_of("update", self.update, ("margin", "perceptron"))
        check_limits("chart", self.chart, MAX_CHART)
        check_limits("expansions", self.expansions, MAX_EXPANSIONS)
        check_limits("dev_expansions", self.dev_expansions, MAX_EXPANSIONS)
        if self.realize and self.grammar == "ccg":
            raise TrainingError(
                "a CCGbank has no lemmas, so CCG models cannot learn to realize them: "
                "leave out realize (--realize)"
            )
        if self.grammar == "ccg" and self.unlabelled:
            raise TrainingError(
                "CCG derivations have no labels to leave out: unlabelled is for the grammar "
                "dependency"
            )
        given = CONDITIONS.get(self.condition)
        if self.grammar == "ccg" and given is not None and given.arcs > 0:
            raise TrainingError(
                f"condition {self.condition!r} gives arcs, which CCG models cannot keep: "
                "choose none, pos or mixed"
            )

    @property
    def shares(self) -> tuple[int, ...]:
        """CCG models cannot keep arcs, so only tags are drawn for them."""
        return (1, 1, 0, 0, 0) if self.grammar == "ccg" else self.SHARES

    @property
    def dev_conditions(self) -> tuple[str, ...]:
        if self.grammar == "ccg" and self.condition == "mixed":
            return ("none", "pos")
        return super(BestFirstSettings, self).dev_conditions
