"""The benchmarks: what they compute, print and draw, on a toy treebank with toy models."""

from __future__ import annotations

import doctest
import json
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from toy import toy_vocabulary
from toy_network import toy_header, toy_lexicon, toy_parameters, toy_stored
from toy_treebank import SENTENCES, write_treebank

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import beams
import machine
import plots
import quantisation
import records
import scorers
import speed

import syntagma
from syntagma.errors import ModelError
from syntagma.model import save_model
from syntagma.model_file import write_container
from syntagma.problem import Problem

UNIT = [sys.executable, "-c", "print('machine unit: 20.0 ms')"]
SIZE = len(SENTENCES.strip().splitlines())
needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="Matplotlib is not installed"
)


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("data") / "toy.conllu")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A neural model with random parameters."""
    path = tmp_path_factory.mktemp("model") / "toy.syntagma"
    save_model(path, {"name": "toy", **toy_header()}, toy_vocabulary(), toy_stored())
    return path


def call(monkeypatch: pytest.MonkeyPatch, script: str, *arguments: object) -> None:
    """The command line of a benchmark."""
    monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])


@pytest.mark.parametrize("module", [plots, records])
def test_examples_in_docstrings(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed


def test_the_unit_is_read_from_what_a_command_prints() -> None:
    assert machine.parse_unit("machine unit: 21.4 ms\n") == 21.4
    assert machine.parse_unit("90 ms") == 90
    with pytest.raises(SystemExit, match="not a number of ms"):
        machine.parse_unit("fast")


def test_units_are_taken_before_between_and_after() -> None:
    unit = machine.Unit(UNIT)
    assert unit.around(lambda: "done") == ("done", [20.0, 20.0])
    assert machine.divided(5.0, [20.0, 30.0]) == "0.200"
    note = machine.units_note({"none": [20.0, 21.0], "pos": [21.0, 22.0]})
    assert note == "machine unit before, between and after none, pos: 20.0 21.0 22.0 ms"


def test_without_a_unit_there_is_no_ratio_and_a_note_says_why() -> None:
    assert machine.Unit([]).around(lambda: "done") == ("done", [])
    assert machine.divided(5.0, []) == "-"
    assert "no machine unit" in machine.units_note({"none": []})


def test_a_unit_command_that_is_missing_or_fails_is_named() -> None:
    with pytest.raises(SystemExit, match="no such command: none-such"):
        machine.Unit(["none-such"]).take()
    with pytest.raises(SystemExit, match="failed"):
        machine.Unit([sys.executable, "-c", "raise SystemExit(3)"]).take()


def test_a_fresh_process_is_measured(model: Path) -> None:
    assert 10 < machine.peak_megabytes(model, [["a", "b"], ["two words", "c"]], beam=1) < 1000


def test_mean_lengths_by_class() -> None:
    assert records.mean_lengths([1, 10, 11, 20, 41, 59]) == [5.5, 15.5, None, None, 50]


def test_models_go_by_their_scorers_if_that_tells_them_apart(model: Path) -> None:
    neural = syntagma.load(model)
    assert records.labels([neural]) == ["neural"]
    assert records.labels([neural, neural]) == ["toy (neural)", "toy (neural)"]


def test_a_table_as_markdown() -> None:
    table = records.Table("toy", "given", [("linear", ("BLEU", "ms"))], [["none", "1.0"]], ["n"])
    assert table.markdown() == (
        "toy\n\n| given | linear: BLEU | ms |\n| --- | ---: | ---: |\n| none | 1.0 |  |\n\n- n\n"
    )


def test_labels_of_lines_are_spread() -> None:
    places = [3.0, 3.0, 50.0, 2.0, 49.0]
    moved = plots.spread(places, gap=12.0, most=50.0)
    assert moved[4] < moved[2] <= 50
    assert all(b - a >= 12 for a, b in pairwise(sorted(moved)))


def test_growth_is_told_as_an_exponent() -> None:
    assert [line.split("n^")[-1] for line in speed.growth_lines({10: 1.0, 20: 4.0}, [])][
        1
    ] == "2.00"


def test_scorers(
    model: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(machine, "load_seconds", lambda model: 0.25)
    monkeypatch.setattr(machine, "peak_megabytes", lambda model, bags, beam: 99.0)
    json_file, page = tmp_path / "scorers.json", tmp_path / "scorers.md"
    files = ["--json", json_file, "--markdown", page]
    call(
        monkeypatch,
        "scorers.py",
        model,
        "--data",
        treebank,
        "--beam",
        4,
        "--unit-command",
        "",
        *files,
    )
    scorers.main()

    printed = capsys.readouterr().out
    assert f"toy.conllu, {SIZE} sentences" in printed
    assert "beam 4" in printed
    assert "0.25 s" in printed
    assert "99 MB" in printed
    assert "no machine unit" in printed
    assert "condition:none/pos/half/tree/labelled" in printed
    rows = [line.split("|")[1].strip() for line in page.read_text().splitlines() if "|" in line]
    assert rows[2:9] == [
        *("none", "pos", "half", "tree", "labelled"),
        *("none, 1-10 words", "labelled, 1-10 words"),
    ]
    record = json.loads(json_file.read_text())
    [measured] = record["models"]
    assert [len(figures["lengths"]) for figures in measured["conditions"]] == [5] * 5
    assert measured["per_second"].keys() == {"1", "2"}
    if find_spec("matplotlib"):
        plots.time_against_length(record, tmp_path / "time.svg")
        assert "neural, labelled" in (tmp_path / "time.svg").read_text()


@needs_matplotlib
def test_beams(
    model: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plot, again, record = (tmp_path / name for name in ("a.svg", "b.svg", "beams.json"))
    options = ["--beams", 1, 4, "--unit-command", "echo 20.0 ms"]
    files = ["--plot", plot, "--json", record]
    call(monkeypatch, "beams.py", model, "--data", treebank, "--limit", 4, *options, *files)
    beams.main()
    printed = capsys.readouterr().out
    assert "neural, labelled" in printed
    assert "after 1, 4: 20.0 20.0 20.0 ms" in printed
    assert "beam:1/4" in printed
    call(monkeypatch, "plots.py", record, again)
    plots.main()
    assert plot.read_bytes() == again.read_bytes()
    assert "beam width" in plot.read_text()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """What training would keep of the toy model."""
    parameters = toy_parameters(toy_lexicon(), toy_vocabulary())
    average = np.concatenate([parameter.reshape(-1) for parameter in parameters.values()])
    write_container(tmp_path / "state", {"run": toy_header(), "epochs": []}, {"average": average})
    return tmp_path / "state"


def test_quantisation_compares_the_same_network(model: Path, state: Path) -> None:
    exact, stored, sizes = quantisation.both(model, state)
    assert sizes["stored"] < 0.6 * sizes["exact"]
    problem = Problem.of(["w1", "w2", "w3", "w4"])
    ordered = stored.order(problem)
    assert ordered.score == syntagma.load(model).order(problem).score
    assert ordered.score == pytest.approx(exact.order(problem).score, abs=0.5)
    assert ordered.score != exact.order(problem).score


def test_quantisation_refuses_what_does_not_belong_together(
    model: Path, state: Path, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="under training"):
        quantisation.both(model, model)
    other = tmp_path / "other.syntagma"
    header = {"name": "toy", **toy_header(), "tag_column": "upos"}
    save_model(other, header, toy_vocabulary(), toy_stored())
    with pytest.raises(ModelError, match="not of the run"):
        quantisation.both(other, state)
    with pytest.raises(ModelError, match="parameters, the network"):
        quantisation.cut(np.zeros(3, np.float32), {"a": (2, 2)})


def test_quantisation_in_a_table(
    model: Path,
    state: Path,
    treebank: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--beam", 4, "--limit", 4, "--conditions", "none", "tree"]
    call(monkeypatch, "quantisation.py", model, state, "--data", treebank, *options)
    quantisation.main()
    printed = capsys.readouterr().out
    assert "8 and 16 bits" in printed
    assert "condition:none/tree" in printed
