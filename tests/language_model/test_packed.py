"""The packed language model: scores survive packing and files, damage never does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from toys.text import contexts, make_text

from syntagma.errors import ModelError
from syntagma.language_model.arpa import read_arpa, write_arpa
from syntagma.language_model.backoff import (
    END,
    LOG_ZERO,
    SPECIAL_WORDS,
    START,
    UNKNOWN,
    BackoffModel,
    Order,
)
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import MAX_ORDER, LanguageModel, quantise, word_class

Array = npt.NDArray[Any]
Arrays = dict[str, Array]

MANY = 255  # continuations of one context from which on the file counts them elsewhere


@cache
def model(order: int = 3, seed: int = 1) -> BackoffModel:
    """Rare words of it are classes."""
    text = make_text(seed)
    return estimate(text, order=order, word_class=word_class, min_count=3)


@cache
def model_of_many(count: int = 300) -> BackoffModel:
    """`a` and `<s> a` have so many continuations."""
    text = [["a", f"v{i}"] for i in range(count)] + [["b", "a", "b"], ["b", "b"]]
    return estimate(text, order=3, word_class=word_class)


@cache
def large_model() -> BackoffModel:
    """More words than 16 bits can number, also in the n-grams."""
    words = [f"v{i}" for i in range(70_000)]
    return estimate([words, *make_text(1, 50)], order=2, word_class=word_class)


def reloaded(packed: LanguageModel) -> LanguageModel:
    return LanguageModel.from_arrays(packed.to_arrays())


def sentences(of: BackoffModel, seed: int = 2, count: int = 60) -> list[list[str]]:
    """Sentences as in the text, and of any words, known and unknown."""
    rng = Random(seed)
    words = [*of.words[3:], "never", "Seen", "1990"]
    return make_text(seed, count) + [rng.choices(words, k=rng.randint(0, 9)) for _ in range(count)]


def error(exact: BackoffModel, packed: LanguageModel) -> float:
    """By how much packing can change a log-probability: by the largest error of each table."""
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
    packed = LanguageModel.of(model())
    assert packed.number(word) == UNKNOWN
    np.testing.assert_allclose(
        packed.score([word, "w1"]), model().score([[word, "w1"]], word_class), atol=1e-5
    )


# Quantisation


float32s = st.floats(-300, 0, width=32)


@given(st.lists(float32s, max_size=400), st.integers(1, 256))
@settings(deadline=None)
def test_few_values_are_kept(drawn: list[float], size: int) -> None:
    few = [*dict.fromkeys(drawn)][:size]
    values = np.array(few * 3, np.float32)
    codes, table = quantise(values)
    assert codes.dtype == np.uint8
    assert table.dtype == np.float32
    assert table.shape == (256,)
    np.testing.assert_array_equal(table[codes], values)


def test_256_values_are_few_and_257_are_not() -> None:
    values = np.linspace(-9, 0, 257, dtype=np.float32)
    for size, exact in ((255, True), (256, True), (257, False)):
        codes, table = quantise(values[:size])
        assert np.array_equal(table[codes], values[:size]) == exact


@given(hnp.arrays(np.float32, st.integers(257, 3000), elements=float32s))
@settings(deadline=None, max_examples=50)
def test_quantised_values_keep_their_order_and_stay_among_those_with_their_code(
    values: npt.NDArray[np.float32],
) -> None:
    """But for rounding."""
    codes, table = quantise(values)
    by_value = np.argsort(values)
    assert (np.diff(table[codes][by_value]) >= 0).all()
    assert (np.diff(codes[by_value].astype(int)) >= 0).all()
    for code in np.unique(codes):
        part = values[codes == code]
        assert part.min() - 1e-4 <= table[code] <= part.max() + 1e-4


@pytest.mark.parametrize(
    "drawn",
    [
        [-0.5, *range(-317, 1)],
        np.round(-np.random.default_rng(4).uniform(0, 300, 600), 1),
        -np.random.default_rng(1).gamma(1, 3, 3000),
    ],
    ids=["even", "tenths", "gamma"],
)
def test_a_value_with_a_code_of_its_own_is_exact(drawn: npt.ArrayLike) -> None:
    """But for rounding."""
    values = np.unique(np.asarray(drawn, np.float32))
    codes, table = quantise(values)
    alone = np.bincount(codes, minlength=256)[codes] == 1
    assert alone.any()
    np.testing.assert_allclose(table[codes[alone]], values[alone], rtol=0, atol=1e-4)


@pytest.mark.parametrize("scale", [0.01, 0.3, 3.0])
def test_what_is_no_context_stays_none(scale: float) -> None:
    """Its back-off of 0 does not become one of those near it, however many there are."""
    others = -np.random.default_rng(1).gamma(1, scale, 1000).astype(np.float32)
    codes, table = quantise(np.concatenate([np.zeros(5000, np.float32), others]))
    assert (table[codes[:5000]] == 0).all()


def test_the_error_of_many_values_is_small() -> None:
    """Of evenly spaced values, half a step of 256; of values as they come, small on average."""
    even = np.linspace(-10, 0, 20_000, dtype=np.float32)
    codes, table = quantise(even)
    assert np.abs(table[codes] - even).max() <= 10 / 256 / 2 * 1.02
    drawn = -np.random.default_rng(1).gamma(3, 2, 50_000).astype(np.float32)
    codes, table = quantise(drawn)
    assert np.abs(table[codes] - drawn).mean() < 0.001 * np.ptp(drawn)


def test_frequent_words_keep_their_probabilities() -> None:
    """Most of a text is made of them: they must not share one value with each other and `<s>`.

    Nor would they in a table.
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
    """As those of SRILM: `<s>` has a logarithm of -99, and so has `<unk>` if the file has none."""
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
    return BackoffModel(words, (Order(np.zeros_like(numbers), numbers, log_probs, zeros),))


