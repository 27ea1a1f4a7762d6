"""Plain text in: one bag of words per line. Plain text out is the `text` of a result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from syntagma.errors import FormatError, ProblemError
from syntagma.files.reading import Lines, Place
from syntagma.problem.limits import MAX_WORDS, check_limit
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word

T = TypeVar("T")


def split_bag(line: str) -> list[str]:
    """The words of a line: separated by spaces or, if it contains a tab, by tabs. Then they may be
    phrases.

    >>> split_bag("barks dog the"), split_bag("barks\\tthe dog")
    (['barks', 'dog', 'the'], ['barks', 'the dog'])
    """
    # Not str.split(): that would drop control characters and break words at no-break spaces.
    if "\t" in line:
        return line.split("\t")
    return [word for word in line.split(" ") if word]


def read_each(
    lines: Lines, source: str, read: Callable[[str, Place], T]
) -> Iterator[T | FormatError]:
    """What `read` makes of each line; a bad line yields a `FormatError` in its place."""
    for number, line in enumerate(lines, start=1):
        if isinstance(line, FormatError):
            yield line
            continue
        place = Place(source, number)
        try:
            yield read(line, place)
        except ProblemError as error:
            yield FormatError(str(error), *place)
        except FormatError as error:
            yield error


def read_text(
    lines: Lines,
    source: str,
    *,
    lemmas: bool = False,
    split: Callable[[str], list[str]] = split_bag,
) -> Iterator[Problem | FormatError]:
    """Read one bag per line; a bad line yields a `FormatError` in its place.

    `split` finds the words of a line. They are forms, or, if `lemmas`, lemmas.
    """

    def read(line: str, place: Place) -> Problem:
        # Refuse a line of far too many words before any `Word` is built.
        if (tabs := line.count("\t")) >= MAX_WORDS:
            check_limit(tabs + 1, MAX_WORDS, "the bag", "words")
        elif not tabs and line.count(" ") >= MAX_WORDS:
            count = sum(1 for _ in re.finditer("[^ ]+", line))
            check_limit(count, MAX_WORDS, "the bag", "words")
        words = tuple(Word(lemma=word) if lemmas else Word(word) for word in split(line))
        return Problem(words, origin=place)

    return read_each(lines, source, read)


def join_phrases(pieces: Sequence[str], problem: Problem) -> list[str]:
    """The units of an order: its words, joined where they are a phrase of the bag.

    >>> bag = Problem.of(["big", "is", "New York"])
    >>> join_phrases(["New", "York", "is", "big"], bag)
    ['New York', 'is', 'big']
    """
    phrases = Counter(word.form for word in problem.words if " " in word.form)
    lengths = sorted({phrase.count(" ") + 1 for phrase in phrases}, reverse=True)
    units: list[str] = []
    start = 0
    while start < len(pieces):
        end = start + 1
        for length in lengths:
            phrase = " ".join(pieces[start : start + length])
            if phrases[phrase]:
                phrases[phrase] -= 1
                end = start + length
                break
        units.append(" ".join(pieces[start:end]))
        start = end
    return units
