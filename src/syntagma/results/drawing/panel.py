"""A panel: what a picture or a page shows of one result."""

from __future__ import annotations

from dataclasses import dataclass

from syntagma.results.derivation import Derivation
from syntagma.results.drawing.labelled_tree import LabelledTree


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