# Packing and files


@pytest.mark.parametrize("order", [1, 2, 3, 4, MAX_ORDER])
def test_a_round_trip_gives_the_same_scores(order: int) -> None:
    packed = LanguageModel.of(model(order))
    again = reloaded(packed)
    assert again.order == order
    assert again.words == packed.words == model(order).words
    assert again.describe() == {"ngrams": [len(each) for each in model(order).orders]}
    for sentence in sentences(model(order)):
        assert again.score(sentence) == packed.score(sentence)


def with_noise(exact: BackoffModel) -> BackoffModel:
    """More different values than tables hold; what is no context has still no back-off."""
    rng = np.random.default_rng(1)

    def changed(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return (values * rng.uniform(0.5, 1.5, len(values))).astype(np.float32)

    orders = (
        replace(order, log_prob=changed(order.log_prob), backoff=changed(order.backoff))
        for order in exact.orders
    )
    return replace(exact, orders=tuple(orders))


def test_more_values_than_tables_hold() -> None:
    exact = with_noise(model(4))
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
    errors = np.abs(found - exact.score(text, word_class))
    assert errors.max() <= error(exact, packed) + 1e-5
    assert errors.mean() < 0.01


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("order", [1, 2, 3, 4, MAX_ORDER])
def test_what_was_read_can_be_written_again(order: int, noise: bool) -> None:
    """As it is into a model."""
    exact = with_noise(model(order)) if noise else model(order)
    arrays = LanguageModel.of(exact).to_arrays()
    again = LanguageModel.from_arrays(arrays).to_arrays()
    assert list(again) == list(arrays)
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        np.testing.assert_array_equal(again[name], array)


@pytest.mark.parametrize("order", [1, 2, 3, 4, MAX_ORDER])
def test_words_are_exact(order: int) -> None:
    exact, again = model(order).orders[0], reloaded(LanguageModel.of(model(order))).orders[0]
    np.testing.assert_array_equal(again.log_probs.values, exact.log_prob)
    if order > 1:
        np.testing.assert_array_equal(again.backoffs, exact.backoff)


@pytest.mark.parametrize("order", [1, 2, 3, 4, MAX_ORDER])
def test_packing_changes_no_score_by_more_than_the_tables_say(order: int) -> None:
    packed = LanguageModel.of(model(order))
    bound = error(model(order), packed)
    assert bound < 1
    text = sentences(model(order))
    found = [score for sentence in text for score in packed.score(sentence)]
    errors = np.abs(found - model(order).score(text, word_class))
    assert errors.max() <= bound + 1e-5
    assert errors.mean() < 0.01


def test_a_back_off_counts_whether_or_not_anything_goes_on(tmp_path: Path) -> None:
    """Foreign files may have such back-offs; KenLM, too, adds them."""
    path = tmp_path / "foreign.arpa"
    path.write_text(
        "\\data\\\nngram 1=5\nngram 2=1\n\n"
        "\\1-grams:\n-1\t<unk>\n-1\t<s>\t-0.5\n-1\t</s>\n-0.5\ta\t-0.25\n-0.75\tb\t-0.125\n\n"
        "\\2-grams:\n-0.25\t<s> a\n\n\\end\\\n"
    )
    exact = read_arpa(path)
    expected = [score * math.log(10) for score in (-0.25, -0.25 - 0.75, -0.125 - 1)]
    np.testing.assert_allclose(exact.score([["a", "b"]]), expected, rtol=1e-5)
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
        np.testing.assert_allclose(exact.score([words]), expected, rtol=1e-5)
        for each in (packed, reloaded(packed)):
            np.testing.assert_allclose(each.score(words), expected, rtol=1e-5)


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
    np.testing.assert_allclose(found, exact.score(text), atol=error(exact, packed) + 1e-5)


@pytest.mark.parametrize("count", [MANY - 2, MANY - 1, MANY, MANY + 1, 300])
def test_contexts_with_many_continuations(count: int) -> None:
    """`a` goes on with one word more: `b`."""
    exact = model_of_many(count)
    packed = LanguageModel.of(exact)
    arrays = packed.to_arrays()
    assert arrays["lm.1.many"].tolist() == [count + 1] * (count + 1 >= MANY)
    assert arrays["lm.2.many"].tolist() == [count] * (count >= MANY)
    again = LanguageModel.from_arrays(arrays)
    text = [["a", f"v{i}"] for i in range(count)] + [["b", "a", "b"], ["b", "a", "v1"], ["v1"]]
    assert [again.score(sentence) for sentence in text] == list(map(packed.score, text))
    found = [score for sentence in text for score in again.score(sentence)]
    np.testing.assert_allclose(found, exact.score(text), atol=error(exact, packed) + 1e-5)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("order", [1, 2, 3, MAX_ORDER])
def test_probabilities_sum_to_one(order: int, seed: int) -> None:
    """As far as the tables allow, in any context."""
    exact = model(order, seed)
    packed = reloaded(LanguageModel.of(exact))
    bound = math.expm1(error(exact, packed)) + 1e-5
    for context in contexts(exact, Random(seed), 30):
        probs = np.exp(packed.ngrams.distribution(context, len(packed.words)))
        assert abs(probs.sum() - probs[START] - 1) <= bound


@pytest.mark.parametrize("order", [2, 3, MAX_ORDER])
def test_kenlm_agrees(order: int, tmp_path: Path) -> None:
    """To 1e-4 before packing; after it, to 0.25 (a word) and 0.005 (on average): the outermost of
    256 values stand for the widest parts. Logarithms are to the base of ten."""
    kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed")
    exact = model(order)
    write_arpa(exact, tmp_path / "model.arpa")
    other = kenlm.Model(str(tmp_path / "model.arpa"))
    packed = reloaded(LanguageModel.of(exact))
    known = frozenset(exact.words)
    text = sentences(exact, seed=5)
    # KenLM knows nothing of classes.
    shown = [[each if each in known else word_class(each) for each in words] for words in text]
    expected = [p for words in shown for p, _, _ in other.full_scores(" ".join(words))]
    np.testing.assert_allclose(
        exact.score(text, word_class) / math.log(10), expected, rtol=0, atol=1e-4
    )
    found = np.array([score for words in text for score in packed.score(words)]) / math.log(10)
    errors = np.abs(found - expected)
    assert errors.max() < 0.25
    assert errors.mean() < 0.005


# What it says of a problem


def test_phrases_are_looked_up_word_by_word() -> None:
    packed = LanguageModel.of(model())
    w3, w1, w2, new = map(packed.number, ("w3", "w1", "w2", "new"))
    assert packed.units(["w3", "w1 w2", "new"]) == [[w3], [w1, w2], [new]]


# Damage


@cache
def good() -> LanguageModel:
    return LanguageModel.of(model_of_many())


SECTIONS = (
    "lm.words",
    "lm.1.log_probs",
    *(
        f"lm.{i}.{name}"
        for i in (2, 3)
        for name in ("log_probs", "log_probs.table", "words", "high_bits")
    ),
    *(f"lm.{i}.{name}" for i in (1, 2) for name in ("contexts", "backoffs", "counts", "many")),
    "lm.2.backoffs.table",
)
TABLES = tuple(name for name in SECTIONS if name.endswith(".table"))
FLOATS = ("lm.1.log_probs", "lm.1.backoffs")


def damaged(name: str, damage: Callable[[Array], Array]) -> Arrays:
    arrays = {each: np.array(array) for each, array in good().to_arrays().items()}
    return {**arrays, name: damage(arrays[name])}


def refuse(arrays: Arrays, message: str = "language model") -> None:
    with pytest.raises(ModelError, match=message) as caught:
        LanguageModel.from_arrays(arrays)
    assert "\n" not in str(caught.value)


def test_there_are_no_other_sections() -> None:
    """So that the next tests leave none out."""
    assert sorted(good().to_arrays()) == sorted(SECTIONS)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_missing_section(name: str) -> None:
    arrays = good().to_arrays()
    del arrays[name]
    refuse(arrays)


@pytest.mark.parametrize(
    "name",
    [
        "lm.more",
        "lm.0.words",
        "lm.1.words",
        "lm.1.high_bits",
        "lm.1.log_probs.table",
        "lm.1.backoffs.table",
        "lm.2.more",
        "lm.3.backoffs",
        "lm.3.counts",
        "lm.4.log_probs",
        "lm.4.words",
        "lm.5.words",
    ],
)
def test_a_strange_section(name: str) -> None:
    assert name not in SECTIONS
    for array in (np.empty(0, np.uint8), good().to_arrays()["lm.3.words"]):
        refuse({**good().to_arrays(), name: array}, "unknown section|no section")


def test_other_sections_belong_to_others() -> None:
    arrays = {**good().to_arrays(), "weights": np.zeros(3), "lmwords": np.zeros(3)}
    assert LanguageModel.from_arrays(arrays).words == good().words


@pytest.mark.parametrize("i", [2, 3])
def test_codes_without_a_table_and_values_with_one(i: int) -> None:
    arrays = good().to_arrays()
    values = arrays[f"lm.{i}.log_probs.table"][arrays[f"lm.{i}.log_probs"]]
    refuse({**arrays, f"lm.{i}.log_probs": values})
    del arrays[f"lm.{i}.log_probs.table"]
    refuse({**arrays, f"lm.{i}.log_probs": values})


@pytest.mark.parametrize("name", SECTIONS)
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float64, np.bool_, ">u2", ">f4"])
def test_a_section_of_another_type(name: str, dtype: npt.DTypeLike) -> None:
    refuse(damaged(name, lambda array: array.astype(dtype)), name)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_with_two_dimensions(name: str) -> None:
    refuse(damaged(name, lambda array: array[:, None]), name)


