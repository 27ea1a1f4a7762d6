"""The benchmark of realisation: what it measures, what it trains, and its table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import realization
from toys.realizer import toy_lemma_sentences, toy_realizing_model

import syntagma
from syntagma.errors import ModelError
from syntagma.evaluation.realization import lemma_problems

ROWS = [
    "joint",
    "inflect, then order",
    "order, then inflect",
    "order (forms given)",
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A treebank that is there: it is not read."""
    path = tmp_path / "toy.conllu"
    path.write_text("\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = list(toy_lemma_sentences()[:12])
    monkeypatch.setattr(realization, "load_model", lambda path, **_: toy_realizing_model())
    monkeypatch.setattr(realization, "model_path", lambda name: None)
    monkeypatch.setattr(syntagma, "read_treebank", lambda path, column: sentences)


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["realization.py", *map(str, arguments)])


def test_all_ways_are_measured(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = tmp_path / "figures.json"
    call(monkeypatch, "--data", data, "--limit", 8, "--unit-command", "", "--json", record)
    realization.main()
    figures: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))["figures"]
    assert list(figures) == ["no hints"]
    found = figures["no hints"]
    assert list(found) == ROWS
    assert all(each["sentences"] == 8 and not each["violations"] for each in found.values())
    assert found["order (forms given)"]["forms"] == 100
    assert set(found) - {name for name in found if "joint" in found[name]} == {ROWS[0], ROWS[3]}
    shown = capsys.readouterr().out
    assert all(f"no hints: {name}" in shown for name in ROWS)
    assert "SR19|sentences:8|lower-cased" in shown
    assert (
        f"|model:unsaved|beam:auto|seed:1|syntagma:{syntagma.__version__}|variant:joint/" in shown
    )


def test_hints_are_left_out_in_a_second_round(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = lemma_problems(toy_lemma_sentences()[:12])
    monkeypatch.setattr(realization, "read_problems", lambda *_: iter(problems))
    record = tmp_path / "figures.json"
    call(
        monkeypatch,
        *("--data", data, "--input", data, "--limit", 3, "--unit-command", "", "--json", record),
    )
    realization.main()
    figures = json.loads(record.read_text(encoding="utf-8"))["figures"]
    assert list(figures) == ["hints", "no hints"]


def test_the_pipelines_agree_on_the_order() -> None:
    pipelines = realization.Pipelines(toy_realizing_model())
    for problem in lemma_problems(toy_lemma_sentences()[:6]):
        first = pipelines.inflect_then_order(problem)
        second = pipelines.order_then_inflect(problem)
        assert first.order == second.order
        assert second.score >= first.score - 1e-9


def test_forms_that_are_given_are_those_of_the_treebank() -> None:
    for sentence, problem in zip(
        toy_lemma_sentences()[:6], lemma_problems(toy_lemma_sentences()[:6]), strict=True
    ):
        filled = realization.with_forms(problem, sentence)
        assert sorted(word.form for word in filled.words) == sorted(sentence.forms)


def test_a_model_that_does_not_realize_is_refused() -> None:
    model = SimpleNamespace(realizer=None, header={"name": "toy"})
    with pytest.raises(ModelError, match="toy has not learned to realize"):
        realization.Pipelines(model)  # type: ignore[arg-type]


def test_train_and_dev_go_together(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call(monkeypatch, "--data", data, "--train", data)
    with pytest.raises(SystemExit):
        realization.main()
    assert "--train and --dev go together" in capsys.readouterr().err


def test_a_model_that_is_there_is_not_trained_again(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    for name in ("train", "train_lm", "add_lm"):
        monkeypatch.setattr(syntagma, name, lambda *_, step=name, **__: steps.append(step))
    call(monkeypatch, "--data", data, "--train", data, "--dev", data, "--model", data)
    realization.learn(realization.parse_arguments())
    assert steps == []
    new = data.with_name("new.syntagma")
    call(monkeypatch, "--data", data, "--train", data, "--dev", data, "--model", new)
    realization.learn(realization.parse_arguments())
    assert steps == ["train", "train_lm", "add_lm"]
