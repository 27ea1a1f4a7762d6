"""The language model as a model file holds it and a search uses it: quantised n-grams in a trie.

`kneser_ney` estimates models, `_ngrams` looks n-grams up, and `balance` gives the language model
weight.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError, shown
from syntagma.files.sections import (
    Section,
    check_sections,
    damaged,
    pack_lines,
    read_lines,
    text_section,
)
from syntagma.language_model._ngrams import (
    LONGEST,
    NGrams,
    NGramScorer,
    rises,
    unfold,
)
from syntagma.language_model.backoff import (
    END,
    SPECIAL_WORDS,
    START,
    UNKNOWN,
    BackoffModel,
    Float32,
    NGramOrder,
    UInt32,
)
from syntagma.problem.word import Alternative, shape

Array = npt.NDArray[Any]
Codes = npt.NDArray[np.uint8]
NumberedForm = tuple[list[int], list[int], float, bool, int]  # as `NGramScorer` takes it

MAX_ORDER = LONGEST
PREFIX = "lm."  # of the sections of a file
CODES = 256  # of quantised numbers
LOG_RANGE = (-1e6, 10**6)  # of logarithms: sums of them, times any weight, stay finite
_ROUNDS = 20  # of Lloyd's algorithm
_MANY = 255  # extensions of an n-gram: this many or more are stored in a table of their own
_VOWELS = frozenset("aeiou")


def quantise(values: Float32) -> tuple[Codes, Float32]:
    """(codes, table) with 256 values (Lloyd 1982); exact if there are no more distinct values."""
    distinct, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    table = np.zeros(CODES, np.float32)
    if len(distinct) <= CODES:
        table[: len(distinct)] = distinct
        return inverse.astype(np.uint8), table
    # Start with half of the centres at quantiles, half at equal distances.
    quantiles = np.quantile(values, np.linspace(0, 1, CODES // 2))
    centres = np.sort(np.concatenate([quantiles, np.linspace(distinct[0], distinct[-1], 128)]))
    sizes = np.concatenate([[0], np.cumsum(counts)])
    sums = np.concatenate([[0], np.cumsum(counts * distinct.astype(np.float64))])
    for _ in range(_ROUNDS):
        bounds = np.searchsorted(distinct, (centres[1:] + centres[:-1]) / 2, side="right")
        parts = np.concatenate([[0], bounds, [len(distinct)]])
        size = np.diff(sizes[parts])
        centres = np.divide(np.diff(sums[parts]), size, out=centres.copy(), where=size > 0)
        centres.sort()
    codes = np.searchsorted((centres[1:] + centres[:-1]) / 2, distinct, side="right")
    size = np.bincount(codes, counts, minlength=CODES)
    sums = np.bincount(codes, counts * distinct.astype(np.float64), minlength=CODES)
    table[:] = np.divide(sums, size, out=centres, where=size > 0)
    return codes[inverse].astype(np.uint8), table


def word_class(form: str) -> str:
    """The class that stands for an unknown word: its shape, whether it begins with a vowel (which
    decides *an* and *l'*), and the ending of a word of letters."""
    begins = ":v" if unicodedata.normalize("NFD", form)[:1].lower() in _VOWELS else ""
    kind, ending = _shape_and_ending(form)
    return f"<unk:{kind}{begins}{ending}>"


def _shape_and_ending(form: str) -> tuple[str, str]:
    kind = shape(form)[:4]
    return kind, f":{form[-2:].lower()}" if kind in ("x", "Xx") else ""


@dataclass(frozen=True, slots=True)
class Logs:
    """Logarithms: exact, or as codes in a table of 256 values."""

    values: Float32
    codes: Codes | None = None
    table: Float32 | None = None

    @classmethod
    def packed(cls, values: Float32) -> Logs:
        codes, table = quantise(values)
        return cls(table[codes], codes, table)

    def to_arrays(self, name: str) -> dict[str, Array]:
        if self.codes is None or self.table is None:
            return {name: self.values}
        return {name: self.codes, f"{name}.table": self.table}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], name: str) -> Logs:
        table = arrays.get(f"{name}.table")
        if table is None:
            return cls(arrays[name])
        return cls(table.take(arrays[name]), arrays[name], table)


