"""ARPA files: back-off n-gram models as SRILM and KenLM read and write them.

The model itself is in `backoff`.
"""

from __future__ import annotations

import os
from array import array
from collections import defaultdict
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from syntagma.errors import FormatError, OutputError, shown
from syntagma.files.reading import open_text, source_name
from syntagma.files.writing import atomic_write
from syntagma.language_model.backoff import (
    LOG_ZERO,
    SPECIAL_WORDS,
    START,
    UNKNOWN,
    BackoffModel,
    Float64,
    Int32,
    Int64,
    NGramOrder,
    find_keys,
    keys,
    link_suffixes,
)
from syntagma.problem.limits import MAX_DIGITS

_LN_10 = float(np.log(10))
_MAX_ROUNDING = 1e-4  # a log probability at most this far above zero counts as zero
_SEPARATORS = frozenset(" \t\n\v\f\r\0")
_BLOCK = 1 << 16


def write_arpa(model: BackoffModel, path: str | os.PathLike[str]) -> None:
    """Write a model without loss of precision; the file appears when it is complete."""
    for word in model.words:
        if not word or not _SEPARATORS.isdisjoint(word):
            raise OutputError(
                f"cannot write {os.fspath(path)}: the word {shown(word)} is empty or contains a "
                "space, which ARPA files cannot express; replace it before estimation"
            )
    with atomic_write(path, "w") as stream:
        stream.write("\\data\\\n")
        for k, order in enumerate(model.orders, start=1):
            stream.write(f"ngram {k}={len(order)}\n")
        for k, order in enumerate(model.orders, start=1):
            stream.write(f"\n\\{k}-grams:\n")
            for start in range(0, len(order), _BLOCK):
                stream.write(_lines(model, k, slice(start, start + _BLOCK)))
        stream.write("\n\\end\\\n")


def _lines(model: BackoffModel, k: int, block: slice) -> str:
    order = model.orders[k - 1]
    words = model.words
    texts = [words[number] for number in order.word[block].tolist()]
    parent = order.parent[block]
    for lower in reversed(model.orders[: k - 1]):
        texts = [
            f"{words[number]} {text}"
            for number, text in zip(lower.word[parent].tolist(), texts, strict=True)
        ]
        parent = lower.parent[parent]
    log_probs = (order.log_prob[block].astype(np.float64) / _LN_10).tolist()
    if k == len(model.orders):
        return "".join(f"{p:.9g}\t{text}\n" for p, text in zip(log_probs, texts, strict=True))
    backoffs = (order.backoff[block].astype(np.float64) / _LN_10).tolist()
    return "".join(
        f"{p:.9g}\t{text}\t{b:.9g}\n" for p, text, b in zip(log_probs, texts, backoffs, strict=True)
    )


def read_arpa(path: str | os.PathLike[str]) -> BackoffModel:
    """Read a model; the file may be compressed with gzip or xz.

    If the file has no `<unk>`, unknown words get (nearly) no probability. Pruned models of SRILM
    lack prefixes and suffixes of some n-grams; these are added with the probability that they have
    by backing off.
    """
    reader = _Reader(path)
    words, first = reader.words()
    numbers = {"<UNK>": UNKNOWN} | {word: number for number, word in enumerate(words)}
    longer = range(2, len(reader.sizes) + 1)
    sections = [first, *(reader.section(k, numbers) for k in longer)]
    reader.heading("\\end\\", "; are there more n-grams than declared?")
    return BackoffModel(tuple(words), _orders(sections, reader.source))


@dataclass(slots=True)
class _Section:
    """The n-grams of one order as the file lists them; NaN is a probability not yet computed."""

    ngrams: Int32  # one row of word numbers per n-gram
    log_prob: Float64
    backoff: Float64
    line: int  # of the first n-gram

    def add(self, ngrams: Int32) -> None:
        self.ngrams = np.concatenate((self.ngrams, ngrams))
        self.log_prob = np.concatenate((self.log_prob, np.full(len(ngrams), np.nan)))
        self.backoff = np.concatenate((self.backoff, np.zeros(len(ngrams))))


