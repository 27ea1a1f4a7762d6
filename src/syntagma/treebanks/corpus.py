"""Gold sentences of several files: treebanks in CoNLL-U, or CCGbanks.

One file is read by `treebank` or `ccgbank`; which files a pattern matches is decided in
`files/paths.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from syntagma.errors import ArgumentError, FormatError
from syntagma.files.paths import expand_paths
from syntagma.formats.auto import HeadSource
from syntagma.problem.word import TagColumn
from syntagma.treebanks.ccgbank import is_ccgbank, read_sentences
from syntagma.treebanks.treebank import Sentence


def corpus_files(paths: str | Path | Sequence[str | Path], name: str = "paths") -> list[Path]:
    """The files of a treebank that is given by one or more paths or patterns.

    All must be CoNLL-U, or all CCGbanks (.auto).
    """
    files = expand_paths(paths, name)
    if not files:
        raise ArgumentError(f"{name} must name at least one file")
    for file in files[1:]:
        if is_ccgbank(file) != is_ccgbank(files[0]):
            first, second = sorted([files[0], file], key=is_ccgbank, reverse=True)
            raise FormatError(
                f"a CCGbank and {second}, which is none, are not one corpus; give either "
                ".auto files or CoNLL-U",
                str(first),
            )
    return files


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
