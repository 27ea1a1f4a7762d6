"""Realizations: lemmas inflected, in order and detokenised; and the n best results of a problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

from syntagma.problem.word import TagColumn
from syntagma.results.linearization import Linearization
from syntagma.results.objects import Exportable
from syntagma.results.spelling import Columns, Spelling

if TYPE_CHECKING:
    from syntagma.results.drawing.svg import Panel


@dataclass(frozen=True, slots=True)
class Realization(Exportable):
    """Lemmas inflected and in order, and how they are written."""

    linearization: Linearization
    spelling: Spelling

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The sentence, detokenised."""
        return self.spelling.text(self.words)

    @property
    def words(self) -> tuple[str, ...]:
        """The forms in order."""
        return self.linearization.words

    @property
    def score(self) -> float:
        return self.linearization.score

    @property
    def narrowed(self) -> bool:
        """Whether a time limit made the beam search consider less than it would have."""
        return self.linearization.narrowed

    @property
    def projective(self) -> bool:
        """Whether the words of every subtree stand together, so that no two arcs cross."""
        return self.linearization.projective

    def _columns(self, tag_column: TagColumn) -> Columns:
        return self.linearization._columns(tag_column, self.spelling)

    def _panel(self) -> Panel:
        return replace(self.linearization._panel(), text=self.text, caption=self.text)


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
