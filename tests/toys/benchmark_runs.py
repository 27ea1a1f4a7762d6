"""How the tests of the benchmarks run them."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from toys.treebank import SENTENCES

SIZE = len(SENTENCES.strip().splitlines())


needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="Matplotlib is not installed"
)


def call(monkeypatch: pytest.MonkeyPatch, script: str, *arguments: object) -> None:
    """The command line of a benchmark."""
    monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])


def toy_forms() -> list[list[str]]:
    """The words of the treebank."""
    lines = SENTENCES.strip().splitlines()
    return [[token.rsplit("/", 3)[0] for token in line.split()] for line in lines]
