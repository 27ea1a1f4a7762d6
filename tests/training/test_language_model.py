"""Language models from text: what is estimated, what is written, what is refused."""

from __future__ import annotations

import gzip
import lzma
import math
import os
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from references.ngrams import score as reference_score
from toys.text import toy_text

from syntagma import __version__
from syntagma.errors import FormatError, ModelError, OutputError, SyntagmaError, TrainingError
from syntagma.files.reading import fingerprint
from syntagma.language_model.arpa import read_arpa
from syntagma.language_model.packed import word_class
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.models.container import read_container, write_container
from syntagma.training.language_model import perplexity, read_lm, train_lm

SMALL = LanguageModelSettings(order=2, prune=(0,), min_count=1, tokenized=True)


def no_work() -> None:
    pytest.fail("a fault should have been noticed before")


def test_thresholds_of_pruning_may_come_from_an_iterator() -> None:
    assert LanguageModelSettings(prune=iter((0, 1))).prune == (0, 1)  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match="prune must be an integer"):
        LanguageModelSettings(prune=iter((0, 1.5)))  # type: ignore[arg-type]


# Estimation


def test_what_is_reported_and_written(tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("a wug plogs\na wug\n")
    second.write_text("wug\n")
    heard = 0

    def hear() -> None:
        nonlocal heard
        heard += 1

    stages = []
    report = train_lm(
        [first, second],
        tmp_path / "out.lm",
        settings=SMALL,
        on_sentence=hear,
        on_progress=lambda stage, done: stages.append((stage, done)),
    )
    assert (report.sentences, report.words, report.path) == (3, 6, tmp_path / "out.lm")
    assert report.ngrams == (6, 6)  # <s> a, <s> wug, a wug, wug plogs, wug </s>, plogs </s>
    assert heard == 3
    assert stages[-1] == ("estimating", 1.0)
    header, _ = read_container(tmp_path / "out.lm")
    assert header == {
        "language_model": {
            "data": [
                {"name": "first.txt", "sha256": fingerprint(first)},
                {"name": "second.txt", "sha256": fingerprint(second)},
            ],
            "sentences": 3,
            "words": 6,
            "settings": {**asdict(SMALL), "prune": [0]},
            "created_with": __version__,
            "ngrams": [6, 6],
        }
    }
    model, about = read_lm(tmp_path / "out.lm")
    assert about == header["language_model"]
    assert set(model.words) == {"<unk>", "<s>", "</s>", "a", "wug", "plogs"}


def test_an_arpa_file_says_the_same(tmp_path: Path, treebank: Path) -> None:
    settings = LanguageModelSettings(order=3, prune=(0,), min_count=1)
    reports = [
        train_lm([treebank], tmp_path / name, settings=settings) for name in ("a.lm", "a.arpa")
    ]
    assert reports[0].ngrams == reports[1].ngrams
    assert (tmp_path / "a.arpa").read_text(encoding="utf-8").startswith("\\data\\\n")
    exact = read_arpa(tmp_path / "a.arpa")
    own, _ = read_lm(tmp_path / "a.lm")
    other, about = read_lm(tmp_path / "a.arpa")
    assert about == {"data": [{"name": "a.arpa", "sha256": fingerprint(tmp_path / "a.arpa")}]}
    assert own.words == other.words
    text = [*toy_text(), ["never", "Seen", "."]]
    for sentence in text:  # so few values that packing is lossless
        np.testing.assert_allclose(own.score(sentence), other.score(sentence), atol=1e-5)
    found = [score for sentence in text for score in own.score(sentence)]
    np.testing.assert_allclose(found, reference_score(exact, text, word_class), atol=1e-5)


@pytest.mark.parametrize("name", ["a.ARPA", "a.Arpa"])
def test_names_of_arpa_files_in_any_case(name: str, treebank: Path, tmp_path: Path) -> None:
    train_lm([treebank], tmp_path / name)
    assert read_arpa(tmp_path / name).words == read_lm(tmp_path / name)[0].words


@pytest.mark.parametrize("name", ["a.arpa.gz", "a.lm.xz", "a.GZ"])
def test_nothing_is_written_packed(name: str, treebank: Path, tmp_path: Path) -> None:
    with pytest.raises(
        TrainingError, match=f"{name}: a language model cannot be written compressed"
    ):
        train_lm([treebank], tmp_path / name, on_sentence=no_work)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_an_arpa_file_may_be_packed(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("a wug plogs\na wug\n")
    train_lm([text], tmp_path / "a.arpa", settings=SMALL)
    packed = tmp_path / "packed"
    packed.write_bytes(pack((tmp_path / "a.arpa").read_bytes()))
    expected = read_lm(tmp_path / "a.arpa")[0].score(["a", "wug"])
    assert read_lm(packed)[0].score(["a", "wug"]) == expected


@pytest.mark.parametrize("name", ["a.lm", "a.arpa"])
def test_the_same_text_gives_the_same_bytes(name: str, treebank: Path, tmp_path: Path) -> None:
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        train_lm([treebank], tmp_path / folder / name)
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


@pytest.mark.parametrize("limit", [50, 70, 100, 10_000])
def test_the_number_of_ngrams_is_kept(limit: int, treebank: Path, tmp_path: Path) -> None:
    settings = LanguageModelSettings(prune=(0,), min_count=1, max_ngrams=limit)
    report = train_lm([treebank], tmp_path / "a.lm", settings=settings)
    model, about = read_lm(tmp_path / "a.lm")
    assert sum(report.ngrams) <= limit
    assert about["ngrams"] == list(report.ngrams) == model.describe()["ngrams"]
    assert all(math.isfinite(score) for words in toy_text() for score in model.score(words))


def test_fewer_ngrams_than_words(treebank: Path, tmp_path: Path) -> None:
    settings = LanguageModelSettings(min_count=1, max_ngrams=5)
    with pytest.raises(ModelError, match="cannot prune to 5 n-grams"):
        train_lm([treebank], tmp_path / "a.lm", settings=settings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_any_order_goes_with_the_other_defaults(order: int, treebank: Path, tmp_path: Path) -> None:
    settings = LanguageModelSettings(order=order)
    assert len(train_lm([treebank], tmp_path / "a.lm", settings=settings).ngrams) == order


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": 0}, "order"),
        ({"order": 6}, "order"),
        ({"prune": (0, 2, 1)}, "must not decrease"),
        ({"prune": (0, -1)}, "negative"),
    ],
)
def test_impossible_settings(
    settings: dict[str, Any], message: str, treebank: Path, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match=message):
        train_lm([treebank], tmp_path / "a.lm", settings=LanguageModelSettings(**settings))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["", "\n\n \n\t\n"])