@pytest.mark.parametrize("name", sorted({*SECTIONS} - {"lm.words"}))
@pytest.mark.parametrize("length", ["none", "shorter", "longer"])
def test_a_section_of_another_length(name: str, length: str) -> None:
    array = good().to_arrays()[name]
    if not len(array) and length != "longer":
        assert name.endswith("high_bits")
        return
    other = {"none": array[:0], "shorter": array[:-1], "longer": np.append(array, array[:1])}
    other["longer"].resize(len(array) + 1)
    refuse(damaged(name, lambda _: other[length]))


@pytest.mark.parametrize("text", ["", "<unk>", "<s>\n<unk>\n</s>", "<unk>\n<s>\n</s>\na\nb"])
def test_other_words_than_those_of_the_ngrams(text: str) -> None:
    refuse(damaged("lm.words", lambda _: np.frombuffer(text.encode(), np.uint8)))


def test_words_that_are_not_utf_8() -> None:
    refuse(damaged("lm.words", lambda array: np.append(array, np.uint8(0xFF))))


@pytest.mark.parametrize("name", ["lm.2.words", "lm.3.words"])
def test_a_word_number_that_is_too_large(name: str) -> None:
    for number in (len(good().words), 0xFFFF):

        def enlarge(array: Array, number: int = number) -> Array:
            array[-1] = number
            return array

        refuse(damaged(name, enlarge))


