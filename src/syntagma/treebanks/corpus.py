"""Gold sentences of one or several files: CCGbanks, treebanks in CoNLL-U (`treebank`), or plain
text (`plain_text`).

Which files a pattern matches is decided in `files/paths.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from syntagma.ccg.derivation import Derivation
from syntagma.errors import ArgumentError, FormatError
from syntagma.files.paths import expand_paths
from syntagma.files.reading import open_text, source_name
from syntagma.formats.auto import HeadSource, has_features, read_auto
from syntagma.problem.word import ROOT_LABEL, TagColumn
from syntagma.treebanks.plain_text import is_plain_text, read_plain_text
from syntagma.treebanks.treebank import Sentence, read_treebank

LOOKED_AT = 1000  # lines of a file in which features are looked for
LABEL = "dep"  # of all arcs: derivations have heads, but no labels


@dataclass(frozen=True, slots=True)
class CcgSentence:
    """A sentence with its gold derivation."""

    id: str | None
    derivation: Derivation

    @property
    def sentence(self) -> Sentence:
        """The sentence with the tree of the derivation's heads."""
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


def read_sentences(
    path: str | os.PathLike[str], tag_column: TagColumn = "xpos", heads: HeadSource | None = None
) -> list[Sentence]:
    """Read a CCGbank, plain text or a treebank, whichever the name of the file indicates."""
    if is_ccgbank(path):
        return [each.sentence for each in read_ccgbank(path, heads)]
    if is_plain_text(path):
        return read_plain_text(path)
    return read_treebank(path, tag_column)


def read_ccgbank(
    path: str | os.PathLike[str], heads: HeadSource | None = None
) -> list[CcgSentence]:
    """Read derivations in CCGbank's .auto format; the first fault raises `FormatError`.

    The head of a node is that of the `file`, or found by `rule`; by default the file's if its
    categories carry features, which its first lines show.
    """
    source = source_name(path)
    sentences = []
    lines = open_text(path)
    first = list(islice(lines, LOOKED_AT))
    if heads is None:
        featured = any(isinstance(line, str) and has_features(line) for line in first)
        heads = "file" if featured else "rule"
    for entry in read_auto(chain(first, lines), source, heads):
        if isinstance(entry, FormatError):
            raise entry
        sentences.append(CcgSentence(entry.id, entry.derivation))
    if not sentences:
        raise FormatError("empty CCGbank: no derivations", source)
    return sentences


def corpus_files(paths: str | Path | Sequence[str | Path], name: str = "paths") -> list[Path]:
    """The files of a corpus that is given by one or more paths or patterns.

    All must be CoNLL-U, or all CCGbanks (.auto), or all plain text (.txt).
    """
    files = expand_paths(paths, name)
    if not files:
        raise ArgumentError(f"{name} must name at least one file")
    for file in files[1:]:
        if _kind(file) != _kind(files[0]):
            raise FormatError(
                f"{_kind(file)}, but {files[0]} is {_kind(files[0])}; the files of a corpus are of "
                "one kind",
                str(file),
            )
    return files


def _kind(path: Path) -> str:
    if is_ccgbank(path):
        return "a CCGbank"
    return "plain text" if is_plain_text(path) else "a treebank"


def read_corpus(
    paths: str | Path | Sequence[str | Path],
    tag_column: TagColumn = "xpos",
    heads: HeadSource | None = None,
) -> list[Sentence]:
    """Read the sentences of one or more files or patterns, in the order of the files."""
    return [
        sentence
        for file in corpus_files(paths)
        for sentence in read_sentences(file, tag_column, heads)
    ]
