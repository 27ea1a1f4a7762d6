"""Saves models to files, and gives a model file another language model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from syntagma.language_model.packed import PREFIX, LanguageModel
from syntagma.models.container import read_container, write_container
from syntagma.models.header import LANGUAGE_MODEL
from syntagma.models.model import StoredScorer
from syntagma.realization.realizer import Realizer
from syntagma.transition.strategy import WeightedLanguageModel
from syntagma.transition.vocabulary import Vocabulary


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
