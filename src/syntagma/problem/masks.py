"""Sets of words as bit masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter


def renumbered(masks: Iterable[int], order: Sequence[int]) -> Iterator[int]:
    """Each mask with bit i where it had bit `order[i]`.

    >>> [bin(mask) for mask in renumbered([0b001, 0b110], [1, 2, 0])]
    ['0b100', '0b11']
    """
    count = len(order)
    # As digits: shifting bit by bit would take time quadratic in the words for each mask.
    digits = itemgetter(*(count - 1 - bit for bit in reversed(order)))
    for mask in masks:
        yield int("".join(digits(f"{mask:0{count}b}")), 2)
