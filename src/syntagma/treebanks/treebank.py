"""Treebanks: ordered sentences with complete trees, to learn from and to be measured against.

Problems, where anything may be missing and the order is not used, are read by `formats`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from syntagma.errors import FormatError
from syntagma.files.reading import open_text, source_name
from syntagma.formats.conllu import (
    DEPREL,
    FEATS,
    FORM,
    HEAD,
    LEMMA,
    Block,
    read_blocks,
    tag_index,
    to_problem,
)
from syntagma.problem.trees import is_projective, lift
from syntagma.problem.word import TagColumn
from syntagma.results.derivation import Derivation
from syntagma.results.spelling import Spelling

__all__ = ["Sentence", "is_projective", "lift", "read_treebank"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its gold tree; heads are 1-based, 0 for the root.

    Sentences of a CCGbank have a derivation, too. Lemmas (empty where there is none), morphological
    features, as in CoNLL-U, the spelling and the sentence as it is written are for realisation.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    id: str | None = None
    derivation: Derivation | None = field(default=None, compare=False, repr=False)
    lemmas: tuple[str, ...] = field(default=(), compare=False, repr=False)
    features: tuple[str, ...] = field(default=(), compare=False, repr=False)
    spelling: Spelling | None = field(default=None, compare=False, repr=False)
    written: str = field(default="", compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def text(self) -> str:
        return " ".join(self.forms)


def read_treebank(
    path: str | os.PathLike[str],
    tag_column: TagColumn = "xpos",
    *,
    lift: bool = True,
    faults: list[FormatError] | None = None,
) -> list[Sentence]:
    """Read a CoNLL-U treebank in which every word has a tag, a head and a label.

    Trees that are not projective are made so by lifting, unless `lift` is false. The first fault
    raises `FormatError`; but with a list of `faults`, which it is added to, the sentence is left
    out.
    """
    source = source_name(path)
    sentences = []
    for block in read_blocks(open_text(path), source):
        try:
            if isinstance(block, FormatError):
                raise block
            sentences.append(_sentence(block, tag_column, lift))
        except FormatError as fault:
            if faults is None:
                raise
            faults.append(fault)
    if not sentences and faults:
        raise faults[0]
    if not sentences:
        raise FormatError("empty treebank: no sentences", source)
    return sentences


def _sentence(block: Block, tag_column: TagColumn, projective: bool) -> Sentence:
    tag = tag_index(tag_column)
    for row, place in zip(block.rows, block.places, strict=True):
        if row[HEAD] == "_" or row[DEPREL] == "_":
            raise FormatError("a word of a treebank needs a HEAD and a DEPREL", *place)
        if row[tag] == "_":
            raise FormatError(_no_tag(tag_column), *place)
    words = to_problem(block, tag_column).words
    heads = tuple(int(row[HEAD]) for row in block.rows)
    return Sentence(
        tuple(word.form for word in words),
        tuple(row[tag] for row in block.rows),
        lift(heads) if projective else heads,
        tuple(row[DEPREL] for row in block.rows),
        block.id,
        lemmas=tuple(_lemma(row) for row in block.rows),
        features=tuple("" if row[FEATS] == "_" else row[FEATS] for row in block.rows),
        spelling=block.spelling,
        written=block.text or block.spelling.text([row[FORM] for row in block.rows]),
    )


def _lemma(row: list[str]) -> str:
    """The lemma of a word; an underscore is one only of the word that is written so."""
    return "" if row[LEMMA] == "_" != row[FORM] else row[LEMMA]


def _no_tag(tag_column: TagColumn) -> str:
    other = "upos" if tag_column == "xpos" else "xpos"
    return (
        f"a word of a treebank needs a tag, but {tag_column.upper()} is empty; "
        f"if the treebank has tags only in the other column, use the tag column {other}"
    )
