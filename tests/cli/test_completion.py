"""Shell completion: of commands, options and their values; scripts for the shells."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from syntagma.cli.app import COMMANDS


def syntagma(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from syntagma.cli import main; main()", *arguments],
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
    )


def complete(line: str) -> set[str]:
    done = syntagma(
        _SYNTAGMA_COMPLETE="complete_bash",
        COMP_WORDS=f"syntagma {line}",
        COMP_CWORD=str(line.count(" ") + 1),
    )
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.split())


def test_commands() -> None:
    assert complete("") >= set(COMMANDS)
    assert complete("train") == {"train", "train-lm", "train-many"}


def test_options_and_values() -> None:
    assert complete("order --n") == {"--n-best", "--no-lm"}
    assert complete("info --a") == {"--all"}
    assert complete("order --search b") == {"beam", "best-first"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell: str) -> None:
    done = syntagma("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "_SYNTAGMA_COMPLETE" in done.stdout
    assert f"complete_{shell}" in done.stdout
