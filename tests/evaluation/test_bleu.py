"""BLEU and the paired bootstrap."""

from typing import Any

import pytest

from syntagma.errors import ArgumentError
from syntagma.evaluation.bleu import bleu, paired_bootstrap


def test_bleu_is_that_of_sacrebleu_without_tokenisation() -> None:
    # 6 of 7 words, 4 of 6 bigrams, 2 of 5 trigrams, 1 of 4 four-grams, by hand.
    expected = 100 * (6 / 7 * 4 / 6 * 2 / 5 * 1 / 4) ** 0.25
    assert bleu(["a b c d x-y f !"], ["a b c d e f !"]) == pytest.approx(expected)
    assert bleu(["The cat ."], ["the cat ."]) < 100


def test_paired_bootstrap() -> None:
    references = [f"a{i} b{i} c{i} d{i} e{i} f{i}" for i in range(60)]
    worse = [text if i % 3 else " ".join(text.split()[::-1]) for i, text in enumerate(references)]
    interval = paired_bootstrap(worse, references, references, samples=200)
    assert interval.difference == pytest.approx(100 - bleu(worse, references))
    assert 0 < interval.low < interval.difference < interval.high
    assert paired_bootstrap(worse, references, references, samples=200) == interval
    same = paired_bootstrap(worse, worse, references, samples=50)
    assert (same.difference, same.low, same.high) == (0, 0, 0)


@pytest.mark.parametrize("outputs", [(["a"], ["a", "b"], ["a"]), ([], [], [])])
def test_a_paired_comparison_needs_pairs(outputs: tuple[list[str], list[str], list[str]]) -> None:
    with pytest.raises(ArgumentError, match="as many outputs of each system as references"):
        paired_bootstrap(*outputs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"samples": 0}, "samples must be between 1 and 100000, not 0"),
        ({"samples": 10**30}, "samples must be between 1 and 100000, not 10"),
        ({"samples": 1.0}, "samples must be an integer, not 1.0"),
        ({"confidence": 1.5}, "confidence must be between 0 and 1, not 1.5"),
    ],
)
def test_arguments_of_the_bootstrap(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        paired_bootstrap(["a"], ["a"], ["a"], **arguments)
