"""Entropy pruning: the result is a valid model of at most the requested size."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references.ngrams import score, validate
from toys.text import make_model, make_text, plain_class, sums_to_one

from syntagma.errors import ModelError
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.pruning import prune_to


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 99), order=st.integers(2, 5), share=st.floats(0, 1))
def test_pruning_keeps_a_valid_model_of_the_size(seed: int, order: int, share: float) -> None:
    model = estimate(make_text(seed, 60, 12), order=order, word_class=plain_class)
    n = len(model.words) + int(share * (len(model) - len(model.words)))
    pruned = prune_to(model, n)
    validate(pruned)
    assert len(pruned) <= n
    assert pruned.words == model.words
    assert sums_to_one(pruned, seed, 10)


def test_pruning_loses_little_first() -> None:
    text = make_text(1, 2000)
    model = estimate(text, order=3, word_class=plain_class)
    sizes = [len(model) * share // 10 for share in (10, 8, 6, 4, 2)]
    losses = [-score(prune_to(model, max(n, len(model.words))), text).mean() for n in sizes]
    assert losses == sorted(losses)
    assert losses[1] - losses[0] < (losses[-1] - losses[0]) / 4


def test_pruning_that_nothing_needs_gives_the_model_itself() -> None:
    model = make_model()
    assert prune_to(model, len(model)) is model


def test_pruning_to_words_alone() -> None:
    model = make_model()
    pruned = prune_to(model, len(model.words))
    assert [len(order) for order in pruned.orders] == [5]
    assert not pruned.orders[0].backoff.any()
    with pytest.raises(ModelError, match="cannot prune to 4 n-grams: the model has 5 words"):
        prune_to(model, 4)
