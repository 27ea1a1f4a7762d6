"""A model: a vocabulary, a scorer and perhaps a language model, with the header that says what
they are.

The scorers are `linear_model`'s and `neural_model`'s business, the language model is that of
`language_model`, the bytes on disk `model_file`'s; what a model is used for, `linearizer`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, overload

import numpy.typing as npt

from syntagma.best_first.model import MAX_CHART, EdgeModel, StoredEdgeModel
from syntagma.errors import ModelError
from syntagma.language_model.balance import Balance
from syntagma.language_model.packed import PREFIX, LanguageModel
from syntagma.linear.scorer import StoredLinearScorer
from syntagma.models.container import read_container, write_container
from syntagma.neural.stored import StoredNetwork
from syntagma.problem.problem import Problem
from syntagma.realization.realizer import Realizer
from syntagma.transition._search import Search
from syntagma.transition.encoding import Encoding
from syntagma.transition.vocabulary import Vocabulary


class Scorer(Protocol):
    """Opens searches that know what actions are worth.

    `batch` problems are best prepared together; `max_words` can be ordered at all.
    """

    @property
    def batch(self) -> int: ...

    @property
    def max_words(self) -> int: ...

    def beam(self, problem: Problem) -> int:
        """The width beyond which a beam hardly gains anything."""

    def searches(self, encodings: Sequence[Encoding], widths: Sequence[int]) -> Iterator[Search]:
        """A fresh search over each problem; no result depends on which ones come together."""


class Stored(Protocol):
    """A scorer as a model file holds it, in sections of these names."""

    SECTIONS: ClassVar[frozenset[str]]

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]: ...

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> Stored: ...

    def describe(self) -> dict[str, Any]:
        """What the header says of it."""

    def scorer(self, header: dict[str, Any], vocabulary: Vocabulary) -> Scorer: ...


LANGUAGE_MODEL = "language_model"  # field of the header

# By the header's field `scorer`.
_STORED: dict[str, type[Stored]] = {"linear": StoredLinearScorer, "neural": StoredNetwork}
EDGES = "edges"  # the scorer of models for best-first search
_VOCABULARY = frozenset(
    {"forms", "tags", "labels", "form_tags", "open_tags", "label_index", "label_pool"}
)


@dataclass(frozen=True, slots=True)
class WeightedLanguageModel:
    """A language model, and how much it counts."""

    language_model: LanguageModel
    balance: Balance

    def listen(self, search: Search, encoding: Encoding) -> None:
        weight = self.balance.of_problem(encoding.problem)
        scorer = self.language_model.ngram_scorer(encoding.forms, weight, encoding.choices)
        search.listen(scorer)

    def share(self, problem: Problem, units: Iterable[str]) -> float:
        """What it adds to the score of an order of the units of a problem."""
        words = [word for unit in units for word in unit.split(" ")]
        return self.balance.of_problem(problem) * sum(self.language_model.score(words))


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that ordering needs."""

    header: dict[str, Any]
    vocabulary: Vocabulary
    scorer: Scorer
    language_model: WeightedLanguageModel | None = None
    realizer: Realizer | None = None

    def search(self, encoding: Encoding, width: int) -> Search:
        [search] = self.searches([encoding], [width])
        return search

    def searches(self, encodings: Sequence[Encoding], widths: Sequence[int]) -> Iterator[Search]:
        """A fresh search over each problem, in which the language model, if any, has its say."""
        searches = self.scorer.searches(encodings, widths)
        for encoding, search in zip(encodings, searches, strict=True):
            search.merging = True
            if self.language_model is not None:
                self.language_model.listen(search, encoding)
            yield search


@overload
def build_model(header: dict[str, Any], vocabulary: Vocabulary, stored: Stored) -> Model: ...
@overload
def build_model(
    header: dict[str, Any], vocabulary: Vocabulary, stored: StoredEdgeModel
) -> EdgeModel: ...
def build_model(
    header: dict[str, Any], vocabulary: Vocabulary, stored: Stored | StoredEdgeModel
) -> Model | EdgeModel:
    """The model in memory, as it is after saving and loading."""
    if isinstance(stored, StoredEdgeModel):
        return stored.model(header, vocabulary)
    return Model(header, vocabulary, stored.scorer(header, vocabulary))


def save_model(
    path: str | Path,
    header: dict[str, Any],
    vocabulary: Vocabulary,
    stored: Stored | StoredEdgeModel,
    realizer: Realizer | None = None,
    language_model: LanguageModel | None = None,
) -> None:
    """Write a model; the header says how much its language model counts, if it has one."""
    further = {
        **(realizer.to_arrays() if realizer is not None else {}),
        **(language_model.to_arrays() if language_model is not None else {}),
    }
    write_container(
        path,
        {**header, **stored.describe()},
        {**vocabulary.to_arrays(), **stored.to_arrays(), **further},
    )


