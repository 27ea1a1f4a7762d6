"""CoNLL-U in and out: sentence blocks with `_` for what is not given.

Training data, where everything must be given, is read from the same blocks by `treebank`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from syntagma.errors import FormatError, ProblemError
from syntagma.formats.files import Lines
from syntagma.linearization import Linearization
from syntagma.problem import Problem, TagColumn, Word

TAG_COLUMNS: dict[TagColumn, int] = {"upos": 3, "xpos": 4}

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)

_SPACING = ("SpaceAfter", "SpacesAfter", "SpacesBefore")
_NOT_A_WORD = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)|[0-9]+\.[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one sentence: comments as they stand, one row of ten columns per word.

    Multiword ranges (3-4) and empty nodes (3.1) speak of a word order and are left out.
    """

    comments: tuple[str, ...]
    rows: tuple[list[str], ...]
    line_numbers: tuple[int, ...]  # of the rows

    @property
    def id(self) -> str | None:
        for comment in self.comments:
            key, _, value = comment[1:].partition("=")
            if key.strip() == "sent_id" and value.strip():
                return value.strip()
        return None

    @property
    def line(self) -> int:
        return self.line_numbers[0]


def read_blocks(lines: Lines, source: str) -> Iterator[Block | FormatError]:
    """Split lines into sentence blocks; a block with a fault comes as one `FormatError` object."""
    comments: list[str] = []
    rows: list[list[str]] = []
    numbers: list[int] = []
    error: FormatError | None = None
    number = 0
    line: str | FormatError = ""
    for number, line in enumerate(lines, start=1):
        if line == "":
            if error is not None:
                yield error
            elif rows:
                yield Block(tuple(comments), tuple(rows), tuple(numbers))
            elif comments:
                yield FormatError("comments without a sentence", source, number - 1)
            comments, rows, numbers, error = [], [], [], None
        elif error is not None:
            pass  # the sentence is lost already; its first fault is the one to report
        elif isinstance(line, FormatError):
            error = line
        elif line[0] == "#":
            if rows:
                error = FormatError("a comment inside a sentence", source, number)
            comments.append(line)
        else:
            columns = line.split("\t")
            if len(columns) == 10 and columns[ID] == str(len(rows) + 1):
                rows.append(columns)
                numbers.append(number)
            else:
                error = _row_error(columns, len(rows), source, number)
    if error is not None:
        yield error
        if isinstance(line, FormatError) and line is not error:  # the file is cut off here
            yield line
    elif rows:  # no final blank line: the sentence is complete all the same
        yield Block(tuple(comments), tuple(rows), tuple(numbers))
    elif comments:
        yield FormatError("comments without a sentence", source, number)


def _row_error(columns: list[str], count: int, source: str, number: int) -> FormatError | None:
    if len(columns) != 10:
        return FormatError(
            f"{len(columns)} column{'s' * (len(columns) != 1)} instead of 10 separated by tabs",
            source,
            number,
        )
    match = _NOT_A_WORD.fullmatch(columns[ID])
    if match is None:
        return FormatError(f"ID is {columns[ID]!r} where {count + 1} is expected", source, number)
    if match[1] and int(match[1]) > int(match[2]):
        return FormatError(f"the range {columns[ID]} runs backwards", source, number)
    return None


@dataclass(frozen=True, slots=True)
class ConlluOrigin:
    """What the writer wants back of a sentence that was read from CoNLL-U."""

    block: Block
    tag_column: TagColumn


def read_conllu(
    lines: Lines, source: str, tag_column: TagColumn = "xpos"
) -> Iterator[Problem | FormatError]:
    """The problems of a CoNLL-U file; one that is bad comes as a `FormatError` in its place."""
    for block in read_blocks(lines, source):
        if isinstance(block, FormatError):
            yield block
            continue
        try:
            yield to_problem(block, source, tag_column)
        except FormatError as error:
            yield error


def to_problem(block: Block, source: str, tag_column: TagColumn) -> Problem:
    """The problem of a block; the order of its lines counts for nothing but the ids."""
    tag = TAG_COLUMNS[tag_column]
    words = tuple(
        Word(
            row[FORM],
            None if row[tag] == "_" else row[tag],
            None if row[HEAD] == "_" else _head(row[HEAD], source, line),
            None if row[DEPREL] == "_" else row[DEPREL],
        )
        for row, line in zip(block.rows, block.line_numbers, strict=True)
    )
    id = block.id
    try:
        return Problem(words, id=id, origin=ConlluOrigin(block, tag_column))
    except ProblemError as error:
        sentence = f"sentence {id}: " if id else ""
        raise FormatError(f"{sentence}{error}", source, block.line) from error


def _head(column: str, source: str, line: int) -> int:
    if not (column.isascii() and column.isdigit() and len(column) < 10):
        raise FormatError(
            f"HEAD is {column!r} where the ID of a word, 0 (root) or _ (not given) is expected",
            source,
            line,
        )
    return int(column)


def write_conllu(linearization: Linearization, tag_column: TagColumn = "xpos") -> str:
    """A sentence as a CoNLL-U block, with its final blank line.

    Comments and columns that came with the problem are carried over. The tag goes into the column
    it was read from, into `tag_column` if the problem is not from a CoNLL-U file.
    """
    problem = linearization.problem
    origin = problem.origin if isinstance(problem.origin, ConlluOrigin) else None
    if origin is not None:
        tag_column = origin.tag_column
    lines = _comments(linearization, origin.block.comments if origin else ())
    for position, token in enumerate(linearization.tokens, start=1):
        row = list(origin.block.rows[token.source - 1]) if origin else ["_"] * 10
        row[ID] = str(position)
        row[FORM] = token.form
        row[TAG_COLUMNS[tag_column]] = token.tag
        row[HEAD] = str(token.head)
        row[DEPREL] = token.deprel
        row[DEPS] = "_"  # an enhanced graph speaks of the old ids
        row[MISC] = _without_spacing(row[MISC])
        lines.append("\t".join(row))
    return "\n".join(lines) + "\n\n"


def _without_spacing(misc: str) -> str:
    """What MISC says of the spaces around a word speaks of its old neighbours."""
    kept = [each for each in misc.split("|") if each.partition("=")[0] not in _SPACING]
    return "|".join(kept) or "_"


def _comments(linearization: Linearization, given: Iterable[str]) -> list[str]:
    new = {"text": linearization.text, "score": f"{linearization.score:.4f}"}
    if linearization.problem.id is not None:
        new = {"sent_id": linearization.problem.id, **new}
    if not linearization.finished:
        new["unfinished"] = f"{len(linearization.left_out)} words left out"
    comments = []
    for comment in given:
        key = comment[1:].partition("=")[0].strip()
        if "=" in comment and key in ("text", "score", "unfinished"):
            comment = f"# {key} = {new.pop(key)}" if key in new else ""
        elif "=" in comment and key == "sent_id":
            new.pop(key, None)
        if comment:
            comments.append(comment)
    return comments + [f"# {key} = {value}" for key, value in new.items()]
