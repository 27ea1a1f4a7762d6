"""The share of adjacencies that two orders have in common."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from syntagma.results.acceptance import shared_adjacencies


def test_words_that_occur_once_share_their_adjacent_pairs() -> None:
    rng = Random("pairs")
    for size in range(1, 9):
        words = [f"w{number}" for number in range(size)]
        others = rng.sample(words, size)
        pairs = set(pairwise([None, *words, None])) & set(pairwise([None, *others, None]))
        assert shared_adjacencies(words, others) == pytest.approx(len(pairs) / (size + 1))


def test_only_the_same_order_shares_all() -> None:
    """Also where the pairs of words are the same: clauses exchanged between two determiners."""
    rng = Random("all")
    different = 0
    for _ in range(500):
        words = [rng.choice("ab") for _ in range(rng.randrange(1, 8))]
        others = rng.sample(words, len(words))
        share = shared_adjacencies(words, others)
        assert 0 <= share <= 1
        assert (share == 1) == (words == others)
        pairs = sorted(pairwise(["", *words, ""])) == sorted(pairwise(["", *others, ""]))
        different += pairs and words != others
    assert different > 10
