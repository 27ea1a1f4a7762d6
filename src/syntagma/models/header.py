"""The header of a model file: what a model is, in JSON.

Fields are checked when a file is loaded (`loading`); the bytes around them are `container`'s
concern.
"""

from __future__ import annotations

from typing import Any, Final, TypedDict

from syntagma.problem.word import TagColumn

# The field of a model's language model; a file with this field alone is a language model.
LANGUAGE_MODEL: Final = "language_model"


class DataEntry(TypedDict, total=False):
    """A file that was learned from."""

    name: str
    sha256: str
    sentences: int
    words: int
    use: str  # "pre-training", or absent
    left_out: int  # sentences dropped because of faults


class Header(TypedDict, total=False):
    """All fields of all kinds of models; those of the first group are always present."""

    name: str
    language: str
    licence: str
    attribution: str
    data: list[DataEntry]
    tag_column: TagColumn
    settings: dict[str, Any]
    created_with: str
    figures: dict[str, Any]

    scorer: str  # not in the first models, which are linear
    start: dict[str, Any]  # the model that training started from
    language_model: dict[str, Any]  # data and weights of the language model, if there is one

    # linear
    feature_set: str
    templates: list[str]  # of best-first models, too
    features: int

    # neural
    dimensions: dict[str, int]
    slots: dict[str, list[str]]
    parameters: int

    # edges: best-first search
    search: str
    grammar: str
    chart: int
    scaled: bool
    categories: int
    rules: int


def scorer_name(header: Header) -> str:
    """The kind of scorer; the first models do not state it: they are linear."""
    return str(header.get("scorer", "linear"))
