"""Counts the n-grams of a text on disk, order by order; `kneser_ney` estimates from them.

An n-gram is identified by its rank among the n-grams of its order. The rank of its words but the
last and the number of the last word make up one 64-bit key, so that counting is sorting integers.
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
from syntagma.language_model.backoff import END, SPECIAL_WORDS, START, Int32, Int64, UInt32, keys

_MAX_COUNT = 2**32 - 1
_MAX_RANK = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Scratch:
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
class NGramTable:
    """The n-grams of one order of the text, sorted by key."""

    key: Int64
    count: UInt32
    suffix: Int32  # the rank, in the order below, of the n-gram without its first word

    def __len__(self) -> int:
        return len(self.key)

    def __getitem__(self, part: slice) -> NGramTable:
        return NGramTable(self.key[part], self.count[part], self.suffix[part])


def number_text(
    sentences: Iterable[Sequence[str]],
    min_count: int,
    word_class: Callable[[str], str],
    scratch: Scratch,
) -> tuple[tuple[str, ...], UInt32, NGramTable]:
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
        NGramTable(
            np.arange(len(words)),
            np.minimum(totals, _MAX_COUNT).astype(np.uint32),
            np.zeros(len(words), np.int32),
        ),
    )


def count_ngrams(
    text: UInt32, ranks: Int32, scratch: Scratch, *, last: bool
) -> tuple[NGramTable, Int32]:
    """Count the n-grams one word longer than those that `ranks` gives for each text position.

    Returns their table and, unless this is the last order, the rank of the n-gram that ends at each
    position, or -1.
    """
    runs: list[NGramTable] = []
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


def _table(scratch: Scratch, size: int) -> NGramTable:
    return NGramTable(
        scratch.zeros(size, np.int64),
        scratch.zeros(size, np.uint32),
        scratch.zeros(size, np.int32),
    )


def _merge(runs: Sequence[NGramTable], scratch: Scratch) -> NGramTable:
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