def load_model(path: str | Path, *, language_model: bool = True) -> Model:
    """Read a model for beam search; its language model, if it has one, can be left out."""
    header, arrays = _read(path)
    name = _scorer_of(header)
    if name == EDGES:
        raise ModelError(
            f"{path}: a model for best-first search, to order words and be evaluated with "
            "search='best-first' (--search best-first); all else needs a model for beam search"
        )
    stored = _STORED.get(name)
    if stored is None:
        raise _unknown_scorer(path, name)
    _check_sections(path, header, arrays, stored.SECTIONS)
    with _named_errors(path):
        model = build_model(header, Vocabulary.from_arrays(arrays), stored.from_arrays(arrays))
        if LANGUAGE_MODEL in header and language_model:
            model = replace(model, language_model=_fluent(header[LANGUAGE_MODEL], arrays))
        if arrays.keys() >= Realizer.SECTIONS:
            realizer = Realizer.from_arrays(arrays, str(header.get("language", "")))
            model = replace(model, realizer=realizer)
        return model


def is_edge_model(path: str | Path) -> bool:
    """Whether a model is for best-first search."""
    return _scorer_of(_read(path)[0]) == EDGES


def load_edge_model(path: str | Path) -> EdgeModel:
    """Read a model for best-first search."""
    header, arrays = _read(path)
    name = _scorer_of(header)
    if name in _STORED:
        raise ModelError(
            f"{path}: a model for beam search; load it with search='beam' (--search beam), "
            "or train one for best-first search: syntagma train --search best-first"
        )
    if name != EDGES:
        raise _unknown_scorer(path, name)
    sections = StoredEdgeModel.SECTIONS.get(str(header.get("grammar")))
    if sections is None:
        raise _foreign(path, "no grammar")
    _check_sections(path, header, arrays, sections)
    chart = header.get("chart")
    if not isinstance(chart, int) or not 1 <= chart <= MAX_CHART:
        raise _foreign(path, "no size of the chart")
    if not isinstance(header.get("scaled"), bool):
        raise _foreign(path, "not said whether scores are scaled")
    with _named_errors(path):
        stored = StoredEdgeModel.from_arrays({name: arrays[name] for name in sections})
        return build_model(header, Vocabulary.from_arrays(arrays), stored)


def _read(path: str | Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    header, arrays = read_container(path)
    if header.keys() == {LANGUAGE_MODEL}:
        raise ModelError(
            f"{path}: a language model by itself; give it to a model: syntagma add-lm MODEL {path}"
        )
    return header, arrays


def _scorer_of(header: dict[str, Any]) -> str:
    """The first models have no such field: they are linear."""
    return str(header.get("scorer", "linear"))


def _unknown_scorer(path: str | Path, name: str) -> ModelError:
    return ModelError(
        f"{path}: this version of Syntagma knows no scorer {name!r}; "
        "install the version that made the model"
    )


def _check_sections(
    path: str | Path,
    header: dict[str, Any],
    arrays: dict[str, npt.NDArray[Any]],
    sections: frozenset[str],
) -> None:
    missing = (_VOCABULARY | sections) - arrays.keys()
    if missing:
        raise _foreign(path, f"no section {min(missing)!r}")
    if header.get("tag_column") not in ("upos", "xpos"):
        raise _foreign(path, "no tag column")


@contextmanager
def _named_errors(path: str | Path) -> Iterator[None]:
    """Errors of what a file holds, with its name."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise _foreign(path, "a list of words is not UTF-8") from error


def add_language_model(
    path: str | Path, source: str | Path, fluent: WeightedLanguageModel, about: dict[str, Any]
) -> None:
    """Write the model at `source` to `path`, with this language model in the place of its own.

    `about` is what the header says of it, besides the balance and what it says of itself.
    """
    header, arrays = read_container(source)
    described = {
        **about,
        **fluent.language_model.describe(),
        "balance": fluent.balance.to_json(),
    }
    kept = {name: array for name, array in arrays.items() if not name.startswith(PREFIX)}
    write_container(
        path,
        {**header, LANGUAGE_MODEL: described},
        {**kept, **fluent.language_model.to_arrays()},
    )


def _fluent(about: object, arrays: dict[str, npt.NDArray[Any]]) -> WeightedLanguageModel:
    balance = about.get("balance") if isinstance(about, dict) else None
    return WeightedLanguageModel(LanguageModel.from_arrays(arrays), Balance.from_json(balance))


def _foreign(path: str | Path, why: str) -> ModelError:
    return ModelError(f"{path}: not a model for ordering words ({why}); train it again")
