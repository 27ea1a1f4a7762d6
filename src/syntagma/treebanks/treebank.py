"""Treebanks: sentences with gold trees, for training and evaluation.

Problems, in which tags and arcs may be missing and the order of words means nothing, are read by
`formats`. CCGbanks are read by `corpus`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from syntagma.arguments import is_collection
from syntagma.ccg.derivation import Derivation
from syntagma.errors import ArgumentError, FormatError, SyntagmaWarning, shown
from syntagma.files.paths import check_path
from syntagma.files.reading import open_text, source_name
from syntagma.formats.conllu import (
    DEPREL,
    FEATS,
    FORM,
    HEAD,
    LEMMA,
    UPOS,
    XPOS,
    Block,
    problem_from_block,
    read_blocks,
    tag_index,
)
from syntagma.problem import trees
from syntagma.problem.parse import readable_upos
from syntagma.problem.word import TagColumn
from syntagma.results.spelling import Spelling


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its gold tree; heads are 1-based, 0 for the root; a missing tag is empty.

    A sentence of plain text has forms only. `annotated_heads` are those of the treebank if the tree
    was lifted. Sentences of a CCGbank have a derivation. `upos` is empty if the tags are UPOS tags.
    Features are written as in CoNLL-U. Realisation needs lemmas (empty where missing), the spelling
    and the text as written.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    deprels: tuple[str, ...] = ()
    id: str | None = None
    derivation: Derivation | None = field(default=None, compare=False, repr=False)
    lemmas: tuple[str, ...] = field(default=(), compare=False, repr=False)
    features: tuple[str, ...] = field(default=(), compare=False, repr=False)
    spelling: Spelling | None = field(default=None, compare=False, repr=False)
    written: str = field(default="", compare=False, repr=False)
    upos: tuple[str, ...] = field(default=(), compare=False, repr=False)
    annotated_heads: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def text(self) -> str:
        return " ".join(self.forms)


def read_treebank(
    path: str | os.PathLike[str],
    tag_column: TagColumn = "xpos",
    *,
    lift: bool = False,
    faults: list[FormatError] | None = None,
) -> list[Sentence]:
    """Read a CoNLL-U treebank in which every word has a head and a label.

    A `SyntagmaWarning` says how many words have no tag.

    Trees are as annotated. With `lift`, non-projective ones are made projective by lifting arcs,
    as training needs them. Never evaluate on lifted trees: which arcs are lifted depends on the
    order of the words, so they give some of it away. The first fault raises `FormatError`; with a
    list of `faults`, faults are added to the list instead, and their sentences are skipped.
    """
    check_path(path, "path")
    if not isinstance(lift, bool):
        raise ArgumentError(f"lift must be True or False, not {shown(lift)}")
    source = source_name(path)
    sentences = as_treebank(treebank_blocks(path), source, tag_column, lift=lift, faults=faults)
    warn_of_untagged(sentences, tag_column, source)
    return sentences


def treebank_blocks(path: str | os.PathLike[str]) -> Iterator[Block | FormatError]:
    """The blocks of a CoNLL-U file, of which `as_treebank` makes sentences."""
    return read_blocks(open_text(path), source_name(path))


def as_treebank(
    blocks: Iterable[Block | FormatError],
    source: str,
    tag_column: TagColumn,
    *,
    lift: bool,
    faults: list[FormatError] | None = None,
) -> list[Sentence]:
    """The sentences of the blocks of a file; faults are treated as `read_treebank` does."""
    sentences = []
    for sentence in iterate_sentences(blocks, tag_column, lift=lift):
        if isinstance(sentence, Sentence):
            sentences.append(sentence)
        elif faults is None:
            raise sentence
        else:
            faults.append(sentence)
    if not sentences and faults:
        raise faults[0]
    if not sentences:
        raise FormatError("empty treebank: no sentences", source)
    return sentences


def iterate_sentences(
    blocks: Iterable[Block | FormatError], tag_column: TagColumn = "xpos", *, lift: bool = False
) -> Iterator[Sentence | FormatError]:
    """The sentences of blocks one at a time; a faulty one gives a `FormatError`."""
    for block in blocks:
        try:
            yield block if isinstance(block, FormatError) else _sentence(block, tag_column, lift)
        except FormatError as fault:
            yield fault


def as_annotated(sentence: Sentence) -> Sentence:
    """The sentence with its tree as the treebank has it, if it was lifted."""
    if not sentence.annotated_heads:
        return sentence
    return replace(sentence, heads=sentence.annotated_heads, annotated_heads=())


def as_sentences(sentences: Iterable[Sentence], name: str) -> list[Sentence]:
    """Sentences as a list, if they are sentences."""
    if isinstance(sentences, (str, os.PathLike)):
        raise ArgumentError(
            f"{name} must be a list of sentences, not a path: read it by read_treebank"
        )
    if not is_collection(sentences):
        raise ArgumentError(f"{name} must be a list of sentences, not {shown(sentences)}")
    found = list(sentences)
    for sentence in found:
        if not isinstance(sentence, Sentence):
            raise ArgumentError(f"{name} must be a list of sentences, not of {shown(sentence)}")
    return found


def tag_pairs(block: Block) -> Iterator[tuple[str, str]]:
    """The XPOS and the UPOS tag of each word; a missing one is empty."""
    for row in block.rows:
        yield "" if row[XPOS] == "_" else row[XPOS], "" if row[UPOS] == "_" else row[UPOS]


def retag(sentence: Sentence, pairs: Iterable[tuple[str, str]], tag_column: TagColumn) -> Sentence:
    """The sentence as `read_treebank` reads it with another tag column, given its `tag_pairs`."""
    xpos, upos = zip(*pairs, strict=True)
    if tag_column == "upos":
        return replace(sentence, tags=upos, upos=())
    return replace(sentence, tags=xpos, upos=tuple(readable_upos(tag) or "" for tag in upos))


def warn_of_untagged(sentences: list[Sentence], tag_column: TagColumn, source: str) -> None:
    words = sum(map(len, sentences))
    untagged = sum(sentence.tags.count("") for sentence in sentences)
    # `linearizer/inputs.py` warns if a model does not read UPOS tags.
    if not untagged or (untagged == words and any(any(each.upos) for each in sentences)):
        return
    column = tag_column.upper()
    if untagged == words:
        other = "UPOS" if tag_column == "xpos" else "XPOS"
        found = (
            f"no word has a tag in the column {column}, so all count as untagged; if it has "
            f"{other} tags, use a model that reads those (syntagma train --tag-column "
            f"{other.lower()})"
        )
    else:
        found = f"{untagged:,} of {words:,} words have no {column} tag and count as untagged"
    warnings.warn(f"{source}: {found}", SyntagmaWarning, stacklevel=3)


def _sentence(block: Block, tag_column: TagColumn, lift: bool) -> Sentence:
    tag = tag_index(tag_column)
    for row, place in zip(block.rows, block.places, strict=True):
        if row[HEAD] == "_" or row[DEPREL] == "_":
            raise FormatError("a word of a treebank needs a HEAD and a DEPREL", *place)
    block.check_forms()
    words = problem_from_block(block, tag_column).words
    heads = tuple(int(row[HEAD]) for row in block.rows)
    lifted = trees.lift(heads) if lift else heads
    return Sentence(
        tuple(word.form for word in words),
        tuple("" if row[tag] == "_" else row[tag] for row in block.rows),
        lifted,
        tuple(row[DEPREL] for row in block.rows),
        block.id,
        # An underscore means that the lemma is missing, unless the form is one, too.
        lemmas=tuple("" if row[LEMMA] == "_" != row[FORM] else row[LEMMA] for row in block.rows),
        features=tuple("" if row[FEATS] == "_" else row[FEATS] for row in block.rows),
        spelling=block.spelling,
        written=block.text or block.spelling.text([row[FORM] for row in block.rows]),
        upos=tuple(word.upos or "" for word in words) if tag != UPOS else (),
        annotated_heads=() if lifted == heads else heads,
    )
