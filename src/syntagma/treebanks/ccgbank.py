"""CCGbanks: sentences with gold CCG derivations, for training and evaluation.

Sentences with dependency trees are read by `treebank`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from syntagma.errors import FormatError
from syntagma.files.reading import open_text, source_name
from syntagma.formats.auto import read_auto
from syntagma.problem.word import ROOT_LABEL, TagColumn
from syntagma.results.derivation import Derivation
from syntagma.treebanks.treebank import Sentence, read_treebank

LABEL = "dep"  # of all arcs: derivations have heads, but no labels


@dataclass(frozen=True, slots=True)
class CcgSentence:
    """A sentence with its gold derivation."""

    id: str | None
    derivation: Derivation

    @property
    def sentence(self) -> Sentence:
        """The sentence with a tree; heads follow from the head rules of `results/categories.py`."""
        heads = self.derivation.heads()
        return Sentence(
            self.derivation.forms,
            self.derivation.tags,
            heads,
            tuple(LABEL if head else ROOT_LABEL for head in heads),
            self.id,
            self.derivation,
        )


def is_ccgbank(path: str | os.PathLike[str]) -> bool:
    """Whether the name of a file ends like that of a CCGbank: .auto, perhaps compressed."""
    return re.search(r"\.auto(\.gz|\.xz)?$", os.fspath(path), re.IGNORECASE) is not None


def read_sentences(path: str | os.PathLike[str], tag_column: TagColumn = "xpos") -> list[Sentence]:
    """Read a CCGbank or a treebank, whichever the name of the file indicates."""
    if is_ccgbank(path):
        return [each.sentence for each in read_ccgbank(path)]
    return read_treebank(path, tag_column)


def read_ccgbank(path: str | os.PathLike[str]) -> list[CcgSentence]:
    """Read derivations in CCGbank's .auto format; the first fault raises `FormatError`."""
    source = source_name(path)
    sentences = []
    for entry in read_auto(open_text(path), source):
        if isinstance(entry, FormatError):
            raise entry
        sentences.append(CcgSentence(entry.id, entry.derivation))
    if not sentences:
        raise FormatError("empty CCGbank: no derivations", source)
    return sentences
