"""Problems from files of any format: opened at once, each with its place."""

from __future__ import annotations

import gzip
import io
import lzma
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from syntagma.errors import ArgumentError, FormatError
from syntagma.files.reading import Place
from syntagma.formats.problems import guess_format, place_of, read_problems
from syntagma.problem.problem import Problem

PACKERS = {"plain": bytes, "gzip": gzip.compress, "xz": lzma.compress}
ROW = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_"


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_standard_input(monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(b"dog the\n\xff\n"))))
    problem, error = read_problems("-")
    assert isinstance(problem, Problem)
    assert str(error).startswith("<stdin>:2: not UTF-8")


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.conllu", "conllu"),
        ("a.conllu.xz", "conllu"),
        ("a.jsonl.gz", "jsonl"),
        ("a.json", "jsonl"),
        ("a.CoNLLU", "conllu"),
        ("a.txt", "text"),
        ("conllu", "text"),
        ("-", "text"),
    ],
)
def test_formats_are_guessed_from_names(name: str, format: str) -> None:
    assert guess_format(name) == format


@pytest.mark.parametrize("name", ["a.conllu", "a.jsonl", "a.txt"])
def test_an_empty_file_is_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.touch()
    (error,) = read_problems(path)
    assert str(error) == f"{path}: empty file: no problems"


@pytest.mark.parametrize("name", ["nothing.conllu", "nothing.jsonl", "nothing.txt"])
def test_a_missing_file_is_an_error_at_the_call(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match=r"nothing\..*: cannot read the file: No such file"):
        read_problems(tmp_path / name)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"format": "xml"}, "format must be one of conllu, jsonl, text, sr11, not 'xml'"),
        ({"format": "conllu", "tag_column": "pos"}, "tag_column must be upos or xpos, not 'pos'"),
    ],
)
def test_unknown_arguments_are_errors_at_the_call(
    tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    (tmp_path / "bags").touch()
    with pytest.raises(ArgumentError, match=message):
        read_problems(tmp_path / "bags", **arguments)


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("a.txt", "b a\n\nc\n", [1, 2, 3]),
        ("a.jsonl", '["b"]\n{}\n["c"]\n', [1, 2, 3]),
        ("a.conllu", f"# c\n{ROW}\n\n{ROW}\nx\n\n\n# d\n# e\n{ROW}\n", [2, 5, 10]),
        ("empty.txt", "", [None]),
    ],
)
def test_every_problem_and_every_fault_has_a_place(
    tmp_path: Path, name: str, content: str, lines: list[int | None]
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    found = [place_of(item) for item in read_problems(path)]
    assert found == [Place(str(path), line) for line in lines]


def test_a_problem_that_was_not_read_has_no_place() -> None:
    assert place_of(Problem.of(["a"])) is None
    assert place_of(FormatError("a fault")) is None


def test_places_in_messages() -> None:
    assert str(Place("a.txt", 3)) == "a.txt:3"
    assert str(Place("a.txt")) == "a.txt"
