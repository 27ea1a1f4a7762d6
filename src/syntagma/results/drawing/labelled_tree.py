"""What a dependency tree must offer to be drawn; a `Linearization` does, which imports drawings."""

from __future__ import annotations

from typing import Protocol


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