@pytest.mark.parametrize("tokenized", [False, True])
def test_a_text_without_words(content: str, tokenized: bool, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(content)
    with pytest.raises(TrainingError, match=r"text\.txt"):
        train_lm([path], tmp_path / "a.lm", settings=LanguageModelSettings(tokenized=tokenized))
    assert list(tmp_path.iterdir()) == [path]


def test_all_texts_without_words_are_named(tmp_path: Path) -> None:
    paths = [tmp_path / "one.txt", tmp_path / "other.txt"]
    for path in paths:
        path.write_text("\n")
    with pytest.raises(TrainingError, match=r"one\.txt, .*other\.txt"):
        train_lm(paths, tmp_path / "a.lm")


def test_one_text_with_words_is_enough(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "text.txt").write_text("a wug\n")
    sources = [tmp_path / "empty.txt", tmp_path / "text.txt", tmp_path / "empty.txt"]
    report = train_lm(sources, tmp_path / "a.lm", settings=SMALL)
    assert (report.sentences, report.words) == (1, 2)


def test_files_that_are_not_there(tmp_path: Path, treebank: Path) -> None:
    with pytest.raises(FormatError, match=r"nowhere\.txt: cannot read the file"):
        train_lm([treebank, tmp_path / "nowhere.txt"], tmp_path / "a.lm", on_sentence=no_work)
    assert not list(tmp_path.iterdir())
    with pytest.raises(OutputError, match="nowhere"):
        train_lm([treebank], tmp_path / "nowhere" / "a.lm", on_sentence=no_work)
    with pytest.raises(OutputError, match="it is a folder"):
        train_lm([treebank], tmp_path, on_sentence=no_work)


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """So it has no checksum."""
    pipe, output = tmp_path / "pipe", tmp_path / "a.lm"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("a wug\na\n",), daemon=True)
    writer.start()
    report = train_lm([pipe], output, settings=SMALL)
    writer.join(10)
    assert not writer.is_alive()
    assert (report.sentences, report.words) == (2, 3)
    assert read_lm(output)[1]["data"] == [{"name": str(pipe)}]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.lm"
    path.write_text("old")
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(TrainingError):
        train_lm([tmp_path / "empty.txt"], path)
    assert path.read_text() == "old"


