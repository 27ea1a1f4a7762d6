"""Language models from text and into a model: what is read, what is written, what is refused."""

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
from toys.treebank import SENTENCES, write_treebank

from syntagma import LinearSettings, load, read_treebank, train
from syntagma.errors import FormatError, ModelError, OutputError, SyntagmaError, TrainingError
from syntagma.files.fingerprint import fingerprint
from syntagma.language_model.arpa import read_arpa
from syntagma.language_model.balance import Balance
from syntagma.language_model.packed import word_class
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.models.container import read_container, write_container
from syntagma.models.saving import add_language_model
from syntagma.results.linearization import Linearization
from syntagma.training.balance import WEIGHTS, weight_under
from syntagma.training.language_model import add_lm, perplexity, read_lm, read_text, train_lm
from syntagma.transition.weighted_language_model import WeightedLanguageModel
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS
from syntagma.version import VERSION

# Paragraphs that the tokeniser has something to do with.
TEXT = "The wug didn't plog. “Zorp!” said Dr. Wug.\n\nA wug plogs.\n"
WORDS = [
    ["The", "wug", "did", "n't", "plog", "."],
    ['"', "Zorp", "!", '"', "said", "Dr.", "Wug", "."],
    ["A", "wug", "plogs", "."],
]
SMALL = LanguageModelSettings(order=2, prune=(0,), min_count=1, tokenized=True)


def texts(sentences: str = SENTENCES) -> list[list[str]]:
    return [
        [token.rsplit("/", 3)[0] for token in line.split()]
        for line in sentences.strip().splitlines()
    ]


def lines(sentences: list[list[str]]) -> str:
    return "".join(" ".join(words) + "\n" for words in sentences)


def no_work() -> None:
    pytest.fail("a fault should have been noticed before")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("language-models")


@pytest.fixture(scope="module")
def treebank(folder: Path) -> Path:
    return write_treebank(folder / "toy.conllu")


@pytest.fixture(scope="module")
def plain(folder: Path, treebank: Path) -> Path:
    """A model without a language model, which has not learned all that it could."""
    path = folder / "plain.syntagma"
    train(treebank, treebank, path, settings=LinearSettings(epochs=2, beam=4), name="toy")
    return path


@pytest.fixture(scope="module")
def lm(folder: Path, treebank: Path) -> Path:
    path = folder / "toy.lm"
    train_lm([treebank], path, settings=LanguageModelSettings(prune=(0,), min_count=1))
    return path


@pytest.fixture(scope="module")
def fluent(folder: Path, plain: Path, lm: Path, treebank: Path) -> Path:
    path = folder / "fluent.syntagma"
    add_lm(plain, lm, read_treebank(treebank), path)
    return path


# Reading


