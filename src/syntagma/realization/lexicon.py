"""The lexicon of inflection: forms of lemmas seen in training, in memory and in a model file.

`EditRules` count how its forms are made, for unseen lemmas: how likely each edit of a lemma is, by
tag, features and ending.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from syntagma.files.sections import damaged, unpack_text
from syntagma.realization.edits import Edit, apply_edit, find_edit, format_edit, parse_edit

SECTION = "inflection"

# What a file may ask for. Sums over the lexicon; treebanks of a million words stay far below.
_MAX_COUNT = 10**12
_MAX_COMPARED = 10**8  # pairs of letters of lemmas and forms that are listed without an edit
_MAX_PAIRS = 10**8  # pairs of entries of the same lemma
TYPO = "Typo=Yes"
COMMON_TYPO = 2  # a misspelling seen less often is a slip, not a spelling


@dataclass(frozen=True, slots=True)
class Seen:
    """A form of a lemma seen in training, in neutral case; `edit` makes it from the lemma."""

    tag: str
    features: str
    form: str
    count: int
    edit: Edit


SeenForms = Mapping[str, Sequence[Seen]]


def sorted_features(features: str) -> str:
    """The same features, sorted as treebanks list them."""
    return "|".join(sorted(features.split("|"), key=str.lower))


def is_typo(features: str) -> bool:
    """Whether a form is marked as a misspelling."""
    return TYPO in features.split("|")


def most_frequent(seen: Sequence[Seen]) -> list[Seen]:
    """The most frequent form of a lemma with each tag and features, without misspellings."""
    best: dict[tuple[str, str], Seen] = {}
    for entry in seen:
        known = best.get((entry.tag, entry.features))
        if not is_typo(entry.features) and (known is None or entry.count > known.count):
            best[entry.tag, entry.features] = entry
    return list(best.values())


def pack_lexicon(lexicon: SeenForms) -> bytes:
    """The lexicon as a section of a model file; `unpack_lexicon` is the inverse."""
    lines = []
    kinds: dict[tuple[str, str], int] = {}
    last = ""
    for lemma, entries in sorted(lexicon.items()):
        for entry in entries:
            kind = kinds.setdefault((entry.tag, entry.features), len(kinds))
            form = _shorter(lemma, entry)
            lines.append(f"{'' if lemma == last else lemma}\t{form}\t{kind}\t{entry.count}")
            last = lemma
    head = [str(len(kinds)), *(f"{tag}\t{features}" for tag, features in kinds)]
    return zlib.compress("\n".join([*head, *lines]).encode("utf-8", "surrogatepass"), 9)


def unpack_lexicon(packed: bytes) -> SeenForms:
    lexicon: defaultdict[str, list[Seen]] = defaultdict(list)
    try:
        lines = unpack_text(packed, SECTION).split("\n")
        n_kinds = int(lines[0])
        kinds = {str(i): line.split("\t") for i, line in enumerate(lines[1 : n_kinds + 1])}
        if n_kinds != len(kinds):
            raise ValueError(n_kinds)
        lemma, compared = "", 0
        for line in lines[n_kinds + 1 :]:
            new_lemma, form, kind, count = line.split("\t")
            lemma = new_lemma or lemma
            tag, features = kinds[kind]
            if form.startswith("="):
                compared += len(lemma) * len(form)
            if compared > _MAX_COMPARED:
                raise ValueError(compared)
            form, edit = _longer(lemma, form)
            if not (lemma and form and 0 < int(count) <= _MAX_COUNT):
                raise ValueError(line)
            lexicon[lemma].append(Seen(tag, features, form, int(count), edit))
    except (KeyError, ValueError, IndexError, RecursionError) as error:
        raise damaged(SECTION, "a line of the lexicon of inflection is malformed") from error
    if sum(len(entries) ** 2 for entries in lexicon.values()) > _MAX_PAIRS:
        raise damaged(SECTION, "a lemma has too many entries")
    return dict(lexicon)


def _shorter(lemma: str, entry: Seen) -> str:
    """A form as an edit of its lemma, if that restores it: most edits are shared by many forms."""
    if apply_edit(entry.edit, lemma) == entry.form:
        return format_edit(entry.edit)
    return "=" + entry.form


def _longer(lemma: str, text: str) -> tuple[str, Edit]:
    if text.startswith("="):
        return text[1:], find_edit(lemma.lower(), text[1:].lower())
    edit = parse_edit(text)
    form = apply_edit(edit, lemma)
    if form is None:
        raise ValueError(text)
    return form, edit


_SUFFIXES = 6  # the longest ending, in letters, that a rule looks at
_BACKOFF = 2.0  # back-off pseudo-count: all lemmas with a shorter ending count as this many


class EditRules:
    """Edits from the lemmas of one tag to their forms, counted by features and ending of the lemma.

    Every lemma counts once, however frequent, because rules are for unseen lemmas.
    """

    def __init__(self, counts: Mapping[tuple[str | None, str], Mapping[Edit, int]]) -> None:
        self._counts = counts

    @classmethod
    def of_lexicon(cls, lexicon: Mapping[str, Sequence[Seen]], tag: str) -> EditRules:
        counts: defaultdict[tuple[str | None, str], Counter[Edit]] = defaultdict(Counter)
        for lemma, entries in lexicon.items():
            for entry in most_frequent([entry for entry in entries if entry.tag == tag]):
                for ending in _endings(lemma.lower()):
                    counts[entry.features, ending][entry.edit] += 1
                    counts[None, ending][entry.edit] += 1
        return cls(counts)

    def chances(self, lemma: str, features: str | None) -> dict[Edit, float]:
        """The probability of each edit: relative frequency by ending, backed off to shorter ones.

        Unseen features are ignored. A lemma with an unseen last letter, such as one in another
        script, is not edited at all.
        """
        if (features, "") not in self._counts:
            features = None
        chances: dict[Edit, float] = {}
        endings = _endings(lemma.lower())
        if (None, endings[1]) not in self._counts:
            return {}
        for ending in endings:
            seen = self._counts.get((features, ending))
            if seen is None:
                break
            total = sum(seen.values()) + (_BACKOFF if chances else 0.0)
            chances = {
                edit: (seen.get(edit, 0) + _BACKOFF * chances.get(edit, 0.0)) / total
                for edit in {**chances, **seen}
            }
        return chances


def _endings(lemma: str) -> list[str]:
    """The endings of a lemma, shortest first."""
    marked = "^" + lemma
    return ["", *(marked[-size:] for size in range(1, min(_SUFFIXES, len(marked)) + 1))]
