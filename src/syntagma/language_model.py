"""The language model of a model: n-grams packed small, and what they say of the words of a problem.

Estimation is the business of `kneser_ney`, look-up that of core/fluency.pyx. How much the language
model counts beside the scorer is learned by `balance`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.backoff import END, SPECIAL_WORDS, UNKNOWN, BackoffModel, Order
from syntagma.core import Fluency, NGrams
from syntagma.core.fluency import rises, unfold
from syntagma.encoding import Encoding
from syntagma.errors import ModelError
from syntagma.vocabulary import pack_lines, shape, unpack_lines

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint8]

MAX_ORDER = 5
_CODES = 256
_MANY = 255  # n-grams that go on from one: this many or more are counted in a table of their own


def word_class(form: str) -> str:
    """What a word that the model does not know goes by: its shape and, of letters, its ending."""
    kind = shape(form)[:4]
    return f"<unk:{kind}:{form[-2:].lower()}>" if kind in ("x", "Xx") else f"<unk:{kind}>"


@dataclass(frozen=True, slots=True)
class PackedOrder:
    """The n-grams of one order: logarithms are numbers in a table of 256 values.

    Those of the next order that go on from n-gram i are the ones from starts[i] to starts[i + 1]:
    if there are none, it is no context, and its back-off means nothing. In the highest order there
    are no starts and no back-offs.
    """

    words: npt.NDArray[np.uint32]
    log_probs: Codes
    log_prob_codes: Floats
    backoffs: Codes
    backoff_codes: Floats
    starts: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, order: Order, following: Order | None) -> PackedOrder:
        log_probs, log_prob_codes = quantise(order.log_prob)
        backoffs, backoff_codes = np.empty(0, np.uint8), np.empty(0, np.float32)
        starts = np.empty(0, np.uint32)
        if following is not None:
            counts = np.bincount(following.parent, minlength=len(order))
            starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
            backoffs = np.zeros(len(order), np.uint8)
            backoffs[counts > 0], backoff_codes = quantise(order.backoff[counts > 0])
        words = order.word.astype(np.uint32)
        return cls(words, log_probs, log_prob_codes, backoffs, backoff_codes, starts)

    def is_whole(self, vocabulary: int, following: PackedOrder | None) -> bool:
        """Everything that look-up relies on: then it cannot go astray."""
        if len(self.words) != len(self.log_probs):
            return False
        if len(self.words) and int(self.words.max()) >= vocabulary:
            return False
        return following is None or (
            int(self.starts[-1]) == len(following.words) and rises(following.words, self.starts)
        )


def quantise(values: Floats) -> tuple[Codes, Floats]:
    """(codes, table): at most 256 values, the means of parts; nothing is lost of
    values that are few."""
    distinct, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(distinct) <= _CODES:
        table = np.zeros(_CODES, np.float32)
        table[: len(distinct)] = distinct
        return inverse.astype(np.uint8), table
    # Square roots: rare values at both ends keep some resolution.
    mass = np.cumsum(np.sqrt(counts))
    part = np.minimum((mass / mass[-1] * _CODES).astype(np.int64), _CODES - 1)
    totals = np.bincount(part, counts, minlength=_CODES)
    sums = np.bincount(part, counts * distinct, minlength=_CODES)
    table = np.divide(sums, totals, out=np.zeros(_CODES), where=totals > 0).astype(np.float32)
    return part[inverse].astype(np.uint8), table


class LanguageModel:
    """Looks sentences up; `words` are those of its vocabulary, by number."""

    def __init__(self, words: Sequence[str], orders: Sequence[PackedOrder]) -> None:
        self.words = tuple(words)
        self.orders = tuple(orders)
        self._numbers = {word: number for number, word in enumerate(self.words)}
        self.ngrams = NGrams(
            [order.words for order in orders],
            [order.log_probs for order in orders],
            [order.backoffs for order in orders],
            [order.starts for order in orders],
            [order.log_prob_codes for order in orders],
            [order.backoff_codes for order in orders],
        )
        first = orders[0]
        self._unigrams = first.log_prob_codes[first.log_probs]

    @classmethod
    def of(cls, model: BackoffModel) -> LanguageModel:
        following = [*model.orders[1:], None]
        orders = [PackedOrder.of(*pair) for pair in zip(model.orders, following, strict=True)]
        return cls(model.words, orders)

    @property
    def order(self) -> int:
        return len(self.orders)

    def describe(self) -> dict[str, Any]:
        """What a header says of it."""
        return {"ngrams": [len(order.words) for order in self.orders]}

    def to_arrays(self) -> dict[str, Array]:
        """The sections of a file; `from_arrays` is the inverse."""
        arrays: dict[str, Array] = {"lm.words": pack_lines(self.words)}
        for i, order in enumerate(self.orders, start=1):
            arrays[f"lm.{i}.log_probs"] = order.log_probs
            arrays[f"lm.{i}.log_prob_codes"] = order.log_prob_codes
            if i > 1:
                arrays[f"lm.{i}.words"] = order.words.astype(np.uint16)
                arrays[f"lm.{i}.high_bits"] = _high_bits(order.words, len(self.words))
            if i < self.order:
                counts = np.diff(order.starts)
                is_context = counts > 0
                counts = counts[is_context]
                arrays[f"lm.{i}.contexts"] = np.packbits(is_context)
                arrays[f"lm.{i}.backoffs"] = order.backoffs[is_context]
                arrays[f"lm.{i}.backoff_codes"] = order.backoff_codes
                arrays[f"lm.{i}.counts"] = np.minimum(counts, _MANY).astype(np.uint8)
                arrays[f"lm.{i}.many"] = counts[counts >= _MANY]
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> LanguageModel:
        words = unpack_lines(_section(arrays, "lm.words", np.uint8))
        if tuple(words[: len(SPECIAL_WORDS)]) != SPECIAL_WORDS:
            raise ModelError("the vocabulary of the language model is damaged")
        top = 1
        while f"lm.{top + 1}.words" in arrays:
            top += 1
        if top > MAX_ORDER:
            raise ModelError(f"the language model has order {top}, more than {MAX_ORDER}")
        orders = [_order(arrays, i, top, words) for i in range(1, top + 1)]
        following = [*orders[1:], None]
        for i, (order, after) in enumerate(zip(orders, following, strict=True), start=1):
            if not order.is_whole(len(words), after):
                raise ModelError(f"the n-grams of order {i} of the language model are damaged")
        return cls(words, orders)

    def number(self, word: str) -> int:
        """The number of a word, or of its class, or of the unknown word."""
        found = self._numbers.get(word)
        if found is None:
            found = self._numbers.get(word_class(word), UNKNOWN)
        return found

    def score(self, words: Sequence[str]) -> list[float]:
        """The natural log-probability of each word of a sentence and, last, of its end."""
        found: list[float] = self.ngrams.score([self.number(word) for word in words])
        return found

    def fluency(self, encoding: Encoding, weight: float) -> Fluency:
        """The model as it listens to a search for the order of these words."""
        units = self.units(encoding)
        return Fluency(self.ngrams, units, self.outlook(units), weight)

    def units(self, encoding: Encoding) -> list[list[int]]:
        """The numbers of the words of each unit, that is, of a word or a phrase."""
        words = encoding.problem.words
        return [[self.number(word) for word in words[at].form.split(" ")] for at in encoding.order]

    def outlook(self, units: Sequence[Sequence[int]]) -> list[float]:
        """What each unit is expected to cost, wherever it is placed, and, last, the end: the
        log-probability without a context."""
        costs = [float(self._unigrams[list(unit)].sum()) for unit in units]
        return [*costs, float(self._unigrams[END])]


def _section(arrays: Mapping[str, Array], name: str, dtype: type) -> Array:
    array = arrays.get(name)
    if array is None or array.dtype != dtype or array.ndim != 1:
        raise ModelError(f"the language model has no section {name!r} of {dtype.__name__}")
    return array


def _codes(arrays: Mapping[str, Array], name: str) -> Floats:
    codes = _section(arrays, name, np.float32)
    if codes.shape != (_CODES,) or not np.isfinite(codes).all():
        raise ModelError(f"the section {name!r} of the language model is damaged")
    return codes


def _order(arrays: Mapping[str, Array], i: int, top: int, vocabulary: Sequence[str]) -> PackedOrder:
    words = np.arange(len(vocabulary), dtype=np.uint32)
    if i > 1:
        words = _section(arrays, f"lm.{i}.words", np.uint16).astype(np.uint32)
        _add_high_bits(words, _section(arrays, f"lm.{i}.high_bits", np.uint8), len(vocabulary))
    starts, backoffs = np.empty(0, np.uint32), np.empty(0, np.uint8)
    backoff_codes = np.empty(0, np.float32)
    if i < top:
        unfolded = unfold(
            _section(arrays, f"lm.{i}.contexts", np.uint8),
            _section(arrays, f"lm.{i}.backoffs", np.uint8),
            _section(arrays, f"lm.{i}.counts", np.uint8),
            _section(arrays, f"lm.{i}.many", np.uint32),
            len(words),
        )
        if unfolded is None:
            raise ModelError(f"the contexts of order {i} of the language model are damaged")
        starts, backoffs = unfolded
        backoff_codes = _codes(arrays, f"lm.{i}.backoff_codes")
    log_probs = _section(arrays, f"lm.{i}.log_probs", np.uint8)
    log_prob_codes = _codes(arrays, f"lm.{i}.log_prob_codes")
    return PackedOrder(words, log_probs, log_prob_codes, backoffs, backoff_codes, starts)


def _high_bits(words: npt.NDArray[np.uint32], vocabulary: int) -> Codes:
    """What 16 bits do not hold of the numbers of words: each further bit of all of them."""
    places = range(16, max(vocabulary - 1, 0).bit_length())
    return np.concatenate([np.empty(0, np.uint8), *(np.packbits(words >> i & 1) for i in places)])


def _add_high_bits(words: npt.NDArray[np.uint32], bits: Codes, vocabulary: int) -> None:
    size = -(-len(words) // 8)
    places = range(16, max(vocabulary - 1, 0).bit_length())
    if len(bits) != len(places) * size:
        raise ModelError("the words of the n-grams of the language model are damaged")
    for plane, i in enumerate(places):
        of_this = np.unpackbits(bits[plane * size : (plane + 1) * size], count=len(words))
        words |= of_this.astype(np.uint32) << i
