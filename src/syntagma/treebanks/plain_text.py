"""Gold sentences without trees: plain text, one sentence per line, and sentences as people type.

`formats/tokenization.py` splits them into words. `formats/text.py` reads bags, whose order means
nothing.
"""

# ruff: noqa: RUF001, apostrophes look alike

from __future__ import annotations

import os
import re

from syntagma.errors import FormatError
from syntagma.files.reading import Place, open_text, source_name
from syntagma.formats.text import read_each
from syntagma.formats.tokenization import words
from syntagma.problem.limits import MAX_WORDS, check_limit
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.treebanks.treebank import Sentence

_FINAL_MARK = re.compile("[.?!…]+")
_PRONOUN = re.compile("I(?=['’]|$)")


def is_plain_text(path: str | os.PathLike[str]) -> bool:
    """Whether the name of a file ends like that of plain text: .txt, perhaps compressed."""
    return re.search(r"\.txt(\.gz|\.xz)?$", os.fspath(path), re.IGNORECASE) is not None


def read_plain_text(path: str | os.PathLike[str]) -> list[Sentence]:
    """Read one sentence per line, and split it into words as English is written.

    Empty lines are skipped.
    """
    source = source_name(path)
    sentences = []
    for found in read_each(open_text(path), source, _sentence):
        if isinstance(found, FormatError):
            raise found
        if found is not None:
            sentences.append(found)
    if not sentences:
        raise FormatError("empty file: no sentences", source)
    return sentences


def _sentence(line: str, place: Place) -> Sentence | None:
    forms = tuple(words(line))
    if not forms:
        return None
    check_limit(len(forms), MAX_WORDS, "the sentence", "words")
    Problem(tuple(map(Word, forms)), origin=place)  # a form that no bag may have raises here
    return Sentence(forms)


def as_typed(sentence: Sentence) -> Sentence:
    """The words in lower case but for *I*, without the final mark; no tags and no tree.

    >>> as_typed(Sentence(("So", "I", "'m", "in", "Oslo", "?", "!"))).text
    "so I 'm in oslo"
    """
    forms = sentence.forms
    while len(forms) > 1 and _FINAL_MARK.fullmatch(forms[-1]):
        forms = forms[:-1]
    return Sentence(tuple(map(_lower, forms)), id=sentence.id)


def _lower(form: str) -> str:
    return "I" + form[1:].lower() if _PRONOUN.match(form) else form.lower()
