"""BLEU and the paired bootstrap."""

from pathlib import Path
from typing import Any

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from syntagma.errors import ArgumentError, FormatError
from syntagma.evaluation.bleu import bleu, compare_systems, paired_bootstrap, read_outputs


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


REFERENCES = [f"a{i} b{i} C{i} d{i} e{i} f{i}" for i in range(60)]
SOME_REVERSED = [
    text if i % 3 else " ".join(text.split()[::-1]) for i, text in enumerate(REFERENCES)
]
SOME_LOST = [text if i % 5 else text.lower()[3:] + " x" for i, text in enumerate(REFERENCES)]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", ["none", "13a"])
def test_the_paired_test_is_that_of_sacrebleu(tokenize: Any, lowercase: bool) -> None:
    systems = {"first": SOME_REVERSED, "second": SOME_LOST, "same": SOME_REVERSED}
    metric = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    signatures, expected = PairedTest(
        list(systems.items()), {"BLEU": metric}, [REFERENCES], test_type="bs"
    )()
    found = compare_systems(systems, REFERENCES, bleu_tokenize=tokenize, lowercase=lowercase)
    assert found.signature == signatures["BLEU"].format()
    assert "bs:1000|seed:12345|" in found.signature
    assert [each.system for each in found.systems] == expected["System"]
    for figures, result in zip(found.systems, expected["BLEU"], strict=True):
        assert not isinstance(result, str)
        assert (figures.bleu, figures.mean, figures.half_width) == (
            result.score,
            result.mean,
            result.ci,
        )
    assert not isinstance(expected["BLEU"][1], str)
    assert [each.p for each in found.systems] == [None, expected["BLEU"][1].p_value, None]


def test_words_lost_and_added() -> None:
    first, second = compare_systems({"a": REFERENCES, "b": SOME_LOST}, REFERENCES).systems
    assert (first.exact, first.lost, first.added) == (100, 0, 0)
    # Each of 12 outputs lacks "a…", or a part of it, and "C…"; "c…" and "x" are new.
    assert (second.exact, second.lost) == (80, 24)
    assert second.added >= 24


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({}, "outputs must be a mapping from systems to texts, not {}"),
        (["a"], "outputs must be a mapping"),
        ({"x": "a"}, "lists of texts, not 'a'"),
        ({"x": ["a"], "y": ["a", "b"]}, "as many outputs of each system as references"),
    ],
)
def test_arguments_of_a_comparison(outputs: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        compare_systems(outputs, ["a"])


def test_outputs_of_another_system(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_bytes("a b \r\n\n c\u2028d".encode())
    assert read_outputs(path, 3) == ["a b", "", "c\u2028d"]
    with pytest.raises(FormatError, match=r"other\.txt: 3 lines, but the data have 4 sentences"):
        read_outputs(path, 4)
    path.write_bytes(b"a\n\xff\n")
    with pytest.raises(FormatError, match=r"other\.txt:2: not UTF-8"):
        read_outputs(path, 2)
