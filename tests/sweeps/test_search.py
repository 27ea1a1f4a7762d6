"""The search over settings, without Ray: what is tried, how a trial goes on, what is kept."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.training_runs import Cut
from toys.treebank import write_treebank

import syntagma
from syntagma import ArgumentError, NeuralSettings, PackageError, SyntagmaWarning, TrainingError
from syntagma.neural.settings import AdaptedSettings
from syntagma.sweeps import search
from syntagma.sweeps import tune as driver
from syntagma.sweeps.job import read_json, settings_from_json, write_json
from syntagma.sweeps.search import (
    MODEL,
    SPACE,
    Trial,
    best_trial,
    check_settings,
    draw_settings,
    note_stop,
    read_trial,
    run_trial,
)
from syntagma.sweeps.tune import TuningReport
from syntagma.training.data import TrainingPlan
from syntagma.training.learners import check_learner
from syntagma.training.run import Epoch, TrainingReport

PLANNED = AdaptedSettings(
    epochs=30,
    width=160,
    layers=3,
    hidden=160,
    min_count=2,
    suffix_length=3,
    dropout=0.3,
    word_dropout=0.3,
    realize=True,
    tag_column="upos",
)


def drawn(given: NeuralSettings, planned: AdaptedSettings, count: int) -> list[NeuralSettings]:
    found = [settings_from_json(each) for each in draw_settings(given, planned, count)]
    assert all(type(each) is NeuralSettings for each in found)
    return found  # type: ignore[return-value]


@settings(max_examples=30)
@given(
    st.integers(1, 48),
    st.integers(1, 48),
    st.integers(0, 9),
    st.sampled_from([{}, {"width": 96}, {"width": 64, "learning_rate": 0.01}, {"epochs": 3}]),
)
def test_what_is_tried(shorter: int, longer: int, seed: int, fixed: dict[str, Any]) -> None:
    """All settings differ, the first are those of the treebank, those that are given stay, and a
    longer search begins as a shorter one does."""
    given = NeuralSettings(seed=seed, **fixed)
    planned = replace(PLANNED, seed=seed, **fixed)
    found = drawn(given, planned, longer)
    assert asdict(found[0]) == asdict(planned)
    assert len(found) == longer == len(set(found))
    count = min(shorter, longer)
    assert drawn(given, planned, count) == found[:count]
    for each in found:
        for name, values in SPACE.items():
            choices = [30 * value for value in values] if name == "epochs" else values
            value = getattr(each, name)
            assert value == fixed[name] if name in fixed else value in choices
        same = {name: getattr(planned, name) for name in SPACE if name not in fixed}
        assert replace(each, **same) == found[0]


def test_there_are_only_so_many_settings() -> None:
    given = NeuralSettings(width=96, dropout=0.1, word_dropout=0.1, learning_rate=0.01)
    planned = replace(PLANNED, epochs=1, width=96, dropout=0.1, word_dropout=0.1)
    assert [each.epochs for each in drawn(given, planned, 9)] == [1, 2]
    assert len(drawn(replace(given, epochs=1), planned, 9)) == 1


def task(folder: Path, number: int = 2, **changes: Any) -> dict[str, Any]:
    [chosen] = draw_settings(NeuralSettings(), replace(PLANNED, epochs=4, **changes), 1)
    return {
        "number": number,
        "folder": str(folder),
        "settings": chosen,
        "train": ["train.conllu"],
        "dev": [],
        "about": {"name": "toy"},
    }


class FakeTraining:
    """Stands for `train`: four epochs, the second and the fourth of them measured."""

    def __init__(self, *bleu: float) -> None:
        self.epochs = [
            Epoch(number, {"none": value, "tree": value + 2} if value else {}, {}, 1.0)
            for number, value in enumerate(bleu, start=1)
        ]
        self.done = 0  # epochs of the checkpoint

    def __call__(self, train: Any, dev: Any, output: Path, **options: Any) -> TrainingReport:
        assert (train, dev, options["name"]) == (["train.conllu"], None, "toy")
        while self.done < len(self.epochs):
            self.done += 1
            options["on_epoch"](self.epochs[self.done - 1])
        output.write_text("a model")
        return TrainingReport(tuple(self.epochs), 2)


def test_a_trial_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its figures are reported again from the beginning; the last ones when the model is there."""
    training = FakeTraining(0, 40, 0, 30)
    monkeypatch.setattr(search, "train", training)
    reports: list[dict[str, Any]] = []

    def report(figures: dict[str, Any]) -> None:
        reports.append(figures)
        if len(reports) == 1:
            raise Cut
        assert figures["percent"] < 100 or (tmp_path / MODEL).exists()

    with pytest.raises(Cut):
        run_trial(task(tmp_path), report)
    halfway, whole = {"bleu": 41.0, "percent": 50.0}, {"bleu": 41.0, "percent": 100.0}
    assert reports == [halfway]
    [chosen] = drawn(NeuralSettings(), replace(PLANNED, epochs=4), 1)
    stopped = read_trial(task(tmp_path))
    assert stopped == Trial(2, chosen, 41.0, 2, 2, False)
    run_trial(task(tmp_path), report)
    assert reports[1:] == [halfway, whole]
    assert read_trial(task(tmp_path)) == replace(stopped, last_epoch=4, finished=True)
    monkeypatch.setattr(search, "train", None)  # nothing is left to train
    run_trial(task(tmp_path), report)
    assert reports[3:] == [halfway, whole]


