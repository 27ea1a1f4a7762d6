"""Detokenises words: decides where to put spaces and which words to contract.

Where no learned rule applies, the default of `spacing` does. `detokenization_training` learns the
rules. The other direction, for English, is `language_model.tokenization`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from syntagma.files.sections import damaged, pack_lines, read_lines
from syntagma.realization.spacing import (
    CONTEXTS,
    FIELDS,
    Key,
    Neighbour,
    default_spaces,
    follows_spaced_hyphen,
    neighbours,
    spacing_key,
)
from syntagma.results.spelling import Contraction, Spelling

# The keys of contractions: any word with a tag before a given word; forms; forms and tags.
LEVELS = ("any", "forms", "tagged")
MAX_LENGTH = 16  # words of a contraction in a model file


def contraction_keys(forms: Sequence[str], tags: Sequence[str]) -> Iterator[Key]:
    """The keys from general to specific: the last one with an entry decides."""
    lower = [form.lower() for form in forms]
    if any(tags) and len(forms) == 2:
        yield "any", tags[0], lower[1], tags[1]
    yield "forms", *lower
    if any(tags):
        yield "tagged", *lower, *tags


def contraction_length(key: Key) -> int:
    """The number of words of a contraction."""
    return {"any": 2, "forms": len(key) - 1, "tagged": len(key) // 2}[key[0]]


def is_concatenation(forms: Sequence[str], contraction: Contraction) -> bool:
    """Whether a contraction is just its words without spaces: *do n't*."""
    words = forms[contraction.first - 1 : contraction.last]
    return "".join(words).lower() == contraction.text.lower()


def written(key: Key, forms: Sequence[str], known: str | None, default: str) -> str:
    """The contraction that an entry gives; that of an `any` key is what follows the first word."""
    if known is None:
        return default
    return forms[0].lower() + known if known and key[0] == "any" else known


def in_case_of(forms: Sequence[str], text: str) -> str:
    """A contraction in the letter case of its words: *Du* for *De le*."""
    first = forms[0]
    if "".join(forms).isupper() or (len(first) > 1 and first.isupper()):
        return text.upper()
    if text.startswith(first.lower()):
        return first + text[len(first.lower()) :]
    return text[:1].upper() + text[1:] if first[:1].isupper() else text


SECTIONS = _RULES, _CONTRACTIONS = "spacing.rules", "spacing.contractions"


class Detokenizer:
    """Spacing rules and contractions; without any, what holds in most languages.

    >>> words = ["Well", ",", "it", "'s", "(", "sadly", ")", "over", "!"]
    >>> Detokenizer().spell(words).text(words)
    "Well, it's (sadly) over!"
    """

    def __init__(
        self,
        rules: Mapping[Key, bool] | None = None,
        contractions: Mapping[Key, str] | None = None,
    ) -> None:
        self._rules = dict(rules or {})
        self._contractions = dict(contractions or {})
        self._longest = max(map(contraction_length, self._contractions), default=0)

    def spell(self, forms: Sequence[str], tags: Sequence[str] | None = None) -> Spelling:
        """The spelling of these words, in this order."""
        tags = tags or [""] * len(forms)
        contractions = tuple(self._contract(forms, tags))
        inside = {i for each in contractions for i in range(each.first, each.last)}
        words = neighbours(forms, tags)
        spaces: list[bool] = []
        for place, default in enumerate(default_spaces(forms, words), start=1):
            if place in inside:
                spaces.append(False)
            else:
                left, right = words[place - 1 : place + 1]
                spaces.append(
                    self._decide(left, right, default or follows_spaced_hyphen(left, spaces))
                )
        return Spelling((*spaces, False)[: len(forms)], contractions)

    def _decide(self, left: Neighbour, right: Neighbour, default: bool) -> bool:
        space = default
        for level in CONTEXTS:
            space = self._rules.get(spacing_key(level, left, right), space)
        return space

    def _contract(self, forms: Sequence[str], tags: Sequence[str]) -> Iterator[Contraction]:
        """From left to right, the longest contraction at each position."""
        start = 0
        while start < len(forms):
            for end in range(min(start + self._longest, len(forms)), start + 1, -1):
                words = forms[start:end]
                found = ""
                for key in contraction_keys(words, tags[start:end]):
                    found = written(key, words, self._contractions.get(key), found)
                if found:
                    yield Contraction(start + 1, end, in_case_of(words, found))
                    start = end - 1
                    break
            start += 1

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The rules as arrays of a model file; `from_arrays` is the inverse."""
        rules = sorted("\t".join((*key, "-+"[space])) for key, space in self._rules.items())
        contractions = sorted("\t".join((*key, text)) for key, text in self._contractions.items())
        return {_RULES: pack_lines(rules), _CONTRACTIONS: pack_lines(contractions)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Detokenizer:
        rules = {}
        for level, *key, sign in _read_lines(arrays, _RULES):
            if len(key) != FIELDS.get(level) or sign not in ("-", "+"):
                raise damaged(_RULES, "a line is not a spacing rule")
            rules[level, *key] = sign == "+"
        contractions = {}
        for level, *key, text in _read_lines(arrays, _CONTRACTIONS):
            if (
                level not in LEVELS
                or len(key) < (2 if level == "forms" else 3)
                or (level == "any" and len(key) != 3)
                or (level == "tagged" and len(key) % 2)
                or contraction_length((level, *key)) > MAX_LENGTH
            ):
                raise damaged(_CONTRACTIONS, "a line is not a contraction")
            contractions[level, *key] = text
        return cls(rules, contractions)


def _read_lines(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Iterator[list[str]]:
    """The fields of each line of a section, at least two."""
    lines = read_lines(arrays, name)
    return (line.split("\t") if "\t" in line else [line, ""] for line in lines)
