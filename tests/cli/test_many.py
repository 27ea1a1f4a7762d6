"""`syntagma train-many` and `syntagma tune`: what they ask for and what they print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toys.collections import add_broken
from toys.treebank import write_treebank

from syntagma.cli.app import run
from syntagma.cli.tune import TRIALS
from syntagma.neural.settings import NeuralSettings
from syntagma.sweeps import train_many, tune
from syntagma.sweeps.search import Trial
from syntagma.sweeps.train_many import TrainManyReport
from syntagma.sweeps.tune import TuningReport

FIGURES = {
    "training": {"sentences": 1200, "epochs": 3, "size": 2_500_000, "cpu_seconds": 90.0},
    "measured": {"on": "dev", "conditions": [{"condition": "none", "bleu": 5.0}]},
}
ROW = (
    "| fr_toy   |     1,200 |      3 | 5.00 |   - |    - |    - |        - |       - | dev | 2.5 |"
)


@pytest.mark.parametrize("failed", [{}, {"xx": "xx.conllu:1: bad"}])
def test_train_many(
    failed: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[Any] = []

    def fake(folders: Any, output: Any, **options: Any) -> TrainManyReport:
        options.pop("on_start")(2 + len(failed), 1)
        options.pop("on_progress")("fr_toy", "epoch 1 of 3")
        done = options.pop("on_treebank")
        for name, error in {"fr_toy": "", **failed}.items():
            done(name, error)
        calls.append((folders, output, options))
        return TrainManyReport(output, {"fr_toy": FIGURES}, failed, ("de",), ("en_pud",))

    monkeypatch.setattr(train_many, "train_many", fake)
    options = ["--epochs", "3", "--no-realize", "--limit", "9", "--jobs", "2", "--width", "96"]
    code = run(["train-many", "ud", "more", "-o", "out", *options])
    assert code == (2 if failed else 0)
    settings = NeuralSettings(epochs=3, realize=False, width=96)
    others = {"engine": "processes", "address": None, "limit": 9, "jobs": 2}
    assert calls == [([Path("ud"), Path("more")], Path("out"), {"settings": settings, **others})]
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[2].startswith(ROW)
    assert lines[3:] == (["", "failed:", "", "- xx: xx.conllu:1: bad"] if failed else [])
    assert err.splitlines() == [
        f"1 of {2 + len(failed)} treebanks are done already",
        "fr_toy: done",
        *(["xx: failed: xx.conllu:1: bad"] if failed else []),
        "without a training file, left out: en_pud",
        *(
            [
                "error: 1 of 3 treebanks failed: xx; the others are done. Run the same command "
                "again when the cause is removed"
            ]
            if failed
            else []
        ),
    ]


def test_tune(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[Any] = []
    settings = NeuralSettings(epochs=30, width=160, dropout=0.3, word_dropout=0.3)

    def fake(*arguments: Any, **options: Any) -> TuningReport:
        trials = (
            Trial(1, settings, 41.0, 20, 30, True),
            Trial(2, replace(settings, width=96), 40.0, 6, 6),
            Trial(3, settings, error="training diverged"),
        )
        options.pop("on_plan")
        for trial in trials:
            options["on_trial"](trial)
        del options["on_trial"]
        calls.append((arguments, options))
        return TuningReport(trials, 1)

    monkeypatch.setattr(tune, "tune", fake)
    assert run(["tune", "a", "b", "dev", "-o", "my.syntagma", "--minutes", "1.5"]) == 0
    [(arguments, options)] = calls
    assert arguments == ([Path("a"), Path("b")], Path("dev"), Path("my.syntagma"))
    assert (options["trials"], options["minutes"]) == (TRIALS, 1.5)
    assert options["settings"] == NeuralSettings()
    out, err = capsys.readouterr()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()]
    assert rows[2:] == [
        ["1", "160", "0.3", "0.3", "0.0015", "30", "20", "41.00", "finished"],
        ["2", "96", "0.3", "0.3", "0.0015", "30", "6", "40.00", "stopped after epoch 6"],
        ["3", "160", "0.3", "0.3", "0.0015", "30", "-", "-", "failed: training diverged"],
        [""],
        ["my.syntagma: the model of trial 1"],
    ]
    assert err.splitlines() == [
        "trial 1: dev BLEU 41.00, finished",
        "trial 2: dev BLEU 40.00, stopped after epoch 6",
        "trial 3: failed: training diverged",
    ]
    assert run(["tune", "train", "-o", "my.syntagma"]) == 0
    assert calls[1][0] == ([Path("train")], None, Path("my.syntagma"))


def test_the_default_number_of_trials_is_that_of_the_function() -> None:
    assert TRIALS == tune.TRIALS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train-many", "gone", "-o", "out"], "gone: no such file or folder"),
        (["train-many", "ud", "-o", "out", "--address", "auto"], "address goes with engine='ray'"),
        (["train-many", "ud", "-o", "out", "--width", "33"], "width must be a multiple of 32"),
        (["tune", "ud/xx_broken", "ud/xx_broken", "-o", "m", "--minutes", "0"], "minutes must be"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    add_broken(tmp_path / "ud")
    write_treebank(tmp_path / "ud" / "fr-ud-train.conllu")
    assert run(arguments) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert message in line
    assert not (tmp_path / "out").exists()
