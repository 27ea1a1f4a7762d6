"""SR'11 on the command line: `realize --input-format sr11` and `convert --from sr11`."""

from __future__ import annotations

from pathlib import Path

import pytest

from syntagma.cli.app import run

SENTENCE = """\
sentId=1
SROOT 1 0 eat cat=VB tense=past
  SBJ 2 1 child cat=NN num=pl
    NMOD 3 2 the cat=DT
  OBJ 4 1 apple cat=NN num=sg
    NMOD 5 4 a cat=DT
  P 6 1 . cat=.

The children, then, ate an apple.
"""
CROSSED = """
sentId=2
SROOT 1 0 bark cat=VB tense=past
SBJ 2 1 dog cat=NN num=sg
NMOD 3 2 old cat=JJ

Dog barked old
"""
CONLLU = """\
# sent_id = 1
# text = The children, then, ate an apple.
1	The	the	_	DT	_	2	NMOD	_	_
2	children	child	_	NNS	Number=Plur	3	SBJ	_	_
3	ate	eat	_	VBD	Tense=Past|VerbForm=Fin	0	root	_	_
4	an	a	_	DT	_	5	NMOD	_	_
5	apple	apple	_	NN	Number=Sing	3	OBJ	_	SpaceAfter=No
6	.	.	_	.	_	3	P	_	_

"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.hfg"
    path.write_text(SENTENCE + CROSSED)
    return path


@pytest.mark.filterwarnings("ignore:.*does not know the labels")
def test_realize(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(SENTENCE)
    assert run(["realize", "--file", str(file), "--no-lm"]) == 0
    assert capsys.readouterr().out == "The children ate an apple.\n"


def test_convert(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out.conllu"
    assert run(["convert", str(file), "--from", "sr11", "--output", str(output)]) == 0
    assert output.read_text() == CONLLU
    assert capsys.readouterr().out == (
        f"{output}: 1 sentence, 6 words, 0 in forms unknown to the model; "
        "1 sentence left out (no projective alignment)\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SENTENCE.partition("The ")[0], "hfg:1: sentence 1: no text to align the lemmas with"),
        ("sentId=\nROOT 1 0 go", "hfg:1: no text to align the lemmas with"),
        ("\n", "hfg: no lemma trees\n"),
        (CROSSED, "no lemma tree has a projective alignment"),
        (SENTENCE.replace("5 4", "5 9"), "head 9 is not the id of a node"),
    ],
)
def test_what_cannot_be_aligned(
    file: Path, text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(text)
    output = tmp_path / "out.conllu"
    assert run(["convert", str(file), "--from", "sr11", "--output", str(output)]) == 2
    assert message in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from", "sr11", "--base-np"], "--from sr11 takes no --sections, --base-np"),
        (["--from", "ptb", "--model", "en"], "--model goes with --from sr11"),
    ],
)
def test_options_that_do_not_go_together(
    file: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["convert", str(file), *arguments]) == 2
    assert message in capsys.readouterr().err
