"""What a search may spend on a problem, within which limits, and the interface of both searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Literal, Protocol

from syntagma.arguments import check_range
from syntagma.errors import ArgumentError, SyntagmaError, shown

if TYPE_CHECKING:  # so that the command line starts without the compiled modules
    from syntagma.problem.problem import Problem
    from syntagma.results.linearization import Linearization
    from syntagma.transition.encoding import Encoding

SearchName = Literal["beam", "best-first"]

MAX_BEAM = 1024
MAX_EXPANSIONS = 1_000_000_000
MAX_TIMEOUT = 86_400.0
DEFAULT_TIMEOUT = 5.0  # seconds of a best-first search without another limit, as in ZC15
MAX_THREADS = 256
DEFAULT_MAX_WORDS = 512


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """What a search may spend on a problem; `None` leaves the choice to the strategy.

    A beam search has a `beam`, which is narrowed as needed to end within `timeout` seconds. A
    best-first search ends after `timeout` seconds or that many `expansions`, whichever comes first.
    """

    beam: int | None = None
    timeout: float | None = None
    expansions: int | None = None

    def __post_init__(self) -> None:
        if self.beam is not None:
            object.__setattr__(self, "beam", check_range("beam", self.beam, MAX_BEAM))
        if self.expansions is not None:
            number = check_range("expansions", self.expansions, MAX_EXPANSIONS)
            object.__setattr__(self, "expansions", number)
        if self.timeout is not None and not (
            isinstance(self.timeout, Real)
            and not isinstance(self.timeout, bool)
            and 0 < self.timeout <= MAX_TIMEOUT
        ):
            raise ArgumentError(
                f"timeout must be more than 0 and at most {MAX_TIMEOUT:g} seconds, "
                f"not {shown(self.timeout)}"
            )


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

    def check(self, budget: SearchBudget) -> None:
        """Raise `ArgumentError` if the budget is for the other strategy."""

    def describe(self, budget: SearchBudget) -> dict[str, str | int | float]:
        """The budget as the signature of a score states it."""

    def beam(self, problem: Problem) -> int:
        """The beam width chosen for a problem. Raises `ModelError` if the search has no beam, and
        so cannot score given orders."""

    def search(
        self, encodings: Sequence[Encoding], budget: SearchBudget, n_best: int | None
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        """The best results of each problem, best first, or the error that explains why there is
        none."""
