"""Look-up in the packed trie agrees with the back-off model it was made from.

Estimation is tested in test_kneser_ney.py, the n-gram scorer in test_ngram_scorer.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import exp, fsum
from random import Random

import numpy as np
import pytest
from references.ngrams import find, log_prob
from toys.searches import (
    make_text,
    toy_model,
)

from syntagma.language_model.backoff import END, START, BackoffModel
from syntagma.language_model.packed import LanguageModel, word_class


def as_packed(model: BackoffModel, packed: LanguageModel) -> BackoffModel:
    """The model with the quantised numbers of the packed one."""
    orders = []
    for order, rounded in zip(model.orders, packed.orders, strict=True):
        backoff = order.backoff.copy()
        if len(rounded.starts):
            is_context = np.diff(rounded.starts) > 0
            backoff[is_context] = rounded.backoffs[is_context]
        orders.append(replace(order, log_prob=rounded.log_probs.values, backoff=backoff))
    return replace(model, orders=tuple(orders))


def is_few(model: BackoffModel) -> bool:
    """Whether there are so few different numbers that quantisation is exact."""
    return all(
        len(np.unique(values)) <= 256
        for order in model.orders
        for values in (order.log_prob, order.backoff)
    )


def draw_contexts(rng: Random, model: BackoffModel, seen: list[list[str]]) -> Iterator[list[int]]:
    """Contexts from the text, most of them known to the model, and random ones, mostly unknown."""
    number = {word: i for i, word in enumerate(model.words)}
    for sentence in rng.sample(seen, min(len(seen), 20)):
        numbers = [START, *(number.get(w, number.get(word_class(w), 0)) for w in sentence)]
        end = rng.randint(1, len(numbers))
        yield numbers[rng.randrange(end) : end]
    words = [i for i in range(len(model.words)) if i not in (START, END)]
    for length in (0, 1, 2, 3, 4, 5, 6):
        yield [START] * rng.randint(0, 1) + rng.choices(words, k=length)


@pytest.mark.slow
@pytest.mark.parametrize("sentences", [20, 1500])
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_look_up_is_that_of_the_back_off_model(order: int, sentences: int) -> None:
    """With quantised numbers, if there are too many different ones."""
    rng = Random(order)
    model = toy_model(order, sentences)
    packed = LanguageModel.of(model)
    rounded = as_packed(model, packed)
    assert packed.ngrams.order == packed.order == order
    if sentences == 20:
        assert is_few(model)
    elif order > 2:
        assert not is_few(model)
    words = range(len(model.words))
    depths = set()
    for context in draw_contexts(rng, model, make_text(order, sentences)):
        found = [packed.ngrams.log_probs([word], context)[0] for word in words]
        assert found == [log_prob(rounded, context, word) for word in words]
        total = fsum(exp(found[word]) for word in words if word != START)
        if is_few(model):
            assert found == [log_prob(model, context, word) for word in words]
            assert total == pytest.approx(1, abs=1e-6)
        assert total == pytest.approx(1, abs=0.05)
        before = context[max(0, len(context) - order + 1) :]
        depths.add(next(i for i in range(len(before) + 1) if find(model, before[i:]) >= 0))
    assert len(depths) > 1 or order < 3, "contexts that are known and contexts that are not"


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_a_sentence_is_scored_word_by_word(order: int) -> None:
    model = toy_model(order)
    packed = LanguageModel.of(model)
    rounded = as_packed(model, packed)
    for sentence in [*make_text(order, 20), *make_text(99, 20), ["w1", "never", "w1"]]:
        numbers = [packed.number(word) for word in sentence]
        expected = [
            log_prob(rounded, [START, *numbers[:i]], word) for i, word in enumerate([*numbers, END])
        ]
        assert packed.ngrams.log_probs([*numbers, END], [START]) == expected
        assert packed.score(sentence) == expected
