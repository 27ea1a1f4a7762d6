"""Loads models from files: picks the scorer by its name and checks that the file has all it needs.

Bytes and checksums are checked in `container`, the types of header fields in `header`. What must
hold of the arrays is declared in a table for each kind of model: `TABLE` in
`transition/vocabulary.py`, `features/stored_weights.py`, `best_first/ccg_grammar.py` and
`realization/realizer.py`; `section_table` in `language_model/packed.py`; `parameter_shapes` in
`neural/parameters.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import cast

from syntagma.errors import ArgumentError, ModelError, not_a_model, shown
from syntagma.files.paths import check_path
from syntagma.language_model.balance import Balance
from syntagma.language_model.packed import PREFIX, LanguageModel
from syntagma.models.container import read_container
from syntagma.models.header import LANGUAGE_MODEL, Header, check_header, scorer_name
from syntagma.models.installed import find_installed, is_name
from syntagma.models.model import Model, StoredScorer, build_model, read_margin
from syntagma.realization.realizer import Realizer
from syntagma.request import SearchName
from syntagma.transition.strategy import WeightedLanguageModel
from syntagma.transition.vocabulary import Vocabulary

# By the header's field `scorer`. Each kind is imported when a model of it is loaded.
STORED_SCORERS: dict[str, Callable[[], type[StoredScorer]]] = {
    "linear": lambda: import_module("syntagma.linear.scorer").StoredLinearScorer,
    "neural": lambda: import_module("syntagma.neural.stored").StoredNetwork,
    "edges": lambda: import_module("syntagma.best_first.strategy").StoredEdgeScorer,
}
DEFAULT_MODELS: dict[SearchName, str] = {"beam": "en", "best-first": "en-best-first"}


def model_path(model: str | Path) -> Path:
    """The file of a model that is shipped or installed, by its name, or of any other, by its
    path."""
    if not isinstance(model, (str, PathLike)):
        raise ArgumentError(f"a model is given by its name or its path, not {shown(model)}")
    check_path(model, "a model")
    return find_installed(model) if is_name(model) else Path(model)


def load_model(
    path: str | Path, *, search: SearchName | None = "beam", language_model: bool = True
) -> Model:
    """Read a model that is made for this search, or for any; its language model can be left out."""
    content, arrays = read_container(path)
    if content.keys() == {LANGUAGE_MODEL}:
        raise ModelError(
            f"{path}: a language model by itself; add it to a model: syntagma add-lm MODEL {path}"
        )
    with _errors_of(path):
        check_header(content)
    header = cast(Header, content)
    if scorer_name(header) not in STORED_SCORERS:
        raise ModelError(
            f"{path}: this version of Syntagma does not know the scorer "
            f"{shown(scorer_name(header))}; install the version that made the model"
        )
    stored_scorer = STORED_SCORERS[scorer_name(header)]()
    _check_search(path, stored_scorer.SEARCH, search)
    with _errors_of(path):
        if LANGUAGE_MODEL not in header and any(name.startswith(PREFIX) for name in arrays):
            raise ModelError(f"there is a language model, but no header field {LANGUAGE_MODEL!r}")
        missing = (Vocabulary.SECTIONS | stored_scorer.sections(header)) - arrays.keys()
        if missing:
            raise not_a_model(f"no section {min(missing)!r}")
        if header.get("tag_column") not in ("upos", "xpos"):
            raise not_a_model("no tag column")
        stored = stored_scorer.from_arrays(arrays)
        vocabulary = Vocabulary.from_arrays(arrays, back_off=header.get("back_off", True))
        model = build_model(header, vocabulary, stored)
        if LANGUAGE_MODEL in header and language_model:
            found = LanguageModel.from_arrays(arrays)
            balance = Balance.from_json(header[LANGUAGE_MODEL].get("balance"))
            model = replace(model, language_model=WeightedLanguageModel(found, balance))
        if arrays.keys() & Realizer.SECTIONS:
            realizer = Realizer.from_arrays(arrays, header.get("language", ""), source=str(path))
            model = replace(model, realizer=realizer)
        margin = read_margin(header, language_model=model.language_model is not None)
        return replace(model, margin=margin)


def _check_search(path: str | Path, made_for: SearchName, wanted: SearchName | None) -> None:
    if wanted in (None, made_for):
        return
    if made_for == "best-first":
        raise ModelError(
            f"{path}: a model for best-first search; to order, realize or evaluate with it, set "
            "search='best-first' (--search best-first); all else needs a model for beam search"
        )
    raise ModelError(
        f"{path}: a model for beam search; load it with search='beam' (--search beam), "
        "or train one for best-first search: syntagma train --search best-first"
    )


@contextmanager
def _errors_of(path: str | Path) -> Iterator[None]:
    """Add the name of the file to errors about its content."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: {not_a_model('a list of words is not UTF-8')}") from error
