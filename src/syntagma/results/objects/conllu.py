"""A result as a `TokenList` of the package conllu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from syntagma.errors import missing_package
from syntagma.problem.parse import UNKNOWN
from syntagma.problem.word import TagColumn
from syntagma.results.rows import Ordered, comments, known, ranges, rows, sentence_text
from syntagma.results.spelling import Spelling

if TYPE_CHECKING:
    from conllu.models import TokenList

_FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


def build_conllu(result: Ordered, spelling: Spelling | None, tag_column: TagColumn) -> TokenList:
    """The fields have the types that `conllu.parse` gives them."""
    try:
        from conllu.models import Metadata, Token, TokenList
    except ImportError as error:
        raise missing_package("to_conllu", "conllu", "conllu", error) from error
    tokens = []
    multiword = ranges(spelling)
    for position, row in enumerate(rows(result, spelling, tag_column), start=1):
        if token := multiword.get(position):
            values: tuple[Any, ...] = (
                (token.first, "-", token.last),
                token.form,
                *(UNKNOWN, UNKNOWN, None, None, None, UNKNOWN, None),
                _pairs(token.misc),
            )
            tokens.append(Token(zip(_FIELDS, values, strict=True)))
        values = (
            position,
            row.form,
            row.lemma,
            row.upos,
            known(row.xpos),
            _pairs(row.features),
            row.head,
            row.deprel,
            None,
            _pairs(row.misc),
        )
        tokens.append(Token(zip(_FIELDS, values, strict=True)))
    metadata = Metadata()
    for comment in comments(result, sentence_text(result, spelling)):
        name, _, value = comment[1:].partition("=")
        metadata[name.strip()] = value.strip() or None
    return TokenList(tokens, metadata, default_fields=_FIELDS)


def _pairs(column: str) -> dict[str, str | None] | None:
    """Features or notes as conllu parses them; a note without a value has an empty one."""
    if column == UNKNOWN:
        return None
    pairs: dict[str, str | None] = {}
    for part in column.split("|"):
        name, equals, value = part.partition("=")
        pairs[name] = (None if value == UNKNOWN else value) if equals else ""
    return pairs
