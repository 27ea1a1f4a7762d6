"""A model: a vocabulary and a scorer, with the header that says what they are.

The scorers are `linear_model`'s and `neural_model`'s business, the bytes on disk `model_file`'s;
what a model is used for, `linearizer`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy.typing as npt

from syntagma.core import Search
from syntagma.encoding import Encoding
from syntagma.errors import ModelError
from syntagma.linear_model import StoredWeights
from syntagma.model_file import read_container, write_container
from syntagma.neural_model import StoredNetwork
from syntagma.vocabulary import Vocabulary


class Scorer(Protocol):
    """Opens searches that know what actions are worth.

    `batch` problems are best prepared together; beyond `beam` a wider beam hardly gains anything;
    `max_words` can be ordered at all.
    """

    @property
    def batch(self) -> int: ...

    @property
    def beam(self) -> int: ...

    @property
    def max_words(self) -> int: ...

    def search(self, encoding: Encoding, width: int) -> Search:
        """A fresh search over one problem."""

    def searches(self, encodings: Iterable[Encoding], width: int) -> Iterator[Search]:
        """The same for several problems: no result depends on which ones come together."""


class Stored(Protocol):
    """A scorer as a model file holds it, in sections of these names."""

    SECTIONS: ClassVar[frozenset[str]]

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]: ...

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> Stored: ...

    def describe(self) -> dict[str, Any]:
        """What the header says of it."""

    def scorer(self, header: dict[str, Any], vocabulary: Vocabulary) -> Scorer: ...


# By the header's field `scorer`.
_STORED: dict[str, type[Stored]] = {"linear": StoredWeights, "neural": StoredNetwork}
_VOCABULARY = frozenset(
    {"forms", "tags", "labels", "form_tags", "open_tags", "label_index", "label_pool"}
)


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that ordering needs."""

    header: dict[str, Any]
    vocabulary: Vocabulary
    scorer: Scorer


def build_model(header: dict[str, Any], vocabulary: Vocabulary, stored: Stored) -> Model:
    """The model in memory, with the scorer that it has after saving and loading."""
    return Model(header, vocabulary, stored.scorer(header, vocabulary))


def save_model(
    path: str | Path, header: dict[str, Any], vocabulary: Vocabulary, stored: Stored
) -> None:
    write_container(
        path,
        {**header, **stored.describe()},
        {**vocabulary.to_arrays(), **stored.to_arrays()},
    )


def load_model(path: str | Path) -> Model:
    header, arrays = read_container(path)
    # The first models have no such field: they are linear.
    name = str(header.get("scorer", "linear"))
    stored = _STORED.get(name)
    if stored is None:
        raise ModelError(
            f"{path}: this version of Syntagma knows no scorer {name!r}; "
            "install the version that made the model"
        )
    missing = (_VOCABULARY | stored.SECTIONS) - arrays.keys()
    if missing:
        raise _foreign(path, f"no section {min(missing)!r}")
    if header.get("tag_column") not in ("upos", "xpos"):
        raise _foreign(path, "no tag column")
    try:
        return build_model(header, Vocabulary.from_arrays(arrays), stored.from_arrays(arrays))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise _foreign(path, "a list of words is not UTF-8") from error


def _foreign(path: str | Path, why: str) -> ModelError:
    return ModelError(f"{path}: not a model for ordering words ({why}); train it again")
