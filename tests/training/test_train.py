"""Training: the same model from the same data and seed, and the best epoch of it.

Runs that are cut off are the business of test_resume.py.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from toys.training_runs import EPOCHS, SIZE, Cut, cut_at, measured, run, weights
from toys.treebank import SENTENCES, write_treebank

from syntagma.best_first.settings import BestFirstSettings
from syntagma.errors import FormatError, SyntagmaError, SyntagmaWarning, TrainingError
from syntagma.linear.settings import LinearSettings
from syntagma.linear.templates import FeatureSet
from syntagma.linear.training import PerceptronLearner
from syntagma.linearizer.linearizer import load
from syntagma.models.container import read_container
from syntagma.models.loading import load_model
from syntagma.neural.settings import NeuralSettings
from syntagma.results.linearization import violations
from syntagma.training import learners
from syntagma.training.learners import Learner
from syntagma.training.run import Epoch
from syntagma.training.train import train
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.conditions import MAIN_CONDITIONS
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("treebank") / "toy.conllu")


# ---- the same model --------------------------------------------------------------------------


@pytest.mark.slow
def test_the_model_depends_on_the_seed_and_not_on_threads(treebank: Path, tmp_path: Path) -> None:
    for name, seed, threads in [("one", 1, 1), ("same", 1, 1), ("threads", 1, 3), ("other", 2, 1)]:
        run(treebank, tmp_path / name, LinearSettings(epochs=2, beam=4, seed=seed), threads=threads)
    assert (tmp_path / "same").read_bytes() == (tmp_path / "one").read_bytes()
    assert (tmp_path / "threads").read_bytes() == (tmp_path / "one").read_bytes()
    assert weights(tmp_path / "other") != weights(tmp_path / "one")


# ---- what is kept ----------------------------------------------------------------------------


@pytest.mark.slow
def test_the_best_epoch_is_kept_and_not_the_last(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = []
    for bleu, best in [((10, 30, 20), 2), ((30, 10, 20), 1), ((10, 20, 30), 3), ((9, 30, 30), 2)]:
        measured(monkeypatch, *bleu)
        output = tmp_path / "model"
        report = run(treebank, output)
        assert report.best == best
        assert [epoch.mean_bleu for epoch in report.epochs] == list(bleu)
        assert read_container(output)[0]["figures"] == {"dev": {"none": max(bleu)}, "epoch": best}
        models.append(weights(output))
    second, first, third, tied = models
    assert second == tied
    assert first != second != third != first


def test_progress_and_report(treebank: Path, tmp_path: Path) -> None:
    announced: list[int] = []
    sentences: list[None] = []
    epochs: list[Epoch] = []
    report = run(
        *(treebank, tmp_path / "model"),
        on_start=announced.append,
        on_sentence=lambda: sentences.append(None),
        on_epoch=epochs.append,
    )
    assert announced == [SIZE]
    assert len(sentences) == EPOCHS * SIZE
    assert report.epochs == tuple(epochs)
    assert all(0 <= epoch.figures["correct"] <= 1 and epoch.cpu_seconds >= 0 for epoch in epochs)
    assert all(tuple(epoch.bleu) == MAIN_CONDITIONS for epoch in epochs)
    assert epochs[-1].mean_bleu > epochs[0].mean_bleu


def test_many_epochs_are_measured_now_and_then_and_last(treebank: Path, tmp_path: Path) -> None:
    settings = LinearSettings(epochs=21, beam=1, condition="labelled")
    whole = run(treebank, tmp_path / "whole", settings)
    scored = [epoch.number for epoch in whole.epochs if epoch.bleu]
    assert scored == [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21]
    assert whole.best in scored
    with pytest.raises(Cut):
        run(treebank, tmp_path / "cut", settings, on_epoch=cut_at(4))
    assert run(treebank, tmp_path / "cut", settings).best == whole.best
    assert weights(tmp_path / "cut") == weights(tmp_path / "whole")


def test_the_header_says_what_the_model_was_made_of(treebank: Path, tmp_path: Path) -> None:
    about: dict[str, Any] = {"language": "en", "licence": "CC0", "attribution": "made up"}
    settings = LinearSettings(epochs=1, beam=2)
    train(treebank, treebank, tmp_path / "my.model", settings=settings, **about)
    header: dict[str, Any] = {**load(tmp_path / "my.model").info.header}
    assert {name: header[name] for name in about} == about
    assert header["name"] == "my"
    (data,) = header["data"]
    words = len(SENTENCES.split())
    assert (data["name"], data["sentences"], data["words"]) == ("toy.conllu", SIZE, words)
    assert header["settings"]["epochs"] == 1
    assert header["scorer"] == "linear"


def test_treebanks_for_pretraining_are_read_and_reported(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a learner that stands in for the neural one."""
    taken: list[int] = []

    class Pretraining(PerceptronLearner):
        def begin(
            self, sentences: Sequence[Sentence], pretrain: Sequence[Sequence[Sentence]]
        ) -> Vocabulary:
            taken.extend(map(len, pretrain))
            return super().begin(sentences, ())

    def learner(settings: Settings, threads: int, *_: object) -> Learner:
        return Pretraining(LinearSettings(epochs=1, beam=2), threads)

    monkeypatch.setattr(learners, "_neural_learner", learner)
    monkeypatch.setattr("syntagma.training.train.check_learner", lambda settings: None)
    further = tmp_path / "further.conllu"
    further.write_text(treebank.read_text().split("\n\n")[0] + "\n\n", encoding="utf-8")
    output = tmp_path / "model"
    settings = NeuralSettings(epochs=1)
    with pytest.raises(Cut):
        run(treebank, output, settings, pretrain=[further, treebank], on_epoch=cut_at(1))
    assert taken == [1, SIZE]
    header = read_container(tmp_path / "model.training" / "best")[0]
    assert header["scorer"] == "neural"
    first, second, third = header["data"]
    assert (first["name"], second["name"], third["name"]) == (
        *("toy.conllu", "further.conllu", "toy.conllu"),
    )
    assert second["sentences"] == 1
    assert third == {**first, "use": "pre-training", "left_out": 0}
    with pytest.raises(TrainingError, match="other data or settings"):
        run(treebank, output, settings, pretrain=[further])


