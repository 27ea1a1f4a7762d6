"""Penn Treebank tags from the tags and features of Universal Dependencies, for English.

They serve where a word has a UPOS tag, or none, but the model and the rules of `english` know Penn
tags. Words of closed classes have the tag that the training treebank has seen most: `inflection`.
"""

from __future__ import annotations

from collections.abc import Mapping

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
CLOSED = frozenset(PENN) - {"ADJ", "ADV", "NOUN", "PROPN", "VERB"}
_USUAL = {
    **{"ADP": "IN", "CCONJ": "CC", "DET": "DT", "INTJ": "UH", "NUM": "CD", "PRON": "PRP"},
    **{"SCONJ": "IN", "SYM": "SYM", "X": "FW"},
}
_DEGREES = {"Cmp": "R", "Sup": "S"}


def penn_tag(tag: str | None, features: str | None) -> str | None:
    """The Penn tag that a UPOS tag and features determine, if they do; a Penn tag is one already.

    Without a tag, features may tell the word class.
    """
    given = dict(part.split("=", 1) for part in (features or "").split("|") if "=" in part)
    match tag or _word_class(given):
        case "NOUN" | "PROPN" as upos:
            return ("NN" if upos == "NOUN" else "NNP") + "S" * (given.get("Number") == "Plur")
        case "ADJ" | "ADV" as upos:
            return ("JJ" if upos == "ADJ" else "RB") + _DEGREES.get(given.get("Degree", ""), "")
        case "VERB" | "AUX":
            return _verb(given)
        case known:
            return known if known not in PENN else _USUAL.get(known or "")


def _word_class(given: Mapping[str, str]) -> str | None:
    if given.keys() & {"VerbForm", "Tense", "Mood", "Voice"}:
        return "VERB"
    if given.keys() == {"Number"}:
        return "NOUN"
    return "ADJ" if given.keys() == {"Degree"} else None


def _verb(given: Mapping[str, str]) -> str | None:
    tense, form = given.get("Tense"), given.get("VerbForm")
    if form == "Inf" or given.get("Mood") in ("Imp", "Sub"):
        return "VBD" if tense == "Past" else "VB"
    if form == "Ger" or (form == "Part" and tense == "Pres"):
        return "VBG"
    if form == "Part" or given.get("Voice") == "Pass":
        return "VBN"
    if tense == "Past":
        return "VBD"
    if "Number" in given or "Person" in given:
        third = given.get("Person", "3") == "3" and given.get("Number", "Sing") == "Sing"
        return "VBZ" if third else "VBP"
    return None


def is_present(features: str | None) -> bool:
    """Whether a verb with these features is finite and in the present tense."""
    parts = (features or "").split("|")
    return "Tense=Pres" in parts and not any(
        part.startswith("VerbForm=") and part != "VerbForm=Fin" for part in parts
    )