@pytest.mark.parametrize("name", ["lm.2.words", "lm.3.words"])
@pytest.mark.parametrize("fault", ["swapped", "twice"])
def test_words_that_are_not_in_order(name: str, fault: str) -> None:
    order = good().orders[int(name[3]) - 2]
    start = int(order.starts[np.argmax(np.diff(order.starts))])  # of a context with many

    def damage(array: Array) -> Array:
        pair = array[start : start + 2]
        pair[:] = pair[::-1] if fault == "swapped" else pair[0]
        return array

    refuse(damaged(name, damage), f"order {int(name[3]) - 1} .*damaged")


@pytest.mark.parametrize("i", [1, 2])
def test_counts_that_do_not_add_up(i: int) -> None:
    small = int(np.argmax(good().to_arrays()[f"lm.{i}.counts"] < MANY - 1))

    def setting(at: int, value: int) -> Callable[[Array], Array]:
        def put(array: Array) -> Array:
            assert array[at] != value
            array[at] = value
            return array

        return put

    counts, many = (good().to_arrays()[f"lm.{i}.{name}"] for name in ("counts", "many"))
    refuse(damaged(f"lm.{i}.counts", setting(small, int(counts[small]) + 1)))
    refuse(damaged(f"lm.{i}.counts", setting(small, MANY)))
    for value in (0, MANY, int(many[0]) - 1, int(many[0]) + 1, 2**32 - 1):
        refuse(damaged(f"lm.{i}.many", setting(0, value)))
    refuse(damaged(f"lm.{i}.counts", lambda array: np.full_like(array, MANY)))
    refuse(damaged(f"lm.{i}.counts", np.zeros_like))


