"""A sentence of spaCy: a `Span`, or a `Doc` of one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from syntagma.errors import ArgumentError
from syntagma.problem.annotation import UNKNOWN, Annotation
from syntagma.problem.objects.parse import Parse, ParsedWord, refuse
from syntagma.problem.word import ROOT_LABEL

SPACY_ROOT = "ROOT"  # spaCy's label of the root, whatever the other labels are

_SPACES = re.compile(r"[ \t\n\r]+")  # a token may hold those of the text, if tokens were merged


def parse_from_spacy(sentence: Any) -> Parse:
    """Tokens of white space are no words; an arc to a token outside the span is unknown."""
    if not all(hasattr(sentence, name) for name in ("doc", "sents", "__iter__")):
        raise refuse("from_spacy", "a Span or a Doc of spaCy", sentence)
    count = 1 + sum(bool(token.is_sent_start) for place, token in enumerate(sentence) if place)
    if count > 1:
        raise ArgumentError(
            f"from_spacy takes one sentence, not {count}: give the sentences one by one, "
            "as in `for sentence in doc.sents`"
        )
    tokens = [token for token in sentence if not token.text.isspace()]
    numbers = {token.i: number for number, token in enumerate(tokens, start=1)}
    return Parse(tuple(_word(token, numbers) for token in tokens))


def _word(token: Any, numbers: Mapping[int, int]) -> ParsedWord:
    head = _head(token, numbers)
    label = token.dep_ or UNKNOWN
    if label == SPACY_ROOT:
        label = ROOT_LABEL
    return ParsedWord(
        _SPACES.sub(" ", token.text.strip(" \t\n\r")),
        head,
        UNKNOWN if head is None else label,
        Annotation(
            token.lemma_ or UNKNOWN,
            token.pos_ or UNKNOWN,
            token.tag_ or UNKNOWN,
            str(token.morph) or UNKNOWN,
        ),
    )


def _head(token: Any, numbers: Mapping[int, int]) -> int | None:
    if not token.has_head():
        return None
    head = token.head
    if head.i == token.i:
        return 0
    while head.text.isspace() and head.head.i != head.i:
        head = head.head
    return numbers.get(head.i)
