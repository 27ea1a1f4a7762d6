"""Measuring a model again: the figures of training, and nothing else in the file changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import remeasure
from toys.benchmark_runs import call
from toys.sentences import write_sentences

import syntagma
from syntagma.errors import ModelError
from syntagma.models.container import read_container, write_container
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence

SENTENCES = [
    Sentence(
        forms=("Fast", "foxes", "to", "seem", "me", "run"),
        tags=("RB", "NNS", "TO", "VBP", "PRP", "VB"),
        heads=(6, 4, 6, 0, 4, 4),
        deprels=("advmod", "nsubj", "mark", "root", "obl", "xcomp"),
    ),
    Sentence(
        forms=("We", "saw", "two", "old", "boats"),
        tags=("PRP", "VBD", "CD", "JJ", "NNS"),
        heads=(2, 0, 5, 5, 2),
        deprels=("nsubj", "root", "nummod", "amod", "obj"),
    ),
]


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    return write_sentences(tmp_path / "toy.conllu", SENTENCES)


@pytest.mark.parametrize(
    "settings",
    [
        syntagma.LinearSettings(epochs=1, beam=3),
        syntagma.BestFirstSettings(epochs=1, dev_expansions=40),
    ],
)
def test_only_the_figures_change(
    settings: Settings,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "toy.syntagma"
    syntagma.train(treebank, treebank, path, settings=settings)
    header, arrays = read_container(path)
    measured = header["figures"]["dev"]
    wrong: dict[str, Any] = {"dev": dict.fromkeys(measured, 1.25), "epoch": 1}
    write_container(path, {**header, "figures": wrong}, arrays)
    before = path.read_bytes()

    call(monkeypatch, "remeasure.py", path, "--dev", treebank, "--dry-run")
    remeasure.main()
    assert path.read_bytes() == before
    assert f"labelled     1.25 → {measured['labelled']:6.2f}\n" in capsys.readouterr().out

    call(monkeypatch, "remeasure.py", path, "--dev", treebank)
    remeasure.main()
    found, kept = read_container(path)
    assert found["figures"] == {**header["figures"], "measured_with": syntagma.__version__}
    assert list(found.items()) == list({**header, "figures": found["figures"]}.items())
    assert list(kept) == list(arrays)
    assert all(kept[name].tobytes() == array.tobytes() for name, array in arrays.items())
    assert [each.name for each in tmp_path.iterdir() if each not in (path, treebank)] == []


def test_a_model_without_figures_is_refused(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "toy.syntagma"
    write_container(path, {"name": "toy"}, {})
    call(monkeypatch, "remeasure.py", path, "--dev", treebank)
    with pytest.raises(ModelError, match="no figures that could be measured again"):
        remeasure.main()
