"""The benchmarks that compare models and beams, on a toy treebank with a toy model."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import beams
import machine
import plots
import pytest
import scorers
from toys.benchmark_runs import SIZE, call, needs_matplotlib


@pytest.mark.slow
def test_scorers(
    model: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(machine, "load_seconds", lambda model: 0.25)
    monkeypatch.setattr(machine, "peak_megabytes", lambda model, bags, beam: 99.0)
    json_file, page = tmp_path / "scorers.json", tmp_path / "scorers.md"
    files = ["--json", json_file, "--markdown", page]
    call(
        monkeypatch,
        "scorers.py",
        model,
        "--data",
        treebank,
        "--beam",
        4,
        "--unit-command",
        "",
        *files,
    )
    scorers.main()

    printed = capsys.readouterr().out
    assert f"toy.conllu, {SIZE} sentences" in printed
    assert "beam 4" in printed
    assert "0.25 s" in printed
    assert "99 MB" in printed
    assert "no machine unit" in printed
    assert "condition:none/pos/half/tree/labelled" in printed
    rows = [line.split("|")[1].strip() for line in page.read_text().splitlines() if "|" in line]
    assert rows[2:9] == [
        *("none", "pos", "half", "tree", "labelled"),
        *("none, 1-10 words", "labelled, 1-10 words"),
    ]
    record = json.loads(json_file.read_text())
    [measured] = record["models"]
    assert [len(figures["lengths"]) for figures in measured["conditions"]] == [5] * 5
    assert measured["per_second"].keys() == {"1", "2"}
    if find_spec("matplotlib"):
        plots.time_against_length(record, tmp_path / "time.svg")
        assert "neural, labelled" in (tmp_path / "time.svg").read_text()


@needs_matplotlib
def test_beams(
    model: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plot, again, record = (tmp_path / name for name in ("a.svg", "b.svg", "beams.json"))
    options = ["--beams", 1, 4, "--unit-command", "echo 20.0 ms"]
    files = ["--plot", plot, "--json", record]
    call(monkeypatch, "beams.py", model, "--data", treebank, "--limit", 4, *options, *files)
    beams.main()
    printed = capsys.readouterr().out
    assert "neural, labelled" in printed
    assert "after 1, 4: 20.0 20.0 20.0 ms" in printed
    assert "beam:1/4" in printed
    call(monkeypatch, "plots.py", record, again)
    plots.main()
    assert plot.read_bytes() == again.read_bytes()
    assert "beam width" in plot.read_text()
