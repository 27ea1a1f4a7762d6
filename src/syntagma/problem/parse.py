"""What a parsed sentence says of its words, and which part of that a problem gives to the search.

The sentences of files are read in `formats/conllu.py`, those of other packages in `objects`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from syntagma.caches import cached_texts
from syntagma.errors import ArgumentError, SyntagmaWarning, shown, warn
from syntagma.problem.canonical import canonical_order
from syntagma.problem.limits import MAX_CHARACTERS
from syntagma.problem.word import TagColumn, Word

UNKNOWN = "_"  # as in CoNLL-U

_SPACING = ("SpaceAfter", "SpacesAfter", "SpacesBefore")
# Character offsets, as Stanza and UDPipe note them.
_OFFSETS = ("start_char", "end_char", "TokenRange")
_ORDERED_COMMENTS = ("constituency", "translit")


class Annotation(NamedTuple):
    """The columns of CoNLL-U that do not depend on word order; `_` for what is unknown."""

    lemma: str = UNKNOWN
    upos: str = UNKNOWN
    xpos: str = UNKNOWN
    features: str = UNKNOWN
    misc: str = UNKNOWN


class ParsedWord(NamedTuple):
    """A word of a parse. `head` is the 1-based place of another one, 0 for the root, None if it is
    unknown; all else is `_` if unknown."""

    form: str
    head: int | None
    deprel: str
    annotation: Annotation


class Parse(NamedTuple):
    """A sentence as another package has parsed it, its words in the order of the sentence."""

    words: tuple[ParsedWord, ...]
    id: str | None = None
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParseOrigin:
    """The origin of a problem made from a parse: what the result returns without the search having
    seen it, and the place of a parse that was read from a file.

    If made from the object of another package, it does not reveal the order of the words.
    """

    annotations: tuple[Annotation, ...]
    comments: tuple[str, ...]
    tag_column: TagColumn
    place: tuple[str, int | None] | None = None


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
            if not isinstance(value := getattr(self, name), bool):
                raise ArgumentError(f"{name} must be True or False, not {shown(value)}")
        check_tag_column(self.tag_column)

    def words(self, parsed: Sequence[ParsedWord]) -> tuple[Word, ...]:
        """The words of the parse as the problem gives them.

        Both tags and the features are given; UPOS only once if it is the tag. Features of forms are
        given if any word has some. Without a lemma the form serves. UPOS serves inflection where
        XPOS is missing. A word with a lemma whose form is unknown has no form: `order` refuses it.
        """
        featured = self.lemmas or (
            self.tags and any(each.annotation.features != UNKNOWN for each in parsed)
        )
        return tuple(self._word(each, featured) for each in parsed)

    def _word(self, parsed: ParsedWord, featured: bool) -> Word:
        lemma, upos, xpos, features, _ = parsed.annotation
        tag = upos if self.tag_column == "upos" or (self.lemmas and xpos == UNKNOWN) else xpos
        kept = "" if features == UNKNOWN else features
        formless = not self.lemmas and parsed.form == UNKNOWN != lemma
        return Word(
            "" if self.lemmas or formless else parsed.form,
            tag if self.tags and tag != UNKNOWN else None,
            parsed.head if self.arcs else None,
            parsed.deprel if self.arcs and self.labels and parsed.deprel != UNKNOWN else None,
            (parsed.form if lemma == UNKNOWN else lemma) if self.lemmas or formless else None,
            (kept if self.lemmas else readable_features(kept)) if featured else None,
            readable_upos(upos) if self.tags and self.tag_column == "xpos" else None,
        )

    def warn_of_tags(self, words: Sequence[ParsedWord]) -> None:
        """Warn if a column that is not given is the only one with tags: XPOS, because UPOS tags are
        given to any model."""
        if not self.tags or self.tag_column == "xpos":
            return
        notes = [word.annotation for word in words]
        if any(each.xpos != UNKNOWN for each in notes) and all(
            each.upos == UNKNOWN for each in notes
        ):
            message = (
                "the sentence has XPOS tags only, so no tags are given: for a model that reads "
                'XPOS tags, set tag_column="xpos"; otherwise set tags=False'
            )
            warn(SyntagmaWarning(message))


def check_tag_column(tag_column: TagColumn) -> None:
    if not isinstance(tag_column, str) or tag_column not in ("upos", "xpos"):
        raise ArgumentError(f"tag_column must be upos or xpos, not {shown(tag_column)}")


@cached_texts(1 << 14)
def readable_features(column: str) -> str:
    """The well-formed features (Name=Value, each name once) of a column that may hold anything."""
    if column == UNKNOWN or len(column) > MAX_CHARACTERS:
        return ""
    found: dict[str, str] = {}
    for part in column.split("|"):
        name, _, value = part.partition("=")
        if name and value and not any(map(str.isspace, part)):
            found.setdefault(name, part)
    return "|".join(found.values())


def readable_upos(column: str) -> str | None:
    """The tag in a column that may hold anything; None if there is none."""
    readable = column != UNKNOWN and column and not any(map(str.isspace, column))
    return column if readable and len(column) <= MAX_CHARACTERS else None


def without_spacing(misc: str) -> str:
    """MISC without its notes on spaces, which refer to the old neighbours of the word."""
    return _without(misc, _SPACING) if "Space" in misc else misc or UNKNOWN


def _without(misc: str, names: Sequence[str]) -> str:
    kept = [each for each in misc.split("|") if each.partition("=")[0] not in names]
    return "|".join(kept) or UNKNOWN


def without_order(parse: Parse) -> Parse:
    """The parse without notes and comments that depend on word order. The text leaves an empty
    comment, to be replaced by the text of the result."""
    names = [comment[1:].partition("=")[0].strip() for comment in parse.comments]
    comments = (
        "# text =" if name == "text" else comment
        for name, comment in zip(names, parse.comments, strict=True)
        if name not in _ORDERED_COMMENTS
    )
    words = []
    for word in parse.words:
        misc = _without(without_spacing(word.annotation.misc), _OFFSETS)
        words.append(word._replace(annotation=word.annotation._replace(misc=misc)))
    return Parse(tuple(words), parse.id, tuple(comments))


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
