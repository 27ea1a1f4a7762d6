"""Training that is cut off anywhere goes on and ends with the model of an undisturbed run.

A process that is really killed is the business of cli/test_process.py.
"""

from __future__ import annotations

import errno
import os
import shutil
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

from syntagma.errors import OutputError, SyntagmaError, TrainingError
from syntagma.linear.settings import LinearSettings
from syntagma.models.container import read_container
from syntagma.training.run import BEST, CHECKPOINT
from syntagma.training.train import train


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


@pytest.mark.parametrize("file", [CHECKPOINT, BEST])
@pytest.mark.parametrize("damage", [b"", b"SYNTAGMA", b"of another program"])
def test_a_damaged_checkpoint_says_what_to_delete(
    treebank: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    damage: bytes,
) -> None:
    measured(monkeypatch, *RISING)
    output = tmp_path / "cut.syntagma"
    with pytest.raises(Cut):
        run(treebank, output, on_epoch=cut_at(2))
    folder = tmp_path / "cut.syntagma.training"
    content = (folder / file).read_bytes()
    changed = bytearray(content)
    changed[len(content) // 2] ^= 255
    for damaged in (damage, content[:-1], bytes(changed)):
        (folder / file).write_bytes(damaged)
        with pytest.raises(TrainingError) as caught:
            run(treebank, output)
        assert str(caught.value) == (
            f"{folder} holds a training run that was interrupted, but its file {file} is damaged: "
            f"delete the folder {folder} to start training again"
        )
    assert (folder / file).exists()
    shutil.rmtree(folder)
    measured(monkeypatch, *RISING)
    run(treebank, output)
    assert output.read_bytes() == whole.read_bytes()


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


def changed(treebank: Path, column: int, value: str) -> str:
    """The treebank with another value in a column of its last word but one."""
    lines = treebank.read_text(encoding="utf-8").rstrip("\n").split("\n")
    row = lines[-2].split("\t")
    assert row[column] != value
    row[column] = value
    return "\n".join([*lines[:-2], "\t".join(row), lines[-1]]) + "\n\n"


LEMMA, XPOS, FEATS, DEPREL, MISC = 2, 4, 5, 7, 9


@pytest.mark.parametrize("which", ["training", "development"])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        (1, "slowly"),
        (LEMMA, "fast"),
        (XPOS, "RBR"),
        (FEATS, "Degree=Pos"),
        (DEPREL, "obl"),
        (MISC, "SpaceAfter=No"),
        (None, "# text = We ran  fast."),
    ],
)
def test_other_data_are_noticed(
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    which: str,
    column: int | None,
    value: str,
) -> None:
    """All that a sentence holds counts, in the set that is learned from and in that measured."""
    other = tmp_path / treebank.name
    if column is None:
        text = treebank.read_text(encoding="utf-8")
        text = text.replace("# sent_id = toy-10", f"# sent_id = toy-10\n{value}")
    else:
        text = changed(treebank, column, value)
    other.write_text(text, encoding="utf-8")
    settings = LinearSettings(epochs=EPOCHS, beam=4)
    output = tmp_path / "model"
    measured(monkeypatch, *RISING)
    with pytest.raises(Cut):
        train(treebank, treebank, output, settings=settings, name="toy", on_epoch=cut_at(1))
    data = (other, treebank) if which == "training" else (treebank, other)
    with pytest.raises(TrainingError, match=f"the {which} set has other content"):
        train(*data, output, settings=settings, name="toy")
    train(treebank, treebank, output, settings=settings, name="toy")


