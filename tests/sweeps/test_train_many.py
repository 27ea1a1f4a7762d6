"""`train_many`: every treebank is trained, measured and packed once, whatever happens between."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from toys.collections import add_broken, add_treebank
from toys.training_runs import Cut, cut_at
from toys.treebank import write_treebank

import syntagma
from syntagma import ArgumentError, LinearSettings, NeuralSettings, OutputError, TrainingError
from syntagma.files.locking import locked
from syntagma.sweeps import train_many as driver
from syntagma.sweeps import work
from syntagma.sweeps.job import TrainingJob, is_done
from syntagma.sweeps.train_many import TrainManyReport, train_many
from syntagma.sweeps.work import TrainingOutcome, run_job
from syntagma.training.run import has_checkpoint

SETTINGS = LinearSettings(epochs=2, beam=2)
CONDITIONS = ["none", "pos", "half", "tree", "labelled"]


@pytest.fixture
def ud(tmp_path: Path) -> Path:
    add_treebank(tmp_path / "ud", "fr_toy")
    return tmp_path / "ud"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Has the work done in this process; the names of the treebanks that were worked on."""
    names: list[str] = []

    def engine(
        jobs: Sequence[TrainingJob], processes: int, tell: Callable[..., Any]
    ) -> Iterator[TrainingOutcome]:
        for job in jobs:
            names.append(job.treebank.name)
            yield run_job(job, lambda text: None)

    monkeypatch.setattr(driver, "work_in_processes", engine)
    return names


def run(ud: Path, output: Path, **options: Any) -> TrainManyReport:
    return train_many(ud, output, **{"settings": SETTINGS, **options})


