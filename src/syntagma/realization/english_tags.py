"""From UPOS tags and features to Penn tags: those whose forms fit, and what has no form in English.

A feature that is not given is open: a noun without `Number` may be singular or plural. How forms
are made: `english`.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from syntagma.caches import cached_texts
from syntagma.realization.english import BASIC, RULES, has_no_degrees

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


_INDICATIVE = "VerbForm=Fin|Mood=Ind|"
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
            ("VBZ", _INDICATIVE + "Tense=Pres|Person=3|Number=Sing"),
            ("VBP", _INDICATIVE + "Tense=Pres|Person=1,2|Number=Sing,Plur"),
            ("VBP", _INDICATIVE + "Tense=Pres|Person=3|Number=Plur"),
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
_ACTIVE, _FINITE, _PARTICIPLE = map(frozenset, (["Act"], ["Fin"], ["Part"]))
_NO_PARTICIPLE = frozenset({"VB", "VBD", "VBP", "VBZ"})
# The features that rows name, those that are most often to blame first.
_TOLD = ("Voice", "Aspect", "Tense", "Mood", "VerbForm", "Degree", "Case", "Number", "Person")
_PERIPHRASIS = "give {} as a word of its own, and {} instead"
_ADVICE = {
    "Tense=Fut": _PERIPHRASIS.format("an auxiliary such as will", "VerbForm=Inf"),
    "Mood=Cnd": _PERIPHRASIS.format("an auxiliary such as would", "VerbForm=Inf"),
    "Aspect=Perf": _PERIPHRASIS.format("the auxiliary have", "Tense=Past|VerbForm=Part"),
    "Aspect=Prog": _PERIPHRASIS.format("the auxiliary be", "Tense=Pres|VerbForm=Part"),
    "Voice=Pass": _PERIPHRASIS.format("the auxiliary be", "Tense=Past|VerbForm=Part"),
    "Case=Gen": "give 's as a word of its own, and leave Case out",
}
_DEGREES = {
    **dict.fromkeys(("JJR", "RBR"), ("comparative", "more")),
    **dict.fromkeys(("JJS", "RBS"), ("superlative", "most")),
}
OPEN = frozenset({*_FORMS, "AUX"})  # UPOS tags of inflected words
CLOSED = (frozenset(PENN) - OPEN) | {"AUX"}


def inflected_tags(upos: str) -> frozenset[str]:
    """The Penn tags of the forms of words with this UPOS tag."""
    return PENN[upos] & (BASIC | RULES.keys())


@cached_texts(1 << 10)
def upos_tags(tag: str) -> tuple[str, ...]:
    """The UPOS tags of words with this Penn tag."""
    return tuple(upos for upos, tags in PENN.items() if tag in tags and (tag, upos) != _RARE)


def fitting_tags(upos: str, features: str | None) -> frozenset[str]:
    """The Penn tags of the forms with these features, of words with a UPOS tag of `OPEN`; none if
    there is no such form. Features of None are not given.

    Without `VerbForm`, features of a verb are those of a finite one.
    """
    given = _values(features)
    if (upos == "ADV" and features is not None) or (upos in ("ADJ", "PROPN") and given):
        # Few have other forms; treebanks leave out the degree, or the number, of all others.
        name, usual = ("Number", "Sing") if upos == "PROPN" else ("Degree", "Pos")
        given.setdefault(name, frozenset({usual}))
    return _fitting(upos, given)


def _fitting(upos: str, given: _Given, *, of_penn_tag: bool = False) -> frozenset[str]:
    """The Penn tags of forms with these features. Beside a Penn tag, which tells whether a verb is
    finite, `VerbForm` is open."""
    kind = "VERB" if upos == "AUX" else upos
    excluded = _EXCLUDED.get(kind, frozenset())
    if kind == "VERB":
        given = {name: values for name, values in given.items() if values != _ACTIVE}
        if not of_penn_tag:
            given = _with_verb_form(given)
    return frozenset(
        tag
        for tag, row in _FORMS[kind]
        if all(
            values & row[name] if name in row else name not in excluded
            for name, values in given.items()
        )
    )


def _with_verb_form(given: _Given) -> _Given:
    finite = given.keys() & {"Mood", "Person", "Number"}
    defaults: dict[str, frozenset[str]] = {}
    if finite or given.keys() & {"Tense", "Aspect", "Voice"}:
        defaults["VerbForm"] = _FINITE if finite or "Voice" not in given else _PARTICIPLE
    if given.get("VerbForm", defaults.get("VerbForm")) == _FINITE:
        defaults["Mood"] = frozenset({"Ind"})
    return {**defaults, **given}


@cached_texts(1 << 14)
def missing_form(tag: str | None, lemma: str, features: str) -> str | None:
    """What there is no form for in English, and what to give instead; None if there is a form. A
    tag is a Penn tag or a UPOS tag."""
    degree = _DEGREES.get(penn_tag(tag, features) or "")
    if degree is not None and has_no_degrees(lemma):
        name, adverb = degree
        return f"no {name} in English: give {adverb} as a word of its own, and Degree=Pos instead"
    feature = _missing(tag, features)
    if feature is None:
        return None
    beside = "" if _missing(tag, feature) else " beside its other features"
    advice = _ADVICE.get(feature, f"leave {feature} out")
    return f"{feature}, for which there is no form in English{beside}: {advice}"


def _missing(tag: str | None, features: str) -> str | None:
    """The feature without which there were a form with a tag; None if there is one."""
    of_penn_tag = tag is not None and tag not in PENN
    upos = next((each for each in upos_tags(tag or "") if each in OPEN), None)
    if not of_penn_tag:
        upos = tag or upos_of_features(features)
    if upos is None or upos not in OPEN or tag == "MD":
        return None
    given = _values(features)
    if tag in _NO_PARTICIPLE:
        given.setdefault("VerbForm", _FINITE | {"Inf"})
    if _fitting(upos, given, of_penn_tag=of_penn_tag):
        return None
    told = [name for name in _TOLD if name in given]
    fault = told[0]
    for name in told:
        rest = {each: values for each, values in given.items() if each != name}
        if _fitting(upos, rest, of_penn_tag=of_penn_tag):
            fault = name
            break
    return next(part for part in features.split("|") if part.startswith(fault + "="))


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
