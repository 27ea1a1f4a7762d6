"""Back-off models: look-up and validity."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from references.ngrams import log_prob, score, validate
from toys.text import make_model, make_text, plain_class

from syntagma.language_model.backoff import (
    BackoffModel,
    suffixes,
)
from syntagma.language_model.kneser_ney import estimate


@pytest.mark.parametrize(
    ("context", "word", "expected"),
    [
        ([], 3, -1.5),
        ([1], 3, -0.5),
        ([1, 3], 4, -0.1),
        ([4, 3], 4, -0.75),  # "b a" is not a bigram: no back-off
        ([1, 3], 2, -1 - 0.25 - 1),
        ([3], 0, -0.25 - 4),
        ([4, 4, 1, 3], 4, -0.1),  # only the last two words count
        ([0, 0], 3, -1.5),
    ],
)
def test_probability_by_backing_off(context: list[int], word: int, expected: float) -> None:
    assert log_prob(make_model(), context, word) == pytest.approx(expected)


def test_score_is_the_sum_of_what_look_up_finds() -> None:
    model = estimate(make_text(1), order=4, prune=(0, 0, 1), word_class=plain_class)
    text = [*make_text(2, 20), ["w1", "never", "w2"], []]
    numbers = {word: number for number, word in enumerate(model.words)}
    expected = []
    for sentence in text:
        ids = [1, *(numbers.get(word, 0) for word in sentence), 2]
        expected += [log_prob(model, ids[:i], ids[i]) for i in range(1, len(ids))]
    np.testing.assert_allclose(score(model, text), expected, rtol=1e-6)


def test_score_of_no_text_is_empty() -> None:
    assert not len(score(make_model(), []))


def test_sentence_boundaries_among_the_words_are_unknown_words() -> None:
    model = make_model()
    np.testing.assert_array_equal(score(model, [["<s>", "</s>"]]), score(model, [["?", "?"]]))


def test_suffixes() -> None:
    assert [links.tolist() for links in suffixes(make_model().orders)] == [[0] * 5, [3, 4, 2], [1]]


def test_a_valid_model_passes() -> None:
    validate(make_model())


def change(model: BackoffModel, k: int, field: str, values: list[float]) -> BackoffModel:
    orders = list(model.orders)
    orders[k - 1] = replace(
        orders[k - 1], **{field: np.array(values, getattr(orders[k - 1], field).dtype)}
    )
    return replace(model, orders=tuple(orders))


@pytest.mark.parametrize(
    ("k", "field", "values", "message"),
    [
        (2, "parent", [3, 1, 4], "the 2-grams are not sorted"),
        (2, "parent", [1, 3, 5], "a 2-gram refers to an n-gram"),
        (2, "word", [3, 4, 5], "a 2-gram refers to an n-gram or a word"),
        (3, "word", [3], "a 3-gram has no suffix among the 2-grams"),
        (2, "log_prob", [-1, 0.5, -1], "a log probability of the 2-grams is above zero"),
        (2, "log_prob", [-1, math.nan, -1], "not finite"),
        (1, "backoff", [0, math.inf, 0, 0, 0], "not finite"),
        (2, "backoff", [0], "arrays of the 2-grams differ in length"),
        (1, "word", [0, 1, 2, 4, 3], "the 1-grams of a model must be its vocabulary"),
    ],
)
def test_an_invalid_model_is_refused(k: int, field: str, values: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        validate(change(make_model(), k, field, values))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("<s>", "<unk>", "</s>", "a", "b"), "the first words of a model must be"),
        (("<unk>", "<s>", "</s>", "a", "a"), "occurs twice"),
    ],
)
def test_invalid_words_are_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        validate(replace(make_model(), words=words))