def test_pytorch_is_looked_for_before_a_treebank_is_read(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr("syntagma.training.train.read_training_data", pytest.fail)
    message = r"PyTorch, which is not installed: pip install 'syntagma\[train\]', or train a linear"
    with pytest.raises(TrainingError, match=message):
        train(treebank, treebank, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# ---- settings --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("features", ["l15", "p16", "p16+"])
@pytest.mark.parametrize("update", ["early", "max-violation"])
def test_feature_sets_and_updates_learn_the_toy_treebank(
    treebank: Path, tmp_path: Path, features: FeatureSet, update: Any
) -> None:
    settings = LinearSettings(
        features=features, condition="labelled", update=update, epochs=6, beam=4
    )
    report = run(treebank, tmp_path / "model", settings)
    assert [set(epoch.bleu) for epoch in report.epochs] == [{"labelled"}] * 6
    assert max(epoch.mean_bleu for epoch in report.epochs) > 70
    model = load(tmp_path / "model")
    assert model.info.header["feature_set"] == features
    assert violations(model.order(["fox", "The", "ran"])) == []


@pytest.mark.slow
@pytest.mark.parametrize("update", ["early", "max-violation"])
def test_the_lazy_order_of_arcs_learns_the_toy_treebank(
    treebank: Path, tmp_path: Path, update: Any
) -> None:
    settings = LinearSettings(
        features="l15", arcs="lazy", condition="labelled", update=update, epochs=6, beam=4
    )
    report = run(treebank, tmp_path / "model", settings)
    assert max(epoch.mean_bleu for epoch in report.epochs) > 70
    model = load(tmp_path / "model")
    assert model.info.header["arcs"] == "lazy"
    assert violations(model.order(["fox", "The", "ran"])) == []
    with pytest.raises(TrainingError, match="arcs 'late' is not one of eager, lazy"):
        LinearSettings(arcs="late")  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_is_given_in_training_makes_a_difference(treebank: Path, tmp_path: Path) -> None:
    models = []
    for condition in ("none", "pos", "labelled", "tags50-arcs50", "mixed"):
        output = tmp_path / condition
        run(treebank, output, LinearSettings(condition=condition, epochs=3, beam=4))
        models.append(weights(output))
    assert all(one != other for i, one in enumerate(models) for other in models[:i])


def test_the_kind_of_update_makes_a_difference(treebank: Path, tmp_path: Path) -> None:
    run(treebank, tmp_path / "early", LinearSettings(update="early", epochs=1, beam=2))
    run(treebank, tmp_path / "violation", LinearSettings(update="max-violation", epochs=1, beam=2))
    assert weights(tmp_path / "early") != weights(tmp_path / "violation")


def test_pruning_is_a_setting(treebank: Path, tmp_path: Path) -> None:
    run(treebank, tmp_path / "model", LinearSettings(epochs=1, beam=2, max_features=50))
    assert read_container(tmp_path / "model")[0]["features"] == 50


def test_a_tree_that_is_not_projective_is_lifted_and_not_left_out(tmp_path: Path) -> None:
    words = ["Foxes NNS 3 nsubj", "fast RB 4 advmod", "seem VBP 0 root", "old JJ 3 xcomp"]
    crossing = [word.split() for word in words]
    rows = [f"{i}\t{f}\t_\t_\t{t}\t_\t{h}\t{d}\t_\t_" for i, (f, t, h, d) in enumerate(crossing, 1)]
    treebank = tmp_path / "crossing.conllu"
    treebank.write_text(2 * ("\n".join(rows) + "\n\n"), encoding="utf-8")
    run(treebank, tmp_path / "model", LinearSettings(epochs=3, beam=8))
    forms = [word[0] for word in crossing]
    assert list(load(tmp_path / "model").order(sorted(forms)).words) == forms


# ---- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"features": "p17"}, r"features 'p17' is not one of l15, p16, p16\+"),
        ({"condition": "all"}, "condition 'all' is not one of mixed, none, pos"),
        ({"update": "late"}, "update 'late' is not one of early, max-violation"),
        ({"tag_column": "pos"}, "tag_column 'pos' is not one of xpos, upos"),
        ({"epochs": 0}, "epochs must be between 1 and 10000, not 0"),
        ({"beam": 0}, "beam must be between 1 and 1024, not 0"),
        ({"beam": 1025}, "beam must be between 1 and 1024, not 1025"),
        ({"max_features": 0}, "max_features must be between 1 and .*, not 0"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        LinearSettings(**settings)


@pytest.mark.parametrize("given", [{"pretrain": ["a.conllu"]}, {"start": "en"}])
def test_a_linear_scorer_has_no_pretraining(
    treebank: Path, tmp_path: Path, given: dict[str, Any]
) -> None:
    [option] = given
    with pytest.raises(TrainingError, match=rf"from scratch: leave out {option} \(--{option}\)"):
        run(treebank, tmp_path / "model", **given)
    assert list(tmp_path.iterdir()) == []


def test_a_neural_scorer_without_pytorch(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(TrainingError, match=r"pip install 'syntagma\[train\]'"):
        run(treebank, tmp_path / "model", NeuralSettings())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_pytorch_is_not_imported_unless_it_is_needed() -> None:
    check = "import sys, syntagma, syntagma.training.train; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_no_threads_at_all(treebank: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="threads must be at least 1, not 0"):
        run(treebank, tmp_path / "model", threads=0)
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_is_a_folder_is_refused_before_training(
    treebank: Path, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match="it is a folder"):
        run(treebank, tmp_path, on_sentence=cut_at(1))


def test_a_place_that_cannot_be_written_is_refused_before_training(
    treebank: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SyntagmaError, match=r"cannot write .*file/model: Not a directory"):
        run(treebank, tmp_path / "file" / "model", on_sentence=cut_at(1))


@pytest.mark.parametrize(
    "settings",
    [LinearSettings(epochs=1, beam=2), BestFirstSettings(epochs=1, expansions=20)],
)
def test_a_few_words_without_a_tag(settings: Settings, treebank: Path, tmp_path: Path) -> None:
    """They are counted in a warning, and their tag is never given."""
    path = tmp_path / "toy.conllu"
    path.write_text(treebank.read_text("utf-8").replace("cook\t_\t_\tNN", "cook\t_\t_\t_"))
    with pytest.warns(SyntagmaWarning) as found:
        run(path, tmp_path / "model", settings)
    assert {str(each.message) for each in found if "XPOS" in str(each.message)} == {
        f"{path}: 3 of 53 words have no XPOS tag and count as untagged"
    }
    model = load_model(tmp_path / "model", search=None)
    assert model.header["tag_column"] == "xpos"
    assert "" not in model.vocabulary.tags
    assert model.vocabulary.form_tags["cook"] == model.vocabulary.open_tags["x"]


def test_the_tag_column_is_the_one_that_has_tags(treebank: Path, tmp_path: Path) -> None:
    text = treebank.read_text("utf-8")
    settings = LinearSettings(epochs=1, beam=2)
    upos = re.sub(r"\t_\t_\t(\S+)\t_", r"\t_\t\1\t_\t_", text)
    few = re.sub(r"\t_\t_\t(\S+)\t_", r"\t_\t\1\t_\t_", text, count=12)  # of 53
    for name, content, message in [
        ("upos", upos, r"no word has XPOS tags, so the model learns from UPOS tags \(100.0%"),
        ("few", few.replace("\t_\t_\t", "\t_\tX\t"), "only 77.4% of the words have XPOS tags, so"),
    ]:
        path = tmp_path / f"{name}.conllu"
        path.write_text(content, "utf-8")
        with pytest.warns(SyntagmaWarning, match=message):
            run(path, tmp_path / name, settings)
        header = load_model(tmp_path / name).header
        assert header["tag_column"] == header["settings"]["tag_column"] == "upos"
    with pytest.raises(
        TrainingError, match=r"no word has XPOS tags.*: use those \(--tag-column upos"
    ):
        run(tmp_path / "upos.conllu", tmp_path / "model", replace(settings, tag_column="xpos"))


def test_too_few_tags_are_refused(treebank: Path, tmp_path: Path) -> None:
    text = treebank.read_text("utf-8")
    path = tmp_path / "toy.conllu"
    for count, message in (
        (0, "has no tags, neither XPOS nor UPOS"),
        (30, "only 43.4% of the words"),
    ):
        path.write_text(re.sub(r"\t_\t_\t(\S+)\t_", "\t_\t_\t_\t_", text, count=count))
        with pytest.raises(TrainingError, match=message):
            run(path, tmp_path / "model", LinearSettings())


def test_a_treebank_without_sentences_or_tags(treebank: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").touch()
    for data, dev in [(tmp_path / "empty.conllu", treebank), (treebank, tmp_path / "empty.conllu")]:
        with pytest.raises(FormatError, match="empty"):
            train(data, dev, tmp_path / "model", settings=LinearSettings())
    with pytest.raises(TrainingError, match="no word has UPOS tags, and a model needs them"):
        run(treebank, tmp_path / "model", LinearSettings(tag_column="upos"))


# ---- streams, which can be read only once ----------------------------------------------------


def piped(content: str, path: Path) -> Path:
    os.mkfifo(path)
    Thread(target=path.write_text, args=(content,), daemon=True).start()
    return path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_treebank_from_a_pipe(treebank: Path, tmp_path: Path) -> None:
    pipe = piped(treebank.read_text(), tmp_path / "pipe")
    train(pipe, treebank, tmp_path / "toy.syntagma", settings=LinearSettings(epochs=1))
    assert load(tmp_path / "toy.syntagma").tag_column == "xpos"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_decides_the_tag_column_as_a_file_does(tmp_path: Path) -> None:
    """And sentences can be held out of it."""
    rows = "1\ta\t_\tX\t_\t_\t2\tdet\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "file").write_text(20 * rows)
    for source in (piped(20 * rows, tmp_path / "pipe"), tmp_path / "file"):
        output = tmp_path / f"{source.name}.syntagma"
        with pytest.warns(SyntagmaWarning, match="no word has XPOS tags, so the model learns from"):
            train(source, None, output, settings=LinearSettings(epochs=1))
        assert load(output).tag_column == "upos"
