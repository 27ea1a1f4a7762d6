"""Problems from files in any of the formats: picks the reader."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Literal

from syntagma.errors import FormatError
from syntagma.files.reading import Lines, open_text, source_name
from syntagma.formats.conllu import Lemmas, read_conllu
from syntagma.formats.jsonl import read_jsonl
from syntagma.formats.text import read_text
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn

InputFormat = Literal["conllu", "jsonl", "text"]


def guess_format(path: str | os.PathLike[str]) -> InputFormat:
    """The format that a file name speaks of; plain text if it speaks of none.

    >>> guess_format("bags.conllu.gz"), guess_format("bags.json"), guess_format("-")
    ('conllu', 'jsonl', 'text')
    """
    match = re.search(r"\.(conllu|jsonl?)(\.gz|\.xz)?$", os.fspath(path), re.IGNORECASE)
    if match is None:
        return "text"
    return "conllu" if match[1].lower() == "conllu" else "jsonl"


def read_problems(
    path: str | os.PathLike[str],
    format: InputFormat | None = None,
    tag_column: TagColumn = "xpos",
    lemmas: Lemmas | None = None,
) -> Iterator[Problem | FormatError]:
    """The problems of a file, one at a time; "-" is the standard input.

    A problem that is bad comes as a `FormatError` object in its place; a file that cannot be
    opened raises one. Without a format it is guessed from the file name. `lemmas` says where there
    are lemmas to be realized, see `conllu.to_problem`; plain words are lemmas then.
    """
    lines, source = open_text(path), source_name(path)
    found = _read(lines, source, format or guess_format(path), tag_column, lemmas)
    return _or_empty(found, source)


def _read(
    lines: Lines,
    source: str,
    format: InputFormat,
    tag_column: TagColumn,
    lemmas: Lemmas | None,
) -> Iterator[Problem | FormatError]:
    match format:
        case "conllu":
            return read_conllu(lines, source, tag_column, lemmas)
        case "jsonl":
            return read_jsonl(lines, source, lemmas=lemmas is not None)
        case "text":
            return read_text(lines, source, lemmas=lemmas is not None)


def _or_empty(
    problems: Iterator[Problem | FormatError], source: str
) -> Iterator[Problem | FormatError]:
    empty = True
    for problem in problems:
        empty = False
        yield problem
    if empty:
        yield FormatError("empty file: no problems", source)