def test_the_first_trial_cannot_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "train", FakeTraining(10, 40, 20, 30))
    reports: list[dict[str, Any]] = []
    for _ in range(2):
        run_trial(task(tmp_path, 1), reports.append)
    assert reports == 2 * [{"bleu": 41.0, "percent": 100.0}]


def test_a_trial_that_fails_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def diverge(*_: Any, **options: Any) -> None:
        raise TrainingError("training diverged\n(loss is not finite)")

    monkeypatch.setattr(search, "train", diverge)
    reports: list[Any] = []
    run_trial(task(tmp_path), reports.append)
    trial = read_trial(task(tmp_path))
    assert (reports, trial.error) == ([], "training diverged (loss is not finite)")
    monkeypatch.setattr(search, "train", FakeTraining(1, 2, 3, 4))
    run_trial(task(tmp_path), reports.append)
    assert [each["percent"] for each in reports] == [25, 50, 75, 100]
    assert read_trial(task(tmp_path)).error == ""


def test_a_trial_killed_after_its_model_was_written_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "train", FakeTraining(0, 40, 0, 30))
    run_trial(task(tmp_path), lambda figures: None)
    record = read_json(tmp_path / search.RECORD)
    assert record is not None
    write_json(tmp_path / search.RECORD, {**record, "finished": False})
    monkeypatch.setattr(search, "train", None)
    reports: list[dict[str, Any]] = []
    run_trial(task(tmp_path), reports.append)
    assert [each["percent"] for each in reports] == [50, 100]
    assert read_json(tmp_path / search.RECORD) == record


def test_a_trial_that_was_behind_is_not_trained_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(figures: dict[str, Any]) -> None:
        raise Cut

    monkeypatch.setattr(search, "train", FakeTraining(0, 40, 0, 30))
    with pytest.raises(Cut):
        run_trial(task(tmp_path), cut)
    note_stop(task(tmp_path))
    monkeypatch.setattr(search, "train", None)
    reports: list[dict[str, Any]] = []
    run_trial(task(tmp_path), reports.append)
    assert [each["percent"] for each in reports] == [50]


def test_a_bug_in_a_trial_is_one_line_and_its_place_is_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **options: Any) -> None:
        raise ValueError("odd")

    monkeypatch.setattr(search, "train", fail)
    run_trial(task(tmp_path), lambda figures: None)
    log = tmp_path / search.LOG
    error = read_trial(task(tmp_path)).error
    assert error == f"ValueError: odd (a bug; {log} shows where)"
    assert "Traceback" in log.read_text()


def test_a_trial_of_other_settings_is_refused(tmp_path: Path) -> None:
    check_settings(task(tmp_path))
    write_json(tmp_path / search.RECORD, {"settings": task(tmp_path, width=96)["settings"]})
    with pytest.raises(TrainingError, match=r"trial of other settings \(width 96, now 160\)"):
        check_settings(task(tmp_path))


