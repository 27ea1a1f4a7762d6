"""ARPA files: round trips are lossless, KenLM agrees, and errors name their line."""

from __future__ import annotations

import gzip
import lzma
import math
from pathlib import Path
from random import Random

import numpy as np
import pytest
from references.ngrams import find, log_prob, score, validate
from toys.text import make_text, plain_class, sums_to_one

from syntagma.errors import FormatError, OutputError
from syntagma.language_model.arpa import read_arpa, write_arpa
from syntagma.language_model.backoff import LOG_ZERO, BackoffModel
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.pruning import prune_to

# As SRILM writes it: words in any order, no back-offs of 0, no <unk>. Pruning dropped "b c" but
# kept "a b c".
SRILM = """

\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-0.9\t</s>
-99\t<s>\t-0.3
-0.5\ta\t-0.25
-0.6\tb\t-0.125
-0.7\tc

\\2-grams:
-0.2\t<s> a\t-0.05
-0.3\ta b\t0.1
-0.4\tc </s>

\\3-grams:
-0.1\ta b c

\\end\\
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def assert_equal(mine: BackoffModel, other: BackoffModel) -> None:
    assert mine.words == other.words
    for k, (a, b) in enumerate(zip(mine.orders, other.orders, strict=True), start=1):
        for field in ("parent", "word", "log_prob", "backoff"):
            np.testing.assert_array_equal(getattr(a, field), getattr(b, field), f"{k} {field}")


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_round_trip(order: int, tmp_path: Path) -> None:
    model = estimate(make_text(order), order=order, word_class=plain_class)
    write_arpa(model, tmp_path / "model.arpa")
    again = read_arpa(tmp_path / "model.arpa")
    assert_equal(again, model)
    assert sums_to_one(again)
    assert [path.name for path in tmp_path.iterdir()] == ["model.arpa"]


def test_round_trip_of_odd_words(tmp_path: Path) -> None:
    words = ["\u00a0", "\u2028", "é", "🦊", "\\end\\", "-1.5", "ngram", "#", "a\x85b", "<UNK>"]
    model = estimate([words, words[::-1]], order=3, word_class=plain_class)
    write_arpa(model, tmp_path / "model.arpa")
    assert_equal(read_arpa(tmp_path / "model.arpa"), model)


def test_packed_files(tmp_path: Path) -> None:
    model = estimate(make_text(1, 50), order=2, word_class=plain_class)
    write_arpa(model, tmp_path / "model.arpa")
    content = (tmp_path / "model.arpa").read_bytes()
    (tmp_path / "model.arpa.gz").write_bytes(gzip.compress(content))
    (tmp_path / "model.arpa.xz").write_bytes(lzma.compress(content))
    assert_equal(read_arpa(tmp_path / "model.arpa.gz"), model)
    assert_equal(read_arpa(tmp_path / "model.arpa.xz"), model)


def test_what_is_written(tmp_path: Path) -> None:
    write_arpa(read_arpa(write(tmp_path / "srilm.arpa", SRILM)), tmp_path / "model.arpa")
    lines = (tmp_path / "model.arpa").read_text(encoding="utf-8").split("\n")
    assert lines[:7] == [
        "\\data\\",
        "ngram 1=6",
        "ngram 2=4",
        "ngram 3=1",
        "",
        "\\1-grams:",
        "-98.999997\t<unk>\t0",
    ]
    assert lines[-4:] == ["-0.1\ta b c", "", "\\end\\", ""]


@pytest.mark.parametrize("word", ["", "New York", "a\tb", "a\nb"])
def test_words_that_the_format_cannot_hold(word: str, tmp_path: Path) -> None:
    model = estimate([["a", word]], order=2, word_class=plain_class)
    with pytest.raises(OutputError, match="is empty or contains a space"):
        write_arpa(model, tmp_path / "model.arpa")
    assert not list(tmp_path.iterdir())


def test_a_file_of_srilm(tmp_path: Path) -> None:
    model = read_arpa(write(tmp_path / "srilm.arpa", SRILM))
    assert model.words == ("<unk>", "<s>", "</s>", "a", "b", "c")
    assert model.orders[0].log_prob[0] == pytest.approx(LOG_ZERO)
    a, b, c = 3, 4, 5

    def log10(context: list[int], word: int) -> float:
        return log_prob(model, context, word) / math.log(10)

    assert log10([a, b], c) == pytest.approx(-0.1)
    assert log10([1, a], b) == pytest.approx(-0.3 - 0.05)
    assert log10([c, b], c) == pytest.approx(-0.7 - 0.125)  # "b c" was added and changes nothing
    assert log10([a, b], a) == pytest.approx(-0.5 - 0.125 + 0.1)
    assert find(model, [b, c]) >= 0
    validate(model)


def test_missing_prefixes_are_added(tmp_path: Path) -> None:
    text = SRILM.replace("ngram 2=3", "ngram 2=2").replace("-0.3\ta b\t0.1\n", "")
    model = read_arpa(write(tmp_path / "model.arpa", text))
    a, b, c = 3, 4, 5
    assert find(model, [a, b]) >= 0
    assert log_prob(model, [a], b) / math.log(10) == pytest.approx(-0.6 - 0.25)
    assert log_prob(model, [a, b], c) / math.log(10) == pytest.approx(-0.1)


def test_missing_parts_of_missing_parts_are_added(tmp_path: Path) -> None:
    text = SRILM.replace("ngram 3=1", "ngram 3=0\nngram 4=1\nngram 5=1")
    text = text.replace(
        "-0.1\ta b c\n", "\n\\4-grams:\n-0.2\tb c a b\n\n\\5-grams:\n-0.1\tb c a c a\n"
    )
    model = read_arpa(write(tmp_path / "model.arpa", text))
    validate(model)
    assert [len(order) for order in model.orders] == [6, 3 + 3, 4, 3, 1]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("\\data\\", "data", 23, "cut off here: expected the header"),
        ("ngram 1=5", "ngram 1=x", 4, "expected 'ngram ORDER=COUNT'"),
        ("ngram 2=3\n", "", 5, "expected the count of 2-grams, not of 3-grams"),
        ("ngram 1=5\nngram 2=3\nngram 3=1\n", "", 4, "no 'ngram ORDER=COUNT' line"),
        ("ngram 3=1\n\n", "ngram 3=1\n", 7, "must be an empty line before"),
        ("\\1-grams:", "\\2-grams:", 8, "expected \\1-grams:, not"),
        ("\\2-grams:\n", "", 15, "expected \\2-grams:, not '-0.2"),
        ("ngram 2=3", "ngram 2=2", 18, "more 2-grams than declared"),
        ("ngram 2=3", "ngram 2=4", 19, "ends after 3 2-grams, but 4 are declared"),
        ("ngram 3=1", "ngram 3=0", 21, "more n-grams than declared"),
        ("-0.4\tc </s>\n\n", "-0.4\tc </s>\n", None, None),
        ("-0.4\tc </s>", "-0.4\tc", 18, "expected a log10 probability, 2 words"),
        ("-0.3\ta b", "-O.3\ta b", 17, "expected a log10 probability, 2 words"),
        ("-0.3\ta b\t0.1", "-0.3\ta b\tx", 17, "expected a log10 probability, 2 words"),
        ("-0.3\ta b", "nan\ta b", 17, "the log10 probability is not a number"),
        ("-0.3\ta b\t0.1", "-0.3\ta b\tinf", 17, "the back-off is not a finite number"),
        ("-0.3\ta b\t0.1", "-0.3\ta b\t1e99", 17, "the back-off is not a finite number"),
        ("-0.3\ta b", "0.3\ta b", 17, "the log10 probability is above zero"),
        ("-0.3\ta b", "-0.3\ta d", 17, "'d' is not among the 1-grams"),
        ("-0.4\tc </s>", "-0.4\ta b", 18, "this n-gram occurs twice"),
        ("-0.7\tc", "-0.7\ta", 13, "'a' occurs twice"),
        ("-0.9\t</s>", "-0.9\td", 13, "the 1-grams lack '</s>'"),
        ("-99\t<s>", "-99\td", 13, "the 1-grams lack '<s>'"),
        ("-0.1\ta b c", "-0.1\ta b c\t-0.2", 21, "highest order has a back-off"),
        ("\\end\\\n", "", 22, "cut off here: expected \\end\\"),
        ("\\end\\", "end", 23, "expected \\end\\, not 'end'"),
        ("\n\\3-grams:\n-0.1\ta b c\n\n\\end\\\n", "", 18, "cut off here: expected \\3-grams:"),
        (
            "-0.4\tc </s>\n\n\\3-grams:\n-0.1\ta b c\n\n\\end\\\n",
            "",
            17,
            "expected 3 2-grams, not 2",
        ),
    ],
)
def test_faults(old: str, new: str, line: int | None, message: str | None, tmp_path: Path) -> None:
    assert old in SRILM
    path = write(tmp_path / "bad.arpa", SRILM.replace(old, new, 1))
    if message is None:
        read_arpa(path)
        return
    with pytest.raises(FormatError) as caught:
        read_arpa(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "bad.arpa"
    path.write_bytes(SRILM.encode().replace(b"a b c", b"a \xff c"))
    with pytest.raises(FormatError, match=r"bad.arpa:21: not UTF-8"):
        read_arpa(path)


def test_a_packed_file_that_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "bad.arpa.gz"
    path.write_bytes(gzip.compress(SRILM.encode())[:-20])
    with pytest.raises(FormatError, match="damaged or cut off"):
        read_arpa(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot read the file"):
        read_arpa(tmp_path / "none.arpa")


def test_probability_zero_may_be_written_as_minus_infinity(tmp_path: Path) -> None:
    model = read_arpa(write(tmp_path / "model.arpa", SRILM.replace("-99\t", "-inf\t")))
    assert model.orders[0].log_prob[1] == pytest.approx(LOG_ZERO)


def test_the_unknown_word_in_capitals(tmp_path: Path) -> None:
    model = read_arpa(
        write(tmp_path / "model.arpa", SRILM.replace("\tc", "\t<UNK>").replace("b c", "b <UNK>"))
    )
    assert model.words == ("<unk>", "<s>", "</s>", "a", "b")
    assert log_prob(model, [3, 4], 0) / math.log(10) == pytest.approx(-0.1)


def models() -> list[tuple[str, BackoffModel]]:
    one = estimate(make_text(1), order=3, word_class=plain_class)
    two = estimate(make_text(2, 200, 20), order=5, prune=(0, 0, 1), word_class=plain_class)
    return [
        ("estimated", one),
        ("with thresholds", two),
        ("pruned", prune_to(one, len(one) * 2 // 3)),
    ]


@pytest.mark.parametrize(("name", "model"), models(), ids=[name for name, _ in models()])
def test_kenlm_agrees(name: str, model: BackoffModel, tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed")
    write_arpa(model, tmp_path / "model.arpa")
    other = kenlm.Model(str(tmp_path / "model.arpa"))
    rng = Random(3)
    words = [*model.words[3:], "never", "seen"]
    text = make_text(7, 50) + [rng.choices(words, k=rng.randint(0, 8)) for _ in range(50)]
    expected = [p for sentence in text for p, _, _ in other.full_scores(" ".join(sentence))]
    np.testing.assert_allclose(score(model, text) / math.log(10), expected, atol=1e-4)
    assert sums_to_one(model)
