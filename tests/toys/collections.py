"""Folders of toy treebanks, named as in Universal Dependencies."""

from __future__ import annotations

import os
from pathlib import Path

from toys.treebank import write_treebank

BROKEN = "1\tbroken\n"


def add_treebank(folder: Path, name: str, *parts: str) -> Path:
    """Write the parts (train, dev, test) of a toy treebank to a folder of its own below this."""
    own = folder / name
    own.mkdir(parents=True, exist_ok=True)
    for part in parts or ("train", "dev", "test"):
        write_treebank(own / f"{name}-ud-{part}.conllu")
    return own


def add_broken(folder: Path, name: str = "xx_broken") -> Path:
    """Write a training file that is not CoNLL-U."""
    path = add_treebank(folder, name) / f"{name}-ud-train.conllu"
    path.write_text(BROKEN)
    return path


def environment() -> dict[str, str]:
    """That of a process which imports the package that is being tested."""
    import syntagma

    return os.environ | {"PYTHONPATH": str(Path(syntagma.__file__).parents[1])}
