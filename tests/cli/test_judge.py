"""Judges on the command line: `syntagma fit-judge`, and `--judge-errors` of the others."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from toys.batches import without_processes

from syntagma.cli.app import run
from syntagma.judges import opening
from syntagma.judges.settings import read_settings

EXAMPLES = Path(__file__).parents[2] / "examples"
Capture = pytest.CaptureFixture[str]


class Judge:
    """Likes short words first."""

    value: float | None = None

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        return [
            -sum(len(word) / place for place, word in enumerate(each.split(), start=1))
            if self.value is None
            else self.value
            for each in sentences
        ]


@pytest.fixture(autouse=True)
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """The judge of every GGUF file."""
    made = Judge()
    monkeypatch.chdir(tmp_path)
    without_processes(monkeypatch)
    Path("my.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(
        opening, "_of_file", lambda path, name: opening._Opened(made, f"{name}-ab", "ab" * 32)
    )
    return made


def fit(*arguments: str) -> int:
    data = () if "--data" in arguments else ("--data", str(EXAMPLES / "dev.conllu"))
    return run(["fit-judge", *data, *arguments])


def test_fitting_a_judge(capsys: Capture) -> None:
    assert fit("--judge", "my.gguf", "--limit", "3") == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["given", "without", "with", "weight", "pool", "read"]
    assert [line.split()[0] for line in out[1:]] == [
        *("labelled", "tree", "some", "none", "lead", "my.judge.json:")
    ]
    stored = read_settings(Path("my.judge.json"))
    assert stored is not None
    assert (stored.judge, stored.model) == ("ab" * 32, "en")
    written = Path("my.judge.json").read_bytes()
    other = ("--limit", "3", "--threads", "2", "--output", "other.json")
    assert fit("--judge", "my.gguf", *other) == 0
    assert Path("other.json").read_bytes() == written
    for content in (b"{}", written.replace(b"ab" * 32, b"cd" * 32)):  # which it replaces
        Path("my.judge.json").write_bytes(content)
        assert run(["order", "--judge", "my.gguf", "dog", "the"]) == 2
        assert fit("--judge", "my.gguf", "--limit", "3") == 0
        assert Path("my.judge.json").read_bytes() == written
    assert "run syntagma fit-judge again" in capsys.readouterr().err
    assert run(["order", "--judge", "my.gguf", "dog", "the"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--judge", "smollm2"], "smollm2 brings its settings: name another file (--output)"),
        (["--judge", "nobody"], "there is no judge 'nobody'"),
        (["--judge", "hf:"], "--judge hf: names no folder"),
        (["--judge", "hf:none"], "there is no folder"),
        (["--judge", "my.gguf", "--output", "my.gguf"], "cannot write my.gguf: it is also an"),
        (["--judge", "my.gguf", "--data", "none.conllu"], "none.conllu"),
        (["--judge", "my.gguf", "--data", str(EXAMPLES / "everyday.txt")], "fitted on trees"),
        (["--judge", "my.gguf", "--model", "en-best-first"], "a model for best-first search"),
        (["--judge", "my.gguf", "--limit", "0"], "--limit"),
        ([], "Missing option '--judge'"),
    ],
)
def test_refusals(
    arguments: list[str], message: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "smollm2_file", lambda: Path("smollm2.gguf"))
    assert fit(*arguments) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("error: ")
    assert message in written.err
    assert written.err.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["my.gguf"]


def test_settings_of_smollm2_are_not_replaced(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "smollm2_file", lambda: Path("smollm2.gguf"))
    before = opening._SETTINGS.read_bytes()
    assert fit("--judge", "smollm2", "--output", str(opening._SETTINGS)) == 2
    assert "it is also an input" in capsys.readouterr().err
    assert opening._SETTINGS.read_bytes() == before


def test_what_is_too_long_is_told(
    judge: Judge, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from syntagma.errors import ProblemError

    def log_probs(sentences: Sequence[str]) -> list[float]:
        if max(map(len, sentences)) > 20:
            raise ProblemError("too long")
        return [-1.0] * len(sentences)

    monkeypatch.setattr(judge, "log_probs", log_probs)
    assert fit("--judge", "my.gguf") == 0
    assert "problems left out: too long for the model or the judge\n" in capsys.readouterr().err


def test_no_output_replaces_the_settings(capsys: Capture) -> None:
    Path("my.judge.json").write_text("settings")
    assert run(["order", "--judge", "my.gguf", "--output", "my.judge.json", "dog", "the"]) == 2
    assert "it is also an input" in capsys.readouterr().err
    assert Path("my.judge.json").read_text() == "settings"


def test_a_judge_that_fails(judge: Judge, capsys: Capture) -> None:
    judge.value = math.nan
    Path("bags.txt").write_text("dog the barked\nowls the hooted\n")
    order = ["order", "--file", "bags.txt", "--judge", "my.gguf", "--format", "json"]
    assert run(order) == 2
    assert "error: " in capsys.readouterr().err
    assert run([*order, "--judge-errors", "warn"]) == 0
    out, err = capsys.readouterr()
    assert all("judge" not in json.loads(line)["parts"] for line in out.splitlines())
    assert [line.partition("barked")[0][:22] for line in err.splitlines()] == [
        "warning: not judged: '"
    ] * 2
    evaluate = ["evaluate", "--data", str(EXAMPLES / "dev.conllu"), "--limit", "2", "-c", "none"]
    assert run([*evaluate, "--judge", "my.gguf"]) == 2
    assert run([*evaluate, "--judge", "my.gguf", "--judge-errors", "warn"]) == 0
    realize = ["realize", "--judge", "my.gguf", "bark", "dog", "the"]
    assert run(realize) == 2
    assert run([*realize, "--judge-errors", "warn"]) == 0


def test_a_judge_that_fails_on_a_corpus(judge: Judge, capsys: Capture) -> None:
    judge.value = math.inf
    Path("bags.txt").write_text("dog the barked\nowls the hooted\n")
    batch = ["batch", "order", "bags.txt", "--judge", "my.gguf", "--output"]
    assert run([*batch, "rejected"]) == 0
    assert "0 results, 2 rejected" in capsys.readouterr().out
    assert run([*batch, "out", "--judge-errors", "warn"]) == 0
    out, err = capsys.readouterr()
    assert "2 results, 0 rejected" in out
    assert err.count("warning: not judged: '") == 2
    manifest = json.loads(Path("out", "_manifest.json").read_text())
    assert manifest["settings"]["judge_errors"] == "warn"
    assert run([*batch, "out"]) == 2


@pytest.mark.parametrize("command", [["order"], ["realize"], ["serve", "--port", "0"]])
def test_judge_errors_go_with_a_judge(command: list[str], capsys: Capture) -> None:
    if command[0] == "serve":
        for package in ("uvicorn", "starlette", "prometheus_client", "python_multipart"):
            pytest.importorskip(package, reason=f"no {package}: pip install 'syntagma[server]'")
    assert run([*command, "--judge-errors", "warn", *["dog"] * (command[0] != "serve")]) == 2
    assert capsys.readouterr().err == "error: --judge-errors goes with a judge: name one\n"