@pytest.mark.parametrize("i", [1, 2])
def test_contexts_that_are_too_few_or_too_many(i: int) -> None:
    for bit in range(16):

        def flip(array: Array, bit: int = bit) -> Array:
            array[bit >> 3] ^= 128 >> (bit & 7)
            return array

        refuse(damaged(f"lm.{i}.contexts", flip), f"contexts of order {i} .*damaged")


@pytest.mark.parametrize("name", [*TABLES, *FLOATS])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite(name: str, value: float) -> None:
    section = name.removesuffix(".table")
    at = -1 if name in FLOATS else good().to_arrays()[section][-1]

    def spoil(array: Array) -> Array:
        array[at] = value
        return array

    refuse(damaged(name, spoil), f"'{section}' .*not finite")
    refuse(damaged(name, lambda array: np.full_like(array, value)), f"'{section}' .*not finite")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_no_code_stands_for_is_noticed_or_does_no_harm(
    name: str, value: float
) -> None:
    assert 255 not in good().to_arrays()[name.removesuffix(".table")]

    def spoil(array: Array) -> Array:
        array[-1] = value
        return array

    try:
        found = LanguageModel.from_arrays(damaged(name, spoil))
    except ModelError:
        return
    for sentence in (["a", "v1", "b"], ["b", "a", "v299"], ["v7", "never"], []):
        assert found.score(sentence) == good().score(sentence)


