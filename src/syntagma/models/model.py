"""A model: a scorer with its vocabulary, perhaps a language model, a realizer and a margin.

The margin, how much worse than the best order an acceptable one may score, is learned by
`training.margin`, stored in the header, and used by `linearizer.acceptance`. Models are
written here and read in `loading`; the public API on top is `linearizer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, cast

import numpy.typing as npt

from syntagma.errors import ModelError
from syntagma.language_model.packed import PREFIX, LanguageModel
from syntagma.models.container import read_container, write_container
from syntagma.models.header import LANGUAGE_MODEL, Header
from syntagma.realization.realizer import Realizer
from syntagma.request import SearchName
from syntagma.transition.beam import BeamStrategy
from syntagma.transition.strategy import ResultJudge, Strategy, WeightedLanguageModel
from syntagma.transition.vocabulary import Vocabulary

# The field of the header; that of the language model has one of its own.
MARGIN: Final = "margin"


@dataclass(frozen=True, slots=True)
class Margin:
    """The loss that is accepted for each pair of neighbours, and what it was learned from.

    With it, `attested` is the share of accepted orders among those of the development set,
    `swapped` among the same orders with two words swapped; `sentences` of at most `max_words` words
    were judged.
    """

    loss: float
    attested: float
    swapped: float
    sentences: int
    max_words: int

    def to_json(self) -> dict[str, float | int]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: object) -> Margin:
        if (
            not isinstance(value, dict)
            or value.keys() != set(cls.__slots__)
            or any(type(each) not in (int, float) for each in value.values())
            or not all(0 <= each <= 1e9 for each in value.values())
        ):
            raise ModelError(
                f"the header has no valid margin: it must be the numbers {', '.join(cls.__slots__)}"
            )
        return cls(**value)


def read_margin(header: Mapping[str, Any], *, language_model: bool) -> Margin | None:
    """The margin of a model for scores with or without its language model, if it has one."""
    about = header.get(LANGUAGE_MODEL) if language_model else header
    if not isinstance(about, Mapping) or MARGIN not in about:
        return None
    return Margin.from_json(about[MARGIN])


Arrays = Mapping[str, npt.NDArray[Any]]


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

    def strategy(self, judge: ResultJudge | None = None) -> Strategy:
        """The search that this model is made for; a beam search may have a judge of its results."""
        if self.search == "beam":
            return BeamStrategy(
                self.scorer, self.vocabulary, self.language_model, result_judge=judge
            )
        from syntagma.best_first.strategy import BestFirstStrategy

        return BestFirstStrategy(self.scorer, self.vocabulary, self.language_model)


def build_model(header: Mapping[str, Any], vocabulary: Vocabulary, stored: StoredScorer) -> Model:
    """The model in memory, as it is after saving and loading."""
    typed = cast(Header, header)
    return Model(typed, vocabulary, stored.scorer(typed, vocabulary), stored.SEARCH)


def save_model(
    path: str | Path,
    header: Mapping[str, Any],
    vocabulary: Vocabulary,
    stored: StoredScorer,
    realizer: Realizer | None = None,
    language_model: LanguageModel | None = None,
) -> None:
    """Write a model; its header states the weights of the language model, if it has one."""
    write_container(
        path,
        {**header, **stored.describe()},
        {
            **vocabulary.to_arrays(),
            **stored.to_arrays(),
            **(realizer.to_arrays() if realizer is not None else {}),
            **(language_model.to_arrays() if language_model is not None else {}),
        },
    )


def add_language_model(
    path: str | Path, source: str | Path, weighted: WeightedLanguageModel, about: dict[str, Any]
) -> None:
    """Write the model at `source` to `path` with this language model instead of its own.

    `about` is what the header says about it, besides the balance and its own fields.
    """
    header, arrays = read_container(source)
    described = {
        **about,
        **weighted.language_model.describe(),
        "balance": weighted.balance.to_json(),
    }
    kept = {name: array for name, array in arrays.items() if not name.startswith(PREFIX)}
    write_container(
        path,
        {**header, LANGUAGE_MODEL: described},
        {**kept, **weighted.language_model.to_arrays()},
    )
