"""Every feature template of the papers' tables is in ours, and what we add is listed, too.

The tables are transcribed in the papers' own notation, subscripts set on the line: L15 Table 2 and
P16 Tables 1 and 2 (`linear/templates.py`), ZC15 Tables 1 and 2 (`best_first/templates.py`). Where
the papers are at hand, the transcriptions are compared with their text.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest
from shared_data import PAPERS

from syntagma.best_first.templates import ccg_templates, dependency_templates
from syntagma.linear.templates import (
    FEATURE_SETS,
    OURS_CHILD,
    OURS_FAMILY,
    OURS_L,
    OURS_PAIR,
    templates,
)

Template = frozenset[str]  # of atoms in our notation

# ---- L15 and P16 -----------------------------------------------------------------------------

# L15 Table 2, which P16 reproduces as its Table 1. Printed is S0wS0,lwS0,rp, and likewise for S1,
# after S0wS0,lwS0,lp: by symmetry it should be S0wS0,rwS0,rp. We keep what is printed.
L15_TABLE_2 = """
    S0w; S0p; S0,lw; S0,lp; S0,rw; S0,rp; S0,l2w; S0,l2p; S0,r2w; S0,r2p;
    S1w; S1p; S1,lw; S1,lp; S1,rw; S1,rp; S1,l2w; S1,l2p; S1,r2w; S1,r2p;

    S0wS0,lw; S0wS0,lp; S0pS0,lw; S0pS0,lp; S0wS0,rw; S0wS0,rp; S0pS0,rw; S0pS0,rp;
    S1wS1,lw; S1wS1,lp; S1pS1,lw; S1pS1,lp; S1wS1,rw; S1wS1,rp; S1pS1,rw; S1pS1,rp;
    S0wS1w; S0wS1p; S0pS1w; S0pS1p;

    S0wS0pS0,lw; S0wS0,lwS0,lp; S0wS0pS0,lp; S0pS0,lwS0,lp;
    S0wS0pS0,rw; S0wS0,lwS0,rp; S0wS0pS0,rp; S0pS0,rwS0,rp;
    S1wS1pS1,lw; S1wS1,lwS1,lp; S1wS1pS1,lp; S1pS1,lwS1,lp;
    S1wS1pS1,rw; S1wS1,lwS1,rp; S1wS1pS1,rp; S1pS1,rwS1,rp;

    w0; p0; w-1w0; p-1p0; w-2w-1w0; p-2p-1p0;
    S0,lwS0,l2w; S0,lpS0,l2p; S0,r2wS0,rw; S0,r2pS0,rp;
    S1,lwS1,l2w; S1,lpS1,l2p; S1,r2wS1,rw; S1,r2pS1,rp;
"""
# Our copy of L15 has lost the first two lines of its trigrams, which P16 has, and repeats a line.
NOT_IN_OUR_COPY = """
    S0wS0pS0,lw; S0wS0,lwS0,lp; S0wS0pS0,lp; S0pS0,lwS0,lp;
    S0wS0pS0,rw; S0wS0,lwS0,rp; S0wS0pS0,rp; S0pS0,rwS0,rp;
"""
P16_TABLE_2_L = """
    Lcls; Lclns; Lcps; Lcpns;
    S0wLcls; S0pLcls; S1wLcls; S1pLcls; S0wLclns; S0pLclns; S1wLclns; S1pLclns;
    S0wLcps; S0pLcps; S1wLcps; S1pLcps; S0wLcpns; S0pLcpns; S1wLcpns; S1pLcpns;
    Lsls; Lslns; Lsps; Lspns;
    S0wLsls; S0pLsls; S1wLsls; S1pLsls; S0wLslns; S0pLslns; S1wLslns; S1pLslns;
    S0wLsps; S0pLsps; S1wLsps; S1pLsps; S0wLspns; S0pLspns; S1wLspns; S1pLspns;
    LpsLlp; LpsLpp; LpsLwp;
    S0wLpsLlp; S0pLpsLlp; S1wLpsLlp; S1pLpsLlp;
    S0wLpsLpp; S0pLpsLpp; S1wLpsLpp; S1pLpsLpp;
    S0wLpsLwp; S0pLpsLwp; S1wLpsLwp; S1pLpsLwp;
