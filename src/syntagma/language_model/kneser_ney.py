"""Estimates a back-off model from text by interpolated modified Kneser-Ney smoothing.

Chen & Goodman (1998), An Empirical Study of Smoothing Techniques for Language Modeling, with the
conventions of KenLM's lmplz: Heafield et al. (2013), Scalable Modified Kneser-Ney Language Model
Estimation. What a model is and can do is in backoff.py.

The text and the tables of n-grams are files, which are mapped into memory and worked on in blocks.
An n-gram is known by its rank among the n-grams of its order; that of its first words and the last
word make one 64-bit integer, so that counting is sorting integers, order by order.
"""

from __future__ import annotations

import array
import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

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
    Order,
    keys,
    split_keys,
)

MAX_ORDER = 5
MEMORY = 1 << 28  # more is no faster: sorting likes what is near
FALLBACK_DISCOUNTS = (0.0, 0.5, 1.0, 1.5)  # of lmplz --discount_fallback

_BYTES_PER_ITEM = 64  # of all arrays that hold one item of a block at the same time
_MIN_BLOCK = 8
_MAX_COUNT = 2**32 - 1
_MAX_RANK = 2**31 - 1

UInt32 = npt.NDArray[np.uint32]
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
    """The model of this order of a text, which is read once.

    Words seen fewer than `min_count` times become their `word_class`. `prune` gives, from order 1
    on, the count up to which n-grams are left out; the last one holds for all higher orders. Words
    always stay. What is held in memory at once, apart from the vocabulary and the final model, is
    bounded by `memory` bytes. Temporary files in `directory`, at order 5 about 100 bytes for each
    word of the text, hold the rest; the system keeps in memory what fits.
    """
    thresholds = _thresholds(prune, order)
    report = progress or (lambda stage, done: None)
    with _scratch(directory, memory) as scratch:
        report("reading", 0.0)
        words, text, counts = _read(sentences, min_count, word_class, scratch)
        report("reading", 1.0)
        tables = [_words_table(counts)]
        ranks = text.view(np.int32)
        for k in range(2, order + 1):
            report("counting", (k - 2) / (order - 1))
            table, ranks = _count(text, ranks, scratch, last=k == order)
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
            "pruning thresholds must not decrease from order to order, as n-grams need their "
            f"parts: {' '.join(map(str, padded))}"
        )
    return (0, *padded[1:])


@dataclass(frozen=True, slots=True)
class _Scratch:
    """Arrays in temporary files, and how many items to work on at a time."""

    folder: Path
    block: int

    def zeros(self, size: int, dtype: type[np.generic]) -> npt.NDArray[Any]:
        """An array that takes no memory of the process and disappears when it is let go."""
        if not size:
            return np.zeros(0, dtype)
        with self._file() as stream, self._named_errors():
            size_in_bytes = size * np.dtype(dtype).itemsize
            if hasattr(os, "posix_fallocate"):  # a full disk is an error now and no crash later
                os.posix_fallocate(stream.fileno(), 0, size_in_bytes)
            else:
                stream.truncate(size_in_bytes)
            return np.memmap(stream, dtype, "r+")

    def spill(self, chunks: Iterable[array.array[int]]) -> UInt32:
        """One array of all chunks of 32-bit numbers."""
        with self._file() as stream:
            for chunk in chunks:
                with self._named_errors():
                    chunk.tofile(stream)
            with self._named_errors():
                stream.flush()
            return np.memmap(stream, np.uint32, "r+") if stream.tell() else np.zeros(0, np.uint32)

    def blocks(self, size: int) -> Iterator[slice]:
        for start in range(0, size, self.block):
            yield slice(start, min(start + self.block, size))

    @contextlib.contextmanager
    def _file(self) -> Iterator[IO[bytes]]:
        with self._named_errors():
            handle, name = tempfile.mkstemp(dir=self.folder)
        with open(handle, "w+b") as stream:
            yield stream
        with contextlib.suppress(OSError):  # not where mapped files cannot be removed
            os.unlink(name)

    @contextlib.contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise _cannot_write(self.folder.parent, error) from error


