"""From UPOS tags to the tags of a treebank: for words without a tag, or with one of another set.

In English, UPOS tag and features determine the Penn tag, which the rules of `english` need; words
of closed classes have the tag that is most frequent in the training treebank (`inflection`). Other
languages have the `TagClasses` that `inflection_training` learns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from syntagma.files.sections import damaged, pack_lines, read_lines

SECTION = "tag_classes"
MIN_SHARE = 0.05  # of the words with a tag: a class with fewer of them does not have the tag

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


class TagClasses:
    """For each UPOS tag the tags that words with it have."""

    def __init__(self, tags: Mapping[str, Sequence[str]] | None = None) -> None:
        self._tags = {upos: frozenset(several) for upos, several in (tags or {}).items()}

    @classmethod
    def of_words(cls, tagged: Iterable[tuple[str, str]]) -> TagClasses:
        """The classes of words, each given by its UPOS tag and its tag; empty tags do not count."""
        counts = Counter(pair for pair in tagged if all(pair))
        totals: Counter[str] = Counter()
        for (_, tag), count in counts.items():
            totals[tag] += count
        classes: defaultdict[str, list[str]] = defaultdict(list)
        for (upos, tag), count in sorted(counts.items()):
            if count >= MIN_SHARE * totals[tag]:
                classes[upos].append(tag)
        return cls(classes)

    def __contains__(self, upos: object) -> bool:
        return upos in self._tags

    def tags(self, upos: str) -> frozenset[str]:
        return self._tags[upos]

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """A section of a model file, if there are classes; `from_arrays` is the inverse."""
        lines = [" ".join((upos, *sorted(tags))) for upos, tags in sorted(self._tags.items())]
        return {SECTION: pack_lines(lines)} if lines else {}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> TagClasses:
        if SECTION not in arrays:
            return cls()
        rows = [line.split(" ") for line in read_lines(arrays, SECTION)]
        classes = {upos: tags for upos, *tags in rows}
        if len(classes) < len(rows) or not all(all((upos, *tags)) for upos, *tags in rows):
            raise damaged(SECTION, "an entry is empty or occurs twice")
        return cls(classes)
