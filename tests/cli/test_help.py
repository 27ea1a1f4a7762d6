"""The help of the commands, and the defaults that it shows."""

from dataclasses import fields
from typing import Any

import pytest
import typer.main

from syntagma.best_first.settings import BestFirstSettings
from syntagma.cli.app import build_command_line, run
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.linear.settings import LinearSettings
from syntagma.neural.settings import NeuralSettings
from syntagma.request import DEFAULT_MAX_WORDS

GROUP: Any = typer.main.get_command(build_command_line())
COMMANDS = tuple(GROUP.commands)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_with_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert (
        f"syntagma {command}" in capsys.readouterr().out.partition("Usage:")[2].partition("\n")[2]
    )


def test_no_arguments_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "syntagma order the dog barked" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("syntagma ")


def defaults(command: str) -> dict[str, Any]:
    return {each.name: each.default for each in GROUP.commands[command].params}


@pytest.mark.parametrize(
    ("command", "settings", "different"),
    [
        ("train", NeuralSettings(), {"epochs"}),
        ("train", LinearSettings(), {"epochs", "update", "min_count", "realize"}),
        ("train", BestFirstSettings(), {"epochs", "update", "min_count", "realize"}),
        ("train-lm", LanguageModelSettings(), set()),
    ],
)
def test_defaults_are_those_of_the_settings(
    command: str, settings: Any, different: set[str]
) -> None:
    """What `different` names has no one default on the command line: it depends on the model."""
    shown = defaults(command)
    common = {each.name for each in fields(settings)} & shown.keys()
    assert len(common) > 4
    for name in common:
        assert shown[name] == (None if name in different else getattr(settings, name)), name


def test_the_limit_of_words_is_that_of_the_library() -> None:
    assert defaults("order")["max_words"] == defaults("realize")["max_words"] == DEFAULT_MAX_WORDS
