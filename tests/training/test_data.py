"""What a run is going to do, as it is announced and recorded."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from toys.training_runs import Cut, cut_at
from toys.treebank import write_treebank

from syntagma.cli.app import run
from syntagma.linear.settings import LinearSettings
from syntagma.models.container import read_container
from syntagma.neural import adaptation
from syntagma.neural.adaptation import adapt
from syntagma.neural.parameters import Dimensions
from syntagma.neural.settings import NeuralSettings
from syntagma.training.data import TrainingPlan
from syntagma.training.train import train
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence

TINY = Dimensions(
    **{"width": 32, "layers": 2, "heads": 8, "feedforward": 32, "hidden": 32},
    **{"arc_hidden": 16, "rank": 8, "label_hidden": 16, "guess_after": 0},
)
DECIDED: dict[str, Any] = {
    **{"tag_column": "upos", "epochs": 52, "width": 160, "dropout": 0.3, "suffix_length": 3},
}
PAIR = Sentence(("a", "b"), ("X", "X"), (0, 1), ("root", "dep"))


def lines(settings: Settings, **changed: Any) -> list[str]:
    sizes = {"sentences": 4400, "words": 56_687, "dev_sentences": 950, "held_out": False}
    return TrainingPlan(settings, **{**sizes, **changed}).lines()


def test_the_lines() -> None:
    settings = adapt(NeuralSettings(**DECIDED), [PAIR])
    assert lines(settings) == [
        "4,400 sentences, 56,687 words; development set: 950 sentences (300 measured)",
        "52 epochs, width 160, dropout 0.3, UPOS tags, min count 2, suffix length 3; learns to "
        "order and to realize",
    ]
    assert lines(settings, dev_sentences=300)[0].endswith("; development set: 300 sentences")
    assert lines(settings, dev_sentences=400, held_out=True)[0] == (
        "4,400 sentences, 56,687 words; development set: 400 held-out sentences (300 measured)"
    )
    assert lines(LinearSettings())[1] == "10 epochs, XPOS tags; learns to order"


# ---- runs ------------------------------------------------------------------------------------


@pytest.fixture
def treebank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A toy, for which two epochs with a small network are decided."""
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'syntagma[train]'")
    training = import_module("syntagma.neural.training")
    monkeypatch.setattr(training, "dimensions_of", lambda settings: TINY)
    monkeypatch.setattr(adaptation, "MOST_EPOCHS", 2)
    return write_treebank(tmp_path / "toy.conllu")


def test_settings_left_open_and_the_recorded_ones_make_the_same_model(
    treebank: Path, tmp_path: Path
) -> None:
    plans: list[TrainingPlan] = []
    settings = NeuralSettings(batch_words=50)
    train(treebank, treebank, tmp_path / "open", settings=settings, name="toy")
    recorded = read_container(tmp_path / "open")[0]["settings"]
    assert recorded["epochs"] == 2
    assert None not in recorded.values()
    given = NeuralSettings(**recorded)
    output = tmp_path / "given"
    train(treebank, treebank, output, settings=given, name="toy", on_plan=plans.append)
    assert output.read_bytes() == (tmp_path / "open").read_bytes()
    [plan] = plans
    assert plan.settings == adapt(given, [])
    assert (plan.sentences, plan.dev_sentences, plan.held_out) == (10, 10, False)


def test_a_run_with_open_settings_is_resumed(treebank: Path, tmp_path: Path) -> None:
    settings = NeuralSettings(batch_words=50, realize=False)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    train(treebank, None, whole, settings=settings, name="toy")
    with pytest.raises(Cut):
        train(treebank, None, cut, settings=settings, name="toy", on_epoch=cut_at(1))
    assert len(train(treebank, None, cut, settings=settings, name="toy").epochs) == 2
    assert cut.read_bytes() == whole.read_bytes()


def test_what_the_command_prints(
    treebank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "toy.syntagma"
    assert run(["train", str(treebank), "-o", str(output), "--width", "32"]) == 0
    out, err = capsys.readouterr()
    printed = err.replace(str(treebank), "toy.conllu").splitlines()
    assert printed[:5] == [
        "warning: toy.conllu: only 9 sentences to learn from, so expect poor orders; machine-made "
        "trees help (--pretrain), or a model of the same language to start from (--start)",
        "warning: the development set: only 1 sentence, so the best epoch is chosen and measured "
        "by chance; a development set has some hundreds",
        "warning: toy.conllu has no lemmas: the model realizes words as they are given, it cannot "
        "inflect them (to leave realisation out: --no-realize)",
        "9 sentences, 50 words; development set: 1 held-out sentence",
        "2 epochs, width 32, dropout 0.4, XPOS tags, min count 2, suffix length 1; learns to order "
        "and to realize",
    ]
    assert [line.split(":")[0] for line in printed[5:7]] == ["epoch 1", "epoch 2"]
    assert "realize" in printed[5]
    assert all(line.startswith("warning: dev BLEU labelled is only") for line in printed[7:])
    assert out.startswith(f"{output}: the model of epoch ")
