"""What measures a model gives trees away as annotated: `evaluate`, `train` and `add-lm`."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from toys.sentences import write_sentences

import syntagma.evaluation.evaluate
import syntagma.treebanks.visits
from syntagma.cli.app import run
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.problem.problem import Problem
from syntagma.problem.trees import is_projective, lift
from syntagma.training.language_model import train_lm
from syntagma.treebanks.conditions import Condition, constrain
from syntagma.treebanks.treebank import Sentence

# Foxes seem fast to me, with two words torn from their heads.
CROSSING = Sentence(
    forms=("Fast", "foxes", "to", "seem", "me", "run"),
    tags=("RB", "NNS", "TO", "VBP", "PRP", "VB"),
    heads=(6, 4, 6, 0, 4, 4),
    deprels=("advmod", "nsubj", "mark", "root", "obl", "xcomp"),
)
PLAIN = Sentence(("We", "ran"), ("PRP", "VBD"), (2, 0), ("nsubj", "root"))
ANNOTATED = {CROSSING.heads, PLAIN.heads}
LIFTED = {lift(CROSSING.heads), PLAIN.heads}


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert not is_projective(CROSSING.heads)
    return write_sentences(tmp_path_factory.mktemp("data") / "toy.conllu", [CROSSING, PLAIN])


@pytest.fixture(scope="module")
def model(treebank: Path) -> Path:
    path = treebank.with_name("toy.syntagma")
    assert run([*training(treebank, path), "--condition", "labelled"]) == 0
    return path


def training(treebank: Path, output: Path) -> list[str]:
    options = ["--scorer", "linear", "--epochs", "1", "--beam", "2"]
    return ["train", str(treebank), str(treebank), "--output", str(output), *options]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[tuple[int, ...]]]:
    """The trees of which problems are made, to measure and to learn."""
    trees: dict[str, set[tuple[int, ...]]] = {"measured": set(), "learned": set()}
    for use, module in (
        ("measured", syntagma.evaluation.evaluate),
        ("learned", syntagma.treebanks.visits),
    ):

        def spy(
            sentence: Sentence, condition: Condition, rng: Random, use: str = use, **others: Any
        ) -> Problem:
            trees[use].add(sentence.heads)
            return constrain(sentence, condition, rng, **others)

        monkeypatch.setattr(module, "constrain", spy)
    return trees


def test_evaluate(treebank: Path, model: Path, seen: dict[str, set[tuple[int, ...]]]) -> None:
    assert run(["evaluate", "--data", str(treebank), "--model", str(model)]) == 0
    assert seen == {"measured": ANNOTATED, "learned": set()}


def test_several_files_and_patterns(
    treebank: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("b.conllu", "a.conllu"):
        write_sentences(tmp_path / name, [PLAIN])
    record = tmp_path / "figures.json"
    command = ["evaluate", "--model", str(model), "-c", "none", "--json", str(record)]
    assert run([*command, "-d", str(treebank), "-d", str(tmp_path / "*.conllu")]) == 0
    assert (
        "model toy.syntagma on toy.conllu and 2 more files, 4 sentences," in capsys.readouterr().out
    )
    kept = json.loads(record.read_text(encoding="utf-8"))["data"]
    assert [each["name"] for each in kept] == ["toy.conllu", "a.conllu", "b.conllu"]
    assert run([*command, "-d", str(tmp_path / "none*.conllu")]) == 2
    assert "no file matches this pattern" in capsys.readouterr().err
    taken = [*command[:-1], str(tmp_path / "a.conllu"), "-d", str(tmp_path / "*.conllu")]
    assert run(taken) == 2
    assert "a.conllu" in capsys.readouterr().err


def test_the_file_that_was_measured_is_named(
    treebank: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the model that it was made from; whatever the file is called."""
    copy, record = tmp_path / "flu[b]ent.syntagma", tmp_path / "figures.json"
    copy.write_bytes(model.read_bytes())
    command = ["evaluate", "--data", str(treebank), "-c", "none", "--json", str(record)]
    assert run([*command, "--model", str(copy)]) == 0
    assert capsys.readouterr().out.startswith("model flu[b]ent.syntagma on toy.conllu")
    assert json.loads(record.read_text(encoding="utf-8"))["model"] == "flu[b]ent.syntagma"
    assert run([*command, "--model", "en", "--limit", "1"]) == 0
    assert capsys.readouterr().out.startswith("model en on toy.conllu")


