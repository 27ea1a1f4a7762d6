"""Training guided by best-first search: reproducible, also when interrupted and resumed; what is
refused; the command."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from toys.ccg import DERIVATIONS
from toys.edges import GRAMMARS, edge_settings, run, write_data
from toys.training_runs import (
    EPOCHS,
    RISING,
    Cut,
    at_each_step_of_each_epoch,
    cut_and_resumed,
    cut_at,
    cut_twice_within_an_epoch,
    cut_while_tidying_up,
    measured,
    weights,
)
from toys.treebank import SENTENCES

from syntagma.best_first.settings import BestFirstSettings, GrammarName
from syntagma.cli.app import run as command
from syntagma.errors import FormatError, TrainingError
from syntagma.linear.settings import LinearSettings
from syntagma.linearizer.linearizer import load
from syntagma.models.container import read_container
from syntagma.results.linearization import violations
from syntagma.training.run import Epoch
from syntagma.training.train import train
from syntagma.treebanks.conditions import MAIN_CONDITIONS

SIZES: dict[GrammarName, int] = {
    "dependency": len(SENTENCES.strip().splitlines()),
    "ccg": len(DERIVATIONS),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for grammar in GRAMMARS:
        write_data(folder, grammar)
    return folder


@pytest.fixture(scope="module", params=GRAMMARS)
def grammar(request: pytest.FixtureRequest) -> GrammarName:
    name: GrammarName = request.param
    return name


@pytest.fixture(scope="module")
def data(folder: Path, grammar: GrammarName) -> Path:
    return folder / ("toy.auto" if grammar == "ccg" else "toy.conllu")


@pytest.fixture(scope="module")
def whole(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model of an uninterrupted run, in which each epoch was better than the one before."""
    path = tmp_path_factory.mktemp("whole") / "whole.syntagma"
    with pytest.MonkeyPatch.context() as patch:
        measured(patch, *RISING)
        assert run(data, path).best == EPOCHS
    return path


# ---- the same model --------------------------------------------------------------------------


@pytest.mark.slow
def test_the_model_depends_on_the_seed_and_not_on_threads(
    data: Path, grammar: GrammarName, tmp_path: Path
) -> None:
    for name, seed, threads in [("one", 1, 1), ("same", 1, 1), ("threads", 1, 3), ("other", 2, 1)]:
        settings = edge_settings(grammar, epochs=2, seed=seed)
        run(data, tmp_path / name, settings, threads=threads)
    assert (tmp_path / "same").read_bytes() == (tmp_path / "one").read_bytes()
    assert (tmp_path / "threads").read_bytes() == (tmp_path / "one").read_bytes()
    assert weights(tmp_path / "other") != weights(tmp_path / "one")