def test_the_best_trial_and_the_table() -> None:
    chosen = drawn(NeuralSettings(), PLANNED, 1)[0]
    trials = [
        Trial(1, chosen, 41.0, 20, 30, True),
        Trial(2, chosen, 42.5, 6, 6),
        Trial(3, chosen, 42.5, 30, 30, True),
        Trial(4, chosen, 99.0, 6, 6, error="training diverged"),
        Trial(5, chosen),
    ]
    best = best_trial(trials)
    assert best is not None
    assert best.number == 2
    assert best_trial(trials[3:]) is None
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in TuningReport(tuple(trials), 2).table().splitlines()
    ]
    assert rows[0] == [
        *("trial", "width", "dropout", "word dropout", "learning rate", "epochs"),
        *("best", "dev BLEU", "state"),
    ]
    assert rows[2] == [
        "2",
        "160",
        "0.3",
        "0.3",
        "0.0015",
        "30",
        "6",
        "42.50",
        "stopped after epoch 6",
    ]
    assert [row[0] for row in rows[2:]] == ["2", "3", "1", "5", "4"]
    assert [row[-1] for row in rows[3:]] == [
        *("finished", "finished", "not measured", "failed: training diverged")
    ]


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    return write_treebank(tmp_path / "toy.conllu")


@pytest.fixture
def without_ray(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Runs trials one after the other in this process; the number of trials of each search."""
    counts: list[int] = []

    def all_in_turn(tasks: Any, folder: Path, *, on_end: Any, **options: Any) -> None:
        counts.append(len(tasks))
        for each in tasks:
            run_trial(each, lambda figures: None)
            on_end(each["number"])

    monkeypatch.setattr(driver, "search_with_ray", all_in_turn)
    monkeypatch.setattr(driver, "import_ray", lambda user, part: None)
    monkeypatch.setattr("syntagma.training.train.check_learner", lambda settings: None)
    return counts


@pytest.mark.slow
def test_a_search(treebank: Path, tmp_path: Path, without_ray: list[int]) -> None:
    """The model of the best trial is kept; the same call finds all trials done; other data and
    settings are refused."""
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'syntagma[train]'")
    output = tmp_path / "best.syntagma"
    small = NeuralSettings(epochs=1, width=32, realize=False, tag_column="xpos")
    plans: list[Any] = []
    ended: list[Trial] = []
    report = syntagma.tune(
        *(treebank, treebank, output),
        settings=small,
        trials=2,
        language="fr",
        on_plan=plans.append,
        on_trial=ended.append,
    )
    assert [plan.sentences for plan in plans] == [10]
    assert tuple(ended) == report.trials
    assert all(each.finished for each in report.trials)
    folder = tmp_path / "best.syntagma.tuning"
    kept = folder / f"trial-{report.best:03d}" / MODEL
    assert output.read_bytes() == kept.read_bytes()
    header = syntagma.load(output).info.header
    assert (header["name"], header["language"]) == ("best", "fr")
    assert (folder / "trials.md").read_text() == report.table()

    times = {path: path.stat().st_mtime_ns for path in folder.rglob(MODEL)}
    output.unlink()
    again = syntagma.tune(treebank, treebank, output, settings=small, trials=1, language="fr")
    assert again == report
    assert output.read_bytes() == kept.read_bytes()
    assert {path: path.stat().st_mtime_ns for path in folder.rglob(MODEL)} == times
    assert without_ray == [2, 2]

    others = [
        (treebank, treebank, replace(small, seed=2), r"\(seed 1, now 2\); repeat its command"),
        (treebank, None, small, r"\(development set\); repeat its command"),
    ]
    for train, dev, chosen, message in others:
        with pytest.raises(TrainingError, match=message):
            syntagma.tune(train, dev, output, settings=chosen, trials=2, language="fr")


def test_pytorch_is_looked_for_before_a_search_is_planned(
    treebank: Path, tmp_path: Path, without_ray: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syntagma.training.train.check_learner", check_learner)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(TrainingError, match="PyTorch, which is not installed"):
        syntagma.tune(treebank, treebank, tmp_path / "x.syntagma", on_plan=no_plan)
    assert (without_ray, [path.name for path in tmp_path.iterdir()]) == ([], ["toy.conllu"])


def no_plan(plan: TrainingPlan) -> None:
    pytest.fail("a plan without PyTorch")


@pytest.mark.usefixtures("without_ray")
def test_a_best_trial_that_is_not_finished(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its best model so far is kept, with a warning; without any model, the error says why."""
    output = tmp_path / "best.syntagma"

    def out_of_time(each: Any, report: Any) -> None:
        write_json(
            Path(each["folder"]) / search.RECORD,
            {"epochs": [], "finished": False, "error": "", "settings": each["settings"]},
        )

    def stopped(each: Any, report: Any) -> None:
        folder = Path(each["folder"])
        measured = {"number": 2, "mean_bleu": 40.0 + each["number"]}
        write_json(
            folder / search.RECORD,
            {"epochs": [measured], "finished": False, "error": "", "settings": each["settings"]},
        )
        (folder / f"{MODEL}.training").mkdir()
        (folder / f"{MODEL}.training" / "best").write_text(f"model {each['number']}")

    def run(trial: Any) -> Any:
        def all_in_turn(tasks: Any, folder: Path, **options: Any) -> None:
            for each in tasks:
                Path(each["folder"]).mkdir(exist_ok=True)
                trial(each, None)

        monkeypatch.setattr(driver, "search_with_ray", all_in_turn)
        return syntagma.tune(treebank, treebank, output, trials=2, minutes=0.5)

    with pytest.raises(TrainingError, match="no trial produced a model: the time was up"):
        run(out_of_time)
    assert not output.exists()
    with pytest.warns(SyntagmaWarning, match="trial 2, the best, was not finished: its model of"):
        report = run(stopped)
    assert (report.best, output.read_text()) == (2, "model 2")


@pytest.mark.usefixtures("without_ray")
def test_a_search_without_a_model_gives_all_reasons(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them once, however many trials it has ended."""

    def fail(train: Any, dev: Any, output: Path, **options: Any) -> None:
        full = output.parent.name == "trial-002"
        raise TrainingError("no space left" if full else "training diverged")

    monkeypatch.setattr(search, "train", fail)
    message = "no trial produced a model: no space left; training diverged$"
    with pytest.raises(TrainingError, match=message):
        syntagma.tune(treebank, treebank, tmp_path / "best.syntagma", trials=3)


def test_a_shorter_search_keeps_the_last_trial_when_one_was_removed(
    treebank: Path, tmp_path: Path, without_ray: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes up to the highest number that is there; the number of trials that are there would
    leave out the last, which is the best."""
    output = tmp_path / "best.syntagma"

    def train(train: Any, dev: Any, model: Path, **options: Any) -> TrainingReport:
        model.write_text(f"model of {model.parent.name}")
        bleu = 40.0 + int(model.parent.name[-1])
        return TrainingReport((Epoch(1, {"none": bleu}, {}, 1.0),), 1)

    monkeypatch.setattr(search, "train", train)
    report = syntagma.tune(treebank, treebank, output, trials=3)
    assert report.best == 3
    shutil.rmtree(tmp_path / "best.syntagma.tuning" / "trial-002")
    output.unlink()
    assert syntagma.tune(treebank, treebank, output, trials=1) == report
    assert output.read_text() == "model of trial-003"
    assert without_ray == [3, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 0}, "trials must be between 1 and 1000, not 0"),
        ({"minutes": 0}, "minutes must be a number above 0, not 0"),
        ({"address": "auto", "jobs": 2}, "a cluster uses the cores it has"),
        ({"settings": syntagma.LinearSettings()}, "settings must be NeuralSettings"),
    ],
)
def test_arguments(treebank: Path, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises((ArgumentError, TrainingError), match=message):
        syntagma.tune(treebank, treebank, tmp_path / "x.syntagma", **options)


def test_without_ray_the_message_says_what_to_install(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PackageError, match=r"tune needs the package ray.*'syntagma\[ray\]'"):
        syntagma.tune(treebank, treebank, tmp_path / "x.syntagma")
    (tmp_path / "ud").mkdir()
    write_treebank(tmp_path / "ud" / "fr_toy-ud-train.conllu")
    with pytest.raises(PackageError, match=r"the engine ray needs the package ray"):
        syntagma.train_many(tmp_path / "ud", tmp_path / "out", engine="ray")
