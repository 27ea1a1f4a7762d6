"""Ray: the same models as with processes, and a search that stops what falls behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toys.collections import add_broken, add_treebank
from toys.treebank import write_treebank

import syntagma
from syntagma import LinearSettings, NeuralSettings, OutputError
from syntagma.engines import connected

ray: Any = pytest.importorskip("ray", reason="no Ray: pip install 'syntagma[ray]'")
pytest.importorskip("ray.tune", reason="no Ray Tune: pip install 'syntagma[ray]'")

pytestmark = pytest.mark.slow

STARTS = 5  # Ray gives up if it does not start within half a minute, which a busy machine may need


@pytest.fixture(scope="module")
def session() -> Iterator[None]:
    """One Ray for all tests: to start it takes longer than all that they do."""
    for left in reversed(range(STARTS)):
        context = connected(ray, None, 2)
        try:
            context.__enter__()
            break
        except OutputError:
            if not left:
                raise
    yield
    context.__exit__(None, None, None)
    assert not ray.is_initialized()


@pytest.mark.usefixtures("session")
def test_a_task_for_each_treebank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_treebank(tmp_path / "ud", "fr_toy")
    add_broken(tmp_path / "ud")
    monkeypatch.chdir(tmp_path)  # paths are relative to the folder of the caller
    settings = LinearSettings(epochs=1, beam=2)
    report = syntagma.train_many("ud", "models", settings=settings, engine="ray")
    assert [*report.figures] == ["fr_toy"]
    assert report.failed == {
        "xx_broken": f"{tmp_path}/ud/xx_broken/xx_broken-ud-train.conllu:1: 2 columns instead of "
        "10 separated by tabs"
    }
    here = tmp_path / "here.syntagma"
    train, dev = [
        tmp_path / "ud" / "fr_toy" / f"fr_toy-ud-{part}.conllu" for part in ("train", "dev")
    ]
    syntagma.train(train, dev, here, settings=settings, name="fr-toy", language="fr")
    assert (tmp_path / "models" / "fr_toy" / "fr_toy.syntagma").read_bytes() == here.read_bytes()


@pytest.mark.usefixtures("session")
def test_a_search_over_settings(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'syntagma[train]'")
    treebank = write_treebank(tmp_path / "toy.conllu")
    output = tmp_path / "best.syntagma"
    small = NeuralSettings(epochs=2, width=32, realize=False, batch_words=1000)
    ended: list[int] = []
    report = syntagma.tune(
        *(treebank, treebank, output),
        settings=small,
        trials=3,
        on_trial=lambda trial: ended.append(trial.number),
    )
    assert sorted(ended) == [1, 2, 3]
    best = report.trials[report.best - 1]
    assert best.finished
    assert best.bleu == max(trial.bleu or 0 for trial in report.trials)
    assert all(trial.finished or trial.last_epoch == 1 for trial in report.trials)
    assert syntagma.load(output).info.header["settings"]["dropout"] == best.settings.dropout
    assert not (tmp_path / "best.syntagma.tuning" / "ray").exists()