@pytest.mark.slow
@at_each_step_of_each_epoch
def test_cut_off_at_the_end_of_an_epoch(
    data: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    after: bool,
    epoch: int,
) -> None:
    output = tmp_path / "cut.syntagma"
    report = cut_and_resumed(partial(run, data), output, monkeypatch, step, after, epoch)
    assert [each.number for each in report.epochs] == [1, 2, 3]
    assert output.read_bytes() == whole.read_bytes()
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.slow
@pytest.mark.parametrize("sentence", [1, 5, 13])
def test_cut_off_twice_within_an_epoch(
    data: Path,
    grammar: GrammarName,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sentence: int,
) -> None:
    output = tmp_path / "cut.syntagma"
    size = SIZES[grammar]
    cut_twice_within_an_epoch(partial(run, data), output, monkeypatch, sentence, size)
    assert output.read_bytes() == whole.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_cut_off_while_tidying_up(
    data: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    output = tmp_path / "cut.syntagma"
    found = cut_while_tidying_up(partial(run, data), output, monkeypatch, after)
    assert found == whole.read_bytes()
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.slow
def test_a_run_with_other_settings_is_left_alone(
    data: Path,
    grammar: GrammarName,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    output = tmp_path / "model"
    measured(monkeypatch, *RISING)
    with pytest.raises(Cut):
        run(data, output, on_epoch=cut_at(1))
    for other in (
        *({"seed": 2}, {"condition": "pos"}, {"update": "perceptron"}, {"scaled": False}),
        *({"negatives": False}, {"averaged": False}, {"chart": 9}, {"expansions": 9}),
        *({"dev_expansions": 9}, {"max_features": 9}, {"epochs": 4}),
    ):
        settings = edge_settings(grammar, **{"epochs": 3, **other})
        with pytest.raises(TrainingError, match=r"model\.training holds .* other data or settings"):
            run(data, output, settings)
    run(data, output)
    assert output.read_bytes() == whole.read_bytes()


def test_a_run_with_other_derivations_of_the_same_words_is_left_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "toy.auto"
    text = (folder / "toy.auto").read_text(encoding="utf-8")
    data.write_text(text, encoding="utf-8")
    measured(monkeypatch, *RISING)
    with pytest.raises(Cut):
        run(data, tmp_path / "model", on_epoch=cut_at(1))
    changed = text.replace("(<L conj CCONJ CCONJ and conj>)", "(<L con CCONJ CCONJ and con>)")
    assert changed != text
    data.write_text(changed, encoding="utf-8")
    with pytest.raises(TrainingError, match="other data or settings"):
        run(data, tmp_path / "model")


# ---- what is learned and reported ------------------------------------------------------------


@pytest.mark.slow
def test_progress_and_figures(data: Path, grammar: GrammarName, tmp_path: Path) -> None:
    sentences: list[None] = []
    epochs: list[Epoch] = []
    report = run(
        *(data, tmp_path / "model", edge_settings(grammar, epochs=5)),
        on_sentence=lambda: sentences.append(None),
        on_epoch=epochs.append,
    )
    assert len(sentences) == 5 * SIZES[grammar]
    assert report.epochs == tuple(epochs)
    conditions = ("none", "pos") if grammar == "ccg" else MAIN_CONDITIONS
    for epoch in epochs:
        assert tuple(epoch.bleu) == conditions
        assert set(epoch.figures) == {"found", "updates", "expansions"}
        assert 0 <= epoch.figures["found"] <= 1
        assert epoch.figures["expansions"] >= epoch.figures["updates"] >= 0
    first, last = epochs[0], epochs[-1]
    assert last.mean_bleu > first.mean_bleu
    assert last.figures["updates"] < first.figures["updates"]


@pytest.mark.slow
def test_a_visit_ends_at_its_limit(data: Path, grammar: GrammarName, tmp_path: Path) -> None:
    report = run(data, tmp_path / "model", edge_settings(grammar, epochs=1, expansions=2))
    [epoch] = report.epochs
    assert epoch.figures["found"] < 0.2
    assert epoch.figures["expansions"] <= 2


@pytest.mark.slow
def test_a_development_set_is_measured_within_its_limit(
    data: Path, grammar: GrammarName, tmp_path: Path
) -> None:
    """With one expansion, only one word comes out."""
    some = edge_settings(grammar, epochs=1, condition="pos", dev_expansions=1)
    more = edge_settings(grammar, epochs=1, condition="pos")
    few = run(data, tmp_path / "few", some).epochs[0].bleu
    many = run(data, tmp_path / "many", more).epochs[0].bleu
    assert few["pos"] < 5 < many["pos"]
    assert weights(tmp_path / "few") == weights(tmp_path / "many")


@pytest.mark.slow
@pytest.mark.parametrize(
    "other",
    [
        {"update": "perceptron"},
        {"scaled": False},
        {"negatives": False},
        {"averaged": False},
        {"chart": 4},
        {"condition": "pos"},
        {"max_features": 50},
    ],
)
def test_every_setting_makes_a_difference_and_a_model_that_works(
    data: Path,
    grammar: GrammarName,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    other: dict[str, Any],
) -> None:
    output = tmp_path / "model"
    measured(monkeypatch, *RISING)
    run(data, output, edge_settings(grammar, **{"epochs": EPOCHS, **other}))
    assert weights(output) != weights(whole)
    header = read_container(output)[0]
    assert header["settings"] | other == header["settings"]
    for name in other.keys() & {"scaled", "chart"}:
        assert header[name] == other[name]
    if "max_features" in other:
        assert header["features"] == 50
    model = load(output, search="best-first")
    assert violations(model.order(["the", "boat", "sank", "."], expansions=500)) == []


def test_a_tree_that_is_not_projective_is_lifted(tmp_path: Path) -> None:
    words = ["Foxes NNS 3 nsubj", "fast RB 4 advmod", "seem VBP 0 root", "old JJ 3 xcomp"]
    rows = [
        f"{i}\t{f}\t_\t_\t{t}\t_\t{h}\t{d}\t_\t_"
        for i, (f, t, h, d) in enumerate(map(str.split, words), 1)
    ]
    treebank = tmp_path / "crossing.conllu"
    treebank.write_text(2 * ("\n".join(rows) + "\n\n"), encoding="utf-8")
    run(treebank, tmp_path / "model")
    model = load(tmp_path / "model", search="best-first")
    assert model.order(["seem", "old", "Foxes", "fast"]).text == "Foxes fast seem old"


# ---- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{"pretrain": ["a.conllu"]}, {"start": "en"}])
def test_neither_pretraining_nor_a_model_to_start_from(
    data: Path, tmp_path: Path, given: dict[str, Any]
) -> None:
    [option] = given
    with pytest.raises(
        TrainingError, match=rf"kind 'edges' learns .* leave out {option} \(--{option}\)"
    ):
        run(data, tmp_path / "model", **given)
    assert list(tmp_path.iterdir()) == []


def test_data_of_the_other_kind(folder: Path, tmp_path: Path) -> None:
    trees, derivations, output = folder / "toy.conllu", folder / "toy.auto", tmp_path / "model"
    for settings in (LinearSettings(), BestFirstSettings()):
        for pair in ((derivations, trees), (trees, derivations)):
            with pytest.raises(TrainingError, match=r"toy\.auto is a CCGbank.*--grammar ccg"):
                train(*pair, output, settings=settings)
    for pair in ((derivations, trees), (trees, derivations)):
        with pytest.raises(TrainingError, match=r"toy\.conllu is a treebank.*use a CCGbank"):
            train(*pair, output, settings=BestFirstSettings(grammar="ccg"))
    assert list(tmp_path.iterdir()) == []


AUTO = """\
ID=one PARSER=GOLD NUMPARSE=1
(<T S 1 2> (<L NP PRON PRON we NP>) (<L S\\NP VERB VERB ran S\\NP>) )
ID=two PARSER=GOLD NUMPARSE=1
(<T S 1 2> (<L NP PRON PRON we NP>) )
"""


def test_faults_of_a_ccgbank_are_named_with_their_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faulty, output = tmp_path / "faulty.auto", tmp_path / "model"
    faulty.write_text(AUTO, encoding="utf-8")
    message = r"faulty\.auto:4: sentence two: a node S with 1 children where 2 are declared"
    settings = edge_settings("ccg")
    for pair in ((faulty, folder / "toy.auto"), (folder / "toy.auto", faulty)):
        with pytest.raises(FormatError, match=message):
            train(*pair, output, settings=settings)
    options = ["--search", "best-first", "--grammar", "ccg", "-o", str(output)]
    assert command(["train", str(faulty), str(faulty), *options]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {faulty}:4: sentence two: a node S with 1 children")
    assert err.count("\n") == 1
    (tmp_path / "empty.auto").touch()
    with pytest.raises(FormatError, match=r"empty\.auto: empty CCGbank: no derivations"):
        train(tmp_path / "empty.auto", folder / "toy.auto", output, settings=settings)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "empty.auto", faulty]


# ---- the command -----------------------------------------------------------------------------


def trained(folder: Path, output: Path, *options: str, data: str = "toy.conllu") -> dict[str, Any]:
    """The settings of a model that the command has trained."""
    path = str(folder / data)
    arguments = ["train", path, path, "--output", str(output), "--search", "best-first"]
    assert command([*arguments, "--epochs", "1", *options]) == 0
    settings: dict[str, Any] = read_container(output)[0]["settings"]
    return settings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], {"grammar": "dependency", "update": "margin", "epochs": 1, "expansions": 500}),
        (["--update", "perceptron"], {"update": "perceptron"}),
        (["--update", "margin"], {"update": "margin"}),
        (["--grammar", "dependency"], {"grammar": "dependency"}),
        (["--chart", "32"], {"chart": 32}),
        (["--unscaled"], {"scaled": False}),
        (["--no-negatives"], {"negatives": False}),
        (["--final"], {"averaged": False}),
        (["--expansions", "40"], {"expansions": 40}),
        (["--condition", "half"], {"condition": "half"}),
        (["--seed", "3"], {"seed": 3}),
    ],
)
def test_options(
    folder: Path, tmp_path: Path, options: list[str], expected: dict[str, Any]
) -> None:
    settings = trained(folder, tmp_path / "model", *options)
    assert settings | expected == settings


