"""The benchmark of a language model by itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import language_model
import machine
import pytest
from toys.benchmark_runs import SIZE, call, toy_forms

from syntagma.training.language_model import perplexity, read_lm


def test_a_language_model_alone(
    arpa: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(language_model, "SECONDS", 0.001)
    monkeypatch.setattr(language_model, "load", lambda *_: {"load_s": 0.25, "memory": 3e6})
    own, record = arpa.with_suffix(".lm"), tmp_path / "lm.json"
    options = ["--unit-command", "echo 20.0 ms", "--json", record]
    call(monkeypatch, "language_model.py", own, "--data", treebank, *options)
    language_model.main()
    printed = capsys.readouterr().out
    assert f"toy.conllu, {SIZE} sentences" in printed
    assert "0.25 s" in printed
    assert "after words, numbers: 20.0 20.0 20.0 ms" in printed
    [figures] = json.loads(record.read_text())["models"]
    assert figures["bytes"] <= own.stat().st_size
    assert figures["perplexity"] == pytest.approx(perplexity(read_lm(own)[0], toy_forms()))


def test_kenlm_sees_the_same_text(
    arpa: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed")
    monkeypatch.setattr(language_model, "SECONDS", 0.001)
    monkeypatch.setattr(language_model, "load", lambda *_: {"load_s": 0.25, "memory": 3e6})
    sentences = [["The", "cook", "unheard", "1 000", "<unk>"], ["Unheard", "boats", "."]]
    unit = machine.Unit([])
    model, _ = read_lm(arpa)
    other = language_model.measure_kenlm(kenlm, arpa, model.words, sentences, unit)
    own = language_model.measure_syntagma(arpa, model, sentences, unit)
    # So few n-grams lose nothing in the own table.
    assert other["perplexity"] == pytest.approx(own["perplexity"], rel=1e-5)
    assert other["sum"] == pytest.approx(1, abs=1e-5)
    assert own["sum"] == pytest.approx(1, abs=1e-5)
    table = language_model.column(other, 100)
    assert table["per unit, by words"] == table["look-ups per second, by numbers"] == "-"
    with pytest.raises(SystemExit, match=r"none\.arpa: KenLM cannot read it"):
        language_model.measure_kenlm(kenlm, tmp_path / "none.arpa", (), sentences, unit)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system counts otherwise")
def test_loading_is_measured_in_a_fresh_process(arpa: Path) -> None:
    figures = language_model.load(language_model.SYNTAGMA, arpa)
    assert 0 < figures["load_s"] < 10
    assert figures["memory"] >= 0


def test_a_missing_kenlm_is_told(
    arpa: Path, treebank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "kenlm", None)
    call(monkeypatch, "language_model.py", arpa, "--data", treebank, "--arpa", arpa)
    with pytest.raises(SystemExit, match="pip install kenlm"):
        language_model.main()