def test_pytorch_is_looked_for_before_any_treebank(
    ud: Path, output: Path, here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(TrainingError, match="PyTorch, which is not installed"):
        run(ud, output, settings=NeuralSettings(), on_start=pytest.fail)
    assert here == []


def files(folder: Path) -> dict[str, bytes]:
    """All files but the logs, which tell of every attempt."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != "log.txt")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.mark.slow
def test_a_model_for_every_treebank(ud: Path, output: Path) -> None:
    """With worker processes: models, figures and packages of those that can be trained, and an
    error for the one that cannot. The same call does only what is missing."""
    add_treebank(ud / "more", "de_small", "train", "test")
    (ud / "more/de_small/README.md").write_text("License: CC BY 4.0\nContributors: Doe, Jane\n")
    add_treebank(ud, "en_pud", "test")
    broken = add_broken(ud)
    progress: list[tuple[str, str]] = []
    ended: dict[str, str] = {}
    started: list[tuple[int, int]] = []
    report = run(
        ud,
        output,
        jobs=2,
        on_start=lambda treebanks, done: started.append((treebanks, done)),
        on_progress=lambda name, step: progress.append((name, step)),
        on_treebank=ended.__setitem__,
    )
    assert started == [(3, 0)]
    assert [*report.figures] == ["de_small", "fr_toy"]
    assert report.failed == {"xx_broken": f"{broken}:1: 2 columns instead of 10 separated by tabs"}
    assert ended == {"de_small": "", "fr_toy": "", **report.failed}
    assert (report.kept, report.left_out) == ((), ("en_pud",))
    steps = [step for name, step in progress if name == "fr_toy"]
    assert steps == ["reading", "epoch 1 of 2", "epoch 2 of 2", "measuring", "packing"]

    figures = report.figures["de_small"]
    assert figures == json.loads((output / "de_small" / "figures.json").read_text())
    assert figures["training"]["sentences"] == 9  # one is held out
    assert [each["condition"] for each in figures["measured"]["conditions"]] == CONDITIONS
    assert figures["measured"]["on"] == "test"
    assert "only 9 sentences to learn from" in figures["warnings"][0]
    model = syntagma.load(output / "de_small" / "de_small.syntagma")
    assert [model.info.header[name] for name in ("name", "language", "licence", "attribution")] == [
        *("de-small", "de", "CC BY 4.0", "Doe, Jane")
    ]
    packed = output / "de_small" / "package" / "syntagma_de_small" / "de-small.syntagma"
    assert packed.read_bytes() == (output / "de_small" / "de_small.syntagma").read_bytes()
    card = (output / "de_small" / "package" / "README.md").read_text()
    assert "`de_small-ud-test.conllu` (10 sentences) ordered" in card
    log = (output / "fr_toy" / "log.txt").read_text()
    assert "\nepoch 2: dev BLEU none" in log
    assert (output / "table.md").read_text() == report.table()
    assert json.loads((output / "table.json").read_text()) == {
        "treebanks": report.figures,
        "failed": report.failed,
        "left_out": ["en_pud"],
    }

    before = files(output)
    again = run(ud, output)
    assert (again.kept, again.failed) == (("de_small", "fr_toy"), report.failed)
    assert files(output) == before
    write_treebank(broken)
    last = run(ud, output)
    assert (last.kept, last.failed) == (("de_small", "fr_toy"), {})
    assert [*last.figures] == ["de_small", "fr_toy", "xx_broken"]


STEPS = ["write_json", "train", "_measure", "_pack"]


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_stopped_anywhere_it_ends_the_same(
    ud: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is cut off after any step, and goes on, makes the same files; a model that was
    complete is not trained again."""
    run(ud, output)
    whole = files(output)
    calls = {"write_json": 5, "train": 1, "_measure": 1, "_pack": 1}
    cuts = [(step, count) for step in STEPS for count in range(1, calls[step] + 1)]
    for step, count in cuts:
        shutil.rmtree(output)
        with monkeypatch.context() as patch:
            patch.setattr(work, step, cut_at(count, getattr(work, step), after=True))
            with pytest.raises(Cut):
                run(ud, output)
        trained = (output / "fr_toy" / "fr_toy.syntagma").exists()
        with monkeypatch.context() as patch:
            if trained:
                patch.setattr(work, "train", cut_at(1))
            run(ud, output)
        found, expected = files(output), dict(whole)
        for each in (found, expected):  # the time that it took
            for name in ("table.md", "table.json"):
                each.pop(name)
            record = json.loads(each["fr_toy/figures.json"])
            del record["training"]["cpu_seconds"]
            for figures in record["measured"]["conditions"]:
                for name in ("cpu_ms", "seconds", "lengths"):
                    del figures[name]
            each["fr_toy/figures.json"] = json.dumps(record).encode()
        assert found == expected, (step, count)


def test_a_training_that_was_interrupted_resumes(
    ud: Path, output: Path, here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(job: TrainingJob, tell: Callable[[str], None]) -> TrainingOutcome:
        return run_job(job, cut_at(2))  # reading, first epoch

    with monkeypatch.context() as patch:
        patch.setattr(
            driver, "work_in_processes", lambda jobs, *_: (cut(job, print) for job in jobs)
        )
        with pytest.raises(Cut):
            run(ud, output)
    assert has_checkpoint(output / "fr_toy" / "fr_toy.syntagma")
    report = run(ud, output)
    assert (report.kept, report.failed, here) == ((), {}, ["fr_toy"])
    log = (output / "fr_toy" / "log.txt").read_text()
    assert [log.count(f"\nepoch {number}: ") for number in (1, 2)] == [1, 1]


def test_other_settings_are_refused_and_other_data_named(
    ud: Path, output: Path, here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(ud, output)
    before = files(output)
    with pytest.raises(TrainingError, match=r"\(fr_toy: epochs 2, now 3\); give the same settings"):
        run(ud, output, settings=LinearSettings(epochs=3, beam=2))
    assert files(output) == before

    shorter = run(ud, output, limit=3)  # measured again, but not trained
    assert shorter.figures["fr_toy"]["measured"]["conditions"][0]["sentences"] == 3
    assert here == ["fr_toy", "fr_toy"]
    name = "fr_toy/fr_toy.syntagma"
    assert files(output)[name] == before[name]
    assert "(3 sentences)" in (output / "fr_toy/package/README.md").read_text()

    shutil.rmtree(output / "fr_toy" / "package")  # packed again
    assert run(ud, output, limit=3).failed == {}
    assert here == ["fr_toy"] * 3
    assert files(output).keys() == before.keys()

    train = ud / "fr_toy" / "fr_toy-ud-train.conllu"
    train.write_text(train.read_text().replace("cook", "baker"))
    [error] = run(ud, output, limit=3).failed.values()
    assert error.startswith("the train files have changed since ")
    assert len(here) == 3


@pytest.mark.usefixtures("here")
def test_a_model_that_is_somebody_elses_stays(ud: Path, output: Path) -> None:
    model = output / "fr_toy" / "fr_toy.syntagma"
    model.parent.mkdir(parents=True)
    model.write_text("mine")
    [error] = run(ud, output).failed.values()
    assert error.endswith("was not written by train-many: move it away, or choose another output")
    assert model.read_text() == "mine"
    (output / "fr_toy" / "figures.json").write_text("[")
    [error] = run(ud, output).failed.values()
    assert "figures.json cannot be read (" in error


@pytest.mark.usefixtures("here")
def test_a_bug_is_one_line_and_its_place_is_in_the_log(
    ud: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_treebank(ud, "de_toy")

    def train(files: Sequence[Path], *_: Any, **options: Any) -> None:
        raise MemoryError if "fr_toy" in str(files[0]) else ValueError("odd\nand long")

    monkeypatch.setattr(work, "train", train)
    log = output / "de_toy" / "log.txt"
    assert run(ud, output).failed == {
        "de_toy": f"ValueError: odd and long (a bug; {log} shows where)",
        "fr_toy": "out of memory: run fewer trainings at a time (--jobs)",
    }
    assert "Traceback" in log.read_text()
    shutil.rmtree(output / "fr_toy")
    (output / "fr_toy").write_text("a file where the folder should be")
    assert run(ud, output).failed["fr_toy"].endswith("File exists")


@pytest.mark.usefixtures("here")
def test_a_folder_that_cannot_be_read_fails_alone(
    ud: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_treebank(ud, "de_toy")

    def denied(job: TrainingJob) -> bool:
        if job.treebank.name == "fr_toy":
            raise PermissionError(13, "Permission denied", str(job.model))
        return is_done(job)

    monkeypatch.setattr(driver, "is_done", denied)
    report = run(ud, output)
    assert report.failed == {"fr_toy": f"{output}/fr_toy/fr_toy.syntagma: Permission denied"}
    assert [*report.figures] == ["de_toy"]


@pytest.mark.usefixtures("here")
def test_names_that_no_package_can_have_fail_before_training(tmp_path: Path, output: Path) -> None:
    ud = tmp_path / "collection"
    add_treebank(ud, "en")  # the shipped model has this name
    add_treebank(ud, "日本語")
    failed = run(ud, output).failed
    assert failed["en"].startswith("'en' is the name of a model that is part of Syntagma")
    assert failed["日本語"].startswith("'' cannot be the name of a packaged model")


@pytest.mark.usefixtures("here")
def test_outputs_that_cannot_be(ud: Path, output: Path, tmp_path: Path) -> None:
    assert run(ud, ud).failed == {
        "fr_toy": f"{ud / 'fr_toy'} holds the treebank itself: choose another output"
    }
    output.mkdir()
    with locked(output / "table.json"), pytest.raises(OutputError, match="another training"):
        run(ud, output)
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"cannot write to .*file: File exists"):
        run(ud, tmp_path / "file")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "slurm"}, "engine must be processes or ray, not 'slurm'"),
        ({"address": "auto"}, "address goes with engine='ray'"),
        ({"engine": "ray", "address": "auto", "jobs": 2}, "a cluster uses the cores it has"),
        ({"jobs": 0}, "jobs must be between 1 and"),
        ({"limit": 0}, "limit must be between 1 and"),
        ({"settings": {"epochs": 3}}, "settings must be those of a learner"),
    ],
)
def test_arguments(ud: Path, output: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises((ArgumentError, TrainingError), match=message):
        run(ud, output, **options)
    assert not output.exists()


def test_the_table() -> None:
    measured = {"on": "test", "conditions": [{"condition": "none", "bleu": 5.0}]}
    training = {"sentences": 1200, "epochs": 30, "size": 2_500_000, "cpu_seconds": 90.0}
    figures = {"fr_toy": {"training": training, "measured": measured}}
    report = TrainManyReport(Path("out"), figures, {"xx": "a.conllu:1: bad [b]"}, (), ())
    assert (
        report.table()
        == """\
| treebank | sentences | epochs | none | pos | half | tree | labelled | realize | on   |  MB | \
CPU min |
|----------|-----------|--------|------|-----|------|------|----------|---------|------|-----|-\
--------|
| fr_toy   |     1,200 |     30 | 5.00 |   - |    - |    - |        - |       - | test | 2.5 | \
    1.5 |

failed:

- xx: a.conllu:1: bad [b]
"""
    )
