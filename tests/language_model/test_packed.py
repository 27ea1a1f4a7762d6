"""The packed language model: scores survive packing and files."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from references.ngrams import score
from toys.text import contexts, large_model, make_text, model_of_many, small_model

from syntagma.language_model.arpa import read_arpa, write_arpa
from syntagma.language_model.backoff import (
    END,
    LOG_ZERO,
    SPECIAL_WORDS,
    START,
    UNKNOWN,
    BackoffModel,
    NGramOrder,
)
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import MAX_ORDER, LanguageModel, quantise, word_class

MANY = 255  # from this many on, the file stores the number of continuations elsewhere


def reloaded(packed: LanguageModel) -> LanguageModel:
    return LanguageModel.from_arrays(packed.to_arrays())


def sentences(of: BackoffModel, seed: int = 2, count: int = 60) -> list[list[str]]:
    """Sentences as in the text, and random ones of known and unknown words."""
    rng = Random(seed)
    words = [*of.words[3:], "never", "Seen", "1990"]
    return make_text(seed, count) + [rng.choices(words, k=rng.randint(0, 9)) for _ in range(count)]


def error(exact: BackoffModel, packed: LanguageModel) -> float:
    """A bound of the change of a log-probability: the sum of the largest error of each table."""
    total = 0.0
    for order, small in zip(exact.orders, packed.orders, strict=True):
        total += float(np.abs(small.log_probs.values - order.log_prob).max())
        if len(small.starts):
            total += float(np.abs(small.backoffs - order.backoff).max())
    return total


# Classes


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("plogged", "<unk:x:ed>"),
        ("Plogged", "<unk:Xx:ed>"),
        ("a", "<unk:x:v:a>"),
        ("ilog", "<unk:x:v:og>"),
        ("Ålog", "<unk:Xx:v:og>"),
        ("5a", "<unk:dx>"),
        ("Xi", "<unk:Xx:xi>"),
        ("ÉTÉ", "<unk:X:v>"),
        ("été", "<unk:x:v:té>"),
        ("PLOG", "<unk:X>"),
        ("McPlog", "<unk:XxXx>"),
        ("McPlogMcPlog", "<unk:XxXx>"),
        ("1990", "<unk:d>"),
        ("1990s", "<unk:dx>"),
        ("3.14", "<unk:d.d>"),
        ("plog-wug", "<unk:x-x>"),
        ("!?!?!?", "<unk:!?!?>"),
        ("<s>", "<unk:<x>>"),
        ("🦊", "<unk:🦊>"),
    ],
)
def test_the_class_of_a_word(form: str, expected: str) -> None:
    assert word_class(form) == expected


def test_unseen_words_go_by_their_class() -> None:
    text = [["wug", "plogged"], ["wug", "Zorp"], ["wug", "wug"]]
    packed = LanguageModel.of(estimate(text, order=2, word_class=word_class, min_count=2))
    assert packed.words == (*SPECIAL_WORDS, "wug", "<unk:Xx:rp>", "<unk:x:ed>")
    assert packed.number("wug") == 3
    assert packed.number("Glorp") == packed.number("Zorp") == 4
    assert packed.number("glorp") == packed.number("PLOGGED") == UNKNOWN
    assert packed.score(["wug", "zogged"]) == packed.score(["wug", "<unk:x:ed>"])
    assert packed.score(["wug", "zogged"]) != packed.score(["wug", "Zogged"])
    assert packed.score(["wug", "Zogged"]) == packed.score(["wug", "<unk>"])


@pytest.mark.parametrize("word", ["<s>", "</s>"])
def test_words_that_look_like_boundaries_are_unseen_words(word: str) -> None:
    packed = LanguageModel.of(small_model())
    assert packed.number(word) == UNKNOWN
    np.testing.assert_allclose(
        packed.score([word, "w1"]), score(small_model(), [[word, "w1"]], word_class), atol=1e-5
    )


def test_frequent_words_keep_their_probabilities() -> None:
    """Most of a text consists of them: they must not share one value with each other and `<s>`.

    Quantisation would keep them apart, too.
    """
    counts = np.round(1e6 / (np.arange(1, 3001) + 2.7))
    log_probs = np.log(counts / counts.sum()).astype(np.float32)
    log_probs = np.concatenate([log_probs[-1:], [0.0], log_probs]).astype(np.float32)
    packed = LanguageModel.of(model_of_words(log_probs))
    np.testing.assert_array_equal(packed.orders[0].log_probs.values, log_probs)
    np.testing.assert_array_equal(reloaded(packed).orders[0].log_probs.values, log_probs)
    codes, table = quantise(log_probs)
    assert np.abs(table[codes] - log_probs)[END : END + 100].max() < 0.25


def test_words_without_probability_do_not_take_it_from_others() -> None:
    """As in files of SRILM: the log10 probability of `<s>` and of a missing `<unk>` is -99."""
    log_probs = np.linspace(-5, -12, 2000, dtype=np.float32)
    log_probs = np.concatenate([[LOG_ZERO] * 2, log_probs]).astype(np.float32)
    packed = LanguageModel.of(model_of_words(log_probs))
    found = np.array([packed.score([word])[0] for word in packed.words[3:]])
    np.testing.assert_allclose(found, log_probs[3:], atol=0.25)


def model_of_words(log_probs: npt.NDArray[np.float32]) -> BackoffModel:
    """A model of order 1."""
    numbers = np.arange(len(log_probs), dtype=np.int32)
    words = (*SPECIAL_WORDS, *(f"v{number}" for number in numbers[3:]))
    zeros = np.zeros(len(log_probs), np.float32)
    return BackoffModel(words, (NGramOrder(np.zeros_like(numbers), numbers, log_probs, zeros),))


# Packing and files


@pytest.mark.parametrize("order", [1, 2, 3, 4, MAX_ORDER])
def test_a_round_trip_gives_the_same_scores(order: int) -> None:
    packed = LanguageModel.of(small_model(order))
    again = reloaded(packed)
    assert again.order == order
    assert again.words == packed.words == small_model(order).words
    assert again.describe() == {"ngrams": [len(each) for each in small_model(order).orders]}
    for sentence in sentences(small_model(order)):
        assert again.score(sentence) == packed.score(sentence)


def with_noise(exact: BackoffModel) -> BackoffModel:
    """More different values than tables hold; other n-grams than contexts have no back-off."""
    rng = np.random.default_rng(1)

    def changed(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return (values * rng.uniform(0.5, 1.5, len(values))).astype(np.float32)

    orders = (
        replace(order, log_prob=changed(order.log_prob), backoff=changed(order.backoff))
        for order in exact.orders
    )
    return replace(exact, orders=tuple(orders))


def test_more_values_than_tables_hold() -> None:
    exact = with_noise(small_model(4))
    assert min(len(np.unique(order.log_prob)) for order in exact.orders[2:]) > 256
    assert len(np.unique(exact.orders[2].backoff)) > 256
    packed = LanguageModel.of(exact)
    for order, small, again in zip(
        exact.orders[:-1], packed.orders, reloaded(packed).orders, strict=False
    ):
        np.testing.assert_array_equal(again.backoffs, small.backoffs)
        np.testing.assert_array_equal(again.backoffs == 0, order.backoff == 0)
    text = sentences(exact)
    found = [score for sentence in text for score in packed.score(sentence)]
    errors = np.abs(found - score(exact, text, word_class))
    assert errors.max() <= error(exact, packed) + 1e-5
    assert errors.mean() < 0.01


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("order", [1, 2, 3, 4, MAX_ORDER])
def test_what_was_read_can_be_written_again(order: int, noise: bool) -> None:
    """As happens when it is added to a model."""
    exact = with_noise(small_model(order)) if noise else small_model(order)
    arrays = LanguageModel.of(exact).to_arrays()
    again = LanguageModel.from_arrays(arrays).to_arrays()
    assert list(again) == list(arrays)
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        np.testing.assert_array_equal(again[name], array)


@pytest.mark.parametrize("order", [1, 2, 3, 4, MAX_ORDER])
def test_words_are_exact(order: int) -> None:
    exact, again = (
        small_model(order).orders[0],
        reloaded(LanguageModel.of(small_model(order))).orders[0],
    )
    np.testing.assert_array_equal(again.log_probs.values, exact.log_prob)
    if order > 1:
        np.testing.assert_array_equal(again.backoffs, exact.backoff)


@pytest.mark.parametrize("order", [1, 2, 3, 4, MAX_ORDER])
def test_packing_changes_no_score_by_more_than_the_tables_say(order: int) -> None:
    packed = LanguageModel.of(small_model(order))
    bound = error(small_model(order), packed)
    assert bound < 1
    text = sentences(small_model(order))
    found = [score for sentence in text for score in packed.score(sentence)]
    errors = np.abs(found - score(small_model(order), text, word_class))
    assert errors.max() <= bound + 1e-5
    assert errors.mean() < 0.01


def test_a_back_off_counts_whether_or_not_anything_goes_on(tmp_path: Path) -> None:
    """Files of other programs may have such back-offs; KenLM adds them, too."""
    path = tmp_path / "foreign.arpa"
    path.write_text(
        "\\data\\\nngram 1=5\nngram 2=1\n\n"
        "\\1-grams:\n-1\t<unk>\n-1\t<s>\t-0.5\n-1\t</s>\n-0.5\ta\t-0.25\n-0.75\tb\t-0.125\n\n"
        "\\2-grams:\n-0.25\t<s> a\n\n\\end\\\n"
    )
    exact = read_arpa(path)
    expected = [score * math.log(10) for score in (-0.25, -0.25 - 0.75, -0.125 - 1)]
    np.testing.assert_allclose(score(exact, [["a", "b"]]), expected, rtol=1e-5)
    packed = LanguageModel.of(exact)
    for each in (packed, reloaded(packed)):
        np.testing.assert_allclose(each.score(["a", "b"]), expected, rtol=1e-5)


def test_a_back_off_of_two_words_counts_whether_or_not_anything_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "foreign.arpa"
    path.write_text(
        "\\data\\\nngram 1=5\nngram 2=2\nngram 3=1\n\n"
        "\\1-grams:\n-1\t<unk>\n-1\t<s>\t-0.5\n-1\t</s>\n-0.5\ta\t-0.25\n-0.75\tb\t-0.125\n\n"
        "\\2-grams:\n-0.25\t<s> a\t-0.375\n-0.5\ta b\t-0.0625\n\n"
        "\\3-grams:\n-0.125\t<s> a b\n\n\\end\\\n"
    )
    exact = read_arpa(path)
    packed = LanguageModel.of(exact)
    for words, scores in [
        (["a", "b"], (-0.25, -0.125, -0.0625 - 0.125 - 1)),
        (["a", "a"], (-0.25, -0.375 - 0.25 - 0.5, -0.25 - 1)),
    ]:
        expected = [score * math.log(10) for score in scores]
        np.testing.assert_allclose(score(exact, [words]), expected, rtol=1e-5)
        for each in (packed, reloaded(packed)):
            np.testing.assert_allclose(each.score(words), expected, rtol=1e-5)


@pytest.mark.slow
def test_more_words_than_16_bits_can_number() -> None:
    exact = large_model()
    packed = LanguageModel.of(exact)
    again = reloaded(packed)
    assert again.words == exact.words
    assert int(again.orders[1].words.max()) >= 1 << 16
    np.testing.assert_array_equal(again.orders[1].words, exact.orders[1].word)
    text = [["v5", "v6"], [f"v{i}" for i in range(69_000, 69_020)], ["w1", "v69999"]]
    for sentence in text:
        assert again.score(sentence) == packed.score(sentence)
    found = [score for sentence in text for score in packed.score(sentence)]
    np.testing.assert_allclose(found, score(exact, text), atol=error(exact, packed) + 1e-5)


@pytest.mark.parametrize("count", [MANY - 2, MANY - 1, MANY, MANY + 1, 300])
def test_contexts_with_many_continuations(count: int) -> None:
    """`a` has one more continuation: `b`."""
    exact = model_of_many(count)
    packed = LanguageModel.of(exact)
    arrays = packed.to_arrays()
    assert arrays["lm.1.many"].tolist() == [count + 1] * (count + 1 >= MANY)
    assert arrays["lm.2.many"].tolist() == [count] * (count >= MANY)
    again = LanguageModel.from_arrays(arrays)
    text = [["a", f"v{i}"] for i in range(count)] + [["b", "a", "b"], ["b", "a", "v1"], ["v1"]]
    assert [again.score(sentence) for sentence in text] == list(map(packed.score, text))
    found = [score for sentence in text for score in again.score(sentence)]
    np.testing.assert_allclose(found, score(exact, text), atol=error(exact, packed) + 1e-5)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("order", [1, 2, 3, MAX_ORDER])
def test_probabilities_sum_to_one(order: int, seed: int) -> None:
    """As far as the tables allow, in any context."""
    exact = small_model(order, seed)
    packed = reloaded(LanguageModel.of(exact))
    bound = math.expm1(error(exact, packed)) + 1e-5
    for context in contexts(exact, Random(seed), 30):
        probs = np.exp(
            [packed.ngrams.log_probs([word], context)[0] for word in range(len(packed.words))]
        )
        assert abs(probs.sum() - probs[START] - 1) <= bound


@pytest.mark.parametrize("order", [2, 3, MAX_ORDER])
def test_kenlm_agrees(order: int, tmp_path: Path) -> None:
    """To 1e-4 before packing; after it, to 0.25 per word and 0.005 on average, because the
    outermost of the 256 values cover the widest ranges. In log10."""
    kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed")
    exact = small_model(order)
    write_arpa(exact, tmp_path / "model.arpa")
    other = kenlm.Model(str(tmp_path / "model.arpa"))
    packed = reloaded(LanguageModel.of(exact))
    known = frozenset(exact.words)
    text = sentences(exact, seed=5)
    # KenLM has no word classes.
    shown = [[each if each in known else word_class(each) for each in words] for words in text]
    expected = [p for words in shown for p, _, _ in other.full_scores(" ".join(words))]
    np.testing.assert_allclose(
        score(exact, text, word_class) / math.log(10), expected, rtol=0, atol=1e-4
    )
    found = np.array([score for words in text for score in packed.score(words)]) / math.log(10)
    errors = np.abs(found - expected)
    assert errors.max() < 0.25
    assert errors.mean() < 0.005


# Units


def test_phrases_are_looked_up_word_by_word() -> None:
    packed = LanguageModel.of(small_model())
    w3, w1, w2, new = map(packed.number, ("w3", "w1", "w2", "new"))
    assert packed.units(["w3", "w1 w2", "new"]) == [[w3], [w1, w2], [new]]
