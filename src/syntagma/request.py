"""What is asked of a model: one frozen description that every entrance translates into.

The command line, the server, batch jobs and integrations name options in their own way. Here they
are checked, once; an error carries the name of the field, so that each entrance can translate it
back. `Linearizer.solve` answers requests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from numbers import Real
from typing import Final, Literal, get_args

from syntagma.arguments import check_choice, check_range
from syntagma.errors import ArgumentError, shown

Operation = Literal["order", "realize", "score", "accept"]
SearchName = Literal["beam", "best-first"]

MAX_BEAM: Final = 1024
MAX_EXPANSIONS: Final = 1_000_000_000
MAX_TIMEOUT: Final = 86_400.0
DEFAULT_TIMEOUT: Final = 5.0  # seconds of a best-first search without another limit, as in ZC15
MAX_THREADS: Final = 256
DEFAULT_MAX_WORDS: Final = 512

_MOST = {
    "n_best": MAX_BEAM,
    "beam": MAX_BEAM,
    "expansions": MAX_EXPANSIONS,
    "max_words": 1 << 31,
}
_LIMITS = ("beam", "timeout", "max_words", "projective")
# The options of each operation; the search is that of the model.
OPTIONS: Final[dict[Operation, tuple[str, ...]]] = {
    "order": ("n_best", "diverse", "expansions", *_LIMITS, "judge"),
    "realize": ("n_best", "diverse", "expansions", *_LIMITS, "judge"),
    "score": _LIMITS,
    "accept": ("margin", *_LIMITS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An operation with its options; `None` leaves a choice to the model.

    With `n_best`, the result is a list of at most that many, with `diverse` of some that differ in
    meaning or emphasis. A beam search has a `beam`, which is narrowed as needed to end within
    `timeout` seconds. A best-first search ends after `timeout` seconds or that many `expansions`,
    whichever comes first. Problems with more than `max_words` words are refused. With
    `projective`, every subtree of given arcs is contiguous. Without `judge`, the judge that was
    loaded with the model is not asked; `score` and `accept` never ask it. `margin` is the loss per
    pair of neighbours that `accept` tolerates.

    Raises `ArgumentError` if an option is out of range or does not go with another one.
    """

    operation: Operation = "order"
    search: SearchName = "beam"
    n_best: int | None = None
    diverse: bool = False
    beam: int | None = None
    timeout: float | None = None
    expansions: int | None = None
    max_words: int = DEFAULT_MAX_WORDS
    projective: bool = False
    judge: bool = True
    margin: float | None = None

    def __post_init__(self) -> None:
        check_choice("operation", self.operation, get_args(Operation))
        check_choice("search", self.search, get_args(SearchName))
        for name, default in DEFAULTS.items():
            if name not in OPTIONS[self.operation] and getattr(self, name) is not default:
                raise ArgumentError(f"{name} does not go with {self.operation}", field=name)
        for name, most in _MOST.items():
            if name == "max_words" or getattr(self, name) is not None:
                object.__setattr__(self, name, check_range(name, getattr(self, name), most))
        timeout, margin = self.timeout, self.margin
        if timeout is not None and not (_is_number(timeout) and 0 < timeout <= MAX_TIMEOUT):
            raise ArgumentError(
                f"timeout must be more than 0 and at most {MAX_TIMEOUT:g} seconds, "
                f"not {shown(timeout)}",
                field="timeout",
            )
        if margin is not None and not (_is_number(margin) and 0 <= margin < math.inf):
            raise ArgumentError(
                f"margin must be a number that is 0 or more, not {shown(margin)}", field="margin"
            )
        for name in ("diverse", "projective", "judge"):
            if not isinstance(value := getattr(self, name), bool):
                raise ArgumentError(f"{name} must be True or False, not {shown(value)}", field=name)
        if self.diverse and self.n_best is None:
            raise ArgumentError(
                "diverse chooses among several results: set n_best to how many",
                field="diverse",
                others=("n_best",),
            )
        if self.diverse and self.search != "beam":
            raise ArgumentError(
                "diverse goes with a model for beam search: "
                "a best-first search stops at the first orders that it finds",
                field="diverse",
            )
        if self.search == "beam" and self.expansions is not None:
            raise ArgumentError(
                "beam search takes no expansions: limit it by beam or timeout", field="expansions"
            )
        if self.search == "best-first" and self.beam is not None:
            raise ArgumentError(
                "best-first search has no beam: limit it by timeout or expansions", field="beam"
            )

    def describe_budget(self) -> dict[str, str | int | float]:
        """What the search may spend, as the signature of a score states it."""
        spent: dict[str, str | int | float | None] = {"search": self.search}
        if self.search == "beam":
            spent = {"beam": self.beam or "auto"}
        spent |= {"timeout": self.seconds, "expansions": self.expansions}
        return {name: value for name, value in spent.items() if value is not None}

    @property
    def seconds(self) -> float | None:
        """The time limit; a best-first search has one unless its expansions are limited."""
        unlimited = self.search == "best-first" and self.expansions is None
        return DEFAULT_TIMEOUT if unlimited and self.timeout is None else self.timeout


# The options of all operations with their defaults.
DEFAULTS: Final = {
    each.name: each.default for each in fields(Request) if each.name not in ("operation", "search")
}


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