@dataclass(frozen=True, slots=True)
class PackedOrder:
    """The n-grams of one order.

    The n-grams of the next order that extend n-gram i are those from starts[i] to starts[i + 1].
    The highest order has no starts and no back-offs. Back-offs are quantised, too; their codes are
    computed again when they are written.
    """

    words: UInt32
    log_probs: Logs
    backoffs: Float32
    starts: UInt32

    @classmethod
    def of(cls, order: NGramOrder, following: NGramOrder | None, pack: bool) -> PackedOrder:
        logs = Logs.packed if pack else Logs
        backoffs, starts = np.empty(0, np.float32), np.empty(0, np.uint32)
        if following is not None:
            counts = np.bincount(following.parent, minlength=len(order))
            starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
            is_context = (counts > 0) | (order.backoff != 0)
            backoffs = np.zeros(len(order), np.float32)
            backoffs[is_context] = logs(order.backoff[is_context]).values
        return cls(order.word.astype(np.uint32), logs(order.log_prob), backoffs, starts)

    def is_whole(self, vocabulary: int, following: PackedOrder | None) -> bool:
        """Whether all invariants hold that look-up relies on without checking them."""
        if len(self.words) != len(self.log_probs.values):
            return False
        if len(self.words) and int(self.words.max()) >= vocabulary:
            return False
        return following is None or (
            int(self.starts[-1]) == len(following.words) and rises(following.words, self.starts)
        )


class LanguageModel:
    """An n-gram model; `words` is its vocabulary, by number."""

    def __init__(self, words: Sequence[str], orders: Sequence[PackedOrder]) -> None:
        if len(orders) > MAX_ORDER:
            raise ModelError(f"the language model has order {len(orders)}, more than {MAX_ORDER}")
        self.words = tuple(words)
        self.orders = tuple(orders)
        self._numbers = dict(zip(self.words, range(len(self.words)), strict=True))
        for word in SPECIAL_WORDS:  # in a text, these strings are words like any other
            del self._numbers[word]
        self.ngrams = NGrams(
            [order.words for order in orders],
            [order.log_probs.values for order in orders],
            [order.backoffs for order in orders],
            [order.starts for order in orders],
        )

    @classmethod
    def of(cls, model: BackoffModel) -> LanguageModel:
        """Only the log-probabilities of single words, which are few, stay exact."""
        following = [*model.orders[1:], None]
        orders = [
            PackedOrder.of(order, after, pack=i > 0)
            for i, (order, after) in enumerate(zip(model.orders, following, strict=True))
        ]
        return cls(model.words, orders)

    @property
    def order(self) -> int:
        return len(self.orders)

    def describe(self) -> dict[str, Any]:
        """What the header of a file says about it."""
        return {"ngrams": [len(order.words) for order in self.orders]}

    def to_arrays(self) -> dict[str, Array]:
        """The sections of a file; `from_arrays` is the inverse."""
        arrays: dict[str, Array] = {"lm.words": pack_lines(self.words)}
        for i, order in enumerate(self.orders, start=1):
            arrays |= order.log_probs.to_arrays(f"lm.{i}.log_probs")
            if i > 1:
                arrays[f"lm.{i}.words"] = order.words.astype(np.uint16)
                arrays[f"lm.{i}.high_bits"] = _high_bits(order.words, len(self.words))
            if i < self.order:
                counts = np.diff(order.starts)
                is_context = (counts > 0) | (order.backoffs != 0)
                counts = counts[is_context]
                logs = Logs if i == 1 else Logs.packed
                arrays |= logs(order.backoffs[is_context]).to_arrays(f"lm.{i}.backoffs")
                arrays[f"lm.{i}.contexts"] = np.packbits(is_context)
                arrays[f"lm.{i}.counts"] = np.minimum(counts, _MANY).astype(np.uint8)
                arrays[f"lm.{i}.many"] = counts[counts >= _MANY]
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> LanguageModel:
        top = 1
        while f"lm.{top + 1}.words" in arrays:
            top += 1
        if top > MAX_ORDER:
            raise ModelError(f"the language model has order {top}, more than {MAX_ORDER}")
        table = section_table(top)
        names = {section.name for section in table}
        unknown = {name for name in arrays if name.startswith(PREFIX)} - names
        if unknown:
            raise ModelError(f"the language model has an unknown section {shown(min(unknown))}")
        words = read_lines(arrays, "lm.words")
        if tuple(words[: len(SPECIAL_WORDS)]) != SPECIAL_WORDS:
            raise damaged("lm.words", "it does not begin with the special words")
        check_sections(arrays, table, {"words": len(words)})
        orders = [_order(arrays, i, top, words) for i in range(1, top + 1)]
        following = [*orders[1:], None]
        for i, (order, after) in enumerate(zip(orders, following, strict=True), start=1):
            if not order.is_whole(len(words), after):
                raise ModelError(f"the n-grams of order {i} of the language model are damaged")
        return cls(words, orders)

    def number(self, word: str) -> int:
        """The number of a word, or of its class, or of the unknown word.

        The oldest models have no classes for words that begin with a vowel.
        """
        found = self._numbers.get(word)
        if found is None:
            found = self._numbers.get(word_class(word))
        if found is None:
            kind, ending = _shape_and_ending(word)
            found = self._numbers.get(f"<unk:{kind}{ending}>", UNKNOWN)
        return found

    def score(self, words: Sequence[str]) -> list[float]:
        """The natural log-probability of each word of a sentence and, last, of its end."""
        return self.ngrams.log_probs([*map(self.number, words), END], [START])

    def ngram_scorer(
        self,
        forms: Sequence[str],
        weight: float,
        alternatives: Sequence[Sequence[Alternative]] | None = None,
    ) -> NGramScorer:
        """The scorer of a search over the orders of units: words or phrases.

        `alternatives` are the forms that each unit may take, if there is a choice; `forms` are then
        the first of them.
        """
        units = self.units(forms)
        if alternatives is None:
            return NGramScorer(self.ngrams, units, self.ngrams.expected_costs(units), weight)
        choices = self.choices(alternatives)
        expected_costs = self.ngrams.expected_costs(units, [choice[0][1] for choice in choices])
        return NGramScorer(self.ngrams, units, expected_costs, weight, choices)

    def choices(self, alternatives: Sequence[Sequence[Alternative]]) -> list[list[NumberedForm]]:
        """The forms that each unit may take."""
        names: dict[tuple[str, str], int] = {}
        return [
            [
                (
                    self._unit(form.text),
                    self._unit(form.initial),
                    form.log_share,
                    form.spoken,
                    names.setdefault((form.text, form.initial), len(names)),
                )
                for form in choice
            ]
            for choice in alternatives
        ]

    def units(self, forms: Sequence[str]) -> list[list[int]]:
        """The numbers of the words of each unit."""
        return [self._unit(form) for form in forms]

    def _unit(self, form: str) -> list[int]:
        return [self.number(word) for word in form.split(" ")]


