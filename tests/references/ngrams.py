"""A slow reference of back-off n-gram models: look-up by bisection, order by order; validity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from syntagma.language_model.backoff import (
    END,
    SPECIAL_WORDS,
    START,
    UNKNOWN,
    BackoffModel,
    Float64,
    Int32,
    NGramOrder,
    find_keys,
    keys,
    suffixes,
)

WordClass = Callable[[str], str]


def validate(model: BackoffModel) -> None:
    """Check all that look-up relies on; raises `ValueError`."""
    if model.words[:3] != SPECIAL_WORDS:
        raise ValueError(f"the first words of a model must be {' '.join(SPECIAL_WORDS)}")
    if len(set(model.words)) != len(model.words):
        raise ValueError("a word occurs twice in the vocabulary")
    if not model.orders or not np.array_equal(
        model.orders[0].word, np.arange(len(model.words), dtype=np.int32)
    ):
        raise ValueError("the 1-grams of a model must be its vocabulary, in the same order")
    for k, order in enumerate(model.orders, start=1):
        sizes = {len(order.parent), len(order.word), len(order.log_prob), len(order.backoff)}
        if len(sizes) != 1:
            raise ValueError(f"the arrays of the {k}-grams differ in length")
        if not (np.isfinite(order.log_prob).all() and np.isfinite(order.backoff).all()):
            raise ValueError(f"a log probability or back-off of the {k}-grams is not finite")
        if (order.log_prob > 0).any():
            raise ValueError(f"a log probability of the {k}-grams is above zero")
        above = len(model.orders[k - 2]) if k > 1 else 1
        if len(order) and not (
            0 <= order.parent.min() <= order.parent.max() < above
            and 0 <= order.word.min() <= order.word.max() < len(model.words)
        ):
            raise ValueError(f"a {k}-gram refers to an n-gram or a word that does not exist")
        if (np.diff(keys(order.parent, order.word)) <= 0).any():
            raise ValueError(f"the {k}-grams are not sorted, or one occurs twice")
    for k, suffix in enumerate(suffixes(model.orders)[1:], start=2):
        if (suffix < 0).any():
            raise ValueError(f"a {k}-gram has no suffix among the {k - 1}-grams")


def log_prob(model: BackoffModel, context: Sequence[int], word: int) -> float:
    """log p(word | context) of word numbers."""
    context = context[max(0, len(context) - len(model.orders) + 1) :]
    weight = 0.0
    for first in range(len(context) + 1):
        node = find(model, context[first:])
        if node < 0:
            continue
        length = len(context) - first
        at = _index(model.orders[length], node, word)
        if at >= 0:
            return weight + float(model.orders[length].log_prob[at])
        if length:
            weight += float(model.orders[length - 1].backoff[node])
    raise ValueError(f"there is no word number {word}: the model has {len(model.words)} words")


def find(model: BackoffModel, ngram: Sequence[int]) -> int:
    """The index of an n-gram in its order, or -1; 0 for the empty one."""
    node = 0
    for order, word in zip(model.orders, ngram, strict=False):
        node = _index(order, node, word)
        if node < 0:
            return -1
    return node


def _index(order: NGramOrder, parent: int, word: int) -> int:
    start, end = np.searchsorted(order.parent, [parent, parent + 1])
    at = int(start + np.searchsorted(order.word[start:end], word))
    return at if at < end and order.word[at] == word else -1


def score(
    model: BackoffModel, sentences: Iterable[Sequence[str]], word_class: WordClass | None = None
) -> Float64:
    """log p of each word and each sentence end, in the order of the text.

    A word that is not in the vocabulary is replaced by its class, or else by `<unk>`.
    """
    return _score(model, _numbered(sentences, model.words, word_class))


def _numbered(
    sentences: Iterable[Sequence[str]], words: Sequence[str], word_class: WordClass | None
) -> Int32:
    """A text as word numbers, with sentence boundaries."""
    numbers = {word: number for number, word in enumerate(words)}
    text = []
    for sentence in sentences:
        text.append(START)
        text += [_number(word, numbers, word_class) for word in sentence]
        text.append(END)
    return np.array(text, dtype=np.int32)


def _number(word: str, numbers: Mapping[str, int], word_class: WordClass | None) -> int:
    number = numbers.get(word)
    if number is None and word_class is not None:
        number = numbers.get(word_class(word))
    return UNKNOWN if number is None or number in (START, END) else number


def _score(model: BackoffModel, text: Int32) -> Float64:
    nodes = text.copy()  # the longest n-gram of each order that ends at a word, or -1
    scores = model.orders[0].log_prob[nodes].astype(np.float64)
    for below, order in pairwise(model.orders):
        context = np.roll(nodes, 1)
        context[text == START] = -1
        is_context = context >= 0
        nodes = np.full(len(text), -1, dtype=np.int32)
        nodes[is_context] = find_keys(
            keys(order.parent, order.word), keys(context[is_context], text[is_context])
        )
        scores[is_context] += below.backoff[context[is_context]]
        found = nodes >= 0
        scores[found] = order.log_prob[nodes[found]]
    result: Float64 = scores[text != START]
    return result
