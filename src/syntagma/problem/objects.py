"""The parsed sentences of spaCy, conllu, Stanza and udapi, without importing these packages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from syntagma.arguments import as_integer, is_collection
from syntagma.errors import ArgumentError, shown
from syntagma.problem.parse import UNKNOWN, Annotation, Parse, ParsedWord
from syntagma.problem.word import ROOT_LABEL

SPACY_ROOT = "ROOT"  # spaCy's label of the root, whatever the other labels are

_SPACES = re.compile(r"[ \t\n\r]+")  # a token of spaCy may hold those of the text, if merged


def _refuse(method: str, expected: str, found: Any) -> ArgumentError:
    """The error of an object that is not of the kind that a method takes."""
    kind = type(found)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return ArgumentError(
        f"{method} takes {expected}, not an object of type {module}{kind.__qualname__}"
    )


def _texts(get: Callable[[str], object], keys: str, name: str) -> Iterator[str]:
    """Attributes that hold text; `_` for those that are missing or empty."""
    for key in keys.split():
        value = get(key)
        if value is not None and not isinstance(value, str):
            raise ArgumentError(f"the {key} of {name} is not a string: {shown(value)}")
        yield value or UNKNOWN


def parse_from_spacy(sentence: Any) -> Parse:
    """The words of a `Span`, or of a `Doc` of one sentence. Tokens of white space are no words; an
    arc to a token outside the span is unknown."""
    if not all(hasattr(sentence, name) for name in ("doc", "sents", "__iter__")):
        raise _refuse("from_spacy", "a Span or a Doc of spaCy", sentence)
    count = 1 + sum(bool(token.is_sent_start) for place, token in enumerate(sentence) if place)
    if count > 1:
        raise ArgumentError(
            f"from_spacy takes one sentence, not {count}: give the sentences one by one, "
            "as in `for sentence in doc.sents`"
        )
    tokens = [token for token in sentence if not token.text.isspace()]
    numbers = {token.i: number for number, token in enumerate(tokens, start=1)}
    return Parse(tuple(_spacy_word(token, numbers) for token in tokens))


def _spacy_word(token: Any, numbers: Mapping[int, int]) -> ParsedWord:
    head = _spacy_head(token, numbers)
    label = ROOT_LABEL if token.dep_ == SPACY_ROOT else token.dep_ or UNKNOWN
    columns = token.lemma_, token.pos_, token.tag_, str(token.morph)
    return ParsedWord(
        _SPACES.sub(" ", token.text.strip(" \t\n\r")),
        head,
        UNKNOWN if head is None else label,
        Annotation(*(column or UNKNOWN for column in columns)),
    )


def _spacy_head(token: Any, numbers: Mapping[int, int]) -> int | None:
    if not token.has_head():
        return None
    head = token.head
    if head.i == token.i:
        return 0
    while head.text.isspace() and head.head.i != head.i:
        head = head.head
    return numbers.get(head.i)


def parse_from_conllu(token_list: Any) -> Parse:
    """The words of a `TokenList`, or of any list of mappings with the same keys. Multiword tokens
    and empty nodes are left out, as by the reader of files."""
    expected = "a TokenList of the package conllu, one sentence"
    if not is_collection(token_list):
        raise _refuse("from_conllu", expected, token_list)
    items = list(token_list)
    if items and all(map(is_collection, items)):
        raise ArgumentError(
            "from_conllu takes one sentence, not a list of sentences: give them one by one, "
            "as in `for sentence in conllu.parse(text)`"
        )
    for item in items:
        if not isinstance(item, Mapping):
            raise _refuse("from_conllu", expected, item)
    tokens = [item for item in items if not isinstance(item.get("id"), tuple)]
    numbers: dict[int, int] = {0: 0}  # the place of each token by its id, by default its place
    for place, token in enumerate(tokens, start=1):
        id = token.get("id")
        number = place if id is None else as_integer(id)
        if number is None or number in numbers:
            what = "is not an integer" if number is None else "is that of another token"
            raise ArgumentError(f"the id of token {place} {what}: {shown(id)}")
        numbers[number] = place
    words = tuple(_conllu_word(token, place, numbers) for place, token in enumerate(tokens, 1))
    metadata = getattr(token_list, "metadata", None) or {}
    id = metadata.get("sent_id")
    comments = (f"# {name} = {value}" if value else f"# {name}" for name, value in metadata.items())
    return Parse(words, str(id) if id else None, tuple(comments))


def _conllu_word(token: Mapping[str, Any], place: int, numbers: Mapping[int, int]) -> ParsedWord:
    form = token.get("form")
    name = f"token {place} {shown(form)}"
    if not isinstance(form, str):
        raise ArgumentError(f"token {place} has no form: {shown(form)}")
    head = token.get("head")
    id = as_integer(head)
    number = None if id is None else numbers.get(id)
    if number is None and head is not None and head != UNKNOWN:
        raise ArgumentError(f"the head of {name} is {shown(head)}, which is no token's id")

    def get(key: str) -> object:
        value = token.get(key)
        if key not in ("feats", "misc") or not isinstance(value, Mapping):
            return value
        return "|".join(  # as CoNLL-U writes features and notes
            f"{note}" if each == "" else f"{note}={UNKNOWN if each is None else each}"
            for note, each in value.items()
        )

    label, *columns = _texts(get, "deprel lemma upos xpos feats misc", name)
    return ParsedWord(form, number, label, Annotation(*columns))


def parse_from_stanza(sentence: Any) -> Parse:
    """The words of a `Sentence`, or of a `Document` of one sentence: not the tokens, which may
    stand for several words. Empty nodes are left out."""
    if hasattr(sentence, "sentences"):
        count = len(sentence.sentences)
        if count != 1:
            raise ArgumentError(
                f"from_stanza takes one sentence, not {count}: give them one by one, "
                "as in `for sentence in document.sentences`"
            )
        [sentence] = sentence.sentences
    if not all(hasattr(sentence, name) for name in ("words", "tokens")):
        raise _refuse("from_stanza", "a Sentence of Stanza", sentence)
    words = tuple(_stanza_word(word, place) for place, word in enumerate(sentence.words, start=1))
    id = getattr(sentence, "sent_id", None)
    comments = getattr(sentence, "comments", ())
    return Parse(words, str(id) if id else None, tuple(map(str, comments)))


def _stanza_word(word: Any, place: int) -> ParsedWord:
    name = f"word {place} {shown(word.text)}"
    head = as_integer(word.head)
    if head is None and word.head is not None:
        raise ArgumentError(f"the head of {name} is not an integer: {shown(word.head)}")
    label, *columns = _texts(partial(getattr, word), "deprel lemma upos xpos feats misc", name)
    return ParsedWord(word.text, head, label, Annotation(*columns))


def parse_from_udapi(tree: Any) -> Parse:
    """The nodes of the tree with this `Root`; multiword tokens and empty nodes are left out.

    udapi attaches a node without a known head to the technical root, without a label. Such a node
    has no known head here, either, unless it is the only one there.
    """
    is_root = getattr(tree, "is_root", None)
    if not callable(is_root) or not is_root() or not hasattr(tree, "descendants"):
        raise _refuse("from_udapi", "the root of a tree of udapi (Root)", tree)
    several = len(tree.children) > 1
    words = tuple(_udapi_word(node, several) for node in tree.descendants)
    sent_id = tree.sent_id
    # A tree without an id has one that begins with a question mark.
    known = None if not sent_id or sent_id.startswith("?") else str(sent_id)
    return Parse(words, known, tuple(_udapi_comments(tree, known)))


def _udapi_word(node: Any, several: bool) -> ParsedWord:
    name = f"node {node.ord} {shown(node.form)}"
    keys = "deprel form lemma upos xpos"
    label, form, *columns = _texts(partial(getattr, node), keys, name)
    head = node.parent.ord
    free = several and head == 0 and label == UNKNOWN
    note = Annotation(*columns)._replace(features=str(node.feats), misc=str(node.misc))
    return ParsedWord(form, None if free else head, label, note)


def _udapi_comments(tree: Any, sent_id: str | None) -> Iterator[str]:
    """The comments of a tree as CoNLL-U writes them. udapi keeps some as attributes and marks their
    places by `$NAME`."""
    attributes = {"newdoc": tree.newdoc, "newpar": tree.newpar}
    for name, value in attributes.items():
        if value:
            yield f"# {name}" if value is True else f"# {name} id = {value}"
    if sent_id is not None:
        yield f"# sent_id = {sent_id}"
    for line in (tree.comment or "").splitlines():
        if line.strip() and not line.startswith("$"):
            yield f"#{line}"
