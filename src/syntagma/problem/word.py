"""A word of a problem, with whatever is known of it; the forms it may take; the shape of a form."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Literal

from syntagma.arguments import as_integer
from syntagma.caches import cached_texts
from syntagma.errors import shown

ROOT_LABEL = "root"
TagColumn = Literal["xpos", "upos"]  # the column of CoNLL-U that serves as the tag
UPOS_TAGS = frozenset(
    (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART"),
        *("PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
    )
)

_TEXTS = ("form", "tag", "deprel", "lemma", "features", "upos")
_PLAIN = frozenset((str, type(None)))


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a phrase to be kept together (its words separated by single spaces).

    `head` is the 1-based index of another word of the problem, 0 for the root. `None` means not
    given.

    `tag` is of the tag set of the model (most often XPOS), `upos` the universal part of speech.
    Morphological features are given as a mapping (`{"Number": "Plur", "Person": "3"}`) or as in
    CoNLL-U (`Number=Plur|Person=3`), which they are kept as; empty features are those of a word
    that has none. A model uses the ones that it was trained on.

    A word to be realized has a lemma instead of a form:
    `Word(lemma="dog", tag="NNS", features="Number=Plur")`.
    """

    form: str = ""
    tag: str | None = None
    head: int | None = None
    deprel: str | None = None
    lemma: str | None = None
    features: str | None = None
    upos: str | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            form: str = "",
            tag: str | None = None,
            head: int | None = None,
            deprel: str | None = None,
            lemma: str | None = None,
            features: str | Mapping[str, str] | None = None,
            upos: str | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Integers and strings of other types, such as NumPy's, become Python's own, and a mapping
        of features a string. Everything else is left to the checks of `Problem`, which know the
        place of the word."""
        if self.head is not None and type(self.head) is not int:
            head = as_integer(self.head)
            if head is not None:
                object.__setattr__(self, "head", head)
        texts = (self.form, self.tag, self.deprel, self.lemma, self.features, self.upos)
        if not _PLAIN.issuperset(map(type, texts)):
            for name, text in zip(_TEXTS, texts, strict=True):
                if isinstance(text, str):
                    object.__setattr__(self, name, str.__str__(text))
            if isinstance(self.features, Mapping) and not feature_fault(self.features):
                object.__setattr__(self, "features", _joined(self.features))

    @property
    def name(self) -> str:
        """The name that messages use."""
        return self.form or self.lemma or ""


def feature_fault(features: Mapping[object, object]) -> str:
    """Why a mapping of features cannot be written as a string, or nothing."""
    for name, value in features.items():
        if not isinstance(name, str):
            return f"the name {shown(name)} is not a string"
        if not isinstance(value, str):
            return f"the value of {shown(name)} is not a string: {shown(value)}"
        if "=" in name or "|" in name:
            return f"the name {shown(name)} contains = or |, which separate features"
        if "|" in value:
            return f"the value of {shown(name)} contains |, which separates features"
    return ""


def _joined(features: Mapping[str, str]) -> str:
    """Features in the notation and order of CoNLL-U."""
    pairs = sorted(features.items(), key=lambda item: item[0].lower())
    return "|".join(f"{name}={value}" for name, value in pairs)


@dataclass(frozen=True, slots=True)
class Alternative:
    """A form that a word may take, in the middle of a sentence and as its first word, and the
    logarithm of its share among the forms of the word."""

    text: str
    initial: str
    log_share: float = 0.0

    @property
    def spoken(self) -> bool:
        """Whether it has a letter or digit: the next word is no longer sentence-initial."""
        return any(map(str.isalnum, self.text))


@cached_texts(1 << 16)
def shape(form: str) -> str:
    """The kinds of characters in a form, runs collapsed: `McDonald` is `XxXx`, `1990s` is `dx`."""
    kinds = (
        "d" if each.isdigit() else each if not each.isalpha() else "X" if each.isupper() else "x"
        for each in form
    )
    return "".join(kind for kind, _ in islice(groupby(kinds), 8))


@cached_texts(1 << 16)
def shape_and_suffix(form: str) -> tuple[int, int]:
    """Two positive numbers for the shape and the last three letters of a form."""
    return _number(shape(form)), _number("…" + form[-3:].lower())


def _number(text: str) -> int:
    return (zlib.crc32(text.encode("utf-8", "surrogatepass")) & 0x3FFFFFFF) + 1