def section_table(top: int) -> list[Section]:
    """The sections of a model of this order."""
    table = [text_section("lm.words")]
    for i in range(1, top + 1):
        size, contexts = f"{i}-grams" if i > 1 else "words", f"contexts of order {i}"
        if i > 1:
            table.append(Section(f"lm.{i}.words", np.uint16, (size,)))
            table.append(Section(f"lm.{i}.high_bits", np.uint8, (f"bits of order {i}",)))
        table += _sections_of_logs(f"lm.{i}.log_probs", size, exact=i == 1)
        if i < top:
            table += [
                Section(f"lm.{i}.contexts", np.uint8, (f"bytes of {contexts}",)),
                Section(f"lm.{i}.counts", np.uint8, (contexts,)),
                Section(f"lm.{i}.many", np.uint32, (f"large {contexts}",)),
                *_sections_of_logs(f"lm.{i}.backoffs", contexts, exact=i == 1),
            ]
    return table


def _sections_of_logs(name: str, size: str, *, exact: bool) -> list[Section]:
    """Those of `Logs`."""
    if exact:
        return [Section(name, np.float32, (size,), *LOG_RANGE)]
    codes = Section(name, np.uint8, (size,))
    return [codes, Section(f"{name}.table", np.float32, (CODES,), *LOG_RANGE)]


def _order(arrays: Mapping[str, Array], i: int, top: int, vocabulary: Sequence[str]) -> PackedOrder:
    words = np.arange(len(vocabulary), dtype=np.uint32)
    if i > 1:
        words = arrays[f"lm.{i}.words"].astype(np.uint32)
        _add_high_bits(words, arrays[f"lm.{i}.high_bits"], len(vocabulary), i)
    starts, backoffs = np.empty(0, np.uint32), np.empty(0, np.float32)
    if i < top:
        stored = Logs.from_arrays(arrays, f"lm.{i}.backoffs")
        unfolded = unfold(
            arrays[f"lm.{i}.contexts"],
            stored.values,
            arrays[f"lm.{i}.counts"],
            arrays[f"lm.{i}.many"],
            len(words),
        )
        if unfolded is None:
            raise ModelError(f"the contexts of order {i} of the language model are damaged")
        starts, backoffs = unfolded
    return PackedOrder(words, Logs.from_arrays(arrays, f"lm.{i}.log_probs"), backoffs, starts)


def _high_bits(words: UInt32, vocabulary: int) -> Codes:
    """The bits of the numbers of words from the 17th on: one plane of bits after the other."""
    places = range(16, max(vocabulary - 1, 0).bit_length())
    return np.concatenate([np.empty(0, np.uint8), *(np.packbits(words >> i & 1) for i in places)])


def _add_high_bits(words: UInt32, bits: Codes, vocabulary: int, order: int) -> None:
    size = -(-len(words) // 8)
    places = range(16, max(vocabulary - 1, 0).bit_length())
    if len(bits) != len(places) * size:
        raise damaged(f"lm.{order}.high_bits", f"it is not for {len(words)} n-grams")
    for plane, i in enumerate(places):
        of_this = np.unpackbits(bits[plane * size : (plane + 1) * size], count=len(words))
        words |= of_this.astype(np.uint32) << i
