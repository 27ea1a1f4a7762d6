"""The regression benchmark: what it records, and how it compares two records."""

import json
from pathlib import Path

import pytest
from regression import MODELS, compare


def _record(folder: Path, lines: list[object]) -> Path:
    (folder / "en").mkdir(parents=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "en" / "order.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_new_keys_are_ignored_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = _record(tmp_path / "before", [{"results": [{"score": 1.5}]}])
    after = _record(tmp_path / "after", [{"results": [{"score": 1.5, "syntax": 1.0}]}])
    assert compare(before, after, ["en"]) == 0
    assert "syntax" in capsys.readouterr().out
    assert compare(after, before, ["en"]) == 1


def test_other_values_and_missing_files_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _record(tmp_path / "before", [{"score": 1.5}, {"score": 2.5}])
    after = _record(tmp_path / "after", [{"score": 1.5}, {"score": 2.25}])
    assert compare(before, after, ["en"]) == 1
    assert "the first: [2]" in capsys.readouterr().out
    (after / "en" / "order.jsonl").unlink()
    assert compare(before, after, ["en"]) == 1
    assert compare(before, after, ["fr"]) == 1  # nothing was recorded


def test_models_are_in_the_repository() -> None:
    paths = [Path(each.model) for each in MODELS.values() if each.model.endswith(".syntagma")]
    assert len(paths) == 9
    assert all(path.is_file() for path in paths)