def test_how_bleu_counts_and_examples(
    treebank: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "figures.json"
    options = ["--bleu-tokenize", "13a", "--lowercase", "--examples", "1", "--json", str(record)]
    command = ["evaluate", "--data", str(treebank), "--model", str(model)]
    assert run([*command, "-c", "labelled", *options]) == 0
    printed = capsys.readouterr().out
    assert "|case:lc|eff:no|tok:13a|" in printed
    assert "\n\n1-10 words\n\nreference         Fast foxes to seem me run\nlabelled  " in printed
    assert "sentence BLEU nrefs:1|case:lc|eff:yes|tok:13a|" in printed
    kept = json.loads(record.read_text(encoding="utf-8"))
    assert kept["examples"]["sentences"][0]["reference"] == "Fast foxes to seem me run"
    assert run([*command, "--sr", "--examples", "1"]) == 2
    assert run([*command, "--sr", "--lowercase"]) == 2
    assert run([*command, "--bleu-tokenize", "zh"]) == 2


def test_several_systems(
    treebank: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = tmp_path / "twin.syntagma"
    twin.write_bytes(model.read_bytes())
    other = tmp_path / "other.txt"
    other.write_text("Fast foxes seem to me\nWe ran away\n")
    record = tmp_path / "figures.json"
    command = ["evaluate", "--data", str(treebank), "-m", str(model), "-m", str(twin)]
    options = ["--outputs", str(other), "-c", "none", "--examples", "1", "--json", str(record)]
    assert run([*command, *options]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("3 systems on toy.conllu, 2 sentences\n\ncondition   system ")
    assert (
        f"\np: paired bootstrap test against {model}; *: p < 0.05\nnone nrefs:1|bs:1000|" in printed
    )
    assert f"\n{twin} BLEU " in printed
    assert "Fast foxes seem to me" in printed.split("1-10 words")[1]
    kept = json.loads(record.read_text(encoding="utf-8"))
    assert [each["name"] for each in kept["outputs"]] == ["other.txt"]
    assert [each["system"] for each in kept["models"]] == [str(model), str(twin)]
    [comparison] = kept["comparisons"]
    assert comparison["condition"] == "none"
    first, second, third = comparison["systems"]
    assert {**first, "system": ""} == {**second, "system": ""}
    assert (third["system"], third["lost"], third["added"]) == (str(other), 1, 1)

    assert run([*command, "--limit", "1"]) == 0  # all conditions of the models
    printed = capsys.readouterr().out
    assert "\nlabelled nrefs:1|bs:1000|" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--outputs belong to one condition: name it with --condition"),
        (["-c", "none", "-c", "pos"], "--outputs belong to one condition"),
        (["-c", "none", "--spans"], "--sr and --spans take one --model and no --outputs"),
        (["--sr"], "--sr and --spans take one --model and no --outputs"),
        (["-c", "none", "--outputs", "OTHER"], "other.txt is given twice"),
        (["-c", "none", "--json", "OTHER"], "other.txt"),
        (["-c", "none"], "other.txt: 1 lines, but the data have 2 sentences"),
    ],
)
def test_outputs_that_cannot_be_compared(
    treebank: Path,
    model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Fast foxes\n")
    command = ["evaluate", "-d", str(treebank), "-m", str(model), "--outputs", str(other)]
    options = [str(other) if each == "OTHER" else each for each in options]
    assert run([*command, *options]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "plain.txt"
    path.write_text("Fast foxes seem to run.\n\nWe can't.\nHave I run?\n")
    return path


def test_plain_text(
    text: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, other = tmp_path / "figures.json", tmp_path / "other.txt"
    other.write_text("fast foxes run\nwe ca n't\nI have run\n")
    command = ["evaluate", "--data", str(text), "--model", str(model), "--json", str(record)]
    assert run([*command, "--examples", "1"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("model toy.syntagma on plain.txt, 3 sentences, beam")
    assert "reference         Fast foxes seem to run .\n" in printed
    kept = json.loads(record.read_text(encoding="utf-8"))
    assert [each["condition"] for each in kept["conditions"]] == ["none"]
    assert not kept["as_typed"]

    options = ["--as-typed", "--outputs", str(other), "--threads", "2", "--limit", "2"]
    assert run([*command, *options, "--examples", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("2 systems on plain.txt as typed, 2 sentences\n")
    assert "|condition:none|n:2|" in printed
    assert "|words:as typed|" in printed
    assert "\nreference  " in printed
    assert "  we ca n't\n" in printed
    kept = json.loads(record.read_text(encoding="utf-8"))
    assert kept["models"][0]["as_typed"]
    assert kept["comparisons"][0]["systems"][1]["lost"] == 2  # seem, to


def test_a_treebank_as_typed(
    treebank: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", "--data", str(treebank), "--model", str(model), "--as-typed"]
    assert run([*command, "--examples", "2"]) == 0
    printed = capsys.readouterr().out
    assert "reference         fast foxes to seem me run\n" in printed
    assert "\nhalf " not in printed
    assert run([*command, "-c", "half"]) == 2
    assert "the condition must be none, not half" in capsys.readouterr().err
    assert run([*command, "--sr"]) == 2
    assert "--sr takes neither" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-c", "pos"], "the condition must be none, not pos"),
        (["--spans"], "there are no spans to compare"),
        (["--sr"], "--sr is for treebanks with lemmas, not for "),
        (["-d", "TREEBANK"], "toy.conllu: a treebank, but "),
    ],
)
def test_what_plain_text_cannot_do(
    treebank: Path,
    text: Path,
    model: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    options = [str(treebank) if each == "TREEBANK" else each for each in options]
    assert run(["evaluate", "-d", str(text), "-m", str(model), *options]) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


def test_train_learns_from_lifted_trees_and_measures_on_annotated_ones(
    treebank: Path, tmp_path: Path, seen: dict[str, set[tuple[int, ...]]]
) -> None:
    assert run(training(treebank, tmp_path / "model")) == 0
    assert seen == {"measured": ANNOTATED, "learned": LIFTED}


def test_add_lm(
    treebank: Path, model: Path, tmp_path: Path, seen: dict[str, set[tuple[int, ...]]]
) -> None:
    lm = tmp_path / "toy.lm"
    train_lm([treebank], lm, settings=LanguageModelSettings(prune=(0,), min_count=1))
    output = str(tmp_path / "out.syntagma")
    assert run(["add-lm", str(model), str(lm), str(treebank), "--output", output]) == 0
    assert seen == {"measured": ANNOTATED, "learned": set()}
