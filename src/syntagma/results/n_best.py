"""The n best results of one problem."""

from __future__ import annotations

from typing import TypeVar

from syntagma.results.linearization import Linearization
from syntagma.results.realization import Realization

R = TypeVar("R", Linearization, Realization)


class NBest(list[R]):
    """Different results of one problem, best first: a list of linearizations or realizations."""
