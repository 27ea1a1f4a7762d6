"""The header of a model file: what a model is, in JSON.

The types of the fields are checked when a file is loaded, by the tables below. What a field may
say beyond its type is checked where it is used; the bytes around the header are `container`'s
concern.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypedDict, get_origin, get_type_hints

from syntagma.errors import ModelError
from syntagma.formats.auto import HeadSource
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
    held_out: int  # of all files together, as the development set; of the first file only


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
    margin: dict[str, Any]  # of acceptable orders; the language model has its own

    # linear
    feature_set: str
    arcs: str  # eager or lazy; not in models up to 0.9, which are eager
    templates: list[str]  # of best-first models, too
    features: int
    chooses_forms: bool  # whether SHIFT chooses among forms; absent if it does not
    preset: str  # the published system whose settings were used; of best-first models, too
    preset_changes: dict[str, Any]  # settings that differ from the preset's
    back_off: (
        bool  # whether unseen forms are distinguished by shape and suffix; if absent, they are
    )
    every_label: bool  # whether each label of an arc is an action of its own
    merging: bool  # whether states with the same features are merged; if absent, they are
    quantized: bool  # whether weights are rounded to 8 bits; if absent, they are
    wide_sets: bool  # whether sets of more than 64 tags or labels are exact; of best-first, too

    # neural
    dimensions: dict[str, int]
    slots: dict[str, list[str]]
    inputs: list[str]  # read besides forms, tags and arcs: upos, features; absent if none
    suffix_length: int  # characters; absent if 3
    parameters: int
    lifting: bool  # whether it orders trees in ways that are not projective; if absent, not
    networks: dict[str, dict[str, int]]  # dimensions of further ones, by what they specialise in

    # edges: best-first search
    search: str
    grammar: str
    chart: int
    scaled: bool
    chart_by_size: bool
    categories: int
    rules: int
    heads: str  # of derivations: of the file or by rule; absent in old models, which have the rule
    unreachable: int  # gold derivations that the search cannot build


_NAMES_OF_TYPES = {
    str: "a string",
    int: "an integer",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


def _types(table: type) -> dict[str, type]:
    """The fields of a table with their types in JSON; literals are strings."""
    hints = ((name, get_origin(hint) or hint) for name, hint in get_type_hints(table).items())
    return {name: str if hint is Literal else hint for name, hint in hints}


FIELD_TYPES, _DATA_TYPES = _types(Header), _types(DataEntry)


def check_header(header: Mapping[str, Any]) -> None:
    """Refuse a header with a field of a wrong type; unknown fields are left alone."""
    _check_types(header, FIELD_TYPES, "")
    for entry in header.get("data", ()):
        if not isinstance(entry, dict):
            raise ModelError("the header field 'data' lists something other than objects")
        _check_types(entry, _DATA_TYPES, "data.")
    if not all(isinstance(template, str) for template in header.get("templates", ())):
        raise ModelError("the header field 'templates' lists something other than strings")


def _check_types(fields: Mapping[str, Any], types: Mapping[str, type], prefix: str) -> None:
    for name, value in fields.items():
        expected = types.get(name)
        if expected is not None and type(value) is not expected:
            raise ModelError(
                f"the header field '{prefix}{name}' is not {_NAMES_OF_TYPES[expected]}"
            )


def heads_of(header: Header) -> HeadSource | None:
    """The source of heads in gold derivations to compare results with; None if it is a model of
    dependency trees."""
    if header.get("grammar") != "ccg":
        return None
    return "file" if header.get("heads") == "file" else "rule"


def scorer_name(header: Header) -> str:
    """The kind of scorer; the first models do not state it: they are linear."""
    return str(header.get("scorer", "linear"))
