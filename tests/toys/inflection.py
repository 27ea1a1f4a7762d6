"""Treebanks of made-up words to learn inflection from, and strategies for questions."""

# ruff: noqa: RUF001, the characters that look alike are meant

from __future__ import annotations

import math
from collections.abc import Sequence

from hypothesis import strategies as st

from syntagma.realization.inflection import MAX_FORMS, Form, Inflector
from syntagma.realization.training import learn_inflector
from syntagma.treebanks.treebank import Sentence

Row = tuple[str, str, str, str]  # form, lemma, tag, features
Asked = tuple[str, str | None, str | None]  # lemma, tag, features


def of_rows(rows: Sequence[Row]) -> Sentence:
    forms, lemmas, tags, features = zip(*rows, strict=True) if rows else ((), (), (), ())
    nothing = ("x",) * len(rows)
    return Sentence(forms, tags, (0,) * len(rows), nothing, lemmas=lemmas, features=features)


def sentence(words: str) -> Sentence:
    """Words as `wugs/wug/NNS/Number=Plur`, after a dummy word, so that none is the first."""
    rows = [tuple((word + "///").split("/")[:4]) for word in words.split()]
    return of_rows([("x", "", "x", ""), *((a, b, c, d) for a, b, c, d in rows)])


def learned(*sentences: str, english: bool = False) -> Inflector:
    return learn_inflector(map(sentence, sentences), english=english)


def texts(forms: Sequence[Form]) -> list[str]:
    return [form.text for form in forms]


def shares(forms: Sequence[Form]) -> list[float]:
    return [math.exp(form.log_share) for form in forms]


def check(forms: Sequence[Form]) -> None:
    """Assert what holds for the forms of any lemma."""
    assert 1 <= len(forms) <= MAX_FORMS
    assert all(texts(forms))
    assert len({form.lower() for form in texts(forms)}) == len(forms)
    assert shares(forms) == sorted(shares(forms), reverse=True)
    assert sum(shares(forms)) <= 1 + 1e-9


VERBS = [
    f"{verb}/{verb}/VB/VerbForm=Inf {verb}ed/{verb}/VBD/Tense=Past"
    f" {verb}ing/{verb}/VBG/VerbForm=Ger"
    for verb in ("walk", "plog", "dax", "blick")
]
NOUNS = [
    *(f"{noun}s/{noun}/NNS/Number=Plur {noun}/{noun}/NN/Number=Sing" for noun in ("wug", "tove")),
    "spies/spy/NNS/Number=Plur flies/fly/NNS/Number=Plur days/day/NNS/Number=Plur",
]
IRREGULAR = "went/go/VBD/Tense=Past go/go/VB/VerbForm=Inf mice/mouse/NNS/Number=Plur"
TOY = learned(*VERBS, *NOUNS, IRREGULAR)

ODD = [
    "😀",
    "👩‍👩‍👧",
    "שלום",
    "مرحبا",
    "e\u0301te",
    "\u0301",
    "\u200b",
    "1984",
    "3.14",
    "x" * 5000,
    "новый",
    "字",
    "გამარჯობა",
    "İstanbul",
    "ıssız",
    "ß",
    "ẞ",
    "ǆem",
    "ŉ",
    "ΟΔΟΣ",
    "in spite of",
    "_",
    "^",
    "=",
    "[",
    '["wug","plog"]',
    "@card@",
    "\\n",
    "\ud800",
]

# Small sets, so that lemmas, tags and features meet often; and anything that a file can hold.
symbol = st.sampled_from(["NN", "VB", "X"])
features = st.sampled_from(["", "A=1", "A=2", "A=1|B=1", "B=1", "B=2|C=1"])
lemma = st.one_of(
    st.text("abB", min_size=1, max_size=3),
    st.sampled_from([odd for odd in ODD if len(odd) < 100]),
    st.text(st.characters(exclude_characters="\t\n\r"), min_size=1, max_size=4),
)
form = st.one_of(st.text("abBc", min_size=1, max_size=4), lemma)
row = st.tuples(form, st.one_of(st.just(""), lemma), symbol, features)
few = st.tuples(st.sampled_from(["a", "ab", "B"]), st.sampled_from(["a", "ab"]), symbol, features)
treebank = st.one_of(
    st.lists(st.lists(row, max_size=4).map(of_rows), max_size=5),
    st.lists(st.lists(few, max_size=4).map(of_rows), max_size=5),
)
asked = st.tuples(
    lemma,
    st.one_of(st.none(), symbol, st.just("UNSEEN"), st.just("")),
    st.one_of(st.none(), features, st.sampled_from(["B=1|A=1", "D=1", "A=1|D=1"])),
)
