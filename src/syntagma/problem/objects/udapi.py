"""A sentence of udapi: the root of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syntagma.errors import shown
from syntagma.problem.annotation import UNKNOWN, Annotation
from syntagma.problem.objects.parse import Parse, ParsedWord, refuse, text_or_unknown

_NO_ID = "?"  # udapi's id of a tree that has none


def parse_from_udapi(tree: Any) -> Parse:
    """The nodes of the tree; multiword tokens and empty nodes are left out.

    udapi attaches a node without a known head to the technical root, without a label. Such a node
    has no known head here, either, unless it is the only one there.
    """
    is_root = getattr(tree, "is_root", None)
    if not callable(is_root) or not is_root() or not hasattr(tree, "descendants"):
        raise refuse("from_udapi", "the root of a tree of udapi (Root)", tree)
    several = len(tree.children) > 1
    words = tuple(_word(node, several) for node in tree.descendants)
    sent_id = tree.sent_id
    known = None if not sent_id or sent_id.startswith(_NO_ID) else str(sent_id)
    return Parse(words, known, tuple(_comments(tree, known)))


def _word(node: Any, several: bool) -> ParsedWord:
    name = f"node {node.ord} {shown(node.form)}"
    label = text_or_unknown(node.deprel, f"the deprel of {name}")
    head = node.parent.ord
    return ParsedWord(
        text_or_unknown(node.form, f"the form of {name}"),
        None if several and head == 0 and label == UNKNOWN else head,
        label,
        Annotation(
            text_or_unknown(node.lemma, f"the lemma of {name}"),
            text_or_unknown(node.upos, f"the upos of {name}"),
            text_or_unknown(node.xpos, f"the xpos of {name}"),
            str(node.feats),
            str(node.misc),
        ),
    )


def _comments(tree: Any, sent_id: str | None) -> Iterator[str]:
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