"""
P16_TABLE_2_S0 = """
    Scls; Sclns; Scps; Scpns;
    S0wScls; S0pScls; S1wScls; S1pScls; S0wSclns; S0pSclns; S1wSclns; S1pSclns;
    S0wScps; S0pScps; S1wScps; S1pScps; S0wScpns; S0pScpns; S1wScpns; S1pScpns;
    Ssls; Sslns; Ssps; Sspns;
    S0wSsls; S0pSsls; S1wSsls; S1pSsls; S0wSslns; S0pSslns; S1wSslns; S1pSslns;
    S0wSsps; S0pSsps; S1wSsps; S1pSsps; S0wSspns; S0pSspns; S1wSspns; S1pSspns;
    SpsSlp; SpsSpp;
    S0wSpsSlp; S0pSpsSlp; S1wSpsSlp; S1pSpsSlp;
    S0wSpsSpp; S0pSpsSpp; S1wSpsSpp; S1pSpsSpp;
"""
# P16 §3.2 names these two conjunctions with Lw and Lp, the word to be shifted and its tag, as
# examples, and lists no others.
P16_SECTION_3_2 = "S0wLwLp; S0wLp;"
# Ours; docs/how-it-works.md has them beside P16's.
OUR_CONJUNCTIONS = """
    Lw; Lp; LwLp; S0wLw; S0pLw; S0pLp; S1wLw; S1wLp; S1pLw; S1pLp;
    S0pS1pLp; S0pS1pLw; S0wS1pLp; S0pS1wLp;
    S0pS0,lpLp; S0pS0,rpLp; S0pS0,rpLw; S0wS0,rpLp; S0pS0,rpS0,r2pLp;
    w0Lw; w0Lp; p0Lw; p0Lp; w-1w0Lw; w-1w0Lp; p-1p0Lp; p-1p0Lw; p-1w0Lp;
    w-2w-1w0Lw; p-2p-1p0Lp;
"""

ATOM = re.compile(
    r"S[01](?:,[lr]2?)?[wp]"  # form or tag of a stack word or its dependents
    r"|[LS](?:[cs][lp]n?s|ps|lp|pp|wp)"  # what is given of the word to be shifted, or of S0
    r"|L[wp]|[wp](?:0|-1|-2)"
)


def read(table: str) -> list[Template]:
    """Split the papers' notation into atoms: "S0wS0,lp;" is {S0w, S0lp}."""
    found = []
    for text in filter(None, map(str.strip, table.split(";"))):
        assert re.fullmatch(f"(?:{ATOM.pattern})+", text), text
        found.append(frozenset(atom.replace(",", "") for atom in ATOM.findall(text)))
    return found


def ours(texts: list[str] | tuple[str, ...], *scopes: str) -> list[Template]:
    split = (text.split(": ") for text in texts)
    return [frozenset(atoms.split()) for scope, atoms in split if scope in scopes]


def test_l15_is_its_table_2() -> None:
    expected = read(L15_TABLE_2)
    assert Counter(ours(templates("l15").texts, "state")) == Counter(expected)
    assert len(templates("l15").texts) == len(expected) == 70


@pytest.mark.parametrize(
    ("scope", "tables", "count"),
    [
        ("state", [L15_TABLE_2], 70),
        ("before shift", [P16_TABLE_2_S0], 50),
        ("candidate", [P16_TABLE_2_L, P16_SECTION_3_2, OUR_CONJUNCTIONS], 55 + 2 + 30),
    ],
)
def test_p16_is_its_tables_and_our_conjunctions(scope: str, tables: list[str], count: int) -> None:
    expected = [template for table in tables for template in read(table)]
    assert Counter(ours(templates("p16").texts, scope)) == Counter(expected)
    assert len(expected) == count