def test_a_ccg_model_by_command(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "model"
    options = ["--grammar", "ccg", "--tag-column", "upos", "--name", "mine", "--licence", "CC0"]
    settings = trained(folder, output, *options, data="toy.auto")
    assert (settings["grammar"], settings["tag_column"]) == ("ccg", "upos")
    out, err = capsys.readouterr()
    assert out == f"{output}: the model of epoch 1 of 1\n"
    figures = r"\d+\.\d% found, updates [\d.]+, expansions [\d.]+, \d+ s CPU"
    *warned, epoch = err.splitlines()
    assert re.fullmatch(rf"epoch 1: dev BLEU none [\d.]+, pos [\d.]+; {figures}", epoch)
    assert [line for line in warned if "12 sentences to learn from" not in line] == warned[1:]
    header = read_container(output)[0]
    assert (header["name"], header["licence"]) == ("mine", "CC0")
    assert json.dumps(header["data"]).count("toy.auto") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "best-first", "--scorer", "linear"], "--scorer goes with --search beam, not"),
        (["--search", "best-first", "--scorer", "neural"], "--scorer goes with --search beam, not"),
        (["--search", "best-first", "--beam", "4"], "--beam goes with --scorer linear, not with"),
        (["--search", "best-first", "--features", "l15"], "--features goes with --scorer linear"),
        (["--search", "best-first", "--dropout", "0.1"], "--dropout goes with --scorer neural"),
        (["--search", "best-first", "--pretrain", "d"], "--pretrain goes with --scorer neural"),
        (["--search", "best-first", "--start", "en"], "--start goes with --scorer neural"),
        (["--search", "best-first", "--update", "early"], "update 'early' is not one of margin"),
        (["--search", "best-first", "--chart", "0"], "--chart"),
        (["--search", "best-first", "--expansions", "0"], "--expansions"),
        (["--search", "best-first", "--grammar", "hpsg"], "hpsg"),
        (["--search", "best-first", "--grammar", "ccg", "-c", "half"], "gives arcs, which CCG"),
        (["--search", "depth-first"], "depth-first"),
        (["--grammar", "ccg"], "--grammar goes with --search best-first, not with neural"),
        (["--chart", "9"], "--chart goes with --search best-first, not with neural"),
        (["--unscaled"], "--unscaled goes with --search best-first, not with neural"),
        (["--no-negatives"], "--no-negatives goes with --search best-first"),
        (["--final"], "--final goes with --search best-first"),
        (["--expansions", "9"], "--expansions goes with --search best-first"),
        (["--scorer", "linear", "--chart", "9"], "--chart goes with --search best-first, not with"),
        (["--scorer", "linear", "--update", "margin"], "update 'margin' is not one of early"),
        (["--update", "early"], "--update goes with --scorer linear or --search best-first, not"),
    ],
)
def test_options_of_other_kinds_are_refused_in_one_line(
    folder: Path,
    tmp_path: Path,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = str(folder / "toy.conllu")
    assert command(["train", data, data, "-o", str(tmp_path / "model"), *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ("toy.auto", ["--search", "best-first"], "is a CCGbank, from which only CCG models learn"),
        ("toy.auto", ["--scorer", "linear"], "is a CCGbank, from which only CCG models learn"),
        ("toy.conllu", ["--search", "best-first", "--grammar", "ccg"], "is a treebank, but CCG"),
    ],
)
def test_data_of_the_other_kind_is_refused_in_one_line(
    folder: Path,
    tmp_path: Path,
    data: str,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = str(folder / data)
    assert command(["train", path, path, "-o", str(tmp_path / "model"), *options]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {path} {message}")
    assert err.count("\n") == 1
