"""The templates of edges are those of Tables 1 and 2 of ZC15, group by group and one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import pytest

from syntagma.best_first._ccg_edges import CCG_ATOMS, CCG_SCOPES
from syntagma.best_first._dependency_edges import DEPENDENCY_ATOMS, DEPENDENCY_SCOPES
from syntagma.best_first._edges import FLUENCY_ATOMS, FLUENCY_SCOPES
from syntagma.best_first.templates import (
    FORMS,
    TABLE_1,
    TABLE_2,
    ccg_templates,
    dependency_templates,
    fluency_templates,
)
from syntagma.features._sparse import TemplateTable

Row = tuple[str, frozenset[str]]


def rows(table: TemplateTable) -> list[Row]:
    """Scope and atoms of each template."""
    split = (text.split(": ") for text in table.texts)
    return [(scope, frozenset(atoms.split())) for scope, atoms in split]


def group(scope: str, *templates: str) -> set[Row]:
    return {(scope, frozenset(template.split())) for template in templates}


def union(groups: Iterable[set[Row]]) -> set[Row]:
    return set[Row]().union(*groups)


# Table 2: how many templates the paper has in each group, and what they are made of. Of the two
# that look at the neighbours of head and dependent only one applies to an arc: here they are one.
ENDS = [f"{end}{kind}" for end, kind in product("hm", "wp")]
TABLE_2_GROUPS: dict[str, tuple[int, set[Row]]] = {
    "size of the phrase": (3, group("edge", "hw hp size", "hw size", "hp size")),
    "one end of the arc": (
        12,
        union(
            group("arc", f"{end}w {end}p {how}", f"{end}w {how}", f"{end}p {how}")
            for end, how in product("hm", ("dir", "dist"))
        ),
    ),
    "both ends": (
        8,
        union(
            group("arc", f"hw hp mw mp {how}", f"hw hp mp {how}", f"hp mw mp {how}", f"hp mp {how}")
            for how in ("dir", "dist")
        ),
    ),
    "words between": (1, group("between", "hp mp bp dir")),
    "neighbours": (1, group("arc", "hp hnp mp mnp dir")),
    "outermost dependents": (
        4,
        union(group("arc", f"h{kind} mp m{side}p dir") for kind, side in product("wp", "lr")),
    ),
    "sibling": (
        9,
        group("arc", "hp mp sp dir", *(f"{end} s{kind} dir" for end, kind in product(ENDS, "wp"))),
    ),
    "two siblings": (2, group("arc", "hw mp sp s2p dir", "hp mp sp s2p dir")),
    "completed words": (
        14,
        union(
            group("completed", f"cw cp {c}w {c}p", f"cp {c}p", f"cw cp {c}p", f"cp {c}w {c}p")
            for c in ("cl", "cr")
        )
        | union(
            group("completed", f"cw cp {valency}", f"cp {valency}")
            for valency in ("lval", "rval", "lval rval")
        ),
    ),
    "surface": (
        10,
        group("boundary", *(f"B-1{a} B{b}" for a, b in product("wp", "wp")))
        | group("boundary", "B-1w Bw B+1w", "B-2w B-1w Bw", "B-1p Bp B+1p", "B-2p B-1p Bp")
        | group("boundary", "B-1p Bw B+1p", "B-2p B-1w Bp"),
    ),
    "whole sentences": (
        10,
        group("sentence", "w0", "w0 w1", "w-1", "w-1 w-2", "p0", "p0 p1", "p0 p1 p2")
        | group("sentence", "p-1", "p-1 p-2", "p-1 p-2 p-3"),
    ),
}

# Table 1, where "bigrams and trigrams resulting from combination" are those across the boundary.
TABLE_1_GROUPS: dict[str, tuple[int, set[Row]]] = {
    "all edges": (4, group("edge", "c size", "c hw", "c size hw", "c hp")),
    "more than one word": (
        5,
        group("phrase", "c lw", "c rw", "c lp l2p", "c r2p rp", "c lp rp"),
    ),
    "rule": (3, group("binary", "rule", "rule hw", "rule hw nw")),
    "bigrams": (4, group("binary", *(f"B-1{a} B{b}" for a, b in product("wp", "wp")))),
    "trigrams": (
        6,
        union(group("binary", f"B-2{k} B-1{k} B{k}", f"B-1{k} B{k} B+1{k}") for k in "wpc"),
    ),
    "trigrams of both kinds": (2, group("binary", "B-2p B-1w Bp", "B-1p Bw B+1p")),
    "unary edges": (2, group("unary", "rule", "rule hw")),
}


@pytest.mark.parametrize("name", TABLE_2_GROUPS)
def test_table_2(name: str) -> None:
    count, expected = TABLE_2_GROUPS[name]
    assert len(expected) == count
    assert expected <= set(rows(dependency_templates()))


@pytest.mark.parametrize("name", TABLE_1_GROUPS)
def test_table_1(name: str) -> None:
    count, expected = TABLE_1_GROUPS[name]
    assert len(expected) == count
    assert expected <= set(rows(ccg_templates()))


def test_there_are_no_others() -> None:
    found = rows(dependency_templates())
    unlabelled = {row for row in found if not row[0].startswith("labelled ")}
    assert unlabelled == union(expected for _, expected in TABLE_2_GROUPS.values())
    assert len(unlabelled) == sum(count for count, _ in TABLE_2_GROUPS.values()) == 74
    assert set(rows(ccg_templates())) == union(expected for _, expected in TABLE_1_GROUPS.values())
    assert len(rows(ccg_templates())) == sum(count for count, _ in TABLE_1_GROUPS.values()) == 26


@pytest.mark.parametrize("table", [dependency_templates(), ccg_templates()])
def test_none_is_there_twice(table: TemplateTable) -> None:
    """In whatever order its atoms stand."""
    assert [row for row, count in Counter(rows(table)).items() if count > 1] == []
    for text in table.texts:
        atoms = text.split(": ")[1].split()
        assert len(atoms) == len(set(atoms)), text


def test_those_with_a_direction_have_a_labelled_copy() -> None:
    """§5.7: "a duplicate of all the features from Table 2 that contain dir information"."""
    found = rows(dependency_templates())
    labelled = {row for row in found if row[0].startswith("labelled ")}
    assert labelled == {
        (f"labelled {scope}", atoms | {"label"})
        for scope, atoms in found
        if "dir" in atoms
        if "label" not in atoms
    }
    assert len(labelled) == 27
    assert all(("label" in atoms) == scope.startswith("labelled ") for scope, atoms in found)


def test_every_scope_and_every_atom_is_used() -> None:
    for table, scopes, atoms in (
        (dependency_templates(forms=True), DEPENDENCY_SCOPES, DEPENDENCY_ATOMS),
        (ccg_templates(), CCG_SCOPES, CCG_ATOMS),
        (fluency_templates(), FLUENCY_SCOPES, FLUENCY_ATOMS),
    ):
        found = rows(table)
        assert {scope for scope, _ in found} == set(scopes)
        assert set().union(*(used for _, used in found)) == set(atoms)


def test_the_tables_are_not_shared() -> None:
    assert set(TABLE_1) == set(CCG_SCOPES)
    plain = {each for each in DEPENDENCY_SCOPES if not each.startswith("labelled ")}
    assert {*TABLE_2, *FORMS} == plain


@pytest.mark.parametrize(
    "wrong",
    [("edge", ("hw", "label")), ("edge", ("zw",)), ("arcs", ("hw",)), ("between", ("B-1w",))],
)
def test_a_template_has_only_atoms_of_its_scope(wrong: tuple[str, tuple[str, ...]]) -> None:
    own = {"edge": ("hw", "hp", "size"), "between": ("hp", "mp", "bp")}
    with pytest.raises((ValueError, KeyError)):
        TemplateTable([wrong], DEPENDENCY_ATOMS, own)
