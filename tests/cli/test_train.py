"""`syntagma train`: presets and the options beside them, and treebanks of several files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from toys.treebank import write_treebank

from syntagma.cli.app import run
from syntagma.models.container import read_container
from syntagma.training.presets import paper_settings

QUICK = ("--epochs", "1", "--condition", "labelled")


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    return write_treebank(tmp_path / "toy.conllu")


def trained(treebank: Path, *options: str) -> dict[str, Any]:
    """The header of a model that the command has trained."""
    output = treebank.with_name("model")
    assert run(["train", str(treebank), str(treebank), "-o", str(output), *options]) == 0
    return read_container(output)[0]


@pytest.mark.parametrize(
    ("options", "changes", "told"),
    [
        (["l15", *QUICK, "--beam", "4"], {"beam": 4, "unlabelled": False}, "beam 4"),
        (["l15", "--epochs", "1", "--search", "beam", "--arcs", "eager"], {"arcs": "eager"}, ""),
        (["z13", "--epochs", "1", "--no-negatives"], {}, ""),
        (
            ["z13", "--epochs", "1", "--averaged", "--unscaled", "--labelled"],
            {"unlabelled": False, "scaled": False, "averaged": True},
            "labelled arcs, unscaled scores, averaged weights",
        ),
    ],
)
def test_options_beside_a_preset_win(
    treebank: Path,
    options: list[str],
    changes: dict[str, Any],
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    header = trained(treebank, "--preset", *options)
    name = options[0]
    expected = paper_settings(name, **changes)
    for key, value in header["settings"].items():
        if key not in ("condition", "epochs", "tag_column"):
            assert value == getattr(expected, key), key
    assert header.get("preset_changes", {}) == changes
    capsys.readouterr()
    assert run(["info", str(treebank.with_name("model"))]) == 0
    [line] = [each for each in capsys.readouterr().out.splitlines() if each.startswith("preset ")]
    assert line.split(None, 1)[1].startswith(f"{name}, with " if changes else name)
    assert told in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["l15", "--search", "best-first"], "--preset l15 is a model for --search beam: leave out"),
        (["p16", "--scorer", "neural"], "--preset p16 is a model for --scorer linear: leave out"),
        (["zc15", "--search", "beam"], "--preset zc15 is a model for --search best-first: leave"),
        (["z13", "--scorer", "linear"], "--scorer goes with --search beam, not with best-first"),
        (["l15", "--chart", "9"], "--chart goes with --search best-first, not with linear"),
        (["z11", "--beam", "9"], "--beam goes with --scorer linear, not with best-first"),
        (["l15", "--dropout", "0.1"], "--dropout goes with --scorer neural, not with linear"),
        (["l15", "--update", "margin"], "update 'margin' is not one of early, max-violation"),
        (["z11", "--unlabelled"], "CCG derivations have no labels to leave out"),
        (["l15", "--unlabelled", "-c", "labelled"], "gives labels, which unlabelled models do not"),
        (["l16"], "l16"),
    ],
)
def test_options_that_contradict_a_preset_are_refused(
    treebank: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(treebank), str(treebank), "-o", str(treebank.with_name("model"))]
    assert run(["train", *files, "--preset", *options]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert [each.name for each in treebank.parent.iterdir()] == [treebank.name]


def test_a_treebank_of_several_files(tmp_path: Path) -> None:
    """The same model as from one file with all sentences."""
    whole = write_treebank(tmp_path / "whole.conllu")
    blocks = whole.read_text().strip().split("\n\n")
    parts = tmp_path / "parts"
    parts.mkdir()
    for number in range(5):
        text = "\n\n".join(blocks[2 * number : 2 * number + 2]) + "\n\n"
        (parts / f"{number}.conllu").write_text(text)
    common = ["--scorer", "linear", "--beam", "2", *QUICK, "--name", "toy"]

    def model(*files: object) -> tuple[dict[str, Any], bytes]:
        output = tmp_path / "model"
        assert run(["train", *map(str, files), "-o", str(output), *common]) == 0
        header, arrays = read_container(output)
        return header, b"".join(arrays[name].tobytes() for name in sorted(arrays))

    header, one = model(whole, whole)
    several, other = model(parts / "0.conllu", parts / "[12].conllu", parts / "[3-9]*", whole)
    assert other == one
    assert [each["name"] for each in header["data"]] == ["whole.conllu"]
    assert [each["name"] for each in several["data"]] == [f"{i}.conllu" for i in range(5)]
    assert [each["sentences"] for each in several["data"]] == [2] * 5
    again, third = model(whole, parts / "*.conllu")
    assert third == one
    assert again["figures"] == header["figures"] == several["figures"]


def test_a_pattern_without_a_match(treebank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pattern = str(treebank.with_name("wsj-*.conllu"))
    assert run(["train", pattern, str(treebank), "-o", str(treebank.with_name("model"))]) == 2
    assert capsys.readouterr().err == (
        f"error: {pattern}: no file matches this pattern; check its spelling\n"
    )


def test_no_plan_is_printed_without_pytorch(
    treebank: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert run(["train", str(treebank), str(treebank), "-o", str(treebank.with_name("model"))]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "error: a neural scorer is trained with PyTorch, which is not installed: "
        "pip install 'syntagma[train]', or train a linear one (--scorer linear)\n"
    )


def test_a_file_alone_is_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The model is the same as from the two parts as files; the header says what was held out."""
    whole = write_treebank(tmp_path / "whole.conllu")
    blocks = whole.read_text().strip().split("\n\n")
    held = blocks.pop(5)
    learned, dev = tmp_path / "learned.conllu", tmp_path / "dev.conllu"
    learned.write_text("\n\n".join(blocks) + "\n\n")
    dev.write_text(held + "\n\n")
    options = ["--scorer", "linear", "--beam", "2", *QUICK, "--name", "toy"]
    models = []
    for files in ([whole], [learned, dev]):
        output = tmp_path / "model"
        assert run(["train", *map(str, files), "-o", str(output), *options]) == 0
        models.append(read_container(output))
    (header, arrays), (expected, others) = models
    assert [arrays[name].tobytes() for name in others] == [
        each.tobytes() for each in others.values()
    ]
    assert header["figures"] == expected["figures"]
    assert header["data"][0]["sentences"] == 9
    assert header["data"][0].pop("held_out") == 1
    assert header["data"][0]["sha256"] == expected["data"][0]["sha256"]
    capsys.readouterr()
    whole.write_text(held + "\n\n")
    assert run(["train", str(whole), "-o", str(tmp_path / "model"), *options]) == 2
    assert capsys.readouterr().err == (
        f"error: {whole}: a treebank of one sentence has none to hold out: give a development set\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--specialize", "bags"], "name the model to start from (--start)"),
        (["--specialize", "bags", "--scorer", "linear"], "--specialize"),
        (
            ["--specialize", "bags", "--start", "en", "--hidden", "96"],
            "has 160 hidden units, which stay, so hidden cannot be 96",
        ),
        (["--specialize", "second", "--start", "en", "--hidden", "100"], "multiple of 32, not 100"),
        (
            ["--specialize", "trees", "--start", "en", "--condition", "labelled"],
            "leave out condition (--condition)",
        ),
        (["--specialize", "both", "--start", "en"], "both"),
    ],
)
def test_what_a_specialised_training_needs(
    treebank: Path,
    options: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("syntagma.training.train.check_learner", lambda settings: None)
    output = treebank.with_name("model")
    assert run(["train", str(treebank), str(treebank), "-o", str(output), *options]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not output.exists()
