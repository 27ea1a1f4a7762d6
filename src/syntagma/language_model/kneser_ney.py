"""Estimates a back-off model from text by interpolated modified Kneser-Ney smoothing.

Chen & Goodman (1998), An Empirical Study of Smoothing Techniques for Language Modeling, with the
conventions of KenLM's lmplz: Heafield et al. (2013), Scalable Modified Kneser-Ney Language Model
Estimation. `counting` counts the n-grams; the result is a `backoff` model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.errors import TrainingError
from syntagma.language_model.backoff import (
    LOG_ZERO,
    START,
    BackoffModel,
    Float32,
    Float64,
    Int32,
    NGramOrder,
    UInt32,
    split_keys,
)
from syntagma.language_model.counting import NGramTable, Scratch, count_ngrams, number_text
from syntagma.language_model.packed import MAX_ORDER

MEMORY = 1 << 28  # bytes; more is not faster: smaller blocks have better locality
_BYTES_PER_ITEM = 64  # of all arrays of a block that are in memory at the same time
_MIN_BLOCK = 8
FALLBACK_DISCOUNTS = (0.0, 0.5, 1.0, 1.5)  # as lmplz --discount_fallback

Progress = Callable[[str, float], None]


def estimate(
    sentences: Iterable[Sequence[str]],
    *,
    order: int,
    word_class: Callable[[str], str],
    prune: Sequence[int] = (),
    min_count: int = 1,
    memory: int = MEMORY,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> BackoffModel:
    """Estimate a model of this order from a text, which is read once.

    Words seen fewer than `min_count` times are replaced by their `word_class`. `prune` holds the
    pruning thresholds from order 1 on: drop n-grams seen at most this often. The last threshold
    holds for all higher orders. Single words are never dropped. Apart from the vocabulary and the
    final model, at most `memory` bytes are used. The rest is in temporary files in `directory`,
    about 100 bytes per word of the text at order 5.
    """
    thresholds = _thresholds(prune, order)
    report = progress or (lambda stage, done: None)
    scratch = Scratch(directory or Path(gettempdir()), max(memory // _BYTES_PER_ITEM, _MIN_BLOCK))
    report("reading", 0.0)
    words, text, table = number_text(sentences, min_count, word_class, scratch)
    report("reading", 1.0)
    tables = [table]
    ranks = text.view(np.int32)
    for k in range(2, order + 1):
        report("counting", (k - 2) / (order - 1))
        table, ranks = count_ngrams(text, ranks, scratch, last=k == order)
        tables.append(table)
    report("counting", 1.0)
    del text, ranks
    return BackoffModel(words, _estimate(tables, thresholds, scratch, report))


def _thresholds(prune: Sequence[int], order: int) -> tuple[int, ...]:
    if not 1 <= order <= MAX_ORDER:
        raise TrainingError(f"the order of a model must be 1 to {MAX_ORDER}, not {order}")
    if len(prune) > order:
        raise TrainingError(f"{len(prune)} pruning thresholds for a model of order {order}")
    padded = tuple(prune) + (prune[-1] if prune else 0,) * (order - len(prune))
    if min(padded) < 0:
        raise TrainingError(f"pruning thresholds must not be negative: {min(padded)}")
    if padded != tuple(sorted(padded)):
        raise TrainingError(
            "pruning thresholds must not decrease from order to order, because an n-gram needs its "
            f"parts: {' '.join(map(str, padded))}"
        )
    return (0, *padded[1:])


def _adjusted(table: NGramTable, above: NGramTable, scratch: Scratch) -> UInt32:
    """The number of different words seen before an n-gram; its count if it begins with `<s>`."""
    result: UInt32 = scratch.zeros(len(table), np.uint32)
    for block in scratch.blocks(len(above)):
        np.add.at(result, above.suffix[block], np.uint32(1))
    for block in scratch.blocks(len(table)):
        result[block] = np.where(result[block] == 0, table.count[block], result[block])
    return result


def discounts(counts: Iterable[npt.NDArray[np.integer[Any]]]) -> Float64:
    """The discounts of counts of 0, 1, 2 and 3 or more: equation 26 of Chen & Goodman (1998)."""
    n = np.zeros(6, dtype=np.int64)
    for part in counts:
        n += np.bincount(np.minimum(part, 5), minlength=6)
    if not n[1:4].all():
        return np.array(FALLBACK_DISCOUNTS)
    y = n[1] / (n[1] + 2 * n[2])
    result = np.array([0.0, *(i - (i + 1) * y * n[i + 1] / n[i] for i in (1, 2, 3))])
    if (result < 0).any() or (result > np.arange(4)).any():
        return np.array(FALLBACK_DISCOUNTS)
    return result


def _estimate(
    tables: list[NGramTable], thresholds: Sequence[int], scratch: Scratch, report: Progress
) -> tuple[NGramOrder, ...]:
    report("estimating", 0.0)
    size = len(tables[0])
    adjusted = _adjusted(tables[0], tables[1], scratch) if len(tables) > 1 else tables[0].count
    adjusted[START] = 0
    prob = _word_probs(adjusted)
    number = np.arange(size, dtype=np.int32)  # of the n-grams that are kept, by rank
    zeros = np.zeros(size, dtype=np.int32)
    orders = [NGramOrder(zeros, number.copy(), _log(prob), zeros.astype(np.float32))]
    for k in range(1, len(tables)):
        table = tables[k]
        is_last = k + 1 == len(tables)
        adjusted = table.count if is_last else _adjusted(table, tables[k + 1], scratch)
        discount = discounts(adjusted[block] for block in scratch.blocks(len(table)))
        total, gamma, kept_count = _contexts(
            table, adjusted, discount, thresholds[k], len(prob), scratch
        )
        _set_backoffs(orders[-1], gamma, number, scratch)
        new_prob = scratch.zeros(0 if is_last else len(table), np.float64)
        new_number = scratch.zeros(0 if is_last else len(table), np.int32)
        order = NGramOrder(
            np.empty(kept_count, np.int32),
            np.empty(kept_count, np.int32),
            np.empty(kept_count, np.float32),
            np.zeros(kept_count, np.float32),
        )
        done = 0
        for block in scratch.blocks(len(table)):
            kept = np.flatnonzero(table.count[block] > thresholds[k])
            parent, words = split_keys(table.key[block][kept])
            count = adjusted[block][kept]
            p = (count - discount[np.minimum(count, 3)]) / total[parent]
            p += gamma[parent] * prob[table.suffix[block][kept]]
            part = slice(done, done + len(kept))
            order.parent[part] = number[parent]
            order.word[part] = words
            order.log_prob[part] = _log(p)
            if not is_last:
                new_prob[block.start + kept] = p
                ranks = np.full(block.stop - block.start, -1, dtype=np.int32)
                ranks[kept] = np.arange(part.start, part.stop)
                new_number[block] = ranks
            done = part.stop
        orders.append(order)
        prob, number = new_prob, new_number
        report("estimating", k / len(tables))
    report("estimating", 1.0)
    return tuple(orders)


def _word_probs(adjusted: UInt32) -> Float64:
    """Unigram probabilities, interpolated with the uniform distribution over all but `<s>`."""
    predicted = np.delete(adjusted, START)
    discount = discounts([predicted])
    taken = discount[np.minimum(adjusted, 3)]
    total = adjusted.sum(dtype=np.float64)
    prob: Float64 = (adjusted - taken + taken.sum() / len(predicted)) / total
    prob[START] = 1.0  # as in lmplz; it is never predicted
    return prob


def _contexts(
    table: NGramTable,
    adjusted: UInt32,
    discount: Float64,
    threshold: int,
    size: int,
    scratch: Scratch,
) -> tuple[Float64, Float64, int]:
    """The total count of each context, its back-off weight, and how many n-grams are kept."""
    total: Float64 = scratch.zeros(size, np.float64)
    gamma: Float64 = scratch.zeros(size, np.float64)
    kept_count = 0
    for block in scratch.blocks(len(table)):
        parent, _ = split_keys(table.key[block])
        first = parent[0]
        count = adjusted[block]
        kept = table.count[block] > threshold
        free = np.where(kept, discount[np.minimum(count, 3)], count)
        contexts = slice(first, parent[-1] + 1)
        total[contexts] += np.bincount(parent - first, count)
        gamma[contexts] += np.bincount(parent - first, free)
        kept_count += int(np.count_nonzero(kept))
    for block in scratch.blocks(size):
        is_context = total[block] > 0
        gamma[block] = np.where(is_context, gamma[block] / np.maximum(total[block], 1), 1)
    return total, gamma, kept_count


def _set_backoffs(order: NGramOrder, gamma: Float64, number: Int32, scratch: Scratch) -> None:
    for block in scratch.blocks(len(gamma)):
        kept = number[block] >= 0
        order.backoff[number[block][kept]] = _log(gamma[block][kept])


def _log(values: Float64) -> Float32:
    with np.errstate(divide="ignore"):
        return np.clip(np.log(values), LOG_ZERO, 0).astype(np.float32)
