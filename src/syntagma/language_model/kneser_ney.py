"""Estimates a back-off model from text by interpolated modified Kneser-Ney smoothing.

Chen & Goodman (1998), An Empirical Study of Smoothing Techniques for Language Modeling, with the
conventions of KenLM's lmplz: Heafield et al. (2013), Scalable Modified Kneser-Ney Language Model
Estimation. The result is a `backoff` model.

N-grams are counted order by order, in temporary files. An n-gram is identified by its rank among
the n-grams of its order. The rank of its words but the last and the number of the last word make up
one 64-bit key, so that counting is sorting integers.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.errors import TrainingError
from syntagma.language_model.backoff import (
    END,
    LOG_ZERO,
    SPECIAL_WORDS,
    START,
    BackoffModel,
    Float32,
    Float64,
    Int32,
    Int64,
    NGramOrder,
    UInt32,
    keys,
    split_keys,
)
from syntagma.language_model.packed import MAX_ORDER

MEMORY = 1 << 28  # bytes; more is not faster: smaller blocks have better locality
_BYTES_PER_ITEM = 64  # of all arrays of a block that are in memory at the same time
_MIN_BLOCK = 8
FALLBACK_DISCOUNTS = (0.0, 0.5, 1.0, 1.5)  # as lmplz --discount_fallback
_MAX_COUNT = 2**32 - 1
_MAX_RANK = 2**31 - 1

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
    scratch = _Scratch(
        directory or Path(tempfile.gettempdir()), max(memory // _BYTES_PER_ITEM, _MIN_BLOCK)
    )
    report("reading", 0.0)
    words, text, table = _number_text(sentences, min_count, word_class, scratch)
    report("reading", 1.0)
    tables = [table]
    ranks = text.view(np.int32)
    for k in range(2, order + 1):
        report("counting", (k - 2) / (order - 1))
        table, ranks = _count_ngrams(text, ranks, scratch, last=k == order)
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


@dataclass(frozen=True, slots=True)
class _Scratch:
    """Arrays in temporary files of a folder: n-gram tables may be larger than memory.

    The files have no names, so that nothing is left of them if the process is killed. `block` is
    the number of items to process at a time.
    """

    folder: Path
    block: int

    def zeros(self, size: int, dtype: type[np.generic]) -> npt.NDArray[Any]:
        """An array backed by a file, which disappears with the array."""
        if not size:
            return np.zeros(0, dtype)
        with self._named_errors(), tempfile.TemporaryFile(dir=self.folder) as stream:
            size_in_bytes = size * np.dtype(dtype).itemsize
            if hasattr(os, "posix_fallocate"):  # a full disk is an error now, not a crash later
                os.posix_fallocate(stream.fileno(), 0, size_in_bytes)
            else:
                stream.truncate(size_in_bytes)
            return np.memmap(stream, dtype, "r+")

    def spill(self, chunks: Iterable[array[int]]) -> UInt32:
        """All chunks of 32-bit numbers as one array."""
        with self._named_errors():
            stream = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115
        with stream:
            for chunk in chunks:  # may raise errors of its own
                with self._named_errors():
                    chunk.tofile(stream)
            with self._named_errors():
                stream.flush()
            return np.memmap(stream, np.uint32, "r+") if stream.tell() else np.zeros(0, np.uint32)

    def blocks(self, size: int) -> Iterator[slice]:
        for start in range(0, size, self.block):
            yield slice(start, min(start + self.block, size))

    @contextlib.contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise TrainingError(
                f"cannot write temporary files in {self.folder}: {error.strerror or error}; "
                "give another directory"
            ) from error


@dataclass(frozen=True, slots=True)
class _NGramTable:
    """The n-grams of one order of the text, sorted by key."""

    key: Int64
    count: UInt32
    suffix: Int32  # the rank, in the order below, of the n-gram without its first word

    def __len__(self) -> int:
        return len(self.key)

    def __getitem__(self, part: slice) -> _NGramTable:
        return _NGramTable(self.key[part], self.count[part], self.suffix[part])


def _number_text(
    sentences: Iterable[Sequence[str]],
    min_count: int,
    word_class: Callable[[str], str],
    scratch: _Scratch,
) -> tuple[tuple[str, ...], UInt32, _NGramTable]:
    """The vocabulary, most frequent words first; the text as word numbers; the table of words."""
    # Words are numbered in the order in which they are first looked up.
    numbers: defaultdict[str, int] = defaultdict(lambda: len(numbers) + len(SPECIAL_WORDS))

    def chunks() -> Iterator[array[int]]:
        chunk = array("I")
        number = numbers.__getitem__
        for sentence in sentences:
            chunk.append(START)
            chunk.extend(map(number, sentence))
            chunk.append(END)
            if len(chunk) >= scratch.block:
                yield chunk
                chunk = array("I")
        yield chunk

    text = scratch.spill(chunks())
    if not len(text):
        raise TrainingError("there is no text to estimate a model from")
    counts = np.zeros(len(numbers) + len(SPECIAL_WORDS), dtype=np.int64)
    for block in scratch.blocks(len(text)):
        counts += np.bincount(text[block], minlength=len(counts))
    final: Counter[str] = Counter()
    shown = []
    for word, number in numbers.items():
        count = int(counts[number])
        if count < min_count or word in SPECIAL_WORDS:
            word = word_class(word)
            if word in SPECIAL_WORDS[START:]:
                raise TrainingError(f"the class of a word must not be {word}")
        final[word] += count
        shown.append(word)
    unknown = final.pop(SPECIAL_WORDS[0], 0)
    words = (*SPECIAL_WORDS, *sorted(final, key=lambda word: (-final[word], word)))
    order = {word: number for number, word in enumerate(words)}
    new_number = np.array([*range(len(SPECIAL_WORDS)), *(order[word] for word in shown)], np.uint32)
    for block in scratch.blocks(len(text)):
        text[block] = new_number[text[block]]
    totals = np.array([unknown, counts[START], counts[END], *(final[word] for word in words[3:])])
    return (
        words,
        text,
        _NGramTable(
            np.arange(len(words)),
            np.minimum(totals, _MAX_COUNT).astype(np.uint32),
            np.zeros(len(words), np.int32),
        ),
    )


def _count_ngrams(
    text: UInt32, ranks: Int32, scratch: _Scratch, *, last: bool
) -> tuple[_NGramTable, Int32]:
    """Count the n-grams one word longer than those that `ranks` gives for each text position.

    Returns their table and, unless this is the last order, the rank of the n-gram that ends at each
    position, or -1.
    """
    runs: list[_NGramTable] = []
    new_ranks = scratch.zeros(0 if last else len(text), np.int32)
    for block in scratch.blocks(len(text)):
        word = text[block]
        context = np.empty(len(word), dtype=np.int32)
        context[0] = ranks[block.start - 1] if block.start else -1
        context[1:] = ranks[block.start : block.stop - 1]
        places = np.flatnonzero((context >= 0) & (word != START))
        key = keys(context[places], word[places])
        by_key = np.argsort(key)
        key = key[by_key]
        is_first = np.ones(len(key), dtype=bool)
        np.not_equal(key[1:], key[:-1], out=is_first[1:])
        first = np.flatnonzero(is_first)
        run = _table(scratch, len(first))
        run.key[:] = key[first]
        run.count[:] = np.diff(first, append=len(key))
        run.suffix[:] = ranks[block][places[by_key[first]]]
        runs.append(run)
        if not last:
            local = np.full(len(word), -1, dtype=np.int32)
            local[places[by_key]] = np.cumsum(is_first) - 1
            new_ranks[block] = local
    if len(runs) == 1:
        return runs[0], new_ranks
    table = _merge(runs, scratch)
    if len(table) > _MAX_RANK:
        raise TrainingError(
            f"too many different n-grams of one order: {len(table)}, at most {_MAX_RANK}"
        )
    if not last:
        for run, block in zip(runs, scratch.blocks(len(text)), strict=True):
            rank = np.empty(len(run) + 1, dtype=np.int32)
            rank[:-1] = np.searchsorted(table.key, run.key)
            rank[-1] = -1
            new_ranks[block] = rank[new_ranks[block]]
    return table, new_ranks


def _table(scratch: _Scratch, size: int) -> _NGramTable:
    return _NGramTable(
        scratch.zeros(size, np.int64),
        scratch.zeros(size, np.uint32),
        scratch.zeros(size, np.int32),
    )


def _merge(runs: Sequence[_NGramTable], scratch: _Scratch) -> _NGramTable:
    """Merge sorted runs into one table, about one block of keys at a time."""
    share = max(scratch.block // len(runs), 1)
    merged = _table(scratch, sum(map(len, runs)))
    size = 0
    while runs := [run for run in runs if len(run)]:
        limit = min(run.key[:share][-1] for run in runs)
        ends = [int(np.searchsorted(run.key[:share], limit, side="right")) for run in runs]
        parts = [run[:end] for run, end in zip(runs, ends, strict=True)]
        runs = [run[end:] for run, end in zip(runs, ends, strict=True)]
        key = np.concatenate([part.key for part in parts])
        count = np.concatenate([part.count for part in parts])
        suffix = np.concatenate([part.suffix for part in parts])
        by_key = np.argsort(key)
        key = key[by_key]
        first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        block = slice(size, size + len(first))
        merged.key[block] = key[first]
        total = np.add.reduceat(count[by_key].astype(np.int64), first)
        merged.count[block] = np.minimum(total, _MAX_COUNT)
        merged.suffix[block] = suffix[by_key[first]]
        size = block.stop
    return merged[:size]


def _adjusted(table: _NGramTable, above: _NGramTable, scratch: _Scratch) -> UInt32:
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
    tables: list[_NGramTable], thresholds: Sequence[int], scratch: _Scratch, report: Progress
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
    table: _NGramTable,
    adjusted: UInt32,
    discount: Float64,
    threshold: int,
    size: int,
    scratch: _Scratch,
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


def _set_backoffs(order: NGramOrder, gamma: Float64, number: Int32, scratch: _Scratch) -> None:
    for block in scratch.blocks(len(gamma)):
        kept = number[block] >= 0
        order.backoff[number[block][kept]] = _log(gamma[block][kept])


def _log(values: Float64) -> Float32:
    with np.errstate(divide="ignore"):
        return np.clip(np.log(values), LOG_ZERO, 0).astype(np.float32)