def test_high_bits_that_do_not_fit() -> None:
    arrays = LanguageModel.of(large_model()).to_arrays()
    bits = arrays["lm.2.high_bits"]
    assert len(bits)
    for other in (bits[:0], bits[:-1], np.append(bits, bits[:1])):
        refuse({**arrays, "lm.2.high_bits": other})
    refuse({**arrays, "lm.2.high_bits": np.full_like(bits, 255)})


def test_too_high_an_order() -> None:
    arrays = LanguageModel.of(model(MAX_ORDER)).to_arrays()
    # Whole but for the order: no n-gram of the fifth goes on, and the sixth has none.
    size = len(arrays[f"lm.{MAX_ORDER}.words"])
    arrays[f"lm.{MAX_ORDER}.contexts"] = np.zeros(-(-size // 8), np.uint8)
    for name, dtype in (("backoffs", np.uint8), ("counts", np.uint8), ("many", np.uint32)):
        arrays[f"lm.{MAX_ORDER}.{name}"] = np.empty(0, dtype)
    arrays[f"lm.{MAX_ORDER}.backoffs.table"] = np.zeros(256, np.float32)
    for name in ("words", "high_bits", "log_probs"):
        arrays[f"lm.{MAX_ORDER + 1}.{name}"] = arrays[f"lm.{MAX_ORDER}.{name}"][:0]
    arrays[f"lm.{MAX_ORDER + 1}.log_probs.table"] = arrays[f"lm.{MAX_ORDER}.log_probs.table"]
    refuse(arrays, f"order {MAX_ORDER + 1}, more than {MAX_ORDER}")


def test_a_model_of_too_high_an_order_cannot_be_packed(tmp_path: Path) -> None:
    """Files of others may have any order."""
    sizes = "".join(f"ngram {k}={3 if k == 1 else 0}\n" for k in range(1, 7))
    sections = "".join(f"\\{k}-grams:\n\n" for k in range(2, 7))
    path = tmp_path / "six.arpa"
    path.write_text(
        f"\\data\\\n{sizes}\n\\1-grams:\n-1\t<s>\n-1\t</s>\n-1\ta\n\n{sections}\\end\\\n"
    )
    with pytest.raises(ModelError, match="order"):
        LanguageModel.of(read_arpa(path))


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_flipped_bits_are_noticed_or_do_no_harm(data: st.DataObject) -> None:
    """No checksum here: what cannot be noticed gives other scores, but no crash."""
    name = data.draw(st.sampled_from(sorted({*SECTIONS} - {"lm.words"})))
    array = good().to_arrays()[name]
    flips = data.draw(st.lists(st.integers(0, max(array.nbytes * 8 - 1, 0)), max_size=4))

    def flip(array: Array) -> Array:
        raw = bytearray(array.tobytes())
        for bit in flips if raw else ():
            raw[bit >> 3] ^= 1 << (bit & 7)
        return np.frombuffer(bytes(raw), array.dtype)

    try:
        found = LanguageModel.from_arrays(damaged(name, flip))
    except ModelError:
        return
    for sentence in (["a", "v1", "b"], ["b", "a", "v299"], ["v7", "never"], []):
        scores = found.score(sentence)
        assert len(scores) == len(sentence) + 1
        assert all(map(math.isfinite, scores))
