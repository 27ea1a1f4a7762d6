"""`syntagma doctor`: what it prints, and its exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from syntagma.cli.app import run
from syntagma.linearizer import diagnosis
from syntagma.linearizer.diagnosis import CheckedModel, Environment, Package

Capture = pytest.CaptureFixture[str]

ENVIRONMENT = Environment(
    version="0.12.0",
    folder="~/venv/lib/python3.11/site-packages/syntagma",
    installed="from an index",
    core={"compiler": "GCC 12.2.0", "instructions": "AVX2, FMA"},
    python="CPython 3.11.7",
    executable="~/venv/bin/python",
    platform="Linux-6.1-x86_64-with-glibc2.36",
    processor="A Processor",
    processors=2,
    memory=8 * 2**30,
    encodings={"files": "utf-8", "locale": "UTF-8", "output": "utf-8"},
    packages=[Package("numpy", "2.1.3", ">=1.26,<3", ""), Package("torch", None, ">=2.6", "train")],
    problems=[],
)
MODEL = CheckedModel("en", "syntagma 0.12.0", 34_600_000, "f0c8" * 16, "the dog barked", True, "")
GOLDEN = """\
syntagma   0.12.0, installed from an index, ~/venv/lib/python3.11/site-packages/syntagma
core       GCC 12.2.0; AVX2, FMA
python     CPython 3.11.7, ~/venv/bin/python
platform   Linux-6.1-x86_64-with-glibc2.36
processor  A Processor, 2 usable, 8.0 GiB
encodings  files utf-8, locale UTF-8, output utf-8

package  version  needed     extra
numpy    2.1.3    >=1.26,<3  -
torch    -        >=2.6      train

model  package          size     sha256        works
en     syntagma 0.12.0  34.6 MB  f0c8f0c8f0c8  yes: the dog barked
"""


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> list[CheckedModel]:
    """The models that the command is told of; the environment is the one above."""
    found = [MODEL]
    monkeypatch.setattr(diagnosis, "environment", lambda: ENVIRONMENT)
    monkeypatch.setattr(diagnosis, "check_models", lambda: iter(found))
    return found


@pytest.mark.usefixtures("models")
def test_text(capsys: Capture) -> None:
    assert run(["doctor"]) == 0
    assert capsys.readouterr().out == f"{GOLDEN}\nno problems found\n"


def test_problems(models: list[CheckedModel], capsys: Capture) -> None:
    models.append(CheckedModel("fr", "syntagma-fr 1.0", 0, "", "", None, "it is broken"))
    assert run(["doctor"]) == 2
    out = capsys.readouterr().out
    assert out.startswith(GOLDEN.partition("\nmodel")[0])
    assert out.endswith(
        "fr     syntagma-fr 1.0  -        -             no\n\nproblem: fr: it is broken\n"
    )


def test_only_what_is_known_to_be_a_sentence_is_printed(
    models: list[CheckedModel], capsys: Capture
) -> None:
    models.append(CheckedModel("tlh", "mine 1.0", 1_000_000, "00ff" * 16, "b a c", None, ""))
    assert run(["doctor"]) == 0
    assert "tlh    mine 1.0         1.0 MB   00ff00ff00ff  yes\n" in capsys.readouterr().out


def test_json(models: list[CheckedModel], capsys: Capture) -> None:
    models.append(CheckedModel("fr", "syntagma-fr 1.0", 0, "", "", None, "it is broken"))
    assert run(["doctor", "--json"]) == 2
    record = json.loads(capsys.readouterr().out)
    assert record["version"] == "0.12.0"
    assert record["packages"][1] == {
        "name": "torch",
        "version": None,
        "needed": ">=2.6",
        "extra": "train",
    }
    assert [model["right"] for model in record["models"]] == [True, None]
    assert record["problems"] == ["fr: it is broken"]


@pytest.mark.usefixtures("models")
def test_what_is_known_is_printed_before_a_model_crashes(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def crash() -> None:
        raise RuntimeError

    monkeypatch.setattr(diagnosis, "check_models", crash)
    assert run(["doctor"]) == 1
    assert capsys.readouterr().out == GOLDEN.partition("model")[0]


@pytest.mark.slow
def test_without_compiled_modules_and_without_network() -> None:
    """A process in which no compiled module can be imported, and no socket be opened."""
    code = (
        "import sys, socket\n"
        "from importlib.machinery import ExtensionFileLoader\n"
        "load = ExtensionFileLoader.create_module\n"
        "def refuse(self, spec):\n"
        "    if spec.name.startswith('syntagma.'): raise ImportError(f'no {spec.name}')\n"
        "    return load(self, spec)\n"
        "ExtensionFileLoader.create_module = refuse\n"
        "def no_socket(*_, **__): raise AssertionError('a socket')\n"
        "socket.socket = no_socket\n"
        "from syntagma.cli.app import run\n"
        "sys.exit(run(['doctor']))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr == ""
    assert "\ncore       cannot be loaded\n" in result.stdout
    assert (
        "problem: the compiled modules cannot be loaded (ImportError: no syntagma." in result.stdout
    )
    assert str(Path.home()) + "/" not in result.stdout
