"""The command line with models for best-first search: golden outputs, notes, what is refused."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
from toys.edges import GRAMMARS, train_edges

from syntagma.cli.app import run
from syntagma.formats.auto import parse_auto


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for grammar in GRAMMARS:
        train_edges(folder, grammar)
    return folder


@pytest.fixture
def trees(folder: Path) -> list[str]:
    return ["--search", "best-first", "--model", str(folder / "dependency.syntagma")]


@pytest.fixture
def ccg(folder: Path) -> list[str]:
    return ["--search", "best-first", "--model", str(folder / "ccg.syntagma")]


Capture = pytest.CaptureFixture[str]


# ---- order -----------------------------------------------------------------------------------

BOATS = ["boats", "sea", "saw", ".", "two", "at", "We"]


def test_text(trees: list[str], ccg: list[str], capsys: Capture) -> None:
    assert run(["order", *trees, *BOATS]) == 0
    assert capsys.readouterr() == ("We saw two boats at sea .\n", "")
    assert run(["order", *ccg, "sank", "the", ".", "fox", "that", "pear", "the", "saw"]) == 0
    assert capsys.readouterr() == ("the pear that the fox saw sank .\n", "")


def test_many(trees: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    bags = b"sang She .\n! Run\n. fast run Foxes\n"
    for threads in ("1", "3"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bags)))
        assert run(["order", *trees, "--threads", threads]) == 0
        assert capsys.readouterr() == ("She sang .\nRun !\nFoxes run fast .\n", "")


def test_conllu(trees: list[str], ccg: list[str], capsys: Capture) -> None:
    assert run(["order", *trees, "sang", ".", "She", "--format", "conllu"]) == 0
    assert re.sub(r"score = \S+", "score = …", capsys.readouterr().out) == (
        "# text = She sang .\n# score = …\n"
        "1\tShe\t_\t_\tPRP\t_\t2\tnsubj\t_\t_\n"
        "2\tsang\t_\t_\tVBD\t_\t0\troot\t_\t_\n"
        "3\t.\t_\t_\t.\t_\t2\tpunct\t_\t_\n\n"
    )
    assert run(["order", *ccg, "ran", "we", "--format", "conllu"]) == 0
    assert re.sub(r"score = \S+", "score = …", capsys.readouterr().out) == (
        "# text = we ran\n# score = …\n"
        "1\twe\t_\tPRON\t_\t_\t2\tdep\t_\t_\n"
        "2\tran\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    )


def test_json(trees: list[str], ccg: list[str], capsys: Capture) -> None:
    assert run(["order", *ccg, "ran", "we", "--format", "json"]) == 0
    assert re.sub(r'"score": [^,]+', '"score": 0', capsys.readouterr().out) == (
        '{"id": null, "text": "we ran", "score": 0, "words": ['
        '{"form": "we", "tag": "PRON", "head": 2, "deprel": "dep", "source": 2}, '
        '{"form": "ran", "tag": "VERB", "head": 0, "deprel": "root", "source": 1}], '
        '"derivations": ["(<T S 1 2> (<L NP PRON PRON we NP>) '
        '(<L S\\\\NP VERB VERB ran S\\\\NP>) )"]}\n'
    )
    assert run(["order", *trees, "sang", "She", "--format", "json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"id", "text", "score", "words"}


def test_drawings(trees: list[str], ccg: list[str], capsys: Capture) -> None:
    assert run(["order", *trees, "sang", ".", "She", "--format", "tree"]) == 0
    assert capsys.readouterr().out == (
        "╭─► She   PRP  nsubj\n├─● sang  VBD  root\n╰─► .     .    punct\n\n"
    )
    assert run(["order", *ccg, "ran", "we", "--format", "tree"]) == 0
    assert capsys.readouterr().out == "we  ran\nNP  S\\NP\n───────<\n   S\n\n"
    assert run(["order", *ccg, "ran", "we", "--format", "indented"]) == 0
    assert capsys.readouterr().out == "S\n  NP  we  PRON\n  S\\NP  ran  VERB\n\n"


def test_auto(ccg: list[str], tmp_path: Path, capsys: Capture) -> None:
    assert run(["order", *ccg, "ran", "we", "--format", "auto"]) == 0
    assert capsys.readouterr().out == (
        "ID= PARSER=SYNTAGMA NUMPARSE=1\n"
        "(<T S 1 2> (<L NP PRON PRON we NP>) (<L S\\NP VERB VERB ran S\\NP>) )\n"
    )
    bags = tmp_path / "bags.jsonl"
    bags.write_text('{"words": ["ran", "we"], "id": "s1"}\n{"words": ["!", "run"]}\n')
    output = tmp_path / "out.auto"
    arguments = ["--file", str(bags), "--format", "auto", "--output", str(output)]
    assert run(["order", *ccg, *arguments]) == 0
    lines = output.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "ID=s1 PARSER=SYNTAGMA NUMPARSE=1"
    assert [parse_auto(line).text for line in lines[1::2]] == ["we ran", "run !"]


def test_n_best(trees: list[str], capsys: Capture) -> None:
    assert run(["order", *trees, "--n-best", "20", "sang", ".", "She"]) == 0
    *lines, empty = capsys.readouterr().out.split("\n")[:-1]
    assert empty == ""
    scores = [float(line.split("\t")[0]) for line in lines]
    assert len(lines) == len({line.split("\t")[1] for line in lines}) == 6
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("format", ["auto", "indented"])
def test_trees_are_no_derivations(
    trees: list[str], tmp_path: Path, format: str, capsys: Capture
) -> None:
    output = tmp_path / "out"
    for more in ([], ["--output", str(output)], ["--n-best", "2"], ["--expansions", "1"]):
        assert run(["order", *trees, "sang", "She", "--format", format, *more]) == 2
        assert capsys.readouterr() == (
            "",
            f"error: there is no derivation to write as '{format}': use a CCG model "
            "(--search best-first, trained with --grammar ccg) or another --format\n",
        )
    assert list(tmp_path.iterdir()) == []


# ---- unfinished ------------------------------------------------------------------------------


def test_unfinished_results_are_noted(
    trees: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    bags = b"sang She .\n! Run\n. sea at boats two saw We\nRun\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bags)))
    assert run(["order", *trees, "--expansions", "2"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert [len(line.split()) for line in lines[:3]] == [2, 2, 2]
    assert lines[3] == "Run"
    assert err == (
        "3 of 4 results are unfinished, 6 words left out; "
        "give the search more time (--timeout, --expansions) or use --search beam\n"
    )


@pytest.mark.parametrize("format", ["text", "json", "conllu", "tree"])
@pytest.mark.parametrize("n_best", [[], ["--n-best", "3"]])
def test_unfinished_results_in_every_format(
    trees: list[str], ccg: list[str], format: str, n_best: list[str], capsys: Capture
) -> None:
    for model in (trees, ccg):
        arguments = ["--expansions", "1", "--format", format, *n_best, "sank", "the", "boat"]
        assert run(["order", *model, *arguments]) == 0
        out, err = capsys.readouterr()
        assert out.strip()
        assert err.startswith("1 of 1 results are unfinished, 2 words left out; ")
        assert err.count("\n") == 1


@pytest.mark.parametrize("format", ["auto", "indented"])
def test_pieces_of_derivations(ccg: list[str], format: str, capsys: Capture) -> None:
    assert run(["order", *ccg, "--expansions", "3", "--format", format, "sank", "the", "boat"]) == 0
    out, err = capsys.readouterr()
    leaves = re.findall(r"\b(sank|the|boat)\b", out)
    assert len(leaves) == len(set(leaves)) >= 1
    assert "1 of 1 results are unfinished" in err
    if format == "auto":
        assert all(parse_auto(line) for line in out.splitlines()[1::2])


def test_a_timeout(trees: list[str], capsys: Capture) -> None:
    assert run(["order", *trees, "--timeout", "0.001", *(BOATS * 30)]) == 0
    out, err = capsys.readouterr()
    assert out.strip()
    assert "1 of 1 results are unfinished" in err
    assert run(["order", *trees, "--timeout", "60", "sang", "She", "."]) == 0
    assert capsys.readouterr() == ("She sang .\n", "")


# ---- errors ----------------------------------------------------------------------------------


def test_arcs_for_derivations_are_refused_with_their_place(
    folder: Path, ccg: list[str], tmp_path: Path, capsys: Capture
) -> None:
    treebank = folder / "toy.conllu"
    assert run(["order", *ccg, "--file", str(treebank)]) == 2
    assert capsys.readouterr() == (
        "",
        f"error: {treebank}:2: the head of word 1 'The' is given, but a CCG model can only keep "
        "tags and order constraints: leave heads and labels out\n",
    )
    bags = tmp_path / "bags.jsonl"
    bags.write_text('["ran", "we"]\n[{"form": "ran", "deprel": "root"}]\n["!", "run"]\n')
    assert run(["order", *ccg, "--file", str(bags), "--on-error", "skip"]) == 0
    out, err = capsys.readouterr()
    assert out == "we ran\nrun !\n"
    assert f"skipped: {bags}:2: the label of word 1 'ran' is given" in err


def test_more_words_than_a_model_can_order(trees: list[str], capsys: Capture) -> None:
    assert run(["order", *trees, "--max-words", "2001", "a"]) == 2
    assert "--max-words must be between 1 and 2000, not 2001" in capsys.readouterr().err


# ---- evaluate --------------------------------------------------------------------------------


def test_evaluate(folder: Path, trees: list[str], tmp_path: Path, capsys: Capture) -> None:
    data, record = folder / "toy.conllu", tmp_path / "figures.json"
    arguments = ["--data", str(data), "--expansions", "1000", "--json", str(record)]
    assert run(["evaluate", *trees, *arguments]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "model dependency.syntagma on toy.conllu, 10 sentences, search best-first, "
        "expansions 1000\n"
    )
    assert out.count("|search:best-first|expansions:1000|seed:1|") == 5
    value = json.loads(record.read_text())
    assert (value["search"], value["expansions"]) == ("best-first", 1000)
    conditions = {each["condition"]: each for each in value["conditions"]}
    assert list(conditions) == ["none", "pos", "half", "tree", "labelled"]
    assert all(each["violations"] == 0 for each in conditions.values())
    assert conditions["none"]["exact"] >= 80


def test_evaluate_derivations(folder: Path, ccg: list[str], capsys: Capture) -> None:
    """By default under the conditions that a CCG model can keep."""
    data = folder / "toy.auto"
    assert run(["evaluate", *ccg, "--data", str(data)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "model ccg.syntagma on toy.auto, 12 sentences, search best-first, timeout 5.0\n"
    )
    assert re.findall(r"\|condition:(\w+)\|", out) == ["none", "pos"]
    assert out.count("|search:best-first|timeout:5.0|") == 2
    assert run(["evaluate", *ccg, "--data", str(data), "-c", "tree"]) == 2
    assert capsys.readouterr().err.startswith("error: the head of word 1 ")


def test_evaluate_spans_of_what_is_unfinished(
    folder: Path, trees: list[str], capsys: Capture
) -> None:
    arguments = ["--data", str(folder / "toy.conllu"), "-c", "none", "--expansions", "1", "--spans"]
    assert run(["evaluate", *trees, *arguments]) == 0
    out = capsys.readouterr().out
    [row, *_] = (line.split() for line in out.splitlines() if line.startswith("none  "))
    # Of 53 words 10 come out, one of each sentence: no span is longer than a word.
    assert row[3:5] == ["18.9", "10"]
    [spans] = (line.split() for line in out.splitlines() if line.startswith("all "))
    assert spans[:6] == ["all", "0", "21", "0", "-", "0.00"]


def test_evaluate_spans(folder: Path, ccg: list[str], capsys: Capture) -> None:
    arguments = ["--data", str(folder / "toy.auto"), "--limit", "3", "-c", "pos", "--spans"]
    assert run(["evaluate", *ccg, *arguments, "--threads", "2"]) == 0
    out = capsys.readouterr().out
    [spans] = (line.split() for line in out.splitlines() if line.startswith("all "))
    assert spans[4:] == ["100.00", "100.00", "100.00"]


# ---- info ------------------------------------------------------------------------------------

INFO = """\
name          toy
language      -
licence       -
attribution   -
data          name toy.auto, sha256 …, sentences 12, words 65
tag column    upos
scorer        edges
search        best-first
grammar       ccg
chart         256
scaled        True
templates     26
heads         rule
unreachable   0
settings      condition mixed, epochs 8, seed 1, tag_column upos, dev_sentences 300, \
preset None, unlabelled False, min_count 2, back_off True, whole_dictionary False, quantized True, \
max_features 4000000, grammar ccg, heads rule, update margin, scaled True, negatives True, \
first_update False, averaged True, chart 256, chart_by_size False, expansions 500, \
dev_expansions 1000, realize False
created with  …
figures       dev …
features      …
categories    17
rules         20
file          …
size          0.0 MB
sha256        …
"""


def test_info(folder: Path, capsys: Capture) -> None:
    assert run(["info", "--all", str(folder / "ccg.syntagma")]) == 0
    out = capsys.readouterr().out
    out = re.sub(
        r"^((?:created with|figures  |features|file|sha256) +(?:dev )?).*", r"\1…", out, flags=re.M
    )
    assert re.sub(r"sha256 [0-9a-f]{64}", "sha256 …", out) == INFO
    assert run(["info", "--all", str(folder / "dependency.syntagma")]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^grammar +dependency$", out, re.MULTILINE)
    assert re.search(r"^templates +101$", out, re.MULTILINE)
    assert "categories" not in out
