"""The interface of both searches: what the linearizer knows about the inside of a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from syntagma.errors import SyntagmaError
from syntagma.request import Request, SearchName
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import Encoding


class Strategy(Protocol):
    """A search with a scorer; this is all that the linearizer knows about the inside of a model.

    Searching `batch` problems together is fastest; problems may have at most `max_words` words.
    `takes_arcs`: whether heads and labels can be given. `chooses_forms`: whether scores tell the
    forms of a lemma apart, so that the search can choose among them. `lifts`: whether orders of
    given trees may be other than projective.
    """

    name: SearchName

    @property
    def batch(self) -> int: ...

    @property
    def max_words(self) -> int: ...

    @property
    def takes_arcs(self) -> bool: ...

    @property
    def chooses_forms(self) -> bool: ...

    @property
    def lifts(self) -> bool: ...

    def beam(self, is_tree: bool) -> int:
        """The beam width that the model chooses, by whether all arcs are given. Raises `ModelError`
        if the search has no beam, and so cannot score given orders."""

    def search(
        self, encodings: Sequence[Encoding], request: Request, n_best: int
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        """At most `n_best` results of each problem, best first, or the error that explains why
        there is none."""
