"""Every command that writes a file refuses, before any work, an input and an unwritable place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from toys.treebank import write_treebank

from syntagma.cli.app import run

# OUTPUT is where the command writes; each other name in capitals is an input of it. No model of
# these names can be loaded, which shows that the output is checked first.
COMMANDS = [
    "train TRAIN DEV --output OUTPUT --pretrain PRETRAIN --start ./START",
    "train-lm TEXT MORE --dev DEV --output OUTPUT",
    "add-lm ./MODEL LM DEV --output OUTPUT",
    "convert TREES MORE --from ptb --output OUTPUT",
    "order --file FILE --model ./MODEL --output OUTPUT",
    "realize --file FILE --model ./MODEL --output OUTPUT",
    "evaluate --data DATA --model ./MODEL --json OUTPUT",
    "evaluate --sr --data DATA --input INPUT --model ./MODEL --json OUTPUT",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_treebank(tmp_path / "toy.conllu")
    return tmp_path


def inputs(command: str) -> list[str]:
    pieces = [piece.removeprefix("./") for piece in command.split()]
    return [piece for piece in pieces if piece.isupper() and piece != "OUTPUT"]


@pytest.mark.parametrize("link", ["same", "soft", "hard"])
@pytest.mark.parametrize(
    ("command", "lost"), [(command, name) for command in COMMANDS for name in inputs(command)]
)
def test_an_input_is_not_overwritten(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str, lost: str, link: str
) -> None:
    for name in inputs(command):
        shutil.copy("toy.conllu", name)
    before = (folder / "toy.conllu").read_bytes()
    output = folder / lost
    if link == "soft":
        output = folder / "link"
        output.symlink_to(lost)
    elif link == "hard":
        output = folder / "link"
        os.link(lost, output)
    files = sorted(os.listdir())
    arguments = [str(output) if piece == "OUTPUT" else piece for piece in command.split()]
    assert run(arguments) == 2
    assert "it is also an input" in capsys.readouterr().err
    assert (folder / lost).read_bytes() == before
    assert sorted(os.listdir()) == files


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("none/out", "there is no folder"),
        ("toy.conllu/out", "Not a directory"),
        (".", "it is a folder"),
        ("n" * 300, "File name too long"),
    ],
)
def test_an_unwritable_output_is_noticed_before_the_work(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str, output: str, reason: str
) -> None:
    for name in inputs(command):
        shutil.copy("toy.conllu", name)
    files = sorted(os.listdir())
    arguments = [output if piece == "OUTPUT" else piece for piece in command.split()]
    assert run(arguments) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("error: cannot write ")
    assert reason in errors
    assert errors.count("\n") == 1
    assert sorted(os.listdir()) == files
