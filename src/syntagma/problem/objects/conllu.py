"""A sentence of the package conllu: a `TokenList`, or any list of mappings with the same keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syntagma.arguments import as_integer, is_collection
from syntagma.errors import ArgumentError, shown
from syntagma.problem.annotation import UNKNOWN, Annotation
from syntagma.problem.objects.parse import Parse, ParsedWord, refuse, text_or_unknown

_EXPECTED = "a TokenList of the package conllu, one sentence"


def parse_from_conllu(token_list: Any) -> Parse:
    """Multiword tokens and empty nodes are left out, as by the reader of files."""
    if not is_collection(token_list):
        raise refuse("from_conllu", _EXPECTED, token_list)
    items = list(token_list)
    if items and all(map(is_collection, items)):
        raise ArgumentError(
            "from_conllu takes one sentence, not a list of sentences: give them one by one, "
            "as in `for sentence in conllu.parse(text)`"
        )
    for item in items:
        if not isinstance(item, Mapping):
            raise refuse("from_conllu", _EXPECTED, item)
    tokens = [item for item in items if not isinstance(item.get("id"), tuple)]
    numbers = _numbers(tokens)
    words = tuple(_word(token, place, numbers) for place, token in enumerate(tokens, start=1))
    metadata = getattr(token_list, "metadata", None) or {}
    id = metadata.get("sent_id")
    return Parse(
        words,
        str(id) if id else None,
        tuple(f"# {name} = {value}" if value else f"# {name}" for name, value in metadata.items()),
    )


def _numbers(tokens: list[Mapping[str, Any]]) -> dict[int, int]:
    """The place of each token by its id; a token without an id has its place as its id."""
    numbers: dict[int, int] = {0: 0}
    for place, token in enumerate(tokens, start=1):
        id = token.get("id")
        number = place if id is None else as_integer(id)
        if number is None or number in numbers:
            what = "is not an integer" if number is None else "is that of another token"
            raise ArgumentError(f"the id of token {place} {what}: {shown(id)}")
        numbers[number] = place
    return numbers


def _word(token: Mapping[str, Any], place: int, numbers: Mapping[int, int]) -> ParsedWord:
    form = token.get("form")
    name = f"token {place} {shown(form)}"
    if not isinstance(form, str):
        raise ArgumentError(f"token {place} has no form: {shown(form)}")
    head = token.get("head")
    if head is None or head == UNKNOWN:
        number = None
    else:
        number = numbers.get(head) if as_integer(head) is not None else None
        if number is None:
            raise ArgumentError(f"the head of {name} is {shown(head)}, which is no token's id")
    return ParsedWord(
        form,
        number,
        text_or_unknown(token.get("deprel"), f"the deprel of {name}"),
        Annotation(
            text_or_unknown(token.get("lemma"), f"the lemma of {name}"),
            text_or_unknown(token.get("upos"), f"the upos of {name}"),
            text_or_unknown(token.get("xpos"), f"the xpos of {name}"),
            _pairs(token.get("feats"), f"the feats of {name}"),
            _pairs(token.get("misc"), f"the misc of {name}"),
        ),
    )


def _pairs(value: object, what: str) -> str:
    """Features or notes as CoNLL-U writes them."""
    if not isinstance(value, Mapping):
        return text_or_unknown(value, what)
    parts = [
        f"{name}" if each == "" else f"{name}={UNKNOWN if each is None else each}"
        for name, each in value.items()
    ]
    return "|".join(parts) or UNKNOWN