@contextlib.contextmanager
def _scratch(directory: Path | None, memory: int) -> Iterator[_Scratch]:
    parent = Path(tempfile.gettempdir()) if directory is None else directory
    try:
        folder = tempfile.TemporaryDirectory(prefix="syntagma-", dir=parent)
    except OSError as error:
        raise _cannot_write(parent, error) from error
    with folder:
        yield _Scratch(Path(folder.name), max(memory // _BYTES_PER_ITEM, _MIN_BLOCK))


def _cannot_write(directory: Path, error: OSError) -> TrainingError:
    return TrainingError(
        f"cannot write temporary files in {directory}: {error.strerror or error}; "
        "give another directory"
    )


class _Numbers(dict[str, int]):
    """Words in the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self) + len(SPECIAL_WORDS)
        return number


def _read(
    sentences: Iterable[Sequence[str]],
    min_count: int,
    word_class: Callable[[str], str],
    scratch: _Scratch,
) -> tuple[tuple[str, ...], UInt32, Int64]:
    """The vocabulary, from frequent to rare words, the text as their numbers, their counts."""
    numbers = _Numbers()
    counts = np.zeros(0, dtype=np.int64)

    def chunks() -> Iterator[array.array[int]]:
        nonlocal counts
        chunk = array.array("I")
        number = numbers.__getitem__
        for sentence in sentences:
            chunk.append(START)
            chunk.extend(map(number, sentence))
            chunk.append(END)
            if len(chunk) >= scratch.block:
                counts = _add_counts(counts, chunk)
                yield chunk
                chunk = array.array("I")
        counts = _add_counts(counts, chunk)
        yield chunk

    text = scratch.spill(chunks())
    if not len(text):
        raise TrainingError("there is no text to estimate a model from")
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
    totals = [unknown, counts[START], counts[END], *(final[word] for word in words[3:])]
    return words, text, np.array(totals, dtype=np.int64)


def _add_counts(counts: Int64, chunk: array.array[int]) -> Int64:
    more = np.bincount(np.frombuffer(chunk, dtype=np.uint32), minlength=len(counts))
    more[: len(counts)] += counts
    return more


@dataclass(frozen=True, slots=True)
class _Table:
    """The n-grams of one order of the text, by their sorted keys."""

    key: Int64
    count: UInt32
    suffix: Int32  # the n-gram of the words but the first, by its rank in the order below

    def __len__(self) -> int:
        return len(self.key)


def _words_table(counts: Int64) -> _Table:
    size = len(counts)
    none = np.zeros(size, dtype=np.int32)
    return _Table(np.arange(size), np.minimum(counts, _MAX_COUNT).astype(np.uint32), none)


def _count(text: UInt32, ranks: Int32, scratch: _Scratch, *, last: bool) -> tuple[_Table, Int32]:
    """The n-grams one word longer than those whose ranks are given for each place they end at.

    With them come their own ranks, -1 where there is none; of no use for the last order.
    """
    runs: list[_Table] = []
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
        raise TrainingError(f"{len(table)} different n-grams of one order are too many")
    if not last:
        for run, block in zip(runs, scratch.blocks(len(text)), strict=True):
            rank = np.empty(len(run) + 1, dtype=np.int32)
            rank[:-1] = np.searchsorted(table.key, run.key)
            rank[-1] = -1
            new_ranks[block] = rank[new_ranks[block]]
    return table, new_ranks


def _table(scratch: _Scratch, size: int) -> _Table:
    return _Table(
        scratch.zeros(size, np.int64),
        scratch.zeros(size, np.uint32),
        scratch.zeros(size, np.int32),
    )


def _merge(runs: Sequence[_Table], scratch: _Scratch) -> _Table:
    """One table of all runs; as many keys as fit in a block are taken from all of them at once."""
    share = max(scratch.block // len(runs), 1)
    merged = _table(scratch, sum(len(run) for run in runs))
    size = 0
    starts = [0] * len(runs)
    while any(start < len(run) for start, run in zip(starts, runs, strict=True)):
        limit = min(
            run.key[min(start + share, len(run)) - 1]
            for start, run in zip(starts, runs, strict=True)
            if start < len(run)
        )
        ends = [
            start + int(np.searchsorted(run.key[start : start + share], limit, side="right"))
            for start, run in zip(starts, runs, strict=True)
        ]
        parts = [slice(start, end) for start, end in zip(starts, ends, strict=True)]
        pieces = list(zip(runs, parts, strict=True))
        key = np.concatenate([run.key[part] for run, part in pieces])
        count = np.concatenate([run.count[part] for run, part in pieces])
        suffix = np.concatenate([run.suffix[part] for run, part in pieces])
        by_key = np.argsort(key)
        key = key[by_key]
        first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        block = slice(size, size + len(first))
        merged.key[block] = key[first]
        total = np.add.reduceat(count[by_key].astype(np.int64), first)
        merged.count[block] = np.minimum(total, _MAX_COUNT)
        merged.suffix[block] = suffix[by_key[first]]
        size = block.stop
        starts = ends
    return _Table(merged.key[:size], merged.count[:size], merged.suffix[:size])


def _adjusted(table: _Table, above: _Table, scratch: _Scratch) -> UInt32:
    """How many different words stand before an n-gram; its plain count where that is `<s>`."""
    result: UInt32 = scratch.zeros(len(table), np.uint32)
    for block in scratch.blocks(len(above)):
        np.add.at(result, above.suffix[block], np.uint32(1))
    for block in scratch.blocks(len(table)):
        result[block] = np.where(result[block] == 0, table.count[block], result[block])
    return result


def discounts(counts: Iterable[npt.NDArray[np.integer[Any]]]) -> Float64:
    """What is taken from counts of 0, 1, 2 and 3 or more: equation 26 of Chen & Goodman (1998)."""
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
    tables: list[_Table], thresholds: Sequence[int], scratch: _Scratch, report: Progress
) -> tuple[Order, ...]:
    report("estimating", 0.0)
    size = len(tables[0])
    adjusted = _adjusted(tables[0], tables[1], scratch) if len(tables) > 1 else tables[0].count
    adjusted[START] = 0
    prob = _word_probs(adjusted)
    number = np.arange(size, dtype=np.int32)  # of the n-grams that stay, by rank
    zeros = np.zeros(size, dtype=np.int32)
    orders = [Order(zeros, number.copy(), _log(prob), zeros.astype(np.float32))]
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
        order = Order(
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
    """Words: interpolated with the uniform distribution over all of them but `<s>`."""
    predicted = np.delete(adjusted, START)
    discount = discounts([predicted])
    taken = discount[np.minimum(adjusted, 3)]
    total = adjusted.sum(dtype=np.float64)
    prob: Float64 = (adjusted - taken + taken.sum() / len(predicted)) / total
    prob[START] = 1.0  # as lmplz writes it; it is never predicted
    return prob


def _contexts(
    table: _Table,
    adjusted: UInt32,
    discount: Float64,
    threshold: int,
    size: int,
    scratch: _Scratch,
) -> tuple[Float64, Float64, int]:
    """The total count of each context, its weight for backing off, and how many n-grams stay."""
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


def _set_backoffs(order: Order, gamma: Float64, number: Int32, scratch: _Scratch) -> None:
    for block in scratch.blocks(len(gamma)):
        kept = number[block] >= 0
        order.backoff[number[block][kept]] = _log(gamma[block][kept])


def _log(values: Float64) -> Float32:
    with np.errstate(divide="ignore"):
        return np.clip(np.log(values), LOG_ZERO, 0).astype(np.float32)
