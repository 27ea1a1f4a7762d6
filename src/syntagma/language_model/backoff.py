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

from syntagma.errors import ModelError
from syntagma.language_model._ngrams import SENTENCE_END, SENTENCE_START

UNKNOWN, START, END = 0, SENTENCE_START, SENTENCE_END
SPECIAL_WORDS = ("<unk>", "<s>", "</s>")
LOG_ZERO = -99 * float(np.log(10))  # as ARPA files write it

_BLOCK = 1 << 22  # queries that are sorted at a time

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
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

    def validate(self) -> None:
        """Check what look-up relies on; raises `ModelError`."""
        if self.words[:3] != SPECIAL_WORDS:
            raise ModelError(f"the first words of a model must be {' '.join(SPECIAL_WORDS)}")
        if len(set(self.words)) != len(self.words):
            raise ModelError("a word occurs twice in the vocabulary")
        if not self.orders or not np.array_equal(
            self.orders[0].word, np.arange(len(self.words), dtype=np.int32)
        ):
            raise ModelError("the 1-grams of a model must be its vocabulary, in the same order")
        for k, order in enumerate(self.orders, start=1):
            sizes = {len(order.parent), len(order.word), len(order.log_prob), len(order.backoff)}
            if len(sizes) != 1:
                raise ModelError(f"the arrays of the {k}-grams differ in length")
            if not (np.isfinite(order.log_prob).all() and np.isfinite(order.backoff).all()):
                raise ModelError(f"a log probability or back-off of the {k}-grams is not finite")
            if (order.log_prob > 0).any():
                raise ModelError(f"a log probability of the {k}-grams is above zero")
            above = len(self.orders[k - 2]) if k > 1 else 1
            if len(order) and not (
                0 <= order.parent.min() <= order.parent.max() < above
                and 0 <= order.word.min() <= order.word.max() < len(self.words)
            ):
                raise ModelError(f"a {k}-gram refers to an n-gram or a word that does not exist")
            if (np.diff(keys(order.parent, order.word)) <= 0).any():
                raise ModelError(f"the {k}-grams are not sorted, or one occurs twice")
        for k, suffix in enumerate(suffixes(self.orders)[1:], start=2):
            if (suffix < 0).any():
                raise ModelError(f"a {k}-gram has no suffix among the {k - 1}-grams")


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
