"""Feature templates of best-first search, as data beside Tables 1 and 2 of ZC15.

To add a template of known atoms, add it to its table below. A new atom also needs its name in
DEPENDENCY_ATOMS or CCG_ATOMS and the code that computes it, in `_dependency_edges` or `_ccg_edges`.
Templates are part of a model: models must be trained again. Those of the linear scorer are in
`linear/templates.py`.

The keys of the tables are scopes: what a template is instantiated for. Atoms end in w for a form
and in p for a tag, as in the papers.
"""

from __future__ import annotations

from syntagma.best_first._ccg_edges import CCG_ATOMS, CCG_SCOPES
from syntagma.best_first._dependency_edges import DEPENDENCY_ATOMS, DEPENDENCY_SCOPES
from syntagma.best_first._edges import FLUENCY_ATOMS, FLUENCY_SCOPES
from syntagma.features._sparse import TemplateRow, TemplateTable, read_table

# ZC15 Table 2. h and m: head and dependent of the new arc; s: nearest sibling of m; s2: that of s;
# ml and mr: outermost dependents of m; hn and mn: neighbours of h and m on the side of the other;
# b: any word between h and m; dir and dist: direction and distance of the arc; size: number of
# words of the phrase; c: a word that has all its dependents, cl and cr: the outermost of them, lval
# and rval: how many they are; B: first word of the right phrase; w0 and w-1: first and last word of
# a complete sentence.
TABLE_2 = {
    "edge": "hw hp size; hw size; hp size",
    "arc": """
        hw hp dir; hw dir; hp dir
        mw mp dir; mw dir; mp dir
        hw hp dist; hw dist; hp dist
        mw mp dist; mw dist; mp dist
        hw hp mw mp dir; hw hp mw mp dist
        hw hp mp dir; hw hp mp dist
        hp mw mp dir; hp mw mp dist
        hp mp dir; hp mp dist
        hp hnp mp mnp dir
        hw mp mlp dir; hw mp mrp dir
        hp mp mlp dir; hp mp mrp dir
        hp mp sp dir
        hp sp dir; mp sp dir
        hw sw dir; mw sw dir
        hp sw dir; mp sw dir
        hw sp dir; mw sp dir
        hw mp sp s2p dir
        hp mp sp s2p dir
    """,
    "between": "hp mp bp dir",
    "completed": """
        cw cp clw clp; cp clp; cw cp clp; cp clw clp
        cw cp crw crp; cp crp; cw cp crp; cp crw crp
        cw cp lval; cw cp rval; cw cp lval rval
        cp lval; cp rval; cp lval rval
    """,
    "boundary": """
        B-1w Bw; B-1p Bp; B-1w Bp; B-1p Bw
        B-1w Bw B+1w; B-2w B-1w Bw
        B-1p Bp B+1p; B-2p B-1p Bp
        B-1p Bw B+1p; B-2p B-1w Bp
    """,
    "sentence": """
        w0; w0 w1; w-1; w-1 w-2
        p0; p0 p1; p0 p1 p2
        p-1; p-1 p-2; p-1 p-2 p-3
    """,
}

# For models that choose forms (§5.7): how large the share of a form is among those of its word.
FORMS = {"form": "share; hw share; hp share"}

# ZC15 Table 1. c: category of the edge; h and n: head words of the head child and of the other
# child; l and r: first and last word of the phrase, l2 and r2: the second and the last but one;
# rule: the rule that was applied; B: first word of the right phrase, Bc its lexical category.
TABLE_1 = {
    "edge": "c size; c hw; c size hw; c hp",
    "phrase": "c lw; c rw; c lp l2p; c r2p rp; c lp rp",
    "binary": """
        rule; rule hw; rule hw nw
        B-1w Bw; B-1p Bp
        B-2w B-1w Bw; B-1w Bw B+1w
        B-2p B-1p Bp; B-1p Bp B+1p
        B-2c B-1c Bc; B-1c Bc B+1c
        B-1w Bp; B-1p Bw
        B-2p B-1w Bp; B-1p Bw B+1p
    """,
    "unary": "rule; rule hw",
}

# Language model scores as features (Zhang, Blackwood and Clark 2012), for both grammars. gain: the
# interval of what the language model gains at the junction of two phrases; start and end: the same
# where a complete sentence begins and ends.
FLUENCY = {"junction": "gain", "limits": "start; end"}


def dependency_templates(*, labelled: bool = True, forms: bool = False) -> TemplateTable:
    """Table 2; if `labelled`, every template with dir once more with the label, as in §5.7; with
    `forms`, those of models that choose forms."""
    rows = _rows(TABLE_2)
    rows += [
        (f"labelled {scope}", (*template, "label"))
        for scope, template in rows
        if labelled and "dir" in template
    ]
    if forms:
        rows += _rows(FORMS)
    arc = (*DEPENDENCY_ATOMS[: DEPENDENCY_ATOMS.index("bp")],)
    own = {
        "edge": ("hw", "hp", "size"),
        "arc": arc,
        "between": (*arc, "bp"),
        "completed": _from_to(DEPENDENCY_ATOMS, "cw", "rval"),
        "boundary": _from_to(DEPENDENCY_ATOMS, "B-2w", "B+1p"),
        "sentence": _from_to(DEPENDENCY_ATOMS, "w0", "p-3"),
        "labelled arc": (*arc, "label"),
        "labelled between": (*arc, "bp", "label"),
        "form": ("hw", "hp", "share"),
    }
    return TemplateTable(rows, DEPENDENCY_ATOMS, {scope: own[scope] for scope in DEPENDENCY_SCOPES})


def ccg_templates() -> TemplateTable:
    """Table 1."""
    edge = _from_to(CCG_ATOMS, "c", "hp")
    own = {
        "edge": edge,
        "phrase": (*edge, *_from_to(CCG_ATOMS, "lw", "rp")),
        "binary": (*edge, *_from_to(CCG_ATOMS, "rule", "B+1c")),
        "unary": (*edge, "rule"),
    }
    return TemplateTable(_rows(TABLE_1), CCG_ATOMS, {scope: own[scope] for scope in CCG_SCOPES})


def fluency_templates() -> TemplateTable:
    """Those of models with features of a language model."""
    own = {"junction": ("gain",), "limits": ("start", "end")}
    return TemplateTable(
        _rows(FLUENCY), FLUENCY_ATOMS, {scope: own[scope] for scope in FLUENCY_SCOPES}
    )


def _rows(tables: dict[str, str]) -> list[TemplateRow]:
    return [row for scope, table in tables.items() for row in read_table(scope, table)]


def _from_to(atoms: tuple[str, ...], first: str, last: str) -> tuple[str, ...]:
    return atoms[atoms.index(first) : atoms.index(last) + 1]
