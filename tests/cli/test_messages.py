"""What comes from files never acts on the terminal: control characters are printed as escapes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress
from toys.packages import install, write_model

from syntagma.cli.app import run
from syntagma.cli.info import flatten
from syntagma.cli.progress import Ticker
from syntagma.errors import ModelError
from syntagma.models.container import read_container, write_container
from syntagma.models.packaging import package

Capture = pytest.CaptureFixture[str]

HOSTILE = "a\x1b[2J\x07\x7f\x9b\u202e\u2066b"
SEEN = "a\\x1b[2J\\x07\\x7f\\x9b\\u202e\\u2066b"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def clean(capsys: Capture, *arguments: str, code: int = 0) -> tuple[str, str]:
    """What a command prints, without any control character but line ends."""
    assert run(list(arguments)) == code
    out, err = capsys.readouterr()
    for line in (out + err).split("\n"):
        assert not CONTROL.search(line), ascii(line)
    return out, err


def hostile_model(path: Path, **fields: Any) -> Path:
    """A model file whose header says this."""
    header, arrays = read_container(write_model(path))
    write_container(path, {**header, **fields}, arrays)
    return path


def test_unknown_tags_and_labels_in_warnings(capsys: Capture) -> None:
    rows = ["1\tdog\t_\t_\t{0}\t_\t0\troot\t_\t_", "2\tthe\t_\t_\tDT\t_\t1\t{0}\t_\t_"]
    text = "\n".join(rows).format(HOSTILE) + "\n\n"
    Path("bag.conllu").write_text(text, encoding="utf-8")
    out, err = clean(capsys, "order", "--file", "bag.conllu")
    assert out == "the dog\n"
    assert f"does not know the tag {SEEN} and orders" in err
    assert f"does not know the label {SEEN} and orders" in err


def test_file_names_with_line_ends(capsys: Capture) -> None:
    name = f"bags{HOSTILE}\nerror: all is lost.jsonl"
    Path(name).write_text('["the", "dog"]\n{}\n', encoding="utf-8")
    _, err = clean(capsys, "order", "--file", name, "--on-error", "skip")
    shown = f"bags{SEEN}\\nerror: all is lost.jsonl:2"
    assert err.splitlines() == [
        f"skipped: {shown}: the key 'words' is missing",
        f"skipped 1 of 2 problems: {shown}",
    ]
    _, err = clean(capsys, "order", "--file", name, code=2)
    assert err == f"error: {shown}: the key 'words' is missing\n"
    _, err = clean(capsys, "stats", f"none{HOSTILE}\n.conllu", code=2)
    assert err.startswith(f"error: none{SEEN}\\n.conllu: no file matches this")
    assert err.count("\n") == 1
    _, err = clean(capsys, "order", "--debug", "--file", name, code=2)
    assert f"{shown}: the key 'words' is missing" in err


def test_names_of_outputs(capsys: Capture) -> None:
    Path("trees.mrg").write_text("( (S (NP (DT The) (NN fox)) (VP (VBD ran)) (. .)) )\n")
    out, _ = clean(capsys, "convert", "trees.mrg", "--from", "ptb", "--output", f"{HOSTILE}.conllu")
    assert out.startswith(f"{SEEN}.conllu: 1 sentence")
    Path(f"{HOSTILE}.conllu").rename(f"{HOSTILE}\n2.conllu")
    out, _ = clean(capsys, "stats", f"{HOSTILE}\n2.conllu")
    assert out.splitlines()[0].strip() == f"{SEEN}\\n2.conllu"


def test_the_header_of_a_model(folder: Path, capsys: Capture, monkeypatch: Any) -> None:
    fields = dict.fromkeys(("licence", "attribution", "created_with"), f"{HOSTILE}\nfield")
    data = [{"name": f"{HOSTILE}\ndata", "words": 3}]
    odd = {HOSTILE: {HOSTILE: HOSTILE}}
    hostile_model(
        Path("my.syntagma"), name=f"{HOSTILE}\nmy", language=HOSTILE, data=data, **fields, **odd
    )
    out, _ = clean(capsys, "info", "./my.syntagma")
    assert f"\nlicence       {SEEN}\\nfield\n" in out
    everything, _ = clean(capsys, "info", "./my.syntagma", "--all")
    assert f"\n{SEEN}  " in everything
    about = json.loads(
        (run(["info", "./my.syntagma", "--format", "json"]), capsys.readouterr())[1].out
    )
    assert about["header"]["licence"] == f"{HOSTILE}\nfield"
    _, err = clean(capsys, "accept", "--model", "./my.syntagma", "--order", "a b", code=2)
    assert f"the model {SEEN}\\nmy has no margin" in err
    clean(capsys, "package", "./my.syntagma", "--output", "out", "--name", "mine")
    for page in ("README.md", "LICENSE.md", "pyproject.toml"):
        text = (folder / "out" / page).read_text(encoding="utf-8")
        assert not CONTROL.search(text), page
    monkeypatch.syspath_prepend(str(folder / "site"))
    site = install(folder / "site")
    hostile_model(next(site.rglob("*.syntagma")), language=HOSTILE, licence=HOSTILE)
    listed, _ = clean(capsys, "info", "--all")
    assert SEEN in listed


def test_a_long_name_in_an_error(capsys: Capture) -> None:
    hostile_model(Path("my.syntagma"), scorer="x" * 10**6 + HOSTILE)
    _, err = clean(capsys, "info", "./my.syntagma", code=2)
    assert "does not know the scorer 'xxx" in err
    assert len(err) < 400


def test_numbers_of_a_header_with_thousands_of_digits(capsys: Capture) -> None:
    hostile_model(Path("my.syntagma"), name="my", created_with="5" * 5_000, licence="MIT")
    assert package("./my.syntagma", "out") == "syntagma-my"
    assert "syntagma>=0.11" in Path("out/pyproject.toml").read_text()
    for digits in (200, 4_299):
        entries = [{"name": "a", "words": 10**digits}] * 10
        hostile_model(Path("my.syntagma"), data=entries)
        _, err = clean(capsys, "info", "./my.syntagma", code=2)
        assert err.startswith("error: my.syntagma: malformed model file: ")
        with pytest.raises(ModelError, match="malformed"):
            read_container("my.syntagma")


def test_lines_and_labels_of_the_progress(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("syntagma.cli.progress.PATIENCE", -1.0)
    labels: list[str] = []
    update = Progress.update

    def note(self: Progress, *given: Any, **fields: Any) -> None:
        labels.append(fields.get("description", ""))
        update(self, *given, **fields)

    monkeypatch.setattr(Progress, "update", note)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with Ticker("[/odd] learning") as ticker:
        ticker.print(f"before {HOSTILE}")
        ticker.advance()
        ticker.relabel(f"[/red]{HOSTILE}")
        ticker.print(f"after {HOSTILE}")
    assert f"[/red]{SEEN}" in labels
    printed = capsys.readouterr().err
    assert f"before {SEEN}" in printed
    assert f"after {SEEN}" in printed


def test_a_part_with_thousands_of_digits(capsys: Capture) -> None:
    Path("bags.txt").write_text("the dog\n")
    parts = f"1/{'9' * 5_000}"
    _, err = clean(capsys, "batch", "order", "bags.txt", "-o", "out", "--part", parts, code=2)
    assert err.startswith("error: Invalid value: --part is 1/999")
    assert len(err) < 300


def test_fields_of_a_header_that_are_not_what_they_should_be() -> None:
    """Found by fuzzing: `info --all` of a file that says what it likes."""
    header = {"start": [1], "language_model": "x", "templates": 3, "networks": {"a": {"b": None}}}
    shown = dict(flatten(header))
    assert shown == {
        "start": "1",
        "language model": "x",
        "templates": "3",
        "networks": "a b None",
    }
