"""Plain text in: one bag of words a line. A result's `text` is the plain text out."""

from __future__ import annotations

from collections.abc import Iterator

from syntagma.errors import FormatError, ProblemError
from syntagma.files.reading import Lines
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word


def read_text(
    lines: Lines, source: str, *, lemmas: bool = False
) -> Iterator[Problem | FormatError]:
    """The bags of a text, one a line; one that is bad comes as a `FormatError` in its place.

    Words are separated by spaces; if the line holds a tab, by tabs, and a word may be a phrase.
    They are forms, or else lemmas.
    """
    for number, line in enumerate(lines, start=1):
        if isinstance(line, FormatError):
            yield line
            continue
        try:
            words = split_bag(line)
            yield Problem.of([Word(lemma=word) for word in words] if lemmas else words)
        except ProblemError as error:
            yield FormatError(str(error), source, number)


def split_bag(line: str) -> list[str]:
    """The words of a line.

    >>> split_bag("barks dog the"), split_bag("barks\\tthe dog")
    (['barks', 'dog', 'the'], ['barks', 'the dog'])
    """
    # Not str.split(): that would drop control characters and break words at no-break spaces.
    if "\t" in line:
        return line.split("\t")
    return [word for word in line.split(" ") if word]
