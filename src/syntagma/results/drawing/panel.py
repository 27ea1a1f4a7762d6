"""A panel: what a picture or a page shows of one result, a tree or a CCG derivation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from syntagma.ccg.derivation import Derivation


class LabelledTree(Protocol):
    """Words in order; for each its tag, its 1-based head (0 for a root) and the label of its arc.

    The arcs may cross.
    """

    @property
    def words(self) -> tuple[str, ...]: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def heads(self) -> tuple[int, ...]: ...
    @property
    def deprels(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Panel:
    """A result to draw: its derivations if it has any, else its tree.

    `text` is the sentence. `caption` is shown above the drawing and `note` below it.
    """

    tree: LabelledTree
    text: str
    score: float
    derivations: tuple[Derivation, ...] = ()
    caption: str = ""
    note: str = ""