class _Reader:
    """Reads the sections of a file one after the other."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.source = source_name(path)
        self._lines = open_text(path)
        self._line = 0
        self.sizes = self._read_sizes()

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        raise FormatError(message, self.source, self._line if line is None else line)

    def _read_sizes(self) -> list[int]:
        """The header: the number of n-grams of each order."""
        while (line := self._next("the header \\data\\; is this an ARPA file?")) != "\\data\\":
            pass
        sizes: list[int] = []
        while line := self._next("the sections of n-grams").strip():
            kind, _, rest = line.partition(" ")
            order, _, size = rest.partition("=")
            if kind != "ngram" or not _is_count(order) or not _is_count(size):
                if sizes and line == "\\1-grams:":
                    self.fail("there must be an empty line before \\1-grams:")
                self.fail(f"expected 'ngram ORDER=COUNT', not {shown(line)}")
            if int(order) != len(sizes) + 1:
                self.fail(
                    f"expected the count of {len(sizes) + 1}-grams, not of {int(order)}-grams"
                )
            sizes.append(int(size))
        if not sizes:
            self.fail("the header has no 'ngram ORDER=COUNT' line")
        return sizes

    def words(self) -> tuple[list[str], _Section]:
        """The 1-grams by number: the special words first, then the others as they are listed."""
        size = self.sizes[0]
        listed: dict[str, int] = defaultdict(lambda: len(listed))
        section = self.section(1, listed)
        if len(listed) < size:
            first = np.unique(section.ngrams, return_index=True)[1]
            row = int(np.setdiff1d(np.arange(size), first)[0])
            word = list(listed)[section.ngrams[row, 0]]
            self.fail(f"{shown(word)} occurs twice", section.line + row)
        unknown = SPECIAL_WORDS[UNKNOWN]
        if unknown not in listed and "<UNK>" in listed:
            listed[unknown] = listed.pop("<UNK>")
        for word in SPECIAL_WORDS[START:]:
            if word not in listed:
                self.fail(
                    f"the 1-grams lack {word!r}: estimate the model with sentence boundaries",
                    section.line + max(size - 1, 0),
                )
        if unknown not in listed:
            listed[unknown] = size
            section.add(np.array([[size]], dtype=np.int32))
            section.log_prob[-1] = LOG_ZERO
        words = [*SPECIAL_WORDS, *(word for word in listed if word not in SPECIAL_WORDS)]
        rows = [listed[word] for word in words]
        section.ngrams = np.arange(len(words), dtype=np.int32)[:, None]
        section.log_prob, section.backoff = section.log_prob[rows], section.backoff[rows]
        return words, section

    def heading(self, expected: str, hint: str) -> None:
        while not (line := self._next(expected).strip()):
            pass
        if line != expected:
            self.fail(f"expected {expected}, not {shown(line)}{hint}")

    def _next(self, expected: str) -> str:
        line = next(self._lines, None)
        if line is None:
            self.fail(f"the file is cut off here: expected {expected}")
        if isinstance(line, FormatError):
            raise line
        self._line += 1
        return line

    def section(self, k: int, numbers: dict[str, int]) -> _Section:
        """The n-grams of one order; `numbers` are those of the words."""
        more = f"; are there more {k - 1}-grams than declared?" if k > 1 else ""
        self.heading(f"\\{k}-grams:", more)
        size = self.sizes[k - 1]
        start = self._line + 1
        ngrams, log_probs, backoffs = array("i"), array("d"), array("d")
        number = numbers.__getitem__
        for row in range(size):
            line = self._next(f"{size} {k}-grams, not {row}")
            if not line or line.startswith("\\"):
                self.fail(f"the section ends after {row} {k}-grams, but {size} are declared")
            fields = line.replace("\t", " ").split(" ")
            if "" in fields:
                fields = [field for field in fields if field]
            try:
                if len(fields) == k + 2:
                    backoffs.append(float(fields.pop()))
                elif len(fields) == k + 1:
                    backoffs.append(0.0)
                else:
                    raise ValueError(line)
                log_probs.append(float(fields[0]))
                ngrams.extend(map(number, fields[1:]))
            except ValueError:
                expected = "word" if k == 1 else f"{k} words"
                self.fail(
                    f"expected a log10 probability, {expected} and optionally a back-off, "
                    f"not {shown(line)}"
                )
            except KeyError as error:
                self.fail(f"{shown(error.args[0])} is not among the 1-grams")
        log_prob, backoff = np.frombuffer(log_probs) * _LN_10, np.frombuffer(backoffs) * _LN_10
        is_highest = k == len(self.sizes)
        # Minus infinity means probability zero; no other value may be infinite.
        faults: tuple[tuple[str, npt.NDArray[np.bool_]], ...] = (
            ("the log10 probability is not a number", np.isnan(log_prob)),
            ("the log10 probability is above zero", log_prob > _MAX_ROUNDING),
            ("the back-off is not a finite number", ~(backoff < np.finfo(np.float32).max)),
            ("an n-gram of the highest order has a back-off", is_highest & (backoff != 0)),
        )
        for message, is_fault in faults:
            if is_fault.any():
                self.fail(message, start + int(np.argmax(is_fault)))
        return _Section(
            np.frombuffer(ngrams, dtype=np.int32).reshape(-1, k),
            np.clip(log_prob, LOG_ZERO, 0),
            np.maximum(backoff, LOG_ZERO),
            start,
        )


def _is_count(text: str) -> bool:
    digits = text.strip()
    return digits.isascii() and digits.isdecimal() and len(digits) <= MAX_DIGITS


def _orders(sections: list[_Section], source: str) -> tuple[NGramOrder, ...]:
    """The orders of a model; adds missing parts of longer n-grams to the sections."""
    while True:
        orders: list[NGramOrder] = []
        suffix = np.zeros(len(sections[0].ngrams), dtype=np.int32)
        for k, section in enumerate(sections, start=1):
            parent, missing = _parents(section.ngrams, orders)
            if len(missing):
                break
            key = keys(parent, section.ngrams[:, -1])
            by_key = np.argsort(key, kind="stable")
            _refuse_twice(key, by_key, section, source)
            order = NGramOrder(
                parent[by_key],
                section.ngrams[by_key, -1],
                section.log_prob[by_key].astype(np.float32),
                section.backoff[by_key].astype(np.float32),
            )
            if k > 1:
                suffix = link_suffixes(order, orders[-1], suffix)
                missing = section.ngrams[by_key[suffix < 0], 1:]
                if len(missing):
                    break
                by_backing_off = orders[-1].backoff[order.parent] + orders[-1].log_prob[suffix]
                order.log_prob[:] = np.minimum(
                    np.where(np.isnan(order.log_prob), by_backing_off, order.log_prob), 0
                )
            orders.append(order)
        else:
            return tuple(orders)
        sections[k - 2].add(np.unique(missing, axis=0))


def _parents(ngrams: Int32, orders: list[NGramOrder]) -> tuple[Int32, Int32]:
    """The indices of the n-grams without their last word, and those of them that are missing."""
    parent = np.zeros(len(ngrams), dtype=np.int32)
    for j, order in enumerate(orders):
        parent = find_keys(keys(order.parent, order.word), keys(parent, ngrams[:, j]))
    return parent, ngrams[parent < 0, :-1]


def _refuse_twice(key: Int64, by_key: Int64, section: _Section, source: str) -> None:
    key = key[by_key]
    again = by_key[1:][key[1:] == key[:-1]]
    if len(again):
        raise FormatError("this n-gram occurs twice", source, section.line + int(again.min()))
