"""Several files as one corpus: their order, patterns, and what does not go together."""

from __future__ import annotations

from pathlib import Path

import pytest

from syntagma.errors import ArgumentError, FormatError
from syntagma.treebanks.corpus import corpus_files, read_corpus

AUTO = "(<T S 1 2> (<L NP NN NN rain NP>) (<L S\\NP VBZ VBZ falls S\\NP>) )\n"


def write(folder: Path, name: str, word: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"1\t{word}\t_\t_\tUH\t_\t0\troot\t_\t_\n")
    return path


def test_files_are_read_in_the_order_given_and_matches_in_the_order_of_names(
    tmp_path: Path,
) -> None:
    last = write(tmp_path, "z.conllu", "zero")
    for number in (10, 9, 1):
        write(tmp_path, f"wsj/{number:02}.conllu", f"w{number}")
    pattern = str(tmp_path / "*" / "*.conllu")
    assert [each.text for each in read_corpus([last, pattern])] == ["zero", "w1", "w9", "w10"]
    assert [each.text for each in read_corpus(pattern)] == ["w1", "w9", "w10"]


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path, "a.conllu", "once")
    link = tmp_path / "b.conllu"
    link.symlink_to(path)
    assert corpus_files([path, tmp_path / "*.conllu", str(path)]) == [path]
    assert len(read_corpus([link, path])) == 1


def test_kinds_are_not_mixed(tmp_path: Path) -> None:
    treebank = write(tmp_path, "a.conllu", "mixed")
    ccgbank = tmp_path / "a.auto"
    ccgbank.write_text(AUTO)
    assert read_corpus(ccgbank)[0].forms == ("rain", "falls")
    text = tmp_path / "a.txt"
    text.write_text("It rains.\n")
    assert read_corpus(text)[0].forms == ("It", "rains", ".")
    for first, kind, second, other in (
        (treebank, "a treebank", ccgbank, "a CCGbank"),
        (ccgbank, "a CCGbank", treebank, "a treebank"),
        (treebank, "a treebank", text, "plain text"),
        (text, "plain text", ccgbank, "a CCGbank"),
    ):
        with pytest.raises(FormatError) as error:
            corpus_files([first, second])
        assert str(error.value).startswith(f"{second}: {other}, but {first} is {kind};")


def test_no_files(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="data must name at least one file"):
        corpus_files([], "data")
    with pytest.raises(FormatError, match=r"b\*\.conllu: no file matches"):
        read_corpus(tmp_path / "b*.conllu")
