"""Tables of feature templates: reading them, and checking that a model was trained with the same.

The tables themselves are data in `linear/templates.py` and `best_first/templates.py`; templates
are turned into feature keys by `_templates`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syntagma.errors import ModelError
from syntagma.features._templates import TemplateTable

TemplateRow = tuple[str, tuple[str, ...]]  # scope, names of atoms


def read_table(scope: str, table: str) -> Iterator[TemplateRow]:
    """The templates of a table, in which a semicolon or a line break ends a template."""
    for template in table.replace("\n", ";").split(";"):
        if template.strip():
            yield scope, tuple(template.split())


def check_templates(header: Mapping[str, Any], *tables: TemplateTable) -> None:
    """Refuse a model trained with other templates: its weights belong to other features."""
    if [text for table in tables for text in table.texts] != header.get("templates"):
        raise ModelError(
            "the model was trained with other feature templates than those of this version; "
            "train it again or install the version that made it"
        )
