"""Back-off n-gram models in memory, as arrays.

`kneser_ney` estimates them, `pruning` makes them smaller, `arpa` reads and writes text files, and
`packed` is the compact model that a search uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from syntagma.language_model._ngrams import SENTENCE_END, SENTENCE_START

UNKNOWN, START, END = 0, SENTENCE_START, SENTENCE_END
SPECIAL_WORDS = ("<unk>", "<s>", "</s>")
LOG_ZERO = -99 * float(np.log(10))  # as ARPA files write it

_BLOCK = 1 << 22  # queries that are sorted at a time

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt32 = npt.NDArray[np.uint32]
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NGramOrder:
    """The n-grams of one order, sorted by (parent, word); logarithms are natural."""

    parent: Int32  # the n-gram without its last word, by its index in the order below
    word: Int32
    log_prob: Float32
    backoff: Float32  # 0 for an n-gram that is not a context

    def __len__(self) -> int:
        return len(self.word)


@dataclass(frozen=True, slots=True)
class BackoffModel:
    """A back-off model: p(w | h) is stored, or else backoff(h) p(w | h without its first word).

    Every prefix and every suffix of an n-gram is an n-gram, too. Number 0 is the unknown word, 1
    the start of a sentence, which is never predicted, 2 its end. The first order holds every word
    at the index that is its number.
    """

    words: tuple[str, ...]
    orders: tuple[NGramOrder, ...]

    def __len__(self) -> int:
        """The number of n-grams of all orders."""
        return sum(len(order) for order in self.orders)


def keys(parent: npt.NDArray[np.integer], word: npt.NDArray[np.integer]) -> Int64:
    """The sort keys of n-grams."""
    return parent.astype(np.int64) << 32 | word


def split_keys(key: Int64) -> tuple[Int32, Int32]:
    """The parents and the words of n-grams."""
    return (key >> 32).astype(np.int32), (key & 0xFFFFFFFF).astype(np.int32)


def find_keys(table: Int64, queries: Int64) -> Int32:
    """The index of each query in a sorted table, or -1."""
    found = np.full(len(queries), -1, dtype=np.int32)
    if not len(table):
        return found
    for start in range(0, len(queries), _BLOCK):
        block = queries[start : start + _BLOCK]
        by_key = np.argsort(block)  # so that accesses to the table are local
        block = block[by_key]
        at = np.minimum(np.searchsorted(table, block), len(table) - 1)
        found[start + by_key] = np.where(table[at] == block, at, -1)
    return found


def suffixes(orders: Sequence[NGramOrder]) -> list[Int32]:
    """For each order, the index of each n-gram without its first word in the order below, or -1.

    All zeros for the first order.
    """
    result = [np.zeros(len(orders[0]), dtype=np.int32)]
    for below, order in pairwise(orders):
        result.append(link_suffixes(order, below, result[-1]))
    return result


def link_suffixes(order: NGramOrder, below: NGramOrder, below_suffix: Int32) -> Int32:
    """The suffixes of one order, given those of the order below."""
    context = below_suffix[order.parent]
    suffix = find_keys(keys(below.parent, below.word), keys(context, order.word))
    return np.where(context < 0, np.int32(-1), suffix)
