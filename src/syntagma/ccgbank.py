"""CCGbanks: ordered sentences with their CCG derivations, to learn from and to measure against.

Sentences with dependency trees are read by `treebank`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from syntagma.derivation import Derivation
from syntagma.errors import FormatError
from syntagma.formats.auto import read_auto
from syntagma.formats.files import open_text, source_name
from syntagma.problem import ROOT_LABEL
from syntagma.treebank import Sentence

LABEL = "dep"  # derivations have heads, but no labels


@dataclass(frozen=True, slots=True)
class CcgSentence:
    """A sentence with its gold derivation."""

    id: str | None
    derivation: Derivation

    @property
    def sentence(self) -> Sentence:
        """The sentence as that of a treebank, its heads by the head rule of `categories`."""
        heads = self.derivation.heads()
        return Sentence(
            self.derivation.forms,
            self.derivation.tags,
            heads,
            tuple(LABEL if head else ROOT_LABEL for head in heads),
            self.id,
        )


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
