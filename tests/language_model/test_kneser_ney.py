"""Estimation agrees with a slow reference and with KenLM, with any amount of memory."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references import kneser_ney as reference
from references.ngrams import log_prob, score, validate
from toys.text import make_text, plain_class, sums_to_one

from syntagma.errors import TrainingError
from syntagma.language_model.backoff import END, START, BackoffModel
from syntagma.language_model.kneser_ney import FALLBACK_DISCOUNTS, discounts, estimate

TINY = 1  # bytes of memory, which gives the smallest possible block

corpora = st.lists(st.lists(st.sampled_from("abcde"), max_size=8), min_size=1, max_size=25)


def assert_same(model: BackoffModel, expected: reference.Reference) -> None:
    words = model.words
    assert frozenset(words) - {"<s>"} == expected.vocabulary
    assert len(model) == len(expected.prob) + 1  # <s>
    histories: list[tuple[str, ...]] = [()]
    for length in range(1, expected.order):
        histories += list(product(["a", "b", "<s>"], *[["a", "c", "<unk>"]] * (length - 1)))
    histories += [ngram[:-1] for ngram in expected.prob]
    numbers = {word: number for number, word in enumerate(words)}
    for history in histories:
        if all(word in numbers for word in history):
            context = [numbers[word] for word in history]
            for word in expected.vocabulary:
                p = math.exp(log_prob(model, context, numbers[word]))
                assert p == pytest.approx(expected.p(word, history), rel=2e-6, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    text=corpora,
    order=st.integers(1, 5),
    steps=st.lists(st.integers(0, 1), min_size=5, max_size=5),
    memory=st.sampled_from([TINY, 64 * 37, 1 << 20]),
)
def test_estimation_agrees_with_the_reference(
    text: list[list[str]], order: int, steps: list[int], memory: int
) -> None:
    thresholds = np.cumsum([0, *steps[1:]])[:order].tolist()
    model = estimate(text, order=order, prune=thresholds, memory=memory, word_class=plain_class)
    validate(model)
    assert_same(model, reference.estimate(text, order, thresholds))


@pytest.mark.parametrize("order", [2, 3, 5])
def test_estimated_discounts_agree_with_the_reference(order: int) -> None:
    """A text long enough not to need the fallback discounts."""
    text = make_text(order)
    model = estimate(text, order=order, word_class=plain_class)
    expected = reference.estimate(text, order, [0] * order)
    numbers = {word: number for number, word in enumerate(model.words)}
    for *history, word in expected.prob:
        p = math.exp(log_prob(model, [numbers[w] for w in history], numbers[word]))
        assert p == pytest.approx(expected.p(word, history), rel=2e-6)


def test_discounts_of_a_count_of_counts() -> None:
    counts = np.repeat([1, 2, 3, 4, 9], [40, 10, 5, 3, 7])
    y = 40 / 60
    expected = [0, 1 - 2 * y * 10 / 40, 2 - 3 * y * 5 / 10, 3 - 4 * y * 3 / 5]
    assert discounts([counts[:30], counts[30:]]).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("counts", [[], [1, 1, 1], [1] * 10 + [2] + [3] * 5])
def test_discounts_that_cannot_be_estimated_fall_back(counts: list[int]) -> None:
    assert tuple(discounts([np.array(counts, dtype=np.int64)])) == FALLBACK_DISCOUNTS


@pytest.mark.slow
def test_memory_changes_nothing() -> None:
    text = make_text(1, 80)
    large = estimate(text, order=4, prune=(0, 0, 1), word_class=plain_class)
    for memory in (TINY, 64 * 100, 64 * 1000):
        small = estimate(text, order=4, prune=(0, 0, 1), word_class=plain_class, memory=memory)
        assert small.words == large.words
        for mine, other in zip(small.orders, large.orders, strict=True):
            np.testing.assert_array_equal(mine.parent, other.parent)
            np.testing.assert_array_equal(mine.word, other.word)
            np.testing.assert_allclose(mine.log_prob, other.log_prob, rtol=1e-6)
            np.testing.assert_allclose(mine.backoff, other.backoff, rtol=1e-6, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("prune", [(), (0, 1), (0, 2)])
def test_probabilities_sum_to_one(order: int, prune: tuple[int, ...]) -> None:
    model = estimate(make_text(2), order=order, prune=prune[:order], word_class=plain_class)
    assert sums_to_one(model)


def test_rare_words_become_their_class() -> None:
    text = [["a", "b"], ["a", "Rare"], ["b", "rarer"], ["a", "Rarest"]]
    model = estimate(
        text, order=2, min_count=2, word_class=lambda word: f"<unk:{word[0].isupper()}>"
    )
    assert set(model.words[3:]) == {"a", "b", "<unk:True>", "<unk:False>"}
    classes = [[word if word in "ab" else f"<unk:{word[0].isupper()}>" for word in s] for s in text]
    expected = estimate(classes, order=2, word_class=plain_class)
    assert model.words == expected.words
    for mine, other in zip(model.orders, expected.orders, strict=True):
        np.testing.assert_array_equal(mine.log_prob, other.log_prob)
    known = score(model, [["a", "<unk:True>"]])
    np.testing.assert_array_equal(
        score(model, [["a", "New"]], lambda word: f"<unk:{word[0].isupper()}>"), known
    )


def test_words_are_numbered_from_frequent_to_rare() -> None:
    model = estimate([["b", "a", "c"], ["c", "c", "a"]], order=1, word_class=plain_class)
    assert model.words == ("<unk>", "<s>", "</s>", "c", "a", "b")


def test_special_words_in_the_text_are_words_of_their_class() -> None:
    model = estimate([["a", "<s>", "b"], ["</s>", "<unk>"]], order=2, word_class=plain_class)
    assert model.words == ("<unk>", "<s>", "</s>", "<unk:x>", "a", "b")
    assert sums_to_one(model)


def test_the_class_may_be_the_unknown_word() -> None:
    model = estimate(make_text(3), order=3, min_count=30, word_class=lambda word: "<unk>")
    assert math.exp(log_prob(model, [], 0)) > 0.05
    assert sums_to_one(model)


@pytest.mark.slow
def test_the_text_is_read_once() -> None:
    text = make_text(4, 60)
    mine = estimate(iter(text), order=3, word_class=plain_class, memory=TINY)
    assert len(mine) == len(estimate(text, order=3, word_class=plain_class))


def test_sentences_without_words_count() -> None:
    model = estimate([[], [], ["a"]], order=2, word_class=plain_class)
    assert log_prob(model, [START], END) > log_prob(model, [START], 3)


def test_progress_and_temporary_files(tmp_path: Path) -> None:
    seen: list[tuple[str, float]] = []

    def progress(stage: str, done: float) -> None:
        seen.append((stage, done))

    estimate(make_text(5), order=3, word_class=plain_class, directory=tmp_path, progress=progress)
    assert list(dict.fromkeys(stage for stage, _ in seen)) == ["reading", "counting", "estimating"]
    assert all(0 <= done <= 1 for _, done in seen)
    assert seen[-1] == ("estimating", 1.0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "order", "prune", "message"),
    [
        ([["a"]], 0, (), "must be 1 to 5, not 0"),
        ([["a"]], 6, (), "must be 1 to 5, not 6"),
        ([["a"]], 2, (0, 0, 1), "3 pruning thresholds for a model of order 2"),
        ([["a"]], 3, (0, 2, 1), "must not decrease"),
        ([["a"]], 2, (-1,), "must not be negative"),
        ([], 2, (), "no text"),
    ],
)
def test_what_cannot_be_estimated(
    text: Sequence[Sequence[str]], order: int, prune: Sequence[int], message: str
) -> None:
    with pytest.raises(TrainingError, match=message):
        estimate(text, order=order, prune=prune, word_class=plain_class)


def test_a_class_that_is_a_sentence_boundary_is_refused() -> None:
    with pytest.raises(TrainingError, match="must not be </s>"):
        estimate([["a"]], order=2, min_count=2, word_class=lambda word: "</s>")


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"cannot write temporary files in .*nowhere"):
        estimate([["a"]], order=2, word_class=plain_class, directory=tmp_path / "nowhere")


def test_a_text_that_cannot_be_read_is_not_a_disk_that_is_full(tmp_path: Path) -> None:
    def sentences() -> Iterator[list[str]]:
        yield ["a"]
        raise FileNotFoundError("the text")

    with pytest.raises(FileNotFoundError, match="the text"):
        estimate(sentences(), order=2, word_class=plain_class, directory=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, start: int, size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(TrainingError, match=f"in {tmp_path}: No space left on device; give ano"):
        estimate([["a"]], order=2, word_class=plain_class, directory=tmp_path)
    assert not list(tmp_path.iterdir())
