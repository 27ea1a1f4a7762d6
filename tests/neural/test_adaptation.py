"""Settings that the treebank decides."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

import pytest
from toys.models import toy_vocabulary
from toys.network import toy_parameters

from syntagma.errors import TrainingError
from syntagma.neural.adaptation import (
    FEWEST_EPOCHS,
    LARGE,
    MEDIUM,
    MOST_EPOCHS,
    adapt,
    choose_dropout,
    choose_epochs,
    choose_width,
    dimensions_of,
    grown_dimensions,
)
from syntagma.neural.lexicon import LEXICAL, Lexicon
from syntagma.neural.parameters import Dimensions
from syntagma.neural.scorer import NeuralScorer
from syntagma.neural.settings import AdaptedSettings, NeuralSettings
from syntagma.treebanks.treebank import Sentence

OPEN = {
    *("epochs", "width", "layers", "hidden", "min_count", "suffix_length", "dropout"),
    *("word_dropout", "realize"),
}


def sentence(*forms: str) -> Sentence:
    n = len(forms)
    return Sentence(forms, ("X",) * n, tuple(range(n)), ("root", *("dep",) * (n - 1)))


@pytest.mark.parametrize(
    ("sentences", "words", "epochs", "width", "dropout"),
    [
        (12_544, 204_577, 30, 160, 0.3),  # English EWT, which the network was tuned for
        (12_543, 204_585, 30, 160, 0.3),
        (7_018, 171_776, 22, 160, 0.3),  # Portuguese
        (5_000, 125_000, 24, 160, 0.3),
        (4_477, 97_531, 30, 160, 0.3),  # Indonesian
        (4_400, 56_687, 52, 160, 0.3),  # Korean
        (2_231, 50_502, 59, 160, 0.3),  # French
        (1_400, 20_215, 60, 128, 0.4),  # Vietnamese
        (762, 12_493, 60, 128, 0.4),  # Latin
        (1, 2, 60, 128, 0.4),
        (100_000, 1_600_000, 5, 160, 0.3),
    ],
)
def test_the_size_of_the_treebank_decides(
    sentences: int, words: int, epochs: int, width: int, dropout: float
) -> None:
    assert choose_epochs(sentences, words) == epochs
    assert choose_width(words) == width
    assert choose_dropout(words) == dropout


def test_more_words_never_mean_more_epochs_nor_less_training() -> None:
    """In treebanks of sentences of the same length."""
    for length in (5, 16, 25):
        sizes = [10, 500, MEDIUM, MEDIUM + 1, 9_000, LARGE, LARGE + 1, 40_000]
        epochs = [choose_epochs(size, size * length) for size in sizes]
        seen = [n * size for n, size in zip(epochs, sizes, strict=True)]
        assert all(FEWEST_EPOCHS <= n <= MOST_EPOCHS for n in epochs)
        # Whole epochs make steps: of one epoch at most.
        assert all(b >= a - length * s for a, b, s in zip(seen, seen[1:], sizes, strict=False))


def test_what_is_given_is_kept_and_the_rest_is_decided() -> None:
    treebank = [sentence("The", "dog", "barked")] * 4 + [sentence("学")]
    decided = adapt(NeuralSettings(), treebank)
    assert {name for name, value in asdict(NeuralSettings()).items() if value is None} == (
        OPEN | {"tag_column"}
    )
    assert all(getattr(decided, name) is not None for name in OPEN)
    given: dict[str, Any] = {
        **{"epochs": 3, "width": 64, "layers": 5, "hidden": 192, "min_count": 7},
        **{"suffix_length": 2, "dropout": 0.0, "word_dropout": 0.0, "realize": False},
    }
    assert given.keys() == OPEN
    for name, value in given.items():
        other = adapt(NeuralSettings(**{name: value}), treebank)
        if name == "width":  # which decides the hidden units
            assert other.hidden == value
            other = replace(other, hidden=decided.hidden)
        assert {each: v for each, v in asdict(other).items() if v != getattr(decided, each)} == {
            name: value
        }


def test_decided_settings_given_again_stay_as_they_are() -> None:
    treebank = [sentence("a", "b")] * 3
    decided = adapt(NeuralSettings(seed=4), treebank)
    assert adapt(decided, treebank * 1000) is decided
    again = adapt(NeuralSettings(**asdict(decided)), treebank * 1000)
    assert again == decided
    assert [each.name for each in fields(AdaptedSettings)] == [
        each.name for each in fields(NeuralSettings)
    ]


def test_further_treebanks_add_words() -> None:
    treebank = [sentence("ab", "cd")]
    many = [sentence(f"{number}x", f"{number}x") for number in range(40_000)]
    assert adapt(NeuralSettings(), treebank).min_count == 2
    assert adapt(NeuralSettings(), treebank, many).min_count > 2
    assert (
        adapt(NeuralSettings(), treebank, many).epochs == adapt(NeuralSettings(), treebank).epochs
    )


def network(dimensions: Dimensions, suffix: int = 2) -> NeuralScorer:
    names: dict[str, list[str]] = {table: [] for table in LEXICAL}
    lexicon, vocabulary = Lexicon(names, suffix), toy_vocabulary()
    parameters = toy_parameters(lexicon, vocabulary, 1, dimensions)
    return NeuralScorer.from_parameters(dimensions, lexicon, vocabulary, parameters)


def test_a_network_to_start_from_keeps_its_size_and_lexicon() -> None:
    start = network(Dimensions(width=96))
    decided = adapt(NeuralSettings(), [sentence("a", "b")] * 9, start=start)
    assert (decided.width, decided.suffix_length) == (96, 2)
    given = NeuralSettings(width=96, suffix_length=2)
    assert adapt(given, [sentence("a", "b")] * 9, start=start) == decided
    for other in (NeuralSettings(width=64), NeuralSettings(suffix_length=3)):
        with pytest.raises(TrainingError, match=r"start from has (\w+) \d+, .*so \1 cannot be"):
            adapt(other, [], start=start)


def test_a_network_to_start_from_may_become_larger_but_not_smaller() -> None:
    start = network(Dimensions(layers=4, hidden=64, feedforward=100))
    treebank = [sentence("a", "b")] * 9
    same = adapt(NeuralSettings(), treebank, start=start)
    assert (same.layers, same.hidden) == (4, 64)
    assert grown_dimensions(start.dimensions, same) == start.dimensions
    larger = adapt(NeuralSettings(layers=6, hidden=96), treebank, start=start)
    assert grown_dimensions(start.dimensions, larger) == replace(
        start.dimensions, layers=6, hidden=96, feedforward=164
    )
    with pytest.raises(TrainingError, match="has 4 layers, which stay, so layers cannot be 3"):
        adapt(NeuralSettings(layers=3), treebank, start=start)
    with pytest.raises(TrainingError, match="64 hidden units, which stay, so hidden cannot be 32"):
        adapt(NeuralSettings(hidden=32), treebank, start=start)


def test_dimensions_follow_the_width() -> None:
    treebank = [sentence("a", "b")]
    assert dimensions_of(adapt(NeuralSettings(width=160), treebank)) == Dimensions()
    narrow = dimensions_of(adapt(NeuralSettings(width=96, layers=5), treebank))
    assert (narrow.width, narrow.feedforward, narrow.hidden) == (96, 192, 96)
    assert narrow.layers == 5
    assert narrow.width % narrow.heads == 0
    many = dimensions_of(adapt(NeuralSettings(width=96, hidden=128), treebank))
    assert (many.width, many.feedforward, many.hidden) == (96, 256, 128)
