"""The benchmark of time limits, with a toy model and small problems."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import time_limits
from toys.benchmark_runs import call
from toys.models import toy_linearizer

from syntagma.results.linearization import violations


def test_all_hard_problems_can_be_written_down() -> None:
    for problem, options in time_limits.hard_problems(2000).values():
        assert len(problem.words) <= options["max_words"]
    for name in ("bound trees and 20 free words", "tree of 100", "star of 100"):
        problem, options = time_limits.hard_problems(100)[name]
        assert violations(toy_linearizer().order(problem, beam=2, **options)) == []


def test_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: Path) -> None:
    record, page = tmp_path / "record.json", tmp_path / "page.md"
    limits = ("--limits", "60", "--times", "1000", "--most-words", "60")
    call(monkeypatch, "time_limits.py", model, *limits, "--json", record, "--markdown", page)
    time_limits.main()
    figures = json.loads(record.read_text(encoding="utf-8"))
    assert {row["60"]["kept"] for row in figures["late"].values()} == {True}
    assert figures["changed"]["1000"]["other"] == 0
    assert "bag of 60, the 1,000 best" in page.read_text(encoding="utf-8")
