"""The format of SR'11: what is read, and what is refused, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from syntagma.errors import FormatError
from syntagma.formats.problems import guess_format, read_problems
from syntagma.formats.sr11 import LemmaTree, read_sr11
from syntagma.problem.word import Word

SENTENCE = """\
sentId=7
SROOT 4 0 eat cat=VB tense=past
  SBJ\t2 4 child pos=nn num=pl
    NMOD 9 2 the cat=DT
  OBJ 1 4 apple num=sg quoted=1

The children ate apple .
"""


def read(text: str) -> list[LemmaTree | FormatError]:
    return list(read_sr11(iter(text.split("\n")), "x.hfg"))


def only(text: str) -> LemmaTree:
    [tree] = read(text)
    assert isinstance(tree, LemmaTree), tree
    return tree


def test_a_tree_with_its_text() -> None:
    tree = only(SENTENCE)
    assert (tree.id, tree.text, str(tree.place)) == ("7", "The children ate apple .", "x.hfg:1")
    past = "Tense=Past|VerbForm=Fin"
    assert tree.problem.words == (
        Word(lemma="eat", tag="VBD", head=0, deprel="root", features=past),
        Word(lemma="child", tag="NNS", head=1, deprel="SBJ", features="Number=Plur"),
        Word(lemma="the", tag="DT", head=2, deprel="NMOD", features=""),
        Word(lemma="apple", head=1, deprel="OBJ", features="Number=Sing"),
    )


def test_several_sentences_with_and_without_text() -> None:
    first, second, third = read(SENTENCE + "\nsentId=8\nSROOT 1 0 go\n\n" + SENTENCE)
    assert isinstance(first, LemmaTree)
    assert isinstance(second, LemmaTree)
    assert isinstance(third, LemmaTree)
    assert (second.id, second.text) == ("8", None)
    assert third.problem.words == first.problem.words


def test_names_keep_their_order() -> None:
    tree = only("sentId=1\nSROOT 3 0 Smith\nNAME_2 2 3 B.\nNAME_1 5 3 John\nNMOD 6 3 old\n")
    assert sorted(tree.problem.before) == [(2, 1), (3, 2)]


@pytest.mark.parametrize(
    ("attributes", "tag", "features"),
    [
        ("cat=VB", "VB", ""),
        ("cat=VB tense=pres", "VERB", "Tense=Pres|VerbForm=Fin"),
        ("cat=VB partic=past", "VBN", "Tense=Past|VerbForm=Part"),
        ("cat=VB partic=pres", "VBG", "Tense=Pres|VerbForm=Part"),
        ("cat=NNP num=pl", "NNPS", "Number=Plur"),
        ("cat=JJR", "JJR", ""),
        ("", None, ""),
    ],
)
def test_attributes(attributes: str, tag: str | None, features: str) -> None:
    [word] = only(f"sentId=1\nSROOT 1 0 x {attributes}\n").problem.words
    assert (word.tag, word.features) == (tag, features)


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("SROOT 1 0 go\n", 1, "begins with a line sentId"),
        ("sentId=1\nSROOT one 0 go\n", 2, "a node is a line with label, id, head, lemma"),
        ("sentId=1\nSROOT 1\n", 2, "a node is a line with label, id, head, lemma"),
        ("sentId=1\nSROOT 1 0 go\nA1 1 2\n", 3, "node 1 has no lemma: if this is the deep track"),
        ("sentId=1\nSROOT 1 0 go x\n", 2, "attribute 'x' is not written as name=value"),
        ("sentId=1\nSROOT 1 0 go\nSBJ 1 1 it\n", 3, "id 1 is used twice"),
        ("sentId=1\nSROOT 0 0 go\n", 2, "id 0 is 0, which stands for the root"),
        ("sentId=1\nSROOT 1 0 go\nSBJ 2 3 it\n", 3, "head 3 is not the id of a node"),
        ("sentId=1\nSROOT 1 2 go\nSBJ 2 1 it\n", 1, "sentence 1: "),
        ("sentId=1\n\nsentId=2\nSROOT 1 0 go\n", 1, "sentence 1: "),
    ],
)
def test_faults_have_a_line(text: str, line: int, complaint: str) -> None:
    fault = read(text)[0]
    assert isinstance(fault, FormatError)
    assert (fault.source, fault.line) == ("x.hfg", line)
    assert fault.id == ("1" if "sentId=1" in text else None)
    assert complaint in str(fault)


def test_a_fault_spoils_its_own_sentence_only() -> None:
    found = read("sentId=1\nSROOT x\n\nsome text\n\n" + SENTENCE)
    assert [type(each) for each in found] == [FormatError, LemmaTree]


def test_files_are_read_as_problems(tmp_path: Path) -> None:
    path = tmp_path / "some.hfg"
    path.write_text(SENTENCE)
    assert guess_format(path) == "sr11"
    [problem] = read_problems(path)
    assert problem == only(SENTENCE).problem
    path.write_text("\n")
    assert isinstance(next(read_problems(path)), FormatError)
