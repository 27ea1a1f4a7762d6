"""The n best results of one problem."""

from __future__ import annotations

from typing import Any, SupportsIndex, TypeVar, overload

from syntagma.results.linearization import Linearization
from syntagma.results.realization import Realization

R = TypeVar("R", Linearization, Realization)


class NBest(list[R]):
    """Different results of one problem, best first: a list of linearizations or realizations."""

    @overload
    def __getitem__(self, index: SupportsIndex) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> NBest[R]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        """A result, or for a slice a shorter list that is drawn in the same way."""
        found: Any = super().__getitem__(index)
        return NBest(found) if isinstance(index, slice) else found

    def to_svg(self) -> str:
        """All trees or derivations in one SVG picture, below each other, with rank and score."""
        from syntagma.results.drawing.picture import draw_picture

        return draw_picture([each._panel() for each in self], ranked=True)

    def to_displacy(self) -> list[dict[str, Any]]:
        """The trees for spaCy's `displacy.render(trees, style="dep", manual=True)`."""
        return [each.to_displacy() for each in self]

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        from syntagma.results.drawing.html import n_best_table

        return n_best_table([each._panel() for each in self])
