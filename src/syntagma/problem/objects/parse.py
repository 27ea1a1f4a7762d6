"""A parsed sentence of any package, and which part of it a problem gives to the search."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from syntagma.errors import ArgumentError, SyntagmaWarning, shown
from syntagma.problem.annotation import (
    UNKNOWN,
    Annotation,
    check_tag_column,
    readable_features,
    readable_upos,
    without_notes,
    without_spacing,
)
from syntagma.problem.canonical import canonical_order
from syntagma.problem.word import TagColumn, Word

# Character offsets, as Stanza and UDPipe note them.
_OFFSETS = ("start_char", "end_char", "TokenRange")
_ORDERED_COMMENTS = ("constituency", "translit")


@dataclass(frozen=True, slots=True)
class ParsedWord:
    """A word of a parse. `head` is the 1-based place of another one, 0 for the root, None if it is
    unknown; all else is `_` if unknown."""

    form: str
    head: int | None
    deprel: str
    annotation: Annotation


@dataclass(frozen=True, slots=True)
class Parse:
    """A sentence as another package has parsed it, its words in the order of the sentence."""

    words: tuple[ParsedWord, ...]
    id: str | None = None
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """Which part of a parse the problem gives; arcs are given with or without their labels."""

    tags: bool = True
    arcs: bool = True
    labels: bool = True
    lemmas: bool = False  # instead of forms
    tag_column: TagColumn = "xpos"

    def __post_init__(self) -> None:
        for name in ("tags", "arcs", "labels", "lemmas"):
            if not isinstance(getattr(self, name), bool):
                raise ArgumentError(
                    f"{name} must be True or False, not {shown(getattr(self, name))}"
                )
        check_tag_column(self.tag_column)

    def words(self, parsed: Sequence[ParsedWord]) -> tuple[Word, ...]:
        """The words of the parse as the problem gives them. Tags, features and lemmas follow
        `formats/conllu.py`: features of forms are given if any word has some, without a lemma the
        form serves, and UPOS serves inflection where XPOS is missing."""
        featured = any(each.annotation.features != UNKNOWN for each in parsed)
        return tuple(self._word(each, featured) for each in parsed)

    def _word(self, parsed: ParsedWord, featured: bool) -> Word:
        note = parsed.annotation
        tag = note.tag(self.tag_column)
        if self.lemmas and tag == UNKNOWN:
            tag = note.upos
        return Word(
            "" if self.lemmas else parsed.form,
            tag if self.tags and tag != UNKNOWN else None,
            parsed.head if self.arcs else None,
            parsed.deprel if self.arcs and self.labels and parsed.deprel != UNKNOWN else None,
            (parsed.form if note.lemma == UNKNOWN else note.lemma) if self.lemmas else None,
            self._features(note, featured),
            readable_upos(note.upos) if self.tags and self.tag_column == "xpos" else None,
        )

    def _features(self, note: Annotation, featured: bool) -> str | None:
        if self.lemmas:
            return "" if note.features == UNKNOWN else note.features
        return readable_features(note.features) if self.tags and featured else None

    def warn_of_tags(self, words: Sequence[ParsedWord], stacklevel: int) -> None:
        """Warn if a column that is not given is the only one with tags: XPOS, because UPOS tags are
        given to any model; `stacklevel` as in `warnings.warn`, counted from the caller."""
        if not self.tags or self.tag_column == "xpos":
            return
        annotations = [word.annotation for word in words]
        if all(each.upos == UNKNOWN for each in annotations) and any(
            each.xpos != UNKNOWN for each in annotations
        ):
            warnings.warn(
                "the sentence has XPOS tags only, so no tags are given: for a model that reads "
                'XPOS tags, set tag_column="xpos"; otherwise set tags=False',
                SyntagmaWarning,
                stacklevel=stacklevel + 1,
            )


@dataclass(frozen=True, slots=True)
class ParseOrigin:
    """The origin of a problem made from a parse: what the result needs of it.

    It does not reveal the order of the words.
    """

    annotations: tuple[Annotation, ...]
    comments: tuple[str, ...]
    tag_column: TagColumn

    def annotation(self, source: int) -> Annotation:
        return self.annotations[source - 1]


def without_order(parse: Parse) -> Parse:
    """The parse without notes and comments that depend on word order. The text leaves an empty
    comment, to be replaced by the text of the result."""
    comments = []
    for comment in parse.comments:
        name = comment[1:].partition("=")[0].strip()
        if name not in _ORDERED_COMMENTS:
            comments.append("# text =" if name == "text" else comment)
    words = (
        replace(word, annotation=word.annotation._replace(misc=_unordered(word.annotation.misc)))
        for word in parse.words
    )
    return Parse(tuple(words), parse.id, tuple(comments))


def _unordered(misc: str) -> str:
    return without_notes(without_spacing(misc), _OFFSETS)


def canonical_listing(
    words: Sequence[Word], annotations: Sequence[Annotation]
) -> tuple[tuple[Word, ...], tuple[Annotation, ...]]:
    """Words and their annotations in canonical order, which does not reveal the given one.

    Annotations count, too, so tied words are interchangeable.
    """
    marked = [
        replace(word, features="\t".join((str(word.features), *annotation)))
        for word, annotation in zip(words, annotations, strict=True)
    ]
    order = canonical_order(marked, (), None, None)
    place = {old + 1: new for new, old in enumerate(order, start=1)}
    listed = tuple(
        replace(words[old], head=place.get(words[old].head or 0, words[old].head)) for old in order
    )
    return listed, tuple(annotations[old] for old in order)


def text_or_unknown(value: object, what: str) -> str:
    """An attribute of a foreign object that holds text, `_` if it is missing or empty."""
    if value is None or value == "":
        return UNKNOWN
    if isinstance(value, str):
        return value
    raise ArgumentError(f"{what} is not a string: {shown(value)}")


def refuse(method: str, expected: str, found: Any) -> ArgumentError:
    """The error of an object that is not of the kind that a method takes."""
    kind = type(found)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return ArgumentError(
        f"{method} takes {expected}, not an object of type {module}{kind.__qualname__}"
    )
