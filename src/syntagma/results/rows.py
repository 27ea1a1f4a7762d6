"""A result in the columns of CoNLL-U, with all that the source of its problem knew: what the
writers of files (`formats/conllu.py`) and of other packages' objects (`objects`) share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from syntagma.problem.parse import (
    UNKNOWN,
    Annotation,
    ParseOrigin,
    check_tag_column,
    without_spacing,
)
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn
from syntagma.results.spelling import Contraction, Spelling

NO_SPACE = "SpaceAfter=No"
_OWN_COMMENTS = ("text", "score", "unfinished", "narrowed", "projective")  # written anew


class Placed(Protocol):
    """A word in its place: a `Token`, which is defined further up."""

    @property
    def form(self) -> str: ...
    @property
    def tag(self) -> str: ...
    @property
    def head(self) -> int: ...
    @property
    def deprel(self) -> str: ...
    @property
    def source(self) -> int: ...


class Ordered(Protocol):
    """Words in order with their tree: a `Linearization`, whose methods call the writers."""

    @property
    def tokens(self) -> Sequence[Placed]: ...
    @property
    def problem(self) -> Problem: ...
    @property
    def words(self) -> Sequence[str]: ...
    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def finished(self) -> bool: ...
    @property
    def narrowed(self) -> bool: ...
    @property
    def projective(self) -> bool: ...
    @property
    def left_out(self) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class Row:
    """A word of a result; `_` for what is unknown."""

    form: str
    lemma: str
    upos: str
    xpos: str
    features: str
    head: int
    deprel: str
    misc: str


@dataclass(frozen=True, slots=True)
class Range:
    """A multiword token: the first and the last of its words, counted from 1."""

    first: int
    last: int
    form: str
    misc: str


def known(column: str) -> str | None:
    """The content of a column, None for `_`."""
    return None if column == UNKNOWN else column


def sentence_text(result: Ordered, spelling: Spelling | None) -> str:
    """The sentence as it is written; without a spelling, forms separated by spaces."""
    return spelling.text(result.words) if spelling else result.text


def rows(result: Ordered, spelling: Spelling | None, tag_column: TagColumn) -> list[Row]:
    """The words of a result in order.

    What the source of the problem says of a word is kept, also a tag that was not given to the
    search. Other tags go into the column from which tags were read, or into `tag_column` if there
    is no such source. A spelling adds `SpaceAfter=No`. Enhanced dependencies are left out: they
    refer to the old places of the words.
    """
    check_tag_column(tag_column)
    origin = result.problem.origin
    source = origin if isinstance(origin, ParseOrigin) else None
    column = source.tag_column if source else tag_column
    inside = {
        position
        for each in (spelling.contractions if spelling else ())
        for position in range(each.first, each.last + 1)
    }
    found = []
    for position, token in enumerate(result.tokens, start=1):
        given = source.annotations[token.source - 1] if source else Annotation()
        word = result.problem.words[token.source - 1]
        tags = {"upos": given.upos, "xpos": given.xpos}
        if tags["upos"] == UNKNOWN and word.upos is not None:
            tags["upos"] = word.upos
        if tags[column] == UNKNOWN:
            tags[column] = token.tag
        misc = without_spacing(given.misc)
        # Within a multiword token, only the row of the token may have `SpaceAfter=No`.
        if spelling and position not in inside and not _space_or_end(position, spelling):
            misc = NO_SPACE if misc == UNKNOWN else f"{misc}|{NO_SPACE}"
        lemma, features = given.lemma, given.features
        if word.lemma is not None:
            lemma, features = word.lemma, word.features or UNKNOWN
        elif features == UNKNOWN and source is None:
            features = word.features or UNKNOWN
        found.append(
            Row(
                token.form,
                lemma,
                tags["upos"],
                tags["xpos"],
                features,
                token.head,
                token.deprel,
                misc,
            )
        )
    return found


def ranges(spelling: Spelling | None) -> dict[int, Range]:
    """The multiword tokens of a spelling, by the position of their first word."""
    return (
        {each.first: _range(each, spelling) for each in spelling.contractions} if spelling else {}
    )


def _range(contraction: Contraction, spelling: Spelling) -> Range:
    space = _space_or_end(contraction.last, spelling)
    return Range(
        contraction.first, contraction.last, contraction.text, UNKNOWN if space else NO_SPACE
    )


def comments(result: Ordered, text: str) -> list[str]:
    """The comments on the sentence: those of the source, with what is new of text and score."""
    new = {"text": text, "score": f"{result.score:.4f}"}
    if result.problem.id is not None:
        new = {"sent_id": result.problem.id, **new}
    if not result.finished:
        new["unfinished"] = f"{len(result.left_out)} words left out"
    if result.narrowed:
        new["narrowed"] = "yes"
    if not result.projective:
        new["projective"] = "no"
    origin = result.problem.origin
    kept = []
    for comment in origin.comments if isinstance(origin, ParseOrigin) else ():
        key = comment[1:].partition("=")[0].strip()
        if "=" in comment and key in _OWN_COMMENTS:
            comment = f"# {key} = {new.pop(key)}" if key in new else ""
        elif "=" in comment and key == "sent_id":
            new.pop(key, None)
        if comment:
            kept.append(comment)
    return kept + [f"# {key} = {value}" for key, value in new.items()]


def _space_or_end(position: int, spelling: Spelling) -> bool:
    return position == len(spelling.spaces) or spelling.spaces[position - 1]
