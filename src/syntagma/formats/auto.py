r"""CCGbank's .auto format in and out: a line with an id, then a line with a derivation.

    ID=birds-1 PARSER=GOLD NUMPARSE=1
    (<T S 1 2> (<L NP NOUN NOUN Birds NP>) (<L S\NP VERB VERB sing S\NP>) )

`(<T category head children> … )` is a node, `(<L category tag tag form category>)` a word. Of the
two tags the first is taken; the second category, which may have indices (`NP[nb]_1/N_1`), is
ignored. Fields are separated by spaces, so forms may contain any other character. The spaces of a
phrase, such as a base NP, become no-break spaces (U+00A0), and spaces again in reading.

The head, 0 or 1, is the index of the child that the head word comes from. Files disagree on its
meaning: it is reliable in CCGbank, but not in derivations that were made from trees of Universal
Dependencies. So it is taken from the `file`, or ignored in favour of the `rule` of
`ccg/categories.py`. CCGbank is recognised by its categories with features, as `S[dcl]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from syntagma.ccg.derivation import Derivation
from syntagma.errors import FormatError, shown
from syntagma.files.reading import Lines, about_sentence

HeadSource = Literal["file", "rule"]

NO_BREAK_SPACE = "\u00a0"
_FEATURE = re.compile(r"\(<[TL] [^ ]*\w\[\w+\]")  # in the first category of a node or word
_ID_LINE = re.compile(r"ID=(.*?)(?: PARSER=.*)?")
_NODE, _WORD, _END = "(<T", "(<L", ")"


class _OpenNode(NamedTuple):
    category: str
    head: int
    declared: int  # number of children
    children: list[Derivation]


class AutoEntry(NamedTuple):
    """A derivation of a file, with its id and its line."""

    id: str | None
    derivation: Derivation
    line: int


def has_features(line: str) -> bool:
    """Whether a category of a line carries a feature, as in CCGbank: `S[dcl]`."""
    return _FEATURE.search(line) is not None


def read_auto(
    lines: Lines, source: str, heads: HeadSource = "rule"
) -> Iterator[AutoEntry | FormatError]:
    """Read the derivations of a file; a faulty one yields a `FormatError` in its place.

    A derivation has an id if an ID line precedes it. Blank lines are ignored.
    """
    id: str | None = None
    id_line = 0  # of an id that waits for its derivation
    for number, line in enumerate(lines, start=1):
        if isinstance(line, FormatError):
            yield line
        elif not line.strip():
            continue
        elif match := _ID_LINE.fullmatch(line):
            if id_line:
                yield FormatError("an ID without a derivation", source, id_line)
            id, id_line = match[1].strip() or None, number
            continue
        else:
            try:
                yield AutoEntry(id, parse_auto(line, heads), number)
            except FormatError as error:
                yield FormatError(f"{about_sentence(id)}{error.message}", source, number)
        id, id_line = None, 0
    if id_line:
        yield FormatError("an ID without a derivation", source, id_line)


def parse_auto(line: str, heads: HeadSource = "rule") -> Derivation:
    """Parse the derivation of a line."""
    tokens = line.strip().split(" ")
    open_nodes: list[_OpenNode] = []
    complete: Derivation | None = None
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token == "":
            at += 1
            continue
        if complete is not None:
            raise FormatError(f"text after the end of the derivation: {_clip(tokens[at:])}")
        if token == _NODE:
            open_nodes.append(_node(tokens[at : at + 4]))
            at += 4
            continue
        if token == _WORD:
            node = _word(tokens[at : at + 6])
            at += 6
        elif token == _END and open_nodes:
            category, head, declared, children = open_nodes.pop()
            if len(children) != declared:
                raise FormatError(
                    f"a node {_clip([category])} with {len(children)} children "
                    f"where {declared} are declared"
                )
            given = head if heads == "file" and declared == 2 else None
            node = Derivation(category, tuple(children), head=given)
            at += 1
        else:
            raise FormatError(
                f"a node (<T … >, a word (<L … >) or ) expected: {_clip(tokens[at:])}"
            )
        if open_nodes:
            open_nodes[-1].children.append(node)
        else:
            complete = node
    if open_nodes:
        last = _clip([open_nodes[-1].category])
        raise FormatError(f"the bracket of the node {last} is not closed")
    if complete is None:
        raise FormatError("no derivation")
    return complete


def _node(fields: list[str]) -> _OpenNode:
    if len(fields) < 4 or not fields[1] or not fields[3].endswith(">"):
        raise FormatError(f"not (<T category head children>: {_clip(fields)}")
    head, count = fields[2], fields[3].removesuffix(">")
    if count not in ("1", "2"):
        raise FormatError(
            f"a node {_clip(fields[1:2])} with {_clip([count]) or 'no'} children "
            "where 1 or 2 are allowed"
        )
    if head not in ("0", "1"):
        raise FormatError(
            f"the head of a node {_clip(fields[1:2])} is {shown(head)} where 0 or 1 is allowed"
        )
    return _OpenNode(fields[1], int(head), int(count), [])


def _word(fields: list[str]) -> Derivation:
    if len(fields) < 6 or not all(fields) or not fields[5].endswith(">)"):
        raise FormatError(f"not (<L category tag tag form category>): {_clip(fields)}")
    _, category, tag, _, form, _ = fields
    words = form.split(NO_BREAK_SPACE)  # of a phrase; elsewhere the space is part of the form
    return Derivation(category, form=" ".join(words) if all(words) else form, tag=tag)


def _clip(tokens: list[str]) -> str:
    text = " ".join(tokens[:8])
    text = text if len(text) <= 60 else f"{text[:59]}…"
    return "".join(each if each.isprintable() else "?" for each in text)


def write_auto(derivation: Derivation, id: str | None) -> str:
    """A derivation as the two lines of the format, with the final line end."""
    return f"ID={id or ''} PARSER=SYNTAGMA NUMPARSE=1\n{auto_line(derivation)}\n"


def auto_line(derivation: Derivation) -> str:
    """A derivation as a line of the format, without the line end; `parse_auto` is the inverse."""
    parts = []
    waiting: list[Derivation | None] = [derivation]  # None closes a bracket
    while waiting:
        node = waiting.pop()
        if node is None:
            parts.append(f"{_END} ")
        elif node.children:
            parts.append(f"{_NODE} {node.category} {node.head_side} {len(node.children)}> ")
            waiting += [None, *reversed(node.children)]
        else:
            form = (node.form or "").replace(" ", NO_BREAK_SPACE)
            parts.append(f"{_WORD} {node.category} {node.tag} {node.tag} {form} {node.category}>) ")
    return "".join(parts).rstrip(" ")
