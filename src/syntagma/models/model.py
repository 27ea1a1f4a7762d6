"""A model in memory: a scorer with its vocabulary, perhaps a language model and a realizer.

Files are read and written in `loading` and `saving`; the public API on top is `linearizer`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Protocol, cast

import numpy.typing as npt

from syntagma.models.header import Header
from syntagma.models.margin import Margin
from syntagma.realization.realizer import Realizer
from syntagma.transition.beam import BeamStrategy
from syntagma.transition.budget import SearchName, Strategy
from syntagma.transition.vocabulary import Vocabulary
from syntagma.transition.weighted_language_model import WeightedLanguageModel

Arrays = Mapping[str, npt.NDArray[Any]]

STRATEGIES: dict[SearchName, Callable[..., Strategy]] = {
    "beam": BeamStrategy,
    "best-first": lambda *parts: import_module("syntagma.best_first.strategy").BestFirstStrategy(
        *parts
    ),
}


class StoredScorer(Protocol):
    """A scorer as a model file holds it."""

    SEARCH: ClassVar[SearchName]

    @classmethod
    def sections(cls, header: Header) -> frozenset[str]:
        """The names of its sections in a file with this header. Raises `ModelError` if the header
        lacks what the scorer needs."""

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> StoredScorer: ...

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]: ...

    def describe(self) -> dict[str, Any]:
        """The header fields that describe it."""

    def scorer(self, header: Header, vocabulary: Vocabulary) -> Any:
        """The scorer as its search strategy takes it."""


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that a linearizer needs."""

    header: Header
    vocabulary: Vocabulary
    scorer: Any  # as the strategy of `search` takes it
    search: SearchName = "beam"
    language_model: WeightedLanguageModel | None = None
    realizer: Realizer | None = None
    margin: Margin | None = None  # of the scores with the language model, if there is one

    def strategy(self) -> Strategy:
        """The search that this model is made for."""
        return STRATEGIES[self.search](self.scorer, self.vocabulary, self.language_model)


def build_model(header: Mapping[str, Any], vocabulary: Vocabulary, stored: StoredScorer) -> Model:
    """The model in memory, as it is after saving and loading."""
    typed = cast(Header, header)
    return Model(typed, vocabulary, stored.scorer(typed, vocabulary), stored.SEARCH)
