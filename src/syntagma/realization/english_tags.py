"""From UPOS tags and features to Penn tags: those whose forms fit, and what has no form in English.

A feature that is not given is open: a noun without `Number` may be singular or plural. How forms
are made: `english`.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cache

from syntagma.realization.english import BASIC, RULES

# The Penn tags of each UPOS tag in English treebanks.
PENN: Mapping[str, frozenset[str]] = {
    upos: frozenset(tags.split())
    for upos, tags in {
        "ADJ": "JJ JJR JJS AFX",
        "ADP": "IN RP TO",
        "ADV": "RB RBR RBS WRB",
        "AUX": "VB VBD VBG VBN VBP VBZ MD",
        "CCONJ": "CC",
        "DET": "DT PDT WDT WP$ PRP$",
        "INTJ": "UH",
        "NOUN": "NN NNS",
        "NUM": "CD",
        "PART": "TO POS RB",
        "PRON": "PRP PRP$ WP WP$ WDT DT EX NN",
        "PROPN": "NNP NNPS",
        "PUNCT": ". , : -LRB- -RRB- `` '' HYPH NFP",
        "SCONJ": "IN WRB",
        "SYM": "SYM $ NFP",
        "VERB": "VB VBD VBG VBN VBP VBZ",
        "X": "FW LS ADD GW XX",
    }.items()
}
_RARE = ("NN", "PRON")  # *everyone*
_USUAL = {
    **{"ADP": "IN", "CCONJ": "CC", "DET": "DT", "INTJ": "UH", "NUM": "CD", "PRON": "PRP"},
    **{"SCONJ": "IN", "SYM": "SYM", "X": "FW"},
}

_Given = Mapping[str, Set[str]]  # the values of each feature


def _values(features: str | None) -> dict[str, frozenset[str]]:
    parts = (part.partition("=") for part in (features or "").split("|"))
    return {name: frozenset(values.split(",")) for name, _, values in parts if values}


_NONE: frozenset[str] = frozenset()
_ACTIVE, _FINITE_FORM = frozenset({"Act"}), frozenset({"Fin"})
_FINITE = "VerbForm=Fin|Mood=Ind|"
_CASE = "Case=Nom,Acc,Voc"
# The features of the forms of inflected words, in one row or more for each tag. What a row does not
# name is `_EXCLUDED` if it is of the same kind, and else of no importance.
_FORMS: Mapping[str, tuple[tuple[str, _Given], ...]] = {
    kind: tuple((tag, _values(features)) for tag, features in rows)
    for kind, rows in {
        "VERB": (
            ("VB", "VerbForm=Inf|Tense=Pres"),
            ("VB", "VerbForm=Fin|Mood=Imp,Sub|Tense=Pres"),
            ("VBD", "VerbForm=Fin|Mood=Ind,Sub|Tense=Past|Person=1,2,3|Number=Sing,Plur"),
            ("VBZ", _FINITE + "Tense=Pres|Person=3|Number=Sing"),
            ("VBP", _FINITE + "Tense=Pres|Person=1,2|Number=Sing,Plur"),
            ("VBP", _FINITE + "Tense=Pres|Person=3|Number=Plur"),
            ("VBG", "VerbForm=Ger|Tense=Pres"),
            ("VBG", "VerbForm=Part|Tense=Pres|Aspect=Prog"),
            ("VBN", "VerbForm=Part|Tense=Past|Aspect=Perf|Voice=Pass"),
        ),
        "NOUN": (("NN", f"Number=Sing,Coll|{_CASE}"), ("NNS", f"Number=Plur,Ptan|{_CASE}")),
        "PROPN": (("NNP", f"Number=Sing,Coll|{_CASE}"), ("NNPS", f"Number=Plur,Ptan|{_CASE}")),
        "ADJ": (("JJ", "Degree=Pos"), ("JJR", "Degree=Cmp"), ("JJS", "Degree=Sup")),
        "ADV": (("RB", "Degree=Pos"), ("RBR", "Degree=Cmp"), ("RBS", "Degree=Sup")),
    }.items()
}
_EXCLUDED: Mapping[str, frozenset[str]] = {
    "VERB": frozenset({"VerbForm", "Mood", "Tense", "Aspect", "Voice"})
}
OPEN = frozenset({*_FORMS, "AUX"})  # UPOS tags of inflected words
CLOSED = (frozenset(PENN) - OPEN) | {"AUX"}


def inflected_tags(upos: str) -> frozenset[str]:
    """The Penn tags of the forms of words with this UPOS tag."""
    return PENN[upos] & (BASIC | RULES.keys())


@cache
def upos_tags(tag: str) -> tuple[str, ...]:
    """The UPOS tags of words with this Penn tag."""
    return tuple(upos for upos, tags in PENN.items() if tag in tags and (tag, upos) != _RARE)


def fitting_tags(upos: str, features: str | None) -> frozenset[str]:
    """The Penn tags of the forms with these features, of words with a UPOS tag of `OPEN`; none if
    there is no such form. Features of None are not given.

    Without `VerbForm`, features of a verb are those of a finite one.
    """
    given = _values(features)
    if upos in ("VERB", "AUX"):
        return _fitting("VERB", _as_verb(given))
    if (upos == "ADV" and features is not None) or (upos in ("ADJ", "PROPN") and given):
        # Few have other forms; treebanks leave out the degree, or the number, of all others.
        name, usual = ("Number", "Sing") if upos == "PROPN" else ("Degree", "Pos")
        given.setdefault(name, frozenset({usual}))
    return _fitting(upos, given)


def _fitting(kind: str, given: _Given) -> frozenset[str]:
    excluded = _EXCLUDED.get(kind, frozenset())
    return frozenset(
        tag
        for tag, row in _FORMS[kind]
        if all(
            values & row[name] if name in row else name not in excluded
            for name, values in given.items()
        )
    )


def _as_verb(given: dict[str, frozenset[str]]) -> _Given:
    if given.get("Voice", _NONE) == _ACTIVE:
        del given["Voice"]
    finite = given.keys() & {"Mood", "Person", "Number"}
    if "VerbForm" not in given and (finite or given.keys() & {"Tense", "Aspect", "Voice"}):
        participle = "Voice" in given and not finite
        given["VerbForm"] = frozenset({"Part" if participle else "Fin"})
    if given.get("VerbForm", _NONE) == _FINITE_FORM:
        given.setdefault("Mood", frozenset({"Ind"}))
    return given


def penn_tag(tag: str | None, features: str | None) -> str | None:
    """The Penn tag that a UPOS tag and features determine, if they do; a Penn tag is one already.

    Without a tag, features may tell the word class.
    """
    known = tag or upos_of_features(features)
    if known in OPEN:
        fitting = fitting_tags(known, features)
        return next(iter(fitting)) if len(fitting) == 1 else None
    return known if known not in PENN else _USUAL.get(known or "")


def upos_of_features(features: str | None) -> str | None:
    """The UPOS tag that features tell, if they do."""
    given = _values(features)
    if given.keys() & {"VerbForm", "Tense", "Mood", "Aspect", "Voice"}:
        return "VERB"
    if given.keys() == {"Number"}:
        return "NOUN"
    return "ADJ" if given.keys() == {"Degree"} else None


def is_present(features: str | None) -> bool:
    """Whether a verb with these features is finite and in the present tense."""
    return bool(features) and frozenset() < fitting_tags("VERB", features) <= {"VBZ", "VBP"}