# Perplexity by hand, for the text "a b" and "a". It is so small that the discounts are 1/2 for a
# count of 1 and 1 for 2 (`FALLBACK_DISCOUNTS`). p(w) = (c - D + 5/2 : 4) / 5, or, if c counts the
# different words before w, (c - D + 2 : 4) / 4; p(w | v) = (c(v w) - D) / c(v) + p(w) / 2.
UNIGRAMS = {"<unk>": 0.125, "</s>": 0.325, "a": 0.325, "b": 0.225}
LOWER = {"<unk>": 0.125, "</s>": 0.375, "a": 0.25, "b": 0.25}
BIGRAMS = {"<s> a": 0.625, "a b": 0.375, "a </s>": 0.4375, "b </s>": 0.6875}


@pytest.mark.parametrize(
    ("order", "text", "probs"),
    [
        (1, ["a b"], [UNIGRAMS["a"], UNIGRAMS["b"], UNIGRAMS["</s>"]]),
        (1, ["", "zorp"], [UNIGRAMS["</s>"], UNIGRAMS["<unk>"], UNIGRAMS["</s>"]]),
        (2, ["a b"], [BIGRAMS["<s> a"], BIGRAMS["a b"], BIGRAMS["b </s>"]]),
        (2, ["b a"], [LOWER["b"] / 2, LOWER["a"] / 2, BIGRAMS["a </s>"]]),
        (2, ["a zorp"], [BIGRAMS["<s> a"], LOWER["<unk>"] / 2, LOWER["</s>"]]),
        (
            2,
            ["a b", "a"],
            [*(BIGRAMS[each] for each in ("<s> a", "a b", "b </s>", "<s> a", "a </s>"))],
        ),
    ],
)
def test_perplexity(order: int, text: list[str], probs: list[float], tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("a b\na\n")
    settings = LanguageModelSettings(order=order, prune=(0,), min_count=1, tokenized=True)
    train_lm([path], tmp_path / "a.lm", settings=settings)
    model, _ = read_lm(tmp_path / "a.lm")
    found = perplexity(model, [line.split() for line in text])
    assert found == pytest.approx(math.prod(probs) ** (-1 / len(probs)), rel=1e-5)


def test_perplexity_of_no_text(lm: Path) -> None:
    with pytest.raises(TrainingError, match="cannot compute the perplexity"):
        perplexity(read_lm(lm)[0], [])


# Reading language models


def test_a_model_without_a_language_model_says_what_to_do(plain: Path) -> None:
    with pytest.raises(ModelError, match=r"plain\.syntagma: .*without a language model.*train-lm"):
        read_lm(plain)


def test_the_language_model_of_a_model_can_be_read(fluent: Path, lm: Path) -> None:
    model, about = read_lm(fluent)
    alone, _ = read_lm(lm)
    assert model.words == alone.words
    assert [model.score(words) for words in toy_text()] == [
        alone.score(words) for words in toy_text()
    ]
    assert about["sentences"] == len(toy_text())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cut off here: expected the header"),
        (b"a wug plogs\n", r":1: .*is this an ARPA file\?"),
        (b"PK\x03\x04\xff\xfe", "compressed with zip"),
        (b"\xff\xfe", "not UTF-8"),
        (b"SYNTAGMA", "truncated"),
    ],
)
def test_foreign_files(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(SyntagmaError, match=f"foreign.*{message}"):
        read_lm(path)


def test_a_file_or_folder_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.lm", tmp_path):
        with pytest.raises(ModelError, match="cannot be read"):
            read_lm(path)


def test_a_damaged_language_model_is_named(lm: Path, tmp_path: Path) -> None:
    header, arrays = read_container(lm)
    path = tmp_path / "bad.lm"
    write_container(path, header, {**arrays, "lm.2.words": arrays["lm.2.words"][:-1]})
    with pytest.raises(ModelError, match=r"bad\.lm: damaged model: section 'lm\.2"):
        read_lm(path)
    write_container(path, header, {**arrays, "lm.words": np.array([0xFF], np.uint8)})
    with pytest.raises(ModelError, match=r"bad\.lm: "):
        read_lm(path)
