"""The main tables of the documentation, made from records of other benchmarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import results
from toys.benchmark_runs import call

from syntagma.evaluation.evaluate import LENGTH_CLASSES
from syntagma.treebanks.conditions import MAIN_CONDITIONS

ROOT = Path(__file__).parents[2]


def figures(condition: str, bleu: float) -> dict[str, Any]:
    return {
        "condition": condition,
        "bleu": bleu,
        "exact": 12.34,
        "cpu_ms": 3.6,
        "units_ms": [90.0, 110.0],
        "lengths": [{"length": name, "cpu_ms": 9.96} for name in LENGTH_CLASSES],
    }


def scorer(name: str, bleu: float) -> dict[str, Any]:
    return {
        "scorer": name,
        "size_mb": 35.2,
        "load_s": 0.2,
        "peak_mb": 200,
        "per_second": {"1": 79, "2": 145},
        "conditions": [figures(condition, bleu) for condition in MAIN_CONDITIONS],
    }


@pytest.fixture
def records(tmp_path: Path) -> list[str]:
    gain = {
        "sentences": 2077,
        "without": {"bleu": 33.33},
        "with": {"bleu": 44.44},
        "difference": 11.11,
        "interval": [10.0, 12.0],
    }
    made: dict[str, Any] = {
        "scorers": {"models": [scorer("linear", 21.04), scorer("neural", 55.55)]},
        "gains": {
            "corpora": [
                {
                    "data": {"name": "toy.conllu", "sha256": "00" * 32},
                    "conditions": [{"condition": name, **gain} for name in MAIN_CONDITIONS],
                }
            ]
        },
        "closed": {"conditions": [figures("tree", 44.04)]},
    }
    options = []
    for name, record in made.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(record), encoding="utf-8")
        options += [f"--{name}", str(path)]
    return options


def test_tables_replace_those_of_the_pages(
    records: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The pages of this repository have the tables that are updated."""
    pages = ("README.md", "docs/lab/results.md", "docs/lab/language-model.md")
    for page in pages:
        copy = tmp_path / page
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((ROOT / page).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(results, "ROOT", tmp_path)
    call(monkeypatch, "results.py", *records)
    results.main()
    assert (tmp_path / "README.md").read_bytes() == (ROOT / "README.md").read_bytes()
    call(monkeypatch, "results.py", *records, "--update")
    results.main()
    capsys.readouterr()
    readme, page, gains = ((tmp_path / name).read_text(encoding="utf-8") for name in pages)
    assert (
        "| labelled tree (`labelled`) | **55.5** | 12.3 | 0.036 | 21.0 | 0.036 | 83.7 | 0.8 |"
        in (readme.splitlines())
    )
    row = "| unlabelled tree (`tree`) | **55.5** | 12.3 | 0.036 | 33.3 | 44.0 | 21.0 | 0.036 |"
    assert row in page
    assert "| model file, loading, peak memory | 35 MB, 0.20 s, 200 MB |" in page
    assert "| `labelled`: the same | 10, 10, 10, 10, 10 | 10, 10, 10, 10, 10 |" in page
    assert "| toy.conllu | half | 2,077 | 33.33 | 44.44 | +11.11 (+10.00 to +12.00) |" in gains
    for name, text in zip(pages, (readme, page, gains), strict=True):
        old = (ROOT / name).read_text(encoding="utf-8").splitlines()
        assert prose(text.splitlines()) == prose(old)


def prose(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith("|")]