def test_our_own_set_adds_whole_tables_to_that_of_p16() -> None:
    paper, extended = FEATURE_SETS["p16"], FEATURE_SETS["p16+"]
    assert extended[: len(paper)] == paper
    assert extended[len(paper) :] == (
        ("candidate", OURS_L),
        ("family", OURS_FAMILY),
        ("pair", OURS_PAIR),
        ("child", OURS_CHILD),
    )


# ---- ZC15 ------------------------------------------------------------------------------------

# Table 1, by condition. "+" conjoins.
ZC15_TABLE_1: dict[str, list[str]] = {
    "edge": [
        *("category + size", "category + head word", "category + size + head word"),
        "category + head POS",
    ],
    "phrase": [
        *("category + leftmost word", "category + rightmost word"),
        *("category + leftmost POS bigram", "category + rightmost POS bigram"),
        "category + lmost POS + rmost POS",
    ],
    "binary": [
        *("the binary rule", "the binary rule + head word", "rule + head word + non-head word"),
        *("bigrams resulting from combination", "POS bigrams resulting from combination"),
        *("word trigrams resulting from combination", "POS trigrams resulting from combination"),
        *("resulting lexical category trigrams", "resulting word + POS bigrams"),
        *("resulting POS + word bigrams", "resulting POS + word + POS trigrams"),
    ],
    "unary": ["unary rule", "unary rule + head word"],
}
GLOSSARY = {
    **{"category": "c", "size": "size", "head word": "hw", "head POS": "hp"},
    **{"leftmost word": "lw", "rightmost word": "rw", "lmost POS": "lp", "rmost POS": "rp"},
    **{"leftmost POS bigram": "lp l2p", "rightmost POS bigram": "r2p rp", "non-head word": "nw"},
    **dict.fromkeys(("the binary rule", "rule", "unary rule"), "rule"),
}
KINDS = {"": "w", "word": "w", "POS": "p", "lexical category": "c"}
# n-grams that result from combination are those across the boundary, before B.
WINDOWS: dict[str, list[tuple[str, ...]]] = {
    "bigrams": [("B-1", "B")],
    "trigrams": [("B-2", "B-1", "B"), ("B-1", "B", "B+1")],
}


def read_words(text: str) -> list[Template]:
    """ZC15 Table 1 in our atoms; a row about n-grams stands for one template per window."""
    ngrams = re.fullmatch(r"(?:resulting )?(.*?) ?(bigrams|trigrams)(?: resulting from .*)?", text)
    if ngrams is None:
        return [frozenset(" ".join(GLOSSARY[part] for part in text.split(" + ")).split())]
    kinds = [KINDS[part] for part in ngrams[1].split(" + ")]
    windows = WINDOWS[ngrams[2]]
    if len(kinds) == 1:
        kinds *= len(windows[0])
    return [
        frozenset(at + kind for at, kind in zip(window, kinds, strict=True)) for window in windows
    ]


@pytest.mark.parametrize("condition", ZC15_TABLE_1)
def test_ccg_templates_are_those_of_zc15_table_1(condition: str) -> None:
    expected = [row for text in ZC15_TABLE_1[condition] for row in read_words(text)]
    assert Counter(ours(ccg_templates().texts, condition)) == Counter(expected)


