"""The benchmarks: what they compute, print and draw, on a toy treebank with toy models."""

from __future__ import annotations

import doctest
import json
import lzma
import math
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from toys.benchmark_runs import SIZE, call, needs_matplotlib
from toys.models import model_of, toy_vocabulary
from toys.network import toy_header, toy_lexicon, toy_parameters, toy_stored
from toys.treebank import SENTENCES, write_treebank

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import beams
import fluency
import gains
import language_model
import machine
import plots
import quantisation
import records
import scorers
import speed

import syntagma
from syntagma.errors import FormatError, ModelError
from syntagma.language_model.balance import Balance
from syntagma.models.container import write_container
from syntagma.models.saving import add_language_model, save_model
from syntagma.problem.problem import Problem
from syntagma.training.language_model import perplexity, read_lm, train_lm
from syntagma.transition.encoding import encode
from syntagma.transition.weighted_language_model import WeightedLanguageModel

UNIT = [sys.executable, "-c", "print('machine unit: 20.0 ms')"]


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("data") / "toy.conllu")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A neural model with random parameters."""
    path = tmp_path_factory.mktemp("model") / "toy.syntagma"
    save_model(path, {"name": "toy", **toy_header()}, toy_vocabulary(), toy_stored())
    return path


@pytest.fixture(scope="module")
def arpa(treebank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A language model of the treebank as ARPA, with the own form of it beside it."""
    path = tmp_path_factory.mktemp("lm") / "toy.arpa"
    for suffix in (".arpa", ".lm"):
        train_lm([treebank], path.with_suffix(suffix))
    return path


@pytest.fixture(scope="module")
def fluent(model: Path, arpa: Path) -> Path:
    """The toy model with a language model."""
    path = model.with_name("fluent.syntagma")
    listened, about = read_lm(arpa.with_suffix(".lm"))
    add_language_model(
        path, model, WeightedLanguageModel(listened, Balance(math.log(0.5), 0, 0, 0)), about
    )
    return path


def toy_forms() -> list[list[str]]:
    """The words of the treebank."""
    lines = SENTENCES.strip().splitlines()
    return [[token.rsplit("/", 3)[0] for token in line.split()] for line in lines]


@pytest.mark.parametrize("module", [gains, plots, records])
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


def test_parts_are_taken_out_of_a_model(model: Path, fluent: Path) -> None:
    variants = fluency.variants(str(fluent))
    problem = Problem.of(["The", "cook", "saw", "boats"])
    encoding = encode(problem, model_of(variants["all parts"]).vocabulary)
    searches = {}
    for name, each in variants.items():
        [searches[name]] = model_of(each).scorer.searches([encoding], [4], [None])
    unmerged = [name for name, search in searches.items() if not search.merging]
    assert unmerged == ["no merging", "none of them"]
    # A beam that holds everything finds the same, whatever it expects and merges.
    wide = {name: each.order(problem, beam=1024) for name, each in variants.items()}
    with_lm, without = syntagma.load(fluent), syntagma.load(model)
    for name in ("all parts", "no merging", "no future cost"):
        assert wide[name].score == pytest.approx(with_lm.order(problem, beam=1024).score), name
    for name in ("no language model", "none of them"):
        assert wide[name].score == pytest.approx(without.order(problem, beam=1024).score), name
    assert wide["all parts"].score != wide["none of them"].score


def test_what_the_language_model_expects_guides_a_narrow_beam(fluent: Path) -> None:
    variants = fluency.variants(str(fluent))
    problems = [Problem.of(forms) for forms in toy_forms()]
    found = {
        name: [variants[name].order(problem, beam=2).words for problem in problems]
        for name in ("all parts", "no future cost")
    }
    assert found["all parts"] != found["no future cost"]


def test_fluency_needs_a_language_model(model: Path) -> None:
    with pytest.raises(ModelError, match=r"toy\.syntagma: a model without a language model"):
        fluency.variants(str(model))


