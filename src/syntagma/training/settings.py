"""What a model depends on, besides the data: one class of settings for each kind of scorer, and one
for language models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

from syntagma.best_first.model import MAX_CHART, GrammarName
from syntagma.errors import TrainingError
from syntagma.linear.templates import FEATURE_SETS, FeatureSet
from syntagma.problem.problem import TagColumn
from syntagma.transition.budget import MAX_BEAM, MAX_EXPANSIONS
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS

REALIZE = "realize"  # beside the conditions: a labelled tree of lemmas


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What all scorers share."""

    SCORER: ClassVar[str]
    PRETRAINS: ClassVar[bool] = False  # can learn from further treebanks, or go on from a model
    # How often a mixed condition is none, pos, in between, tree, labelled.
    SHARES: ClassVar[tuple[int, ...]] = (1, 1, 1, 1, 1)

    condition: str = "mixed"  # or one of conditions.CONDITIONS
    epochs: int = 10
    seed: int = 1
    tag_column: TagColumn = "xpos"

    def __post_init__(self) -> None:
        check_choice("condition", self.condition, ("mixed", *CONDITIONS))
        check_choice("tag_column", self.tag_column, ("xpos", "upos"))
        check_range("epochs", self.epochs, 10_000)

    @property
    def shares(self) -> tuple[int, ...]:
        return self.SHARES

    @property
    def dev_conditions(self) -> tuple[str, ...]:
        """What an epoch is judged by."""
        return MAIN_CONDITIONS if self.condition == "mixed" else (self.condition,)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearSettings(Settings):
    """Settings of the averaged perceptron."""

    SCORER = "linear"

    features: FeatureSet = "p16+"
    update: Literal["early", "max-violation"] = "max-violation"
    beam: int = 16
    max_features: int = 4_000_000

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        check_choice("features", self.features, FEATURE_SETS)
        check_choice("update", self.update, ("early", "max-violation"))
        check_range("beam", self.beam, MAX_BEAM)
        check_range("max_features", self.max_features, 1 << 28)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralSettings(Settings):
    """Settings of the network."""

    SCORER = "neural"
    PRETRAINS = True
    SHARES = (1, 1, 2, 3, 3)

    epochs: int = 30
    pretrain_epochs: int = 2
    learning_rate: float = 1.5e-3
    batch_words: int = 300
    min_count: int = 2  # rarer words are known by suffix and shape only
    dropout: float = 0.3
    word_dropout: float = 0.3  # share of the forms that are treated as unknown
    realize: bool = False  # learn to realize lemmas, too

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        check_range("pretrain_epochs", self.pretrain_epochs, 1000)
        check_range("batch_words", self.batch_words, 1_000_000)
        check_range("min_count", self.min_count, 1_000_000)
        for name, share in (("dropout", self.dropout), ("word_dropout", self.word_dropout)):
            if not 0 <= share < 1:
                raise TrainingError(f"{name} must be at least 0 and less than 1, not {share}")
        if not 0 < self.learning_rate <= 1:
            raise TrainingError(f"learning_rate must be between 0 and 1, not {self.learning_rate}")

    @property
    def dev_conditions(self) -> tuple[str, ...]:
        given = super(NeuralSettings, self).dev_conditions
        return (*given, REALIZE) if self.realize else given


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


def check_choice(name: str, value: str, choices: Iterable[str]) -> None:
    if value not in choices:
        raise TrainingError(f"{name} {value!r} is not one of {', '.join(choices)}")


def check_range(name: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise TrainingError(f"{name} must be between 1 and {most}, not {number}")


PRUNE = (0, 1, 1, 2)  # for much text


@dataclass(frozen=True, slots=True)
class LanguageModelSettings:
    """How `train_lm` estimates a language model."""

    order: int = 4
    prune: tuple[int, ...] | None = None  # n-grams seen so often or less are left out, by order
    min_count: int = 5  # rarer words go by their class
    max_ngrams: int | None = None  # what matters least beyond this is left out
    tokenized: bool = False  # the text is a sentence a line, words separated by spaces

    @property
    def thresholds(self) -> tuple[int, ...]:
        return PRUNE[: self.order] if self.prune is None else self.prune