# Table 2. Its two templates with h-1 and m+1 (h > m) and with h+1 and m-1 (h < m) are one of ours:
# hn and mn are the neighbours of head and dependent on the side of the other.
ZC15_TABLE_2 = {
    "edge": "WORD(h)·POS(h)·NORM(size), WORD(h)·NORM(size), POS(h)·NORM(size)",
    "arc": """
        WORD(h)·POS(h)·dir, WORD(h)·dir, POS(h)·dir, WORD(m)·POS(m)·dir, WORD(m)·dir, POS(m)·dir,
        WORD(h)·POS(h)·dist, WORD(h)·dist, POS(h)·dist,
        WORD(m)·POS(m)·dist, WORD(m)·dist, POS(m)·dist,
        WORD(h)·POS(h)·WORD(m)·POS(m)·dir, WORD(h)·POS(h)·WORD(m)·POS(m)·dist,
        WORD(h)·POS(h)·POS(m)·dir, WORD(h)·POS(h)·POS(m)·dist,
        POS(h)·WORD(m)·POS(m)·dir, POS(h)·WORD(m)·POS(m)·dist,
        POS(h)·POS(m)·dir, POS(h)·POS(m)·dist,
        POS(h)·POS(h-1)·POS(m)·POS(m+1)·dir(h>m), POS(h)·POS(h+1)·POS(m)·POS(m-1)·dir(h<m),
        WORD(h)·POS(m)·POS(ml)·dir, WORD(h)·POS(m)·POS(mr)·dir,
        POS(h)·POS(m)·POS(ml)·dir, POS(h)·POS(m)·POS(mr)·dir,
        POS(h)·POS(m)·POS(s)·dir, POS(h)·POS(s)·dir, POS(m)·POS(s)·dir,
        WORD(h)·WORD(s)·dir, WORD(m)·WORD(s)·dir, POS(h)·WORD(s)·dir, POS(m)·WORD(s)·dir,
        WORD(h)·POS(s)·dir, WORD(m)·POS(s)·dir,
        WORD(h)·POS(m)·POS(s)·POS(s2)·dir, POS(h)·POS(m)·POS(s)·POS(s2)·dir
    """,
    "between": "POS(h)·POS(m)·POS(b)·dir",
    "completed": """
        WORD(h)·POS(h)·WORD(hl)·POS(hl), POS(h)·POS(hl),
        WORD(h)·POS(h)·POS(hl), POS(h)·WORD(hl)·POS(hl),
        WORD(h)·POS(h)·WORD(hr)·POS(hr), POS(h)·POS(hr),
        WORD(h)·POS(h)·POS(hr), POS(h)·WORD(hr)·POS(hr),
        WORD(h)·POS(h)·LVAL(h), WORD(h)·POS(h)·RVAL(h), WORD(h)·POS(h)·LVAL(h)·RVAL(h),
        POS(h)·LVAL(h), POS(h)·RVAL(h), POS(h)·LVAL(h)·RVAL(h)
    """,
    "boundary": """
        WORD(B-1)·WORD(B), POS(B-1)·POS(B), WORD(B-1)·POS(B), POS(B-1)·WORD(B),
        WORD(B-1)·WORD(B)·WORD(B+1), WORD(B-2)·WORD(B-1)·WORD(B),
        POS(B-1)·POS(B)·POS(B+1), POS(B-2)·POS(B-1)·POS(B),
        POS(B-1)·WORD(B)·POS(B+1), POS(B-2)·WORD(B-1)·POS(B)
    """,
    "sentence": """
        WORD(0), WORD(0)·WORD(1), WORD(size-1), WORD(size-1)·WORD(size-2),
        POS(0), POS(0)·POS(1), POS(0)·POS(1)·POS(2),
        POS(size-1), POS(size-1)·POS(size-2), POS(size-1)·POS(size-2)·POS(size-3)
    """,
}


def printed(table: str) -> list[str]:
    return [text.strip() for text in table.split(",")]


def read_factor(scope: str, factor: str) -> str:
    name, _, index = factor.rstrip(")").partition("(")
    if name in ("dir", "dist"):
        return name
    if name in ("NORM", "LVAL", "RVAL"):
        return "size" if name == "NORM" else name.lower()
    kind = {"WORD": "w", "POS": "p"}[name]
    if scope == "sentence":
        return kind + index.removeprefix("size")
    if scope == "completed":  # we call a completed word c
        index = index.replace("h", "c")
    return re.sub(r"^([hm])[+-]1$", r"\1n", index) + kind


