"""The rows of the slots: what words add to the hidden layers of the action scorers.

A row is the vector of a word times the matrix of a group of slots (GROUPS). Only words that can
stand in these slots have one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from syntagma.neural._action_scorer import GROUPS
from syntagma.neural._encoder import Matrix
from syntagma.neural.parameters import Floats
from syntagma.transition.encoding import NONE

Ints = npt.NDArray[np.int32]


class SlotRows(NamedTuple):
    """The rows of one problem for one action scorer, by group of slots."""

    members: tuple[Ints, ...]  # the words that have rows
    words: tuple[Floats, ...]  # [members, columns]: their rows
    special: tuple[Floats, ...]  # [2, columns]: those of nothing and of the start


class SlotMatrices:
    """The slots of one action scorer, as matrices."""

    def __init__(self, weights: Floats, groups: Sequence[Sequence[int]], special: Floats) -> None:
        """`groups` are the columns of `weights` that each group has."""
        self._matrices = [Matrix(np.ascontiguousarray(weights[:, group])) for group in groups]
        self._special = tuple(matrix(special) for matrix in self._matrices)

    def rows(self, vectors: Floats, occupants: Occupants) -> Iterator[SlotRows]:
        """The rows of each problem of a batch."""
        products = [
            matrix(vectors if len(words) == len(vectors) else vectors[words])
            for matrix, words in zip(self._matrices, occupants.words, strict=True)
        ]
        for members, parts in zip(occupants.members, occupants.parts, strict=True):
            rows = (product[part] for product, part in zip(products, parts, strict=True))
            yield SlotRows(members, tuple(rows), self._special)


class Occupants:
    """Which words of a batch can stand in the slots of each group."""

    def __init__(self, heads: Ints, starts: Ints, lengths: Ints) -> None:
        """`heads` are the given heads of the words of all problems, one problem after the other,
        as numbers in their problem; `starts` and `lengths` say where the problems are."""
        first = np.repeat(starts, lengths)
        free = heads == NONE
        governs = np.zeros(len(heads), bool)
        governs[(heads + first)[heads >= 0]] = True
        chosen = {
            "any": np.ones(len(heads), bool),
            "arcs": np.repeat(np.logical_or.reduceat(free, starts), lengths),
            "linked": governs | ~free,
            "heads": governs,
        }
        self.words = [np.flatnonzero(chosen[group]) for group in GROUPS]
        bounds = [np.searchsorted(words, [*starts, len(heads)]).tolist() for words in self.words]
        self.parts = [
            [slice(bound[i], bound[i + 1]) for bound in bounds] for i in range(len(starts))
        ]
        numbers = [(words - first[words]).astype(np.int32) for words in self.words]
        self.members = [
            tuple(number[part] for number, part in zip(numbers, parts, strict=True))
            for parts in self.parts
        ]
