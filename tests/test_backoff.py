"""Back-off models: look-up, validity, pruning and interpolation."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_kneser_ney import contexts, make_text, plain_class, sums_to_one

from syntagma.backoff import (
    LOG_ZERO,
    START,
    BackoffModel,
    Order,
    interpolate,
    mixture_weights,
    prune_to,
    suffixes,
)
from syntagma.errors import ModelError
from syntagma.kneser_ney import estimate


def make_order(rows: list[tuple[int, int, float, float]]) -> Order:
    parent, word, log_prob, backoff = zip(*rows, strict=True)
    return Order(
        np.array(parent, dtype=np.int32),
        np.array(word, dtype=np.int32),
        np.array(log_prob, dtype=np.float32),
        np.array(backoff, dtype=np.float32),
    )


def make_model() -> BackoffModel:
    """Words a (3) and b (4); bigrams <s> a, a b, b </s>; trigram <s> a b."""
    words = ("<unk>", "<s>", "</s>", "a", "b")
    first = make_order(
        [(0, 0, -4, 0), (0, 1, 0, -0.5), (0, 2, -1, 0), (0, 3, -1.5, -0.25), (0, 4, -1.25, -0.125)]
    )
    second = make_order([(1, 3, -0.5, -1), (3, 4, -0.75, 0), (4, 2, -0.5, 0)])
    return BackoffModel(words, (first, second, make_order([(0, 4, -0.1, 0)])))


@pytest.mark.parametrize(
    ("context", "word", "expected"),
    [
        ([], 3, -1.5),
        ([1], 3, -0.5),
        ([1, 3], 4, -0.1),
        ([4, 3], 4, -0.75),  # "b a" is no bigram: no back-off
        ([1, 3], 2, -1 - 0.25 - 1),
        ([3], 0, -0.25 - 4),
        ([4, 4, 1, 3], 4, -0.1),  # only the last two words count
        ([0, 0], 3, -1.5),
    ],
)
def test_probability_by_backing_off(context: list[int], word: int, expected: float) -> None:
    assert make_model().log_prob(context, word) == pytest.approx(expected)


def test_score_is_the_sum_of_what_look_up_finds() -> None:
    model = estimate(make_text(1), order=4, prune=(0, 0, 1), word_class=plain_class)
    text = [*make_text(2, 20), ["w1", "never", "w2"], []]
    numbers = {word: number for number, word in enumerate(model.words)}
    expected = []
    for sentence in text:
        ids = [1, *(numbers.get(word, 0) for word in sentence), 2]
        expected += [model.log_prob(ids[:i], ids[i]) for i in range(1, len(ids))]
    np.testing.assert_allclose(model.score(text), expected, rtol=1e-6)


def test_score_of_no_text_is_empty() -> None:
    assert not len(make_model().score([]))


def test_sentence_boundaries_among_the_words_are_unknown_words() -> None:
    model = make_model()
    np.testing.assert_array_equal(model.score([["<s>", "</s>"]]), model.score([["?", "?"]]))


def test_suffixes() -> None:
    assert [links.tolist() for links in suffixes(make_model().orders)] == [[0] * 5, [3, 4, 2], [1]]


def test_a_valid_model_passes() -> None:
    make_model().validate()


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
        (3, "word", [3], "the last 2 words of a 3-gram are no 2-gram"),
        (2, "log_prob", [-1, 0.5, -1], "a log probability of the 2-grams is above zero"),
        (2, "log_prob", [-1, math.nan, -1], "not finite"),
        (1, "backoff", [0, math.inf, 0, 0, 0], "not finite"),
        (2, "backoff", [0], "arrays of the 2-grams differ in length"),
        (1, "word", [0, 1, 2, 4, 3], "the 1-grams of a model must be its words"),
    ],
)
def test_an_invalid_model_is_refused(k: int, field: str, values: list[float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        change(make_model(), k, field, values).validate()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("<s>", "<unk>", "</s>", "a", "b"), "the first words of a model must be"),
        (("<unk>", "<s>", "</s>", "a", "a"), "two numbers"),
    ],
)
def test_invalid_words_are_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        replace(make_model(), words=words).validate()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 99), order=st.integers(2, 5), share=st.floats(0, 1))
def test_pruning_keeps_a_valid_model_of_the_size(seed: int, order: int, share: float) -> None:
    model = estimate(make_text(seed, 60, 12), order=order, word_class=plain_class)
    n = len(model.words) + int(share * (len(model) - len(model.words)))
    pruned = prune_to(model, n)
    pruned.validate()
    assert len(pruned) <= n
    assert pruned.words == model.words
    assert sums_to_one(pruned, seed, 10)


def test_pruning_loses_little_first() -> None:
    text = make_text(1, 2000)
    model = estimate(text, order=3, word_class=plain_class)
    sizes = [len(model) * share // 10 for share in (10, 8, 6, 4, 2)]
    losses = [-prune_to(model, max(n, len(model.words))).score(text).mean() for n in sizes]
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


def test_interpolation_of_a_model_with_itself_is_the_model() -> None:
    model = estimate(make_text(3), order=3, word_class=plain_class)
    mixed = interpolate([model, model], [0.3, 0.7])
    assert mixed.words == model.words
    for mine, other in zip(mixed.orders, model.orders, strict=True):
        np.testing.assert_array_equal(mine.parent, other.parent)
        np.testing.assert_array_equal(mine.word, other.word)
        np.testing.assert_allclose(mine.log_prob, other.log_prob, atol=1e-5)
        np.testing.assert_allclose(mine.backoff, other.backoff, atol=1e-4)


@pytest.mark.parametrize(
    ("orders", "sizes"), [((3, 3), (30, 30)), ((2, 4), (30, 20)), ((4, 1), (9, 40))]
)
def test_interpolated_probabilities(orders: tuple[int, int], sizes: tuple[int, int]) -> None:
    """The n-grams have the mean of what both models say, and everything sums to one."""
    models = [
        estimate(make_text(seed, 200, size), order=order, word_class=plain_class)
        for seed, order, size in zip((1, 2), orders, sizes, strict=True)
    ]
    mixed = interpolate(models, [0.25, 0.75])
    mixed.validate()
    assert set(mixed.words) == set(models[0].words) | set(models[1].words)
    assert len(mixed.orders) == max(orders)
    assert sums_to_one(mixed)
    both = [word for word in models[0].words[2:] if word in models[1].words]
    rng = Random(0)
    numbers = [{word: i for i, word in enumerate(model.words)} for model in (*models, mixed)]
    checked = 0
    for _ in range(2000):
        ngram = rng.choices(both, k=rng.randint(1, max(orders)))
        ids = [[own[word] for word in ngram] for own in numbers]
        if mixed.find(ids[2]) < 0:
            continue
        p, q = (
            math.exp(model.log_prob(own[:-1], own[-1]))
            for model, own in zip(models, ids, strict=False)
        )
        result = math.exp(mixed.log_prob(ids[2][:-1], ids[2][-1]))
        assert result == pytest.approx(0.25 * p + 0.75 * q, rel=1e-4)
        checked += 1
    assert checked > 20


def test_words_that_a_model_lacks_share_its_unknown_word() -> None:
    one = estimate([["a"], ["a", "b"]], order=1, word_class=plain_class)
    other = estimate([["a"], ["c", "d"]], order=1, word_class=plain_class)
    mixed = interpolate([one, other], [1, 0])
    p = [math.exp(mixed.log_prob([], mixed.words.index(word))) for word in ("<unk>", "c", "d")]
    unknown = [math.exp(model.log_prob([], 0)) for model in (one, other)]
    elsewhere = [sum(unknown) / 2, *(math.exp(other.log_prob([], i)) for i in (4, 5))]
    assert sum(p) == pytest.approx(unknown[0])
    assert p == pytest.approx([unknown[0] * x / sum(elsewhere) for x in elsewhere])


def test_words_that_a_model_lacks_share_their_class() -> None:
    def capital(word: str) -> str:
        return f"<unk:{word[0].isupper()}>"

    text = make_text(1, 300, 20)
    named = [[word.upper() if word == "w7" else word for word in sentence] for sentence in text]
    one = estimate(named, order=3, word_class=capital)
    classes = [["<unk:True>" if word == "W7" else word for word in s] for s in named]
    other = estimate(classes, order=3, word_class=capital)
    mixed = interpolate([one, other], [0, 1], capital)
    assert sums_to_one(mixed)
    assert {"W7", "<unk:True>"} < set(mixed.words)
    numbers = [{word: i for i, word in enumerate(model.words)} for model in (mixed, other)]
    p_word = math.exp(one.log_prob([], one.words.index("W7")))
    p_class = math.exp(other.log_prob([], other.words.index("<unk:True>")))
    log_share = math.log(p_word / (p_word + p_class))
    for context in (["w3"], ["w1", "w3"], ["<s>", "w1"]):
        history = [[own[word] for word in context] for own in numbers]
        known = mixed.log_prob(history[0], numbers[0]["W7"])
        all_of_class = other.log_prob(history[1], numbers[1]["<unk:True>"])
        assert known == pytest.approx(all_of_class + log_share, rel=1e-4)
    weights = mixture_weights([one, other], named, capital)
    assert 0.8 < weights[0] <= 1


def test_mixture_weights_of_no_text() -> None:
    with pytest.raises(ModelError, match="need a text"):
        mixture_weights([make_model()], [])


def test_weight_zero_is_no_error() -> None:
    model = make_model()
    order = replace(model.orders[0], log_prob=np.full(5, LOG_ZERO, dtype=np.float32))
    nothing = BackoffModel(model.words, (order,))
    mixed = interpolate([model, nothing], [1, 0])
    for context in contexts(model, Random(1), 10):
        if START not in context:
            continue
        assert mixed.log_prob(context[:1], 3) == pytest.approx(model.log_prob(context[:1], 3))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "2 models cannot be interpolated with 1 weights"),
        ([0.5, 0.6], "sum to one"),
        ([-1, 2], "negative"),
    ],
)
def test_impossible_weights(weights: list[float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        interpolate([make_model(), make_model()], weights)


def test_mixture_weights_maximise_the_probability_of_the_text() -> None:
    one = estimate(make_text(1, 300, 30), order=3, word_class=plain_class)
    other = estimate(make_text(2, 300, 17), order=2, word_class=plain_class)
    held_out = make_text(3, 60, 30) + make_text(4, 60, 17)
    weights = mixture_weights([one, other], held_out)
    assert sum(weights) == pytest.approx(1)
    probs = [np.exp(model.score(held_out)) for model in (one, other)]

    def loss(weight: float) -> float:
        return -float(np.log(weight * probs[0] + (1 - weight) * probs[1]).mean())

    assert set(one.words) == set(other.words) | set(one.words)
    assert loss(weights[0]) <= min(loss(w) for w in np.linspace(0.02, 0.98, 49)) + 0.01


def test_mixture_weights_prefer_the_model_of_the_same_kind_of_text() -> None:
    one = estimate(make_text(1, 300, 30), order=3, word_class=plain_class)
    other = estimate(make_text(2, 300, 17), order=3, word_class=plain_class)
    assert mixture_weights([one, other], make_text(5, 100, 30))[0] > 0.8
    assert mixture_weights([one, other], make_text(5, 100, 17))[1] > 0.8
