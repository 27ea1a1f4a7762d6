"""What the two search strategies, `beam` and `best_first`, have in common: what they may spend, and
how the linearizer asks them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from syntagma.errors import SyntagmaError
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import Encoding

SearchName = Literal["beam", "best-first"]

MAX_BEAM = 1024
MAX_EXPANSIONS = 1_000_000_000
MAX_TIMEOUT = 86_400.0
MAX_THREADS = 256
DEFAULT_MAX_WORDS = 512


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """What a search may spend on a problem; what is None is left to the strategy.

    A beam search has a `beam`, a best-first search ends after `timeout` seconds or so many
    `expansions`, whichever comes first.
    """

    beam: int | None = None
    timeout: float | None = None
    expansions: int | None = None

    def __post_init__(self) -> None:
        if self.beam is not None:
            check_range("beam", self.beam, MAX_BEAM)
        if self.expansions is not None:
            check_range("expansions", self.expansions, MAX_EXPANSIONS)
        if self.timeout is not None and not 0 < self.timeout <= MAX_TIMEOUT:
            raise ValueError(
                f"timeout must be more than 0 and at most {MAX_TIMEOUT:g} seconds, "
                f"not {self.timeout}"
            )


class Strategy(Protocol):
    """A search with a model.

    `batch` problems are best prepared together; `max_words` can be ordered at all.
    """

    name: SearchName

    @property
    def batch(self) -> int: ...

    @property
    def max_words(self) -> int: ...

    def check(self, budget: SearchBudget) -> None:
        """Raise `ValueError` if the budget speaks of the other strategy."""

    def describe(self, budget: SearchBudget) -> dict[str, str | int | float]:
        """The budget as the signature of a score says it."""

    def search(
        self, encodings: Sequence[Encoding], budget: SearchBudget, n_best: int | None
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        """The best results of each problem, best first, or why there is none."""


def check_range(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ValueError(f"{name} must be between 1 and {most}, not {value}")
