"""Training that is cut off anywhere goes on and ends with the model of an undisturbed run.

A process that is really killed is the business of cli/test_process.py.
"""

from __future__ import annotations

import errno
import os
import stat
from functools import partial
from pathlib import Path

import pytest
from toys.training_runs import (
    EPOCHS,
    RISING,
    SIZE,
    Cut,
    at_each_step_of_each_epoch,
    cut_and_resumed,
    cut_at,
    cut_twice_within_an_epoch,
    cut_while_tidying_up,
    measured,
    run,
    weights,
)
from toys.treebank import write_treebank

from syntagma.errors import OutputError, TrainingError
from syntagma.linear.settings import LinearSettings
from syntagma.models.container import read_container

# Each epoch is better than those before it, so that each saves its model.


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("treebank") / "toy.conllu")


@pytest.fixture(scope="module")
def whole(treebank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model of a run that nothing disturbed."""
    path = tmp_path_factory.mktemp("whole") / "whole.syntagma"
    with pytest.MonkeyPatch.context() as patch:
        measured(patch, *RISING)
        assert run(treebank, path).best == EPOCHS
    return path


@pytest.mark.slow
@at_each_step_of_each_epoch
def test_cut_off_at_the_end_of_an_epoch(
    treebank: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    after: bool,
    epoch: int,
) -> None:
    output = tmp_path / "cut.syntagma"
    report = cut_and_resumed(partial(run, treebank), output, monkeypatch, step, after, epoch)
    assert [each.number for each in report.epochs] == [1, 2, 3]
    assert output.read_bytes() == whole.read_bytes()
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize("after", [False, True])
def test_cut_off_while_tidying_up(
    treebank: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    """The model is in its place, its folder is still there, or it is gone and training is over."""
    output = tmp_path / "cut.syntagma"
    found = cut_while_tidying_up(partial(run, treebank), output, monkeypatch, after)
    assert found == whole.read_bytes()
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize("sentence", [1, SIZE // 2, SIZE + 3])
def test_cut_off_twice_within_an_epoch(
    treebank: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sentence: int
) -> None:
    output = tmp_path / "cut.syntagma"
    cut_twice_within_an_epoch(partial(run, treebank), output, monkeypatch, sentence, SIZE)
    assert output.read_bytes() == whole.read_bytes()


def test_going_on_with_another_number_of_threads(
    treebank: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(monkeypatch, *RISING)
    with pytest.raises(Cut):
        run(treebank, tmp_path / "cut", on_epoch=cut_at(1))
    run(treebank, tmp_path / "cut", threads=3)
    assert (tmp_path / "cut").read_bytes() == whole.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("write", range(1, 2 * EPOCHS + 1))
def test_a_disk_that_is_full_for_a_while(
    treebank: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: int
) -> None:
    """Each epoch writes its model and its state; an older model stays until the run is over."""
    output = tmp_path / "full.syntagma"
    output.write_bytes(b"an older model")
    written = 0

    def fsync(descriptor: int) -> None:
        nonlocal written
        written += stat.S_ISREG(os.fstat(descriptor).st_mode)
        if written == write:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        measured(patch, *RISING)
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(OutputError, match="No space left"):
            run(treebank, output)
    assert output.read_bytes() == b"an older model"
    measured(monkeypatch, *RISING[(write - 1) // 2 :])
    run(treebank, output)
    assert output.read_bytes() == whole.read_bytes()
    assert list(tmp_path.iterdir()) == [output]


def test_the_best_model_so_far_is_kept_when_going_on(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(monkeypatch, 30, 10, 20)
    with pytest.raises(Cut):
        run(treebank, tmp_path / "cut", on_epoch=cut_at(2))
    assert run(treebank, tmp_path / "cut").best == 1
    measured(monkeypatch, 30, 10, 20)
    run(treebank, tmp_path / "whole")
    assert (tmp_path / "cut").read_bytes() == (tmp_path / "whole").read_bytes()
    assert read_container(tmp_path / "cut")[0]["figures"]["epoch"] == 1


def test_a_folder_of_another_run_is_left_alone(
    treebank: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "model"
    measured(monkeypatch, *RISING)
    with pytest.raises(Cut):
        run(treebank, output, on_epoch=cut_at(1))
    fewer = tmp_path / "toy.conllu"
    fewer.write_text(treebank.read_text().split("\n\n")[0] + "\n\n", encoding="utf-8")
    for data, settings in [
        (treebank, LinearSettings(epochs=EPOCHS, beam=5)),
        (treebank, LinearSettings(epochs=EPOCHS, beam=4, seed=2)),
        (fewer, LinearSettings(epochs=EPOCHS, beam=4)),
    ]:
        with pytest.raises(TrainingError, match=r"model\.training holds .* other data or settings"):
            run(data, output, settings)
    run(treebank, output)
    assert output.read_bytes() == whole.read_bytes()


def test_the_folder_of_another_run_can_be_removed(
    treebank: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "model"
    measured(monkeypatch, *RISING)
    with pytest.raises(Cut):
        run(treebank, output, LinearSettings(epochs=EPOCHS, beam=4, seed=2), on_epoch=cut_at(2))
    for file in (tmp_path / "model.training").iterdir():
        file.unlink()
    measured(monkeypatch, *RISING)
    run(treebank, output)
    assert weights(output) == weights(whole)
