"""The lexicon of inflection: forms and tags seen in a treebank, in memory and in a model file.

The forms of its lemmas; `EditRules`, which count how forms are made, for unseen lemmas: how likely
each edit of a lemma is, by tag, features and ending; `TagClasses`, the tags of each UPOS tag.

An edit is the changes at the beginning, in the stem and at the end of a lemma that make a form. It
is a tree (Chrupała 2008): the longest common substring of lemma and form stays, the parts before
and after it are edited recursively, and parts with nothing in common are replaced. An edit found in
one pair of lemma and form applies to other lemmas of the same pattern.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Union

import numpy.typing as npt

from syntagma.files.sections import damaged, pack_lines, read_lines, unpack_text
from syntagma.realization.letters import shared_letters

Replacement = tuple[str, str]  # old text, which must match exactly, and new text
# The number of letters edited in front and behind, and their edits; the letters between stay.
Edit = Union[Replacement, tuple[int, int, "Edit", "Edit"]]  # noqa: UP007


MAX_EDITED = 200  # letters; longer lemmas are replaced as a whole
_MAX_DEPTH = MAX_EDITED  # of an edit: each level keeps a letter


def find_edit(lemma: str, form: str) -> Edit:
    start, other, size = _shared(lemma, form) if len(lemma) <= MAX_EDITED else (0, 0, 0)
    if not size:
        return lemma, form
    end, other_end = start + size, other + size
    first = find_edit(lemma[:start], form[:other])
    last = find_edit(lemma[end:], form[other_end:])
    return start, len(lemma) - end, first, last


def apply_edit(edit: Edit, lemma: str) -> str | None:
    """The form, or None if the lemma does not fit the edit; letters that stay keep their case."""
    if len(edit) == 2:
        old, new = edit
        return new if lemma.lower() == old else None
    front, behind, first, last = edit
    end = len(lemma) - behind
    if end <= front:
        return None
    before, after = apply_edit(first, lemma[:front]), apply_edit(last, lemma[end:])
    if before is None or after is None:
        return None
    return before + lemma[front:end] + after


def format_edit(edit: Edit) -> str:
    """An edit as text without line breaks or tabs; `parse_edit` is the inverse."""
    return json.dumps(edit, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=1 << 12)
def parse_edit(text: str) -> Edit:
    return _edit(json.loads(text))


def _edit(value: object, depth: int = 0) -> Edit:
    match value:
        case [str(old), str(new)]:
            return old, new
        case [int(front), int(behind), first, last] if depth < _MAX_DEPTH:
            if front >= 0 and behind >= 0:
                return front, behind, _edit(first, depth + 1), _edit(last, depth + 1)
    raise ValueError(f"not an edit: {value!r}")


def _shared(lemma: str, form: str) -> tuple[int, int, int]:
    """Where the part that stays begins, in lemma and form, and its length: their common prefix, if
    that is at least half of the lemma, else their longest common substring."""
    prefix = shared_letters(lemma, form)
    if prefix and 2 * prefix >= len(lemma):
        return 0, 0, prefix
    match = SequenceMatcher(None, lemma, form, autojunk=False).find_longest_match()
    return match.a, match.b, match.size


SECTION = "inflection"
TAG_CLASSES = "tag_classes"

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
# For each UPOS tag the tags that words with it have; none in English, where UPOS tag and features
# determine the Penn tag.
TagClasses = Mapping[str, frozenset[str]]


def sorted_features(features: str) -> str:
    """The same features, sorted as treebanks list them."""
    return "|".join(sorted(features.split("|"), key=str.lower))


def is_typo(features: str) -> bool:
    """Whether a form is marked as a misspelling."""
    return TYPO in features.split("|")


def most_frequent(seen: Sequence[Seen], *, typos: bool = False) -> list[Seen]:
    """The most frequent form of a lemma with each tag and features, misspellings only if wanted."""
    best: dict[tuple[str, str], Seen] = {}
    for entry in seen:
        known = best.get((entry.tag, entry.features))
        if known is not None and entry.count <= known.count:
            continue
        if typos or not is_typo(entry.features):
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
            # A form as an edit of its lemma, if that restores it: many forms share most edits.
            restored = apply_edit(entry.edit, lemma) == entry.form
            form = format_edit(entry.edit) if restored else "=" + entry.form
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

    def __init__(self, lexicon: SeenForms, tag: str) -> None:
        counts: defaultdict[tuple[str | None, str], Counter[Edit]] = defaultdict(Counter)
        for lemma, entries in lexicon.items():
            for entry in most_frequent([entry for entry in entries if entry.tag == tag]):
                for ending in _endings(lemma.lower()):
                    counts[entry.features, ending][entry.edit] += 1
                    counts[None, ending][entry.edit] += 1
        self._counts = dict(counts)

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


def pack_tag_classes(classes: TagClasses) -> dict[str, npt.NDArray[Any]]:
    """A section of a model file, if there are classes; `unpack_tag_classes` is the inverse."""
    lines = [" ".join((upos, *sorted(tags))) for upos, tags in sorted(classes.items())]
    return {TAG_CLASSES: pack_lines(lines)} if lines else {}


def unpack_tag_classes(arrays: Mapping[str, npt.NDArray[Any]]) -> TagClasses:
    lines = read_lines(arrays, TAG_CLASSES) if TAG_CLASSES in arrays else []
    rows = [line.split(" ") for line in lines]
    classes = {upos: frozenset(tags) for upos, *tags in rows}
    if len(classes) < len(rows) or not all(map(all, rows)):
        raise damaged(TAG_CLASSES, "an entry is empty or occurs twice")
    return classes
