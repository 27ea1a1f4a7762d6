"""Raw text on the command line: `--tokenize`, and the hint where a bag is one phrase."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from toys.linearizer import FakeLinearizer, fake_load

import syntagma.linearizer.linearizer
from syntagma.cli.app import run

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def linearizer(monkeypatch: pytest.MonkeyPatch) -> FakeLinearizer:
    """Orders alphabetically."""
    fake = FakeLinearizer()
    monkeypatch.setattr(syntagma.linearizer.linearizer, "load", fake_load(fake))
    return fake


def test_one_argument_with_blanks_gets_a_hint(capsys: Capture) -> None:
    assert run(["order", "dog the barked"]) == 0
    out, err = capsys.readouterr()
    assert out == "dog the barked\n"
    assert err.startswith("warning: 'dog the barked' is one phrase")
    assert err.count("\n") == 1
    assert "--tokenize" in err


@pytest.mark.parametrize(
    "arguments", [["dog"], ["New York", "in"], ["New York", "big apple"], ["--tokenize", "a b"]]
)
def test_no_hint_elsewhere(arguments: list[str], capsys: Capture) -> None:
    assert run(["order", *arguments]) == 0
    assert capsys.readouterr().err == ""


def test_no_hint_besides_an_error(capsys: Capture) -> None:
    assert run(["order", "dog  barked"]) == 2
    assert capsys.readouterr().err.startswith("error: the form of word 1 has an extra space")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["The dog didn't bark."], ". The bark did dog n't"),
        (["dog the barked"], "barked dog the"),
        (["dog\tthe\nbarked "], "barked dog the"),
        (["the dog", "barked!"], "! barked dog the"),
        (["“So—”"], '" " - So'),
    ],
)
def test_arguments(arguments: list[str], sentence: str, capsys: Capture) -> None:
    assert run(["order", "--tokenize", *arguments]) == 0
    assert capsys.readouterr() == (f"{sentence}\n", "")


def test_files_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    text = b"The dog's bark.\nb, a\n"
    file = tmp_path / "raw.txt.gz"
    file.write_bytes(gzip.compress(text))
    assert run(["order", "--tokenize", "--file", str(file)]) == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert run(["order", "--tokenize"]) == 0
    assert capsys.readouterr().out == "'s . The bark dog\n, a b\n" * 2


@pytest.mark.parametrize("arguments", [["--file", "x.conllu"], ["--input-format", "json"]])
def test_only_plain_text_is_tokenized(arguments: list[str], capsys: Capture) -> None:
    assert run(["order", "--tokenize", *arguments]) == 2
    assert "--tokenize is for plain text" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "\u200b", " \n"])
def test_nothing_to_order(text: str, capsys: Capture) -> None:
    assert run(["order", "--tokenize", text]) == 2
    assert capsys.readouterr().err == "error: empty bag: give at least one word\n"


def test_orders_to_score(capsys: Capture) -> None:
    assert run(["score", "--tokenize", "--order", "It's so.", "--order", "So's it."]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split("\t")[-1] for line in lines) == ["It 's so .", "So 's it ."]
    assert run(["score", "--tokenize", "So's it.", "--order", "it's So."]) == 0
    assert capsys.readouterr().out.endswith("\tit 's So .\n")
