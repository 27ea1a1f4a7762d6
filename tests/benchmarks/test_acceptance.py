"""The benchmark of `accept`, on a toy treebank."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import acceptance
import pytest
from toys.benchmark_runs import call

import syntagma


def test_rates_are_those_of_accept(
    model: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    record_file, table_file = tmp_path / "record.json", tmp_path / "table.md"
    arguments = [str(model), "--data", str(treebank), "--margin", "0.2", "--max-words", "6"]
    arguments += ["--conditions", "none", "tree", "--json", str(record_file)]
    call(monkeypatch, "acceptance.py", *arguments, "--markdown", table_file)
    acceptance.main()
    record: dict[str, Any] = json.loads(record_file.read_text())
    assert record["signature"].startswith("model:toy|lm:no|margin:0.2|words:2-6|seed:1|data:toy.")
    sentences = [each for each in syntagma.read_treebank(treebank, "xpos") if len(each.forms) <= 6]
    linearizer = syntagma.load(model)
    accepted = [
        linearizer.accept(each.forms, each.forms, margin=0.2).accepted for each in sentences
    ]
    [every] = [
        each
        for each in record["rates"]
        if each["condition"] == "none" and each["lengths"] == [*acceptance._ALL]
    ]
    assert every["sentences"] == len(sentences)
    assert every["attested"] == sum(accepted) / len(accepted)
    assert {each["condition"] for each in record["rates"]} == {"none", "tree"}
    for each in record["verdicts"]:
        attested, swapped = (each[kind]["text"].split() for kind in acceptance.KINDS)
        place = each["first_swapped"] - 1
        assert attested[:place] == swapped[:place]
        assert attested[place] != swapped[place]
    found = [
        each["swapped"]["position"] == each["first_swapped"]
        for each in record["verdicts"]
        if each["condition"] == "tree" and each["swapped"]["verdict"] == "worse"
    ]
    [of_trees] = [each for each in record["rates"] if each["condition"] == "tree"][-1:]
    assert of_trees["faults_found"] == sum(found) / len(found)
    shown = capsys.readouterr().out
    assert f"{100 * every['attested']:.1f}" in shown
    assert f"| all | {len(sentences)} |" in table_file.read_text()


def test_nothing_to_judge(model: Path, treebank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = [str(model), "--data", str(treebank), "--margin", "1", "--max-words", "1"]
    call(monkeypatch, "acceptance.py", *arguments)
    with pytest.raises(SystemExit, match="no sentence of 2 to 1 words"):
        acceptance.main()
