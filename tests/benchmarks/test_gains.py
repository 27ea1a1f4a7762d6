"""The benchmark of the gains by a language model, and its corpora."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import gains
import pytest
from toys.benchmark_runs import call

import syntagma
from syntagma.errors import FormatError, ModelError

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


@pytest.mark.slow
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
