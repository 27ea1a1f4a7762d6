"""The benchmark of how much a judge reads, on a toy treebank with a toy model and a tiny judge."""

from __future__ import annotations

import json
from pathlib import Path

import judges
import plots
import pytest
from toys.benchmark_runs import call, needs_matplotlib
from toys.gguf_files import write_gguf

for package in ("gguf", "onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(package, reason=f"no {package}: pip install 'syntagma[judge]'")


@needs_matplotlib
def test_judges(
    model: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    judge = write_gguf(tmp_path / "tiny.gguf")
    plot, again, record = (tmp_path / name for name in ("a.svg", "b.svg", "judges.json"))
    options = ["--model", model, "--judge", judge, "--data", treebank, "--limit", 4]
    options += ["--condition", "none", "--read", "1/1", "8/4", "--leads", 0.5]
    options += ["--unit-command", "echo 20.0 ms", "--json", record, "--plot", plot]
    call(monkeypatch, "judges.py", *options)
    judges.main()
    [series] = json.loads(record.read_text())["series"]
    assert [(each["pool"], each["read"]) for each in series["points"]] == [(1, 1), (8, 4), (8, 4)]
    assert [each["lead"] for each in series["points"]][2] == 0.5
    assert "8 / 4 / 0.5" in capsys.readouterr().out
    call(monkeypatch, "plots.py", record, again)
    plots.main()
    assert again.read_bytes() == plot.read_bytes()
