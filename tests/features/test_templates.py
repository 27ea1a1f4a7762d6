"""Tables of templates: how they are read, and models that were trained with others."""

from __future__ import annotations

import pytest

from syntagma.errors import ModelError
from syntagma.features._sparse import TemplateTable, check_templates, read_table


def test_semicolons_and_line_breaks_end_a_template() -> None:
    table = """
        a; b c
        d ;; e

    """
    expected = [("state", atoms) for atoms in (("a",), ("b", "c"), ("d",), ("e",))]
    assert list(read_table("state", table)) == expected


@pytest.mark.parametrize("found", [["state: b"], ["state: a", "state: b"], [], None, 5])
def test_weights_of_other_templates_are_refused(found: object) -> None:
    table = TemplateTable([*read_table("state", "a")], ("a", "b"), {"state": ("a", "b")})
    check_templates({"templates": ["state: a"]}, table)
    with pytest.raises(ModelError, match="trained with other feature templates"):
        check_templates({"templates": found}, table)
