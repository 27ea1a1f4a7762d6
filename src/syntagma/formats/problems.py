"""Problems from a file in any of the formats: opens it, picks the reader, and says where each
problem was found."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Literal, TypeVar, get_args

from syntagma.errors import ArgumentError, FormatError, shown
from syntagma.files.reading import Lines, Place, open_text, source_name
from syntagma.formats.conllu import Lemmas, read_conllu
from syntagma.formats.jsonl import read_jsonl, read_orders
from syntagma.formats.sr11 import read_sr11
from syntagma.formats.text import read_text, split_bag
from syntagma.problem.parse import ParseOrigin
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn

InputFormat = Literal["conllu", "jsonl", "text", "sr11"]
T = TypeVar("T")
FORMATS: tuple[InputFormat, ...] = get_args(InputFormat)


def guess_format(path: str | os.PathLike[str]) -> InputFormat:
    """The format that a file name implies; plain text by default.

    >>> guess_format("bags.conllu.gz"), guess_format("bags.json"), guess_format("-")
    ('conllu', 'jsonl', 'text')
    """
    match = re.search(r"\.(conllu|jsonl?|hfg)(\.gz|\.xz)?$", os.fspath(path), re.IGNORECASE)
    if match is None:
        return "text"
    extensions: dict[str, InputFormat] = {"conllu": "conllu", "hfg": "sr11"}
    return extensions.get(match[1].lower(), "jsonl")


def read_problems(
    path: str | os.PathLike[str],
    format: InputFormat | None = None,
    tag_column: TagColumn = "xpos",
    lemmas: Lemmas | None = None,
    split: Callable[[str], list[str]] = split_bag,
) -> Iterator[Problem | FormatError]:
    """Read the problems of a file one at a time; "-" is standard input.

    The file is opened at once: one that cannot be opened raises `FormatError`. A bad problem yields
    a `FormatError` in its place. The default format follows from the file name. `lemmas` says which
    words are lemmas to be realized (see `conllu.problem_from_block`); in text and JSON, plain
    strings are, and in SR'11 all are. `split` finds the words of a line of text.
    """
    format = format or guess_format(path)
    if format not in FORMATS:
        raise ArgumentError(f"format must be one of {', '.join(FORMATS)}, not {shown(format)}")
    lines, source = open_text(path), source_name(path)
    return _or_empty(problems_of(lines, source, format, tag_column, lemmas, split), source)


def problems_of(
    lines: Lines,
    source: str,
    format: InputFormat,
    tag_column: TagColumn = "xpos",
    lemmas: Lemmas | None = None,
    split: Callable[[str], list[str]] = split_bag,
) -> Iterator[Problem | FormatError]:
    """The problems of lines in a format, as `read_problems` reads those of a file."""
    match format:
        case "conllu":
            return read_conllu(lines, source, tag_column, lemmas)
        case "jsonl":
            return read_jsonl(lines, source, lemmas=lemmas is not None)
        case "sr11":
            trees = read_sr11(lines, source)
            return (each if isinstance(each, FormatError) else each.problem for each in trees)
        case "text":
            return read_text(lines, source, lemmas=lemmas is not None, split=split)


def read_ordered(
    path: str | os.PathLike[str],
    format: InputFormat | None = None,
    tag_column: TagColumn = "xpos",
    split: Callable[[str], list[str]] = split_bag,
) -> Iterator[tuple[Problem, list[str] | list[int]] | FormatError]:
    """Read the problems of a file, as `read_problems` does, each with an order of its words: in
    JSON the order that is given with it (`jsonl.read_orders`), else that in which they are listed.
    """
    lines, source = open_text(path), source_name(path)
    format = format or guess_format(path)
    return _or_empty(ordered_of(lines, source, format, tag_column, split), source)


def ordered_of(
    lines: Lines,
    source: str,
    format: InputFormat,
    tag_column: TagColumn = "xpos",
    split: Callable[[str], list[str]] = split_bag,
) -> Iterator[tuple[Problem, list[str] | list[int]] | FormatError]:
    """The problems of lines in a format, each with an order, as `read_ordered` reads them."""
    if format == "jsonl":
        return read_orders(lines, source, split)
    return (
        item if isinstance(item, FormatError) else (item, [*range(1, len(item.words) + 1)])
        for item in problems_of(lines, source, format, tag_column, split=split)
    )


def place_of(item: Problem | FormatError) -> Place | None:
    """Where a reader found a problem or a fault; None if it was not read from a file."""
    if isinstance(item, FormatError):
        return None if item.source is None else Place(item.source, item.line)
    origin = item.origin.place if isinstance(item.origin, ParseOrigin) else item.origin
    return origin if isinstance(origin, Place) else None


def _or_empty(problems: Iterator[T | FormatError], source: str) -> Iterator[T | FormatError]:
    empty = True
    for problem in problems:
        empty = False
        yield problem
    if empty:
        yield FormatError("empty file: no problems", source)