@pytest.mark.parametrize("scope", ZC15_TABLE_2)
def test_dependency_templates_are_those_of_zc15_table_2(scope: str) -> None:
    expected = {
        frozenset(read_factor(scope, factor) for factor in text.split("·"))
        for text in printed(ZC15_TABLE_2[scope])
    }
    found = ours(dependency_templates().texts, scope)
    assert Counter(found) == Counter(expected)


def test_labelled_copies_are_all_that_is_added_to_zc15_table_2() -> None:
    """§5.7: "a duplicate of all the features from Table 2 that contain dir information"."""
    texts = dependency_templates().texts
    plain = {scope: ours(texts, scope) for scope in ZC15_TABLE_2}
    copies = {
        f"labelled {scope}": [row | {"label"} for row in rows if "dir" in row]
        for scope, rows in plain.items()
    }
    for scope, rows in copies.items():
        assert Counter(ours(texts, scope)) == Counter(rows)
    assert len(texts) == sum(len(rows) for rows in (*plain.values(), *copies.values()))
    assert len(ccg_templates().texts) == sum(
        len(ours(ccg_templates().texts, condition)) for condition in ZC15_TABLE_1
    )


# ---- the transcriptions against the papers ---------------------------------------------------


def text_of(paper: str, start: str, end: str) -> str:
    files = list(PAPERS.glob(f"{paper}*.txt"))
    if not files:
        pytest.skip("the papers are not here")
    text = files[0].read_text()
    at = text.index(start)
    return text[at : text.index(end, at)]


def templates_in(text: str) -> list[Template]:
    """Those that stand between semicolons and line ends, without TeX's mark-up and spaces."""
    text = re.sub(r"\\[a-zA-Z]+|[_{}$ ]", "", text.replace(r"\\", "\n")).replace("−", "-")  # noqa: RUF001
    parts = re.split(r"[;\n]", text)
    return read(";".join(part for part in parts if re.fullmatch(f"(?:{ATOM.pattern})+", part)))


def test_the_transcription_of_l15_table_2_is_its_text() -> None:
    text = text_of("liu-2015", "\\begin{array}{l} \\text{Unigrams}", "Table 2: Feature templates")
    assert {*templates_in(text)} == {*read(L15_TABLE_2)} - {*read(NOT_IN_OUR_COPY)}


def test_the_transcription_of_p16_table_1_is_its_text() -> None:
    text = text_of("puduppully-2016", "Unigrams\n", "Table 1: Base feature templates")
    assert Counter(templates_in(text)) == Counter(read(L15_TABLE_2))


def test_the_transcription_of_p16_table_2_is_its_text() -> None:
    text = text_of("puduppully-2016", "set of label and POS of child", "Table 2: Lookahead feature")
    assert Counter(templates_in(text)) == Counter(read(P16_TABLE_2_L) + read(P16_TABLE_2_S0))


def test_the_transcription_of_zc15_table_1_is_its_text() -> None:
    text = text_of("zhang-clark-2015", "condition\tfeature\tinstance", "root of its derivation")
    columns = [line.split("\t")[1] for line in text.splitlines()[1:] if "\t" in line]
    assert columns == [" ".join(rows) for rows in ZC15_TABLE_1.values()]


def test_the_transcription_of_zc15_table_2_is_its_text() -> None:
    text = text_of("zhang-clark-2015", "dependency syntax\n", "the allowed POS tag is assigned")
    text = text.replace(r"\cdot", "·").replace("m_1", "m_l")  # a misread subscript
    text = re.sub(r"[ _$]", "", text)
    factor = r"(?:(?:WORD|POS|LVAL|RVAL|NORM)\([^)]*\)|dir(?:\(h[<>]m\))?|dist)"
    found = re.findall(rf"(?:WORD|POS)\([^)]*\)(?:·{factor})*", text)
    assert Counter(found) == Counter(
        text for table in ZC15_TABLE_2.values() for text in printed(table)
    )