def test_a_development_set_of_which_a_sample_is_measured(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is another one also if the sample is the same."""
    long, longer = tmp_path / "long.conllu", tmp_path / "longer.conllu"
    long.write_text(treebank.read_text() * 60, encoding="utf-8")
    longer.write_text(treebank.read_text() * 59 + changed(treebank, LEMMA, "x"), encoding="utf-8")
    settings = LinearSettings(epochs=EPOCHS, beam=4)
    measured(monkeypatch, *RISING)
    with pytest.raises(Cut):
        train(treebank, long, tmp_path / "m", settings=settings, on_epoch=cut_at(1))
    with pytest.raises(TrainingError, match="the development set has other content"):
        train(treebank, longer, tmp_path / "m", settings=settings)


def test_the_message_says_what_differs(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "model"
    measured(monkeypatch, *RISING)
    with pytest.raises(Cut):
        run(treebank, output, on_epoch=cut_at(1))
    renamed = tmp_path / "renamed.conllu"
    renamed.write_bytes(treebank.read_bytes())
    with pytest.raises(TrainingError) as caught:
        run(renamed, output, LinearSettings(epochs=9, beam=4, seed=2), language="pt")
    assert str(caught.value) == (
        f"{output}.training holds a training run with other data or settings "
        "(language: none there, pt here; file name: toy.conllu there, renamed.conllu here; "
        "epochs: 3 there, 9 here; seed: 1 there, 2 here); "
        "repeat its command to continue it, or remove the folder to start again"
    )
    monkeypatch.setattr("syntagma.training.train.__version__", "99.0")
    with pytest.raises(TrainingError, match=r"version \S+ there, 99\.0 here"):
        run(treebank, output)


def test_nothing_is_left_of_a_run_without_a_whole_epoch(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Cut):
        run(treebank, tmp_path / "model", on_sentence=cut_at(2))
    assert os.listdir(tmp_path) == []
    with pytest.raises(SyntagmaError):
        run(tmp_path / "none", tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_a_second_training_with_the_same_output(
    treebank: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(monkeypatch, *RISING)
    output = tmp_path / "model"
    (tmp_path / "link").symlink_to("model")
    tried = []

    def second(_: object) -> None:
        for name in ("model", "link"):
            with pytest.raises(OutputError, match=f"another training .* {os.getpid()}"):
                run(treebank, tmp_path / name)
            tried.append(name)

    run(treebank, output, on_epoch=second)
    assert tried == ["model", "link"] * EPOCHS
    assert output.read_bytes() == whole.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["link", "model"]


def test_a_linked_output_stays_a_link(
    treebank: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(monkeypatch, *RISING)
    (tmp_path / "models").mkdir()
    (tmp_path / "link").symlink_to("models/model")
    run(treebank, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "models" / "model").read_bytes() == whole.read_bytes()
    assert os.listdir(tmp_path / "models") == ["model"]


def test_a_folder_with_other_files_is_refused(treebank: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model.training"
    folder.write_text("a file")
    with pytest.raises(TrainingError, match=r"a file has this name"):
        run(treebank, tmp_path / "model")
    folder.unlink()
    folder.mkdir()
    data = folder / "toy.conllu"
    data.write_bytes(treebank.read_bytes())
    with pytest.raises(TrainingError, match=r"toy\.conllu is in .*model\.training, which will be"):
        run(data, tmp_path / "model")
    with pytest.raises(TrainingError, match=r"model\.training holds toy\.conllu, which does not"):
        run(treebank, tmp_path / "model")
    assert data.read_bytes() == treebank.read_bytes()


def test_output_that_is_an_input(treebank: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conllu"
    data.write_bytes(treebank.read_bytes())
    os.link(data, tmp_path / "hard")
    (tmp_path / "soft").symlink_to(data)
    for output in ("data.conllu", "hard", "soft"):
        for train_set, dev_set in ((data, treebank), (treebank, data)):
            with pytest.raises(OutputError, match="it is also an input"):
                train(train_set, dev_set, tmp_path / output, settings=LinearSettings(epochs=1))
        with pytest.raises(OutputError, match="it is also an input"):
            train(treebank, treebank, tmp_path / output, pretrain=[data])
        with pytest.raises(OutputError, match="it is also an input"):
            train(treebank, treebank, tmp_path / output, start=data)
    assert data.read_bytes() == treebank.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["data.conllu", "hard", "soft"]
