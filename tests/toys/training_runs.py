"""Short training runs on the toy treebank that can be measured and cut off at will."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from syntagma.linear.settings import LinearSettings
from syntagma.models.container import read_container
from syntagma.training import run as training_run
from syntagma.training.run import TrainingReport
from syntagma.training.train import train
from syntagma.treebanks.settings import Settings
from toys.treebank import SENTENCES

EPOCHS = 3
RISING = tuple(float(number) for number in range(1, EPOCHS + 1))  # so that the last epoch is best
SIZE = len(SENTENCES.strip().splitlines())


class Cut(BaseException):
    """Stands for the end of the process."""


def run(
    treebank: Path, output: Path, settings: Settings | None = None, **options: Any
) -> TrainingReport:
    settings = settings or LinearSettings(epochs=EPOCHS, beam=4)
    return train(treebank, treebank, output, settings=settings, name="toy", **options)


def measured(monkeypatch: pytest.MonkeyPatch, *bleu: float) -> None:
    """Have the next epochs measured with these results."""
    results = iter(bleu)

    def evaluate(linearizer: object, sentences: object, conditions: object, **_: Any) -> Any:
        return SimpleNamespace(figures=[SimpleNamespace(condition="none", bleu=next(results))])

    monkeypatch.setattr(training_run, "evaluate", evaluate)


def cut_at(
    count: int, function: Callable[..., Any] = lambda *_: None, *, after: bool = False
) -> Callable[..., Any]:
    """The function, cut off at its call number `count`, before or after it did its work."""
    calls = 0

    def cut_off(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == count and not after:
            raise Cut
        result = function(*arguments, **options)
        if calls == count:
            raise Cut
        return result

    return cut_off


def at_each_step_of_each_epoch(test: Callable[..., None]) -> Callable[..., None]:
    """Parameters of a test that cuts a run off at the end of an epoch, see `cut_and_resumed`."""
    for name, values in (
        ("epoch", range(1, EPOCHS + 1)),
        ("after", (False, True)),
        ("step", ("evaluate", "save_model", "write_container")),
    ):
        test = pytest.mark.parametrize(name, values)(test)
    return test


def cut_and_resumed(
    run: Callable[..., TrainingReport],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    after: bool,
    epoch: int,
) -> TrainingReport:
    """The report of a run that was cut off at the end of an epoch, before or after a step of it,
    and went on: with the epochs that were not saved yet, and no others."""
    with monkeypatch.context() as patch:
        measured(patch, *RISING)
        patch.setattr(training_run, step, cut_at(epoch, getattr(training_run, step), after=after))
        with pytest.raises(Cut):
            run(output)
    assert not output.exists()

    saved = epoch if step == "write_container" and after else epoch - 1
    measured(monkeypatch, *RISING[saved:])
    done: list[int] = []
    report = run(output, on_epoch=lambda each: done.append(each.number))
    assert done == list(range(saved + 1, EPOCHS + 1))
    return report


def cut_twice_within_an_epoch(
    run: Callable[..., TrainingReport],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
    sentence: int,
    size: int,
) -> None:
    """A run over `size` sentences, cut off at the same sentence twice; then it may go on."""
    saved = 0
    for _ in range(2):
        measured(monkeypatch, *RISING[saved:])
        with pytest.raises(Cut):
            run(output, on_sentence=cut_at(sentence))
        saved += (sentence - 1) // size
    measured(monkeypatch, *RISING[saved:])
    run(output)


def cut_while_tidying_up(
    run: Callable[..., TrainingReport], output: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> bytes:
    """The model of a run that was cut off when it removed its folder, before or after that, and,
    if there is something left to tidy up, went on without learning anything."""
    with monkeypatch.context() as patch:
        measured(patch, *RISING)
        removed = cut_at(1, training_run.remove_folder, after=after)
        patch.setattr(training_run, "remove_folder", removed)
        with pytest.raises(Cut):
            run(output)
    found = output.read_bytes()
    if not after:
        assert run(output, on_sentence=cut_at(1)).best == EPOCHS
    assert output.read_bytes() == found
    return found


def weights(path: Path) -> dict[int, int]:
    """The weights of a model, in steps, by the fingerprints of their features."""
    arrays = read_container(path)[1]
    return dict(zip(arrays["fingerprints"].tolist(), arrays["weights"].tolist(), strict=True))