@needs_matplotlib
def test_fluency(
    fluent: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plot, again, record, page = (tmp_path / name for name in ("a.svg", "b.svg", "f.json", "f.md"))
    options = ["--limit", 4, "--beams", 1, 4, "--unit-command", "echo 20.0 ms"]
    files = ["--plot", plot, "--json", record, "--markdown", page]
    call(monkeypatch, "fluency.py", fluent, "--data", treebank, *options, *files)
    fluency.main()
    printed = capsys.readouterr().out
    assert "no future cost" in printed
    assert "pos, none of them: machine unit" in printed
    assert "variant:all parts/no merging/" in printed
    rows = [line.split("|")[1].strip() for line in page.read_text().splitlines() if "|" in line]
    assert rows[2:6] == ["none, 1", "none, 4", "pos, 1", "pos, 4"]
    assert len(json.loads(record.read_text())["series"]) == 10
    call(monkeypatch, "plots.py", record, again)
    plots.main()
    assert plot.read_bytes() == again.read_bytes()
    assert "given: pos" in plot.read_text()


# The same three sentences, with tags that the toy model knows, in the formats of corpora.
CORPORA = {
    "toy.auto": """ID=toy.1 PARSER=GOLD NUMPARSE=1
(<T S 0 2> (<L NP NN NN w1 NP>) (<T S\\NP 0 2> (<L X/NP VB VB saw X/NP>) (<L NP NN NN w2 NP>) ) )
ID=toy.2 PARSER=GOLD NUMPARSE=1
(<T NP 0 2> (<L NP/NP JJ JJ ( NP/NP>) (<T NP 0 1> (<L NP XX NN w3 NP>) ) )
ID=toy.3 PARSER=GOLD NUMPARSE=1
(<L NP NN NN '' NP>)
""",
    "toy.trees": """( (S (NP-SBJ (NN w1)) (VP (VB saw) (NP (NN w2)) (S (-NONE- *PRO*)))) )

( (NP (JJ -LRB-) (NN w\N{HAIR SPACE}3 )) )
( (S (-NONE- *)) )
(NP (NN ''))
""",
}


def write_corpus(folder: Path, name: str) -> Path:
    path = folder / name
    text = CORPORA[name.removesuffix(".xz")].encode()
    path.write_bytes(lzma.compress(text) if name.endswith(".xz") else text)
    return path


@pytest.mark.parametrize("name", ["toy.auto", "toy.trees", "toy.trees.xz"])
def test_corpora_without_dependencies(tmp_path: Path, name: str) -> None:
    sentences, has_arcs = gains.read_corpus(write_corpus(tmp_path, name), "xpos", [])
    assert not has_arcs
    assert [sentence.forms for sentence in sentences] == [("w1", "saw", "w2"), ("(", "w3"), ('"',)]
    assert [sentence.tags for sentence in sentences] == [("NN", "VB", "NN"), ("JJ", "NN"), ("NN",)]
    assert sentences[0].heads == (0, 1, 2)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.auto", "(<L NP NN NN w1 NP>)", r"a\.auto:1: a derivation without a line 'ID=…'"),
        ("a.auto", "ID=1\n(<L NP NN NN w1 NP>)\n\nID=2\n", r"a\.auto:4: no derivation after ID=2"),
        ("a.auto", "ID=1\n(<T NP 0 1> (<L NP NN w1 NP>) )", r"a\.auto:2: not a CCG derivation"),
        ("a.auto", "ID=1\n(<T NP 0 1> (<L NP NN NN w1 NP>)", r"a\.auto:2: not a CCG derivation"),
        ("a.trees", "( (NN w1) )\n( (NP (NN w1) )", r"a\.trees:2: not one tree"),
        ("a.trees", "( (NP (NN w1) w2) )", r"a\.trees:1: not one tree"),
        ("a.trees", "(NN w1) (NN w2)", r"a\.trees:1: not one tree"),
        ("a.trees", "(NP (NN) (NN w2))", r"a\.trees:1: not one tree"),
        ("a.trees", "(NN \N{HAIR SPACE})", r"a\.trees:1: not one tree"),
        ("a.trees", "( (-NONE- *) )", r"a\.trees: no sentences"),
    ],
)
def test_malformed_corpora(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        gains.read_corpus(path, "xpos", [])


def test_gains(
    fluent: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    known = tmp_path / "known.conllu"
    words = ("w1\t_\t_\tNN\t_\t2\tnsubj", "saw\t_\t_\tVB\t_\t0\troot", "w2\t_\t_\tNN\t_\t2\tobj")
    known.write_text("".join(f"{i}\t{row}\t_\t_\n" for i, row in enumerate(words, 1)) + "\n")
    with known.open("a") as file:
        file.write("1\tw3\t_\t_\tNN\t_\t_\t_\t_\t_\n\n")
    data = [known, treebank, *(write_corpus(tmp_path, name) for name in CORPORA)]
    record, page = tmp_path / "gains.json", tmp_path / "gains.md"
    options = ["--limit", 4, "--unit-command", "echo 20.0 ms", "--json", record, "--markdown", page]
    call(monkeypatch, "gains.py", fluent, "--data", *data, *options)
    gains.main()
    printed = capsys.readouterr().out
    assert "toy.trees: left out half, tree, labelled: the corpus has no dependencies" in printed
    assert "toy.conllu: left out pos, half, tree, labelled: " in printed
    assert "tags that the model does not know (., DT, " in printed
    assert "known.conllu: left out 1 sentence that is not a tree, the first at " in printed
    assert "known.conllu:5: " in printed
    assert "known.conllu, without: BLEU" in printed
    assert "toy.auto: machine unit before, between and after none without, none with, " in printed
    rows = [
        line.split("|")[1].strip() for line in page.read_text().splitlines() if line[0:1] == "|"
    ]
    assert rows[2:] == [
        *(f"known.conllu, {name}" for name in ("none", "pos", "half", "tree", "labelled")),
        *("toy.conllu, none", "toy.auto, none", "toy.auto, pos"),
        *("toy.trees, none", "toy.trees, pos"),
    ]
    corpora = json.loads(record.read_text())["corpora"]
    assert [each["data"]["name"] for each in corpora] == [path.name for path in data]
    for compared in (each for corpus in corpora for each in corpus["conditions"]):
        without, with_lm = compared["without"], compared["with"]
        assert 0 <= without["bleu"] <= 100
        assert compared["difference"] == pytest.approx(with_lm["bleu"] - without["bleu"])
        assert compared["interval"][0] <= compared["interval"][1]
        assert "|lm:left out|" in without["signature"]
        assert "lm:" not in with_lm["signature"]
    [toy] = corpora[1]["conditions"]
    assert toy["sentences"] == 4
    assert toy["with"]["bleu"] > toy["without"]["bleu"]  # it was trained on these sentences


def test_some_strange_tags_are_told_but_measured() -> None:
    sentence = syntagma.Sentence(
        ("a",) * 20, ("NN",) * 19 + ("XX",), tuple(range(20)), ("dep",) * 20
    )
    conditions, notes = gains.possible(["none", "pos"], [sentence], False, frozenset({"NN"}))
    assert conditions == ["none", "pos"]
    assert notes == ["5.0% of the words have tags that the model does not know (XX)"]


def test_gains_need_a_language_model(model: Path) -> None:
    with pytest.raises(ModelError, match=r"toy\.syntagma: a model without a language model"):
        gains.both(str(model))


def test_a_language_model_alone(
    arpa: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(language_model, "SECONDS", 0.001)
    monkeypatch.setattr(language_model, "load", lambda *_: {"load_s": 0.25, "memory": 3e6})
    own, record = arpa.with_suffix(".lm"), tmp_path / "lm.json"
    options = ["--unit-command", "echo 20.0 ms", "--json", record]
    call(monkeypatch, "language_model.py", own, "--data", treebank, *options)
    language_model.main()
    printed = capsys.readouterr().out
    assert f"toy.conllu, {SIZE} sentences" in printed
    assert "0.25 s" in printed
    assert "after words, numbers: 20.0 20.0 20.0 ms" in printed
    [figures] = json.loads(record.read_text())["models"]
    assert figures["bytes"] <= own.stat().st_size
    assert figures["perplexity"] == pytest.approx(perplexity(read_lm(own)[0], toy_forms()))


def test_kenlm_sees_the_same_text(
    arpa: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed")
    monkeypatch.setattr(language_model, "SECONDS", 0.001)
    monkeypatch.setattr(language_model, "load", lambda *_: {"load_s": 0.25, "memory": 3e6})
    sentences = [["The", "cook", "unheard", "1 000", "<unk>"], ["Unheard", "boats", "."]]
    unit = machine.Unit([])
    model, _ = read_lm(arpa)
    other = language_model.measure_kenlm(kenlm, arpa, model.words, sentences, unit)
    own = language_model.measure_syntagma(arpa, model, sentences, unit)
    # So few n-grams lose nothing in the own table.
    assert other["perplexity"] == pytest.approx(own["perplexity"], rel=1e-5)
    assert other["sum"] == pytest.approx(1, abs=1e-5)
    assert own["sum"] == pytest.approx(1, abs=1e-5)
    table = language_model.column(other, 100)
    assert table["per unit, by words"] == table["look-ups per second, by numbers"] == "-"
    with pytest.raises(SystemExit, match=r"none\.arpa: KenLM cannot read it"):
        language_model.measure_kenlm(kenlm, tmp_path / "none.arpa", (), sentences, unit)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system counts otherwise")
def test_loading_is_measured_in_a_fresh_process(arpa: Path) -> None:
    figures = language_model.load(language_model.SYNTAGMA, arpa)
    assert 0 < figures["load_s"] < 10
    assert figures["memory"] >= 0


def test_a_missing_kenlm_is_told(
    arpa: Path, treebank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "kenlm", None)
    call(monkeypatch, "language_model.py", arpa, "--data", treebank, "--arpa", arpa)
    with pytest.raises(SystemExit, match="pip install kenlm"):
        language_model.main()


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
    with pytest.raises(ModelError, match="not files of a neural training run"):
        quantisation.both(model, model)
    other = tmp_path / "other.syntagma"
    header = {"name": "toy", **toy_header(), "tag_column": "upos"}
    save_model(other, header, toy_vocabulary(), toy_stored())
    with pytest.raises(ModelError, match="not of the same training run"):
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
