"""The text that a language model learns from: plain, tokenised or a treebank."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from toys.text import toy_text

from syntagma.errors import FormatError
from syntagma.training.language_model import read_sentence_words, train_lm

# Paragraphs with clitics, quotes and an abbreviation.
TEXT = "The wug didn't plog. “Zorp!” said Dr. Wug.\n\nA wug plogs.\n"
WORDS = [
    ["The", "wug", "did", "n't", "plog", "."],
    ['"', "Zorp", "!", '"', "said", "Dr.", "Wug", "."],
    ["A", "wug", "plogs", "."],
]


def test_plain_text_is_split_into_sentences_and_words(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert list(read_sentence_words(path)) == WORDS


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress), ("", gzip.compress)]
)
def test_packed_text(suffix: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / f"text.txt{suffix}"
    path.write_bytes(pack(TEXT.encode()))
    assert list(read_sentence_words(path)) == WORDS


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
    assert list(read_sentence_words(path, tokenized=tokenized)) == toy_text()


def test_words_with_spaces_in_a_treebank_are_several(tmp_path: Path) -> None:
    """Like the phrases of a problem, which are looked up word by word."""
    path = tmp_path / "toy.conllu"
    columns = "\t_" * 8
    path.write_text(f"1\twug{columns}\n2\t20 000{columns}\n\n")
    assert list(read_sentence_words(path)) == [["wug", "20", "000"]]


def test_tokenized_text_is_a_sentence_a_line(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("The wug did n't plog. Zorp\n\n  \n a  wug \n", encoding="utf-8")
    assert list(read_sentence_words(path, tokenized=True)) == [
        ["The", "wug", "did", "n't", "plog.", "Zorp"],
        ["a", "wug"],
    ]


def test_tokenized_text_is_split_at_spaces_only(tmp_path: Path) -> None:
    """Like bags of words: other white space may be part of a word."""
    path = tmp_path / "text.txt"
    path.write_text("wug 20\u202f000 a\x1cb\n", encoding="utf-8")
    assert list(read_sentence_words(path, tokenized=True)) == [["wug", "20\u202f000", "a\x1cb"]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.txt", "wug\t\tplog\n\t\n"),
        ("text.txt", "wug\tthe plog\n"),
        ("toy.conllu", "1\ta  wug" + "\t_" * 8 + "\n2\t plogs" + "\t_" * 8 + "\n\n"),
    ],
)
def test_no_word_is_empty_or_holds_a_space(name: str, content: str, tmp_path: Path) -> None:
    """Such a word would never be looked up, and ARPA files cannot express it."""
    path = tmp_path / name
    path.write_text(content)
    words = [word for sentence in read_sentence_words(path, tokenized=True) for word in sentence]
    assert "" not in words
    assert not [word for word in words if " " in word]


@pytest.mark.parametrize("name", ["TOY.CONLLU", "Toy.Conllu.GZ"])
def test_names_of_treebanks_in_any_case(name: str, treebank: Path, tmp_path: Path) -> None:
    content = treebank.read_bytes()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("GZ") else content)
    assert list(read_sentence_words(tmp_path / name)) == toy_text()


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
    ids=["text", "gzip", "xz", "columns", "numbers", "treebank"],
)
def test_faults_of_a_text_have_a_place(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    output = tmp_path / "out.lm"
    with pytest.raises(FormatError, match=f"{name}{message}") as caught:
        list(read_sentence_words(path))
    assert caught.value.source == str(path)
    with pytest.raises(FormatError, match=f"{name}{message}"):
        train_lm([path], output)
    assert sorted(each.name for each in tmp_path.iterdir()) == [name]


def test_lemmas_without_forms_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "lemmas.conllu"
    path.write_text("1\t_\teat\tVERB\tVB\t_\t0\troot\t_\t_\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r":1: the word 'eat' has a lemma but no FORM"):
        list(read_sentence_words(path))
