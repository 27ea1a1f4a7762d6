r"""CCGbank's .auto format in and out: a line with an id, then a line with a derivation.

    ID=birds-1 PARSER=GOLD NUMPARSE=1
    (<T S 1 2> (<L NP NOUN NOUN Birds NP>) (<L S\NP VERB VERB sing S\NP>) )

`(<T category head children> … )` is a node, `(<L category tag tag form category>)` a word. Fields
are separated by spaces, so forms may contain any other character. The head, 0 or 1, is written by
the head rule of `results/categories.py` and ignored in reading: files disagree on its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from syntagma.errors import FormatError, shown
from syntagma.files.place import about_sentence
from syntagma.files.reading import Lines
from syntagma.results.categories import head_side
from syntagma.results.derivation import Derivation

_ID_LINE = re.compile(r"ID=(.*?)(?: PARSER=.*)?")
_NODE, _WORD, _END = "(<T", "(<L", ")"


@dataclass(frozen=True, slots=True)
class AutoEntry:
    """A derivation of a file, with its id and its line."""

    id: str | None
    derivation: Derivation
    line: int


def read_auto(lines: Lines, source: str) -> Iterator[AutoEntry | FormatError]:
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
                yield AutoEntry(id, parse_auto(line), number)
            except FormatError as error:
                yield FormatError(f"{about_sentence(id)}{error.message}", source, number)
        id, id_line = None, 0
    if id_line:
        yield FormatError("an ID without a derivation", source, id_line)


def parse_auto(line: str) -> Derivation:
    """Parse the derivation of a line."""
    tokens = line.strip().split(" ")
    open_nodes: list[tuple[str, int, list[Derivation]]] = []
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
            category, count, children = open_nodes.pop()
            if len(children) != count:
                raise FormatError(
                    f"a node {_clip([category])} with {len(children)} children "
                    f"where {count} are declared"
                )
            node = Derivation(category, tuple(children))
            at += 1
        else:
            raise FormatError(
                f"a node (<T … >, a word (<L … >) or ) expected: {_clip(tokens[at:])}"
            )
        if open_nodes:
            open_nodes[-1][2].append(node)
        else:
            complete = node
    if open_nodes:
        raise FormatError(f"the bracket of the node {_clip([open_nodes[-1][0]])} is not closed")
    if complete is None:
        raise FormatError("no derivation")
    return complete


def _node(fields: list[str]) -> tuple[str, int, list[Derivation]]:
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
    return fields[1], int(count), []


def _word(fields: list[str]) -> Derivation:
    if len(fields) < 6 or not all(fields) or not fields[5].endswith(">)"):
        raise FormatError(f"not (<L category tag tag form category>): {_clip(fields)}")
    _, category, tag, _, form, _ = fields
    return Derivation(category, form=form, tag=tag)


def _clip(tokens: list[str]) -> str:
    text = " ".join(tokens[:8])
    text = text if len(text) <= 60 else f"{text[:59]}…"
    return "".join(each if each.isprintable() else "?" for each in text)


def write_auto(derivation: Derivation, id: str | None) -> str:
    """A derivation as the two lines of the format, with the final line end."""
    return f"ID={id or ''} PARSER=SYNTAGMA NUMPARSE=1\n{auto_line(derivation)}\n"


def auto_line(derivation: Derivation) -> str:
    """A derivation as a line of the format, without the line end; `parse_auto` is the inverse.

    The format allows no space within a form: it becomes a no-break space.
    """
    parts = []
    waiting: list[Derivation | None] = [derivation]  # None closes a bracket
    while waiting:
        node = waiting.pop()
        if node is None:
            parts.append(f"{_END} ")
        elif node.children:
            parts.append(f"{_NODE} {node.category} {_head(node)} {len(node.children)}> ")
            waiting += [None, *reversed(node.children)]
        else:
            form = (node.form or "").replace(" ", "\u00a0")
            parts.append(f"{_WORD} {node.category} {node.tag} {node.tag} {form} {node.category}>) ")
    return "".join(parts).rstrip(" ")


def _head(node: Derivation) -> int:
    if len(node.children) == 1:
        return 0
    left, right = node.children
    return head_side(left.category, right.category, node.category)
