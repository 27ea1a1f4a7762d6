"""Plain text as gold sentences: what is read, what is refused, and words as people type them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from syntagma.errors import FormatError
from syntagma.treebanks.plain_text import as_typed, is_plain_text, read_plain_text
from syntagma.treebanks.treebank import Sentence


def test_one_sentence_per_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("I can\u2019t sleep.\r\n\n \t\u200b\nDr. No rains? So. \n", encoding="utf-8")
    assert read_plain_text(path) == [
        Sentence(("I", "ca", "n't", "sleep", ".")),
        Sentence(("Dr.", "No", "rains", "?", "So", ".")),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.txt: empty file: no sentences"),
        (b"\n \n", "a.txt: empty file: no sentences"),
        (b"Yes.\n\n\xff\n", "a.txt:3: not UTF-8"),
        (b"Yes.\n" + b"w" * 10_001, "a.txt:2: the form of word 1 has 10001 characters"),
        (b"w " * 10_001, "a.txt:1: the sentence has 10001 words, more than the limit of 10000"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(FormatError) as error:
        read_plain_text(path)
    assert message in str(error.value)


def test_names_of_files(tmp_path: Path) -> None:
    for name in ("a.txt", Path("b/A.TXT.gz"), "a.txt.xz"):
        assert is_plain_text(name)
    for name in ("a.conllu", "txt", "a.txt.conllu", "-"):
        assert not is_plain_text(name)
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"Yes.\n"))
    assert read_plain_text(path) == [Sentence(("Yes", "."))]


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("Are You sure ?", "are you sure"),
        ("I think I 'M late ...", "I think I 'm late"),
        ("Wait ? !", "wait"),
        ("Wait ?!", "wait"),
        ("In Part II , I'M lost …", "in part ii , I'm lost"),
        ("It 's 5 p.m. , Mr. T. !", "it 's 5 p.m. , mr. t."),
        ('" Go . "', '" go . "'),
        ("! ?", "!"),
        (".", "."),
    ],
)
def test_as_typed(written: str, typed: str) -> None:
    assert as_typed(Sentence(tuple(written.split()))).text == typed


def test_as_typed_has_no_tree() -> None:
    annotated = Sentence(("Go", "!"), ("VB", "."), (0, 1), ("root", "punct"), "s1")
    assert as_typed(annotated) == Sentence(("go",), id="s1")
