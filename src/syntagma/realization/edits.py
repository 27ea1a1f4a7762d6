"""Edits: the changes at the beginning, in the stem and at the end of a lemma that make a form.

An edit is a tree (Chrupała 2008): the longest common substring of lemma and form stays, the parts
before and after it are edited recursively, and parts with nothing in common are replaced. An edit
found in one pair of lemma and form applies to other lemmas of the same pattern.
"""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Union

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
    prefix = next(
        (i for i, (a, b) in enumerate(zip(lemma, form, strict=False)) if a != b),
        min(len(lemma), len(form)),
    )
    if prefix and 2 * prefix >= len(lemma):
        return 0, 0, prefix
    match = SequenceMatcher(None, lemma, form, autojunk=False).find_longest_match()
    return match.a, match.b, match.size
