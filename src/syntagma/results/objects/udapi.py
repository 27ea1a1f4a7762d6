"""A result as a tree of udapi."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syntagma.errors import missing_package
from syntagma.problem.word import TagColumn
from syntagma.results.rows import Ordered, comments, known, ranges, rows, sentence_text
from syntagma.results.spelling import Spelling

if TYPE_CHECKING:
    from udapi.core.root import Root


def build_udapi(result: Ordered, spelling: Spelling | None, tag_column: TagColumn) -> Root:
    """The tree belongs to no document yet: `Bundle.add_tree` adds it to one."""
    try:
        from udapi.core.root import Root
    except ImportError as error:
        raise missing_package("to_udapi", "udapi", "udapi", error) from error
    text = sentence_text(result, spelling)
    root = Root(text=text)
    nodes = [root]
    found = rows(result, spelling, tag_column)
    for row in found:
        node = root.create_child(
            form=row.form,
            lemma=row.lemma,
            upos=known(row.upos),
            xpos=known(row.xpos),
            feats=row.features,
            deprel=row.deprel,
            misc=row.misc,
        )
        nodes.append(node)
    for row, node in zip(found, nodes[1:], strict=True):
        node.parent = nodes[row.head]
    for each in ranges(spelling).values():
        root.create_multiword_token(nodes[each.first : each.last + 1], each.form, misc=each.misc)
    for comment in comments(result, text):
        _add_comment(root, comment)
    return root


def _add_comment(root: Root, comment: str) -> None:
    """udapi keeps some comments as attributes, and marks the places of the id and the text."""
    name, equals, value = (part.strip() for part in comment[1:].partition("="))
    match name:
        case "sent_id":
            root.sent_id = value
        case "text":
            pass
        case "newdoc" | "newdoc id" | "newpar" | "newpar id":
            setattr(root, name.split()[0], value if equals else True)
        case _:
            root.comment += f"{comment[1:]}\n"