def test_plain_text_is_split_into_sentences_and_words(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert list(read_text(path)) == WORDS


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress), ("", gzip.compress)]
)
def test_packed_text(suffix: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / f"text.txt{suffix}"
    path.write_bytes(pack(TEXT.encode()))
    assert list(read_text(path)) == WORDS


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("toy.conllu", lambda content: content),
        ("toy.conllu.gz", gzip.compress),
        ("toy.conllu.xz", lzma.compress),
    ],
)
@pytest.mark.parametrize("tokenized", [False, True])
def test_a_treebank(
    name: str, pack: Callable[[bytes], bytes], tokenized: bool, treebank: Path, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(pack(treebank.read_bytes()))
    assert list(read_text(path, tokenized=tokenized)) == texts()


def test_words_with_spaces_in_a_treebank_are_several(tmp_path: Path) -> None:
    """As in phrases of a problem, which a language model looks up word by word."""
    path = tmp_path / "toy.conllu"
    columns = "\t_" * 8
    path.write_text(f"1\twug{columns}\n2\t20 000{columns}\n\n")
    assert list(read_text(path)) == [["wug", "20", "000"]]


def test_tokenized_text_is_a_sentence_a_line(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("The wug did n't plog. Zorp\n\n  \n a  wug \n", encoding="utf-8")
    assert list(read_text(path, tokenized=True)) == [
        ["The", "wug", "did", "n't", "plog.", "Zorp"],
        ["a", "wug"],
    ]


def test_tokenized_text_is_split_at_spaces_only(tmp_path: Path) -> None:
    """As bags are: other white space may be part of a word."""
    path = tmp_path / "text.txt"
    path.write_text("wug 20\u202f000 a\x1cb\n", encoding="utf-8")
    assert list(read_text(path, tokenized=True)) == [["wug", "20\u202f000", "a\x1cb"]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.txt", "wug\t\tplog\n\t\n"),
        ("text.txt", "wug\tthe plog\n"),
        ("toy.conllu", "1\ta  wug" + "\t_" * 8 + "\n2\t plogs" + "\t_" * 8 + "\n\n"),
    ],
)
def test_no_word_is_empty_or_holds_a_space(name: str, content: str, tmp_path: Path) -> None:
    """A model would never look it up, and ARPA files cannot hold it."""
    path = tmp_path / name
    path.write_text(content)
    words = [word for sentence in read_text(path, tokenized=True) for word in sentence]
    assert "" not in words
    assert not [word for word in words if " " in word]


@pytest.mark.parametrize("name", ["TOY.CONLLU", "Toy.Conllu.GZ"])
def test_names_of_treebanks_in_any_case(name: str, treebank: Path, tmp_path: Path) -> None:
    content = treebank.read_bytes()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("GZ") else content)
    assert list(read_text(tmp_path / name)) == texts()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("text.txt", b"a wug\nplo\xffgs\n", ":2: not UTF-8"),
        ("text.txt.gz", gzip.compress(b"a wug\n" * 9)[:-9], ":[0-9]+: .*damaged or cut off"),
        ("text.txt.xz", lzma.compress(b"a wug\n" * 9)[:-9], ":[0-9]+: .*damaged or cut off"),
        ("toy.conllu", b"# text = wug\n1\twug\t_\n\n", ":2: 3 columns instead of 10"),
        ("toy.conllu", b"1\twug" + b"\t_" * 8 + b"\n3\tx" + b"\t_" * 8 + b"\n", ":2: ID is '3'"),
        ("toy.conllu", b"1\twu\xffg" + b"\t_" * 8 + b"\n\n", ":1: not UTF-8"),
    ],
)
def test_faults_of_a_text_have_a_place(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    output = tmp_path / "out.lm"
    with pytest.raises(FormatError, match=f"{name}{message}") as caught:
        list(read_text(path))
    assert caught.value.source == str(path)
    with pytest.raises(FormatError, match=f"{name}{message}"):
        train_lm([path], output)
    assert sorted(each.name for each in tmp_path.iterdir()) == [name]


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
            "created_with": VERSION,
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
    text = [*texts(), ["never", "Seen", "."]]
    for sentence in text:  # so few values that packing loses nothing
        np.testing.assert_allclose(own.score(sentence), other.score(sentence), atol=1e-5)
    found = [score for sentence in text for score in own.score(sentence)]
    np.testing.assert_allclose(found, exact.score(text, word_class), atol=1e-5)


@pytest.mark.parametrize("name", ["a.ARPA", "a.Arpa"])
def test_names_of_arpa_files_in_any_case(name: str, treebank: Path, tmp_path: Path) -> None:
    train_lm([treebank], tmp_path / name)
    assert read_arpa(tmp_path / name).words == read_lm(tmp_path / name)[0].words


@pytest.mark.parametrize("name", ["a.arpa.gz", "a.lm.xz", "a.GZ"])
def test_nothing_is_written_packed(name: str, treebank: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=f"{name}: a language model is not written compressed"):
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
    assert all(math.isfinite(score) for words in texts() for score in model.score(words))


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
    """So there is no checksum of it."""
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


# Perplexity by hand: of "a b" and "a"; there are too few counts for discounts other than 1/2 for 1
# and 1 for 2 (`FALLBACK_DISCOUNTS`). p(w) = (c - D + 5/2 : 4) / 5, or, of the different words
# before each, (c - D + 2 : 4) / 4; p(w | v) = (c(v w) - D) / c(v) + p(w) / 2.
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
    assert [model.score(words) for words in texts()] == [alone.score(words) for words in texts()]
    assert about["sentences"] == len(texts())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cut off here: expected the header"),
        (b"a wug plogs\n", r":1: .*is this an ARPA file\?"),
        (b"PK\x03\x04\xff\xfe", "not UTF-8"),
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
    with pytest.raises(ModelError, match=r"bad\.lm: .*language model.*damaged"):
        read_lm(path)
    write_container(path, header, {**arrays, "lm.words": np.array([0xFF], np.uint8)})
    with pytest.raises(ModelError, match=r"bad\.lm: "):
        read_lm(path)


# Into a model


def bags() -> list[list[str]]:
    return [sorted(words) for words in texts()]


def found(path: Path, **options: Any) -> list[Linearization]:
    linearizer = load(path, **options)
    return [linearizer.order(words) for words in bags()]


def test_a_model_orders_with_its_language_model(fluent: Path) -> None:
    linearizer = load(fluent)
    model, about = read_lm(fluent)
    balance = Balance.from_json(about["balance"])
    silent = load(fluent, language_model=False)
    for words in bags():
        result = linearizer.order(words)
        share = balance.of_problem(result.problem) * sum(model.score(result.words))
        assert result.fluency == pytest.approx(share)
        assert result.score == pytest.approx(result.syntax + share)
        alone = silent.score(words, result.words)
        assert result.syntax == pytest.approx(alone.score, abs=1e-6)
        assert linearizer.score(words, result.words).score == pytest.approx(result.score)


def test_without_it_the_model_is_as_before(fluent: Path, plain: Path) -> None:
    before, after = found(plain), found(fluent, language_model=False)
    assert [each.tokens for each in after] == [each.tokens for each in before]
    assert [each.score for each in after] == [each.score for each in before]
    assert all(each.fluency is None for each in after)
    assert [each.score for each in found(fluent)] != [each.score for each in before]


def test_a_language_model_that_counts_enough_decides(
    plain: Path, treebank: Path, tmp_path: Path
) -> None:
    """It knows the sentences from the end to the start only."""
    text = tmp_path / "text.txt"
    text.write_text(lines([words[::-1] for words in texts()]))
    settings = LanguageModelSettings(order=3, prune=(0,), min_count=1, tokenized=True)
    train_lm([text], tmp_path / "back.lm", settings=settings)
    language_model, _ = read_lm(tmp_path / "back.lm")
    path = tmp_path / "back.syntagma"
    fluent = WeightedLanguageModel(language_model, Balance(math.log(1e4), 0, 0, 0))
    add_language_model(path, plain, fluent, {})
    assert load(path).order(["She", "sang", "."]).text == ". sang She"
    assert load(path).order(["Foxes", "run", "fast", "."]).text == ". fast run Foxes"


def test_the_header_of_the_model(fluent: Path, plain: Path, lm: Path) -> None:
    header, arrays = read_container(fluent)
    before, old_arrays = read_container(plain)
    about = header.pop("language_model")
    assert header == before
    assert set(old_arrays) == {name for name in arrays if not name.startswith("lm.")}
    alone = read_container(lm)[0]["language_model"]
    assert {name: about[name] for name in alone} == alone
    assert set(about) - set(alone) == {"tuning", "balance"}
    assert set(about["balance"]) == {"base", "tags", "arcs", "labels"}
    assert about["tuning"]["weights"] == list(WEIGHTS)
    assert list(about["tuning"]["bleu"]) == list(MAIN_CONDITIONS)


def test_what_is_reported(plain: Path, lm: Path, treebank: Path, tmp_path: Path) -> None:
    dev = read_treebank(treebank)[:2]
    heard = 0

    def hear() -> None:
        nonlocal heard
        heard += 1

    path = tmp_path / "out.syntagma"
    report = add_lm(plain, lm, dev, path, threads=2, on_sentence=hear)
    assert heard == len(dev) * len(WEIGHTS) * len(MAIN_CONDITIONS)
    assert {name: len(curve) for name, curve in report.curves.items()} == dict.fromkeys(
        MAIN_CONDITIONS, len(WEIGHTS)
    )
    assert read_lm(path)[1]["balance"] == report.balance.to_json()
    assert all(weight_under(report.balance, CONDITIONS[name]) > 0 for name in MAIN_CONDITIONS)
    again = tmp_path / "again.syntagma"
    add_lm(plain, lm, dev, again)
    assert again.read_bytes() == path.read_bytes()


def test_a_language_model_is_replaced(fluent: Path, treebank: Path, tmp_path: Path) -> None:
    """By one of a lower order: nothing of the old one is left."""
    text = tmp_path / "text.txt"
    text.write_text("wug plogs\nwug\n")
    train_lm([text], tmp_path / "small.lm", settings=SMALL)
    path = tmp_path / "out.syntagma"
    add_lm(fluent, tmp_path / "small.lm", read_treebank(treebank)[:1], path)
    header, arrays = read_container(path)
    assert header["language_model"]["words"] == 3
    small = read_container(tmp_path / "small.lm")[1]
    assert {name for name in arrays if name.startswith("lm.")} == set(small)
    model, _ = read_lm(path)
    assert model.score(["wug"]) == read_lm(tmp_path / "small.lm")[0].score(["wug"])
    assert [each.tokens for each in found(path, language_model=False)] == [
        each.tokens for each in found(fluent, language_model=False)
    ]


def test_a_model_can_be_replaced_by_itself(fluent: Path, treebank: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.syntagma"
    path.write_bytes(fluent.read_bytes())
    add_lm(path, fluent, read_treebank(treebank), path)
    assert path.read_bytes() == fluent.read_bytes()


def test_nothing_is_written_without_sentences_or_a_model(
    plain: Path, lm: Path, treebank: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.syntagma"
    with pytest.raises(SyntagmaError, match="no sentences"):
        add_lm(plain, lm, [], output)
    with pytest.raises(ModelError, match=r"toy\.lm: a language model by itself.*add-lm"):
        add_lm(lm, lm, read_treebank(treebank)[:1], output)
    with pytest.raises(ModelError, match="no model named"):
        add_lm("zorpish", lm, read_treebank(treebank)[:1], output)
    for place in (tmp_path / "nowhere" / "out.syntagma", tmp_path):
        with pytest.raises(OutputError, match="cannot write"):
            add_lm(plain, lm, read_treebank(treebank)[:1], place, on_sentence=no_work)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("balance", [None, {}, {"base": 0}])
def test_a_header_that_does_not_say_how_much_it_counts(
    balance: object, fluent: Path, tmp_path: Path
) -> None:
    header, arrays = read_container(fluent)
    path = tmp_path / "bad.syntagma"
    about = {**header["language_model"], "balance": balance}
    write_container(path, {**header, "language_model": about}, arrays)
    with pytest.raises(ModelError, match=r"bad\.syntagma: .*no valid balance"):
        load(path)
    assert load(path, language_model=False).order(["She", "sang", "."])
