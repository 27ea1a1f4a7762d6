"""`syntagma package` and `syntagma info --all`: from a model file to a model with a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from toys.packages import install, write_model

from syntagma.cli.app import run

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    write_model(tmp_path / "my.syntagma", name="tlh")
    return tmp_path


def test_package(folder: Path, capsys: Capture) -> None:
    record = {"data": {"name": "t"}, "conditions": [], "forms": 1.0}
    record["conditions"] = [{"condition": "none", "sentences": 3, "bleu": 1.0, "exact": 0.0}]
    (folder / "test.json").write_text(json.dumps(record))
    (folder / "LICENCE").write_text("Do as you like.")
    options = ["--figures", "test.json", "--licence-file", "LICENCE", "--version", "2.0"]
    assert run(["package", "my.syntagma", "--output", "out", *options]) == 0
    assert capsys.readouterr().out == ("out: syntagma-tlh 2.0; to install it: pip install ./out\n")
    assert "| none | 1.00 | 0.0 |" in (folder / "out" / "README.md").read_text()
    assert (folder / "out" / "LICENSE.txt").read_text() == "Do as you like."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--figures", "my.syntagma"], "my.syntagma: not text in UTF-8"),
        (["--figures", "none.json"], "none.json: cannot be read: No such file or directory"),
        (["--figures", "LICENCE"], "LICENCE: not JSON: give a file of `syntagma evaluate --json`"),
        (["--licence-file", "."], ".: cannot be read: Is a directory"),
        (["--name", "en"], "'en' is the name of a model that is part of Syntagma"),
        (["--version", "new"], "version must be like 1.0 or 1.0rc1, not 'new'"),
    ],
)
def test_faults(folder: Path, capsys: Capture, options: list[str], message: str) -> None:
    (folder / "LICENCE").write_text("Do as you like.")
    assert run(["package", "my.syntagma", "--output", "out", *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1
    assert not (folder / "out").exists()


def test_a_list_of_all_models(folder: Path, capsys: Capture) -> None:
    site = install(folder / "site")
    install(site, "broken", points="x = nowhere", package=None)
    assert run(["info", "--all"]) == 0
    heading, english, *others = capsys.readouterr().out.splitlines()
    assert heading.split() == [
        *("name", "language", "package", "search", "tags", "realizes", "lifting", "size"),
        *("licence", "file"),
    ]
    assert english.split()[:2] == ["en", "English"]
    file = site / "syntagma_tlh" / "tlh.syntagma"
    [line] = [each for each in others if each.startswith("tlh ")]
    assert line.split() == [
        *("tlh", "tlh", "syntagma-tlh", "1.2", "beam", "XPOS", "no", "no", "0.1", "MB"),
        *("CC0-1.0", str(file)),
    ]
    assert line.index("beam") == english.index("beam") == heading.index("search")
    assert others[-1] == (
        "unusable: broken 1.2 announces the model 'x', but there is no package nowhere; "
        "reinstall it"
    )

    assert run(["info", "--all", "--format", "json"]) == 0
    listed = {each["name"]: each for each in map(json.loads, capsys.readouterr().out.splitlines())}
    assert listed["tlh"]["path"] == str(file)
    assert not listed["tlh"]["error"]
    assert listed["x"]["error"] == others[-1].removeprefix("unusable: ")


def test_an_installed_model_in_commands(folder: Path, capsys: Capture) -> None:
    install(folder / "site")
    assert run(["order", "--model", "tlh", "w1", "w2"]) == 0
    assert sorted(capsys.readouterr().out.split()) == ["w1", "w2"]
    assert run(["info", "tlh", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["header"]["name"] == "tlh"
    assert record["size"] == Path(record["file"]).stat().st_size
    assert len(record["sha256"]) == 64
    assert run(["order", "--model", "fr-none", "w1"]) == 2
    assert "en-best-first, tlh; languages" in capsys.readouterr().err
