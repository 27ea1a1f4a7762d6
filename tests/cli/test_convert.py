"""`syntagma convert` and `syntagma stats`: what they write and print, and the whole way to BLEU."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
import sacrebleu

import syntagma
from syntagma.cli.app import run
from syntagma.treebanks.treebank import read_treebank

EXAMPLES = Path(__file__).parents[2] / "examples"
TREES = EXAMPLES / "trees.mrg"
Capture = pytest.CaptureFixture[str]

PLAIN = """\
# sent_id = trees.1
# text = The song of the old bird will wake us .
1\tThe\t_\tDET\tDT\t_\t2\tNMOD\t_\t_
2\tsong\t_\tNOUN\tNN\t_\t7\tSUB\t_\t_
3\tof\t_\tADP\tIN\t_\t2\tNMOD\t_\t_
4\tthe\t_\tDET\tDT\t_\t6\tNMOD\t_\t_
5\told\t_\tADJ\tJJ\t_\t6\tNMOD\t_\t_
6\tbird\t_\tNOUN\tNN\t_\t3\tPMOD\t_\t_
7\twill\t_\tAUX\tMD\t_\t0\tROOT\t_\t_
8\twake\t_\tVERB\tVB\t_\t7\tVC\t_\t_
9\tus\t_\tPRON\tPRP\t_\t8\tOBJ\t_\t_
10\t.\t_\tPUNCT\t.\t_\t7\tP\t_\t_

"""
UNITS = """\
# sent_id = trees.1
# text = The song of the old bird will wake us .
1\tThe song\t_\tNOUN\tNP\t_\t4\tSUB\t_\t_
2\tof\t_\tADP\tIN\t_\t1\tNMOD\t_\t_
3\tthe old bird\t_\tNOUN\tNP\t_\t2\tPMOD\t_\t_
4\twill\t_\tAUX\tMD\t_\t0\tROOT\t_\t_
5\twake\t_\tVERB\tVB\t_\t4\tVC\t_\t_
6\tus\t_\tNOUN\tNP\t_\t5\tOBJ\t_\t_
7\t.\t_\tPUNCT\t.\t_\t4\tP\t_\t_

"""

TABLE = """\
                          units.conllu  crossed.conllu   total
sentences                            2               1       3
words                               16               4      20
words per sentence                8.00            4.00    6.67
longest sentence                    10               4      10
units                               12               4      16
base NPs                             4               0       4
base NPs per sentence             2.00            0.00    1.33
words per base NP                 2.00               -    2.00
non-projective arcs              0.00%          33.33%   7.69%
non-projective sentences         0.00%         100.00%  33.33%
"""


def test_standard_output(capsys: Capture) -> None:
    assert run(["convert", str(TREES), "--from", "ptb"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(PLAIN)
    assert printed.err == ""
    assert run(["convert", str(TREES), "--from", "ptb", "--base-np"]) == 0
    assert capsys.readouterr().out.startswith(UNITS)


def test_a_file_and_its_summary(tmp_path: Path, capsys: Capture) -> None:
    packed = tmp_path / "wsj" / "02" / "wsj_0201.mrg.xz"
    packed.parent.mkdir(parents=True)
    packed.write_bytes(lzma.compress(TREES.read_bytes()))
    output = tmp_path / "out.conllu"
    arguments = ["convert", str(tmp_path / "wsj"), "--from", "ptb", "--sections", "02-21"]
    assert run([*arguments, "--base-np", "--output", str(output)]) == 0
    assert capsys.readouterr().out == (
        f"{output}: 2 sentences, 16 words in 12 units, 4 base NPs, from 1 file\n"
    )
    assert output.read_text() == UNITS.replace("trees", "wsj_0201") + "\n".join(
        [
            "# sent_id = wsj_0201.2",
            "# text = The neighbours tried to sleep .",
            "1\tThe neighbours\t_\tNOUN\tNP\t_\t2\tSUB\t_\t_",
            "2\ttried\t_\tVERB\tVBD\t_\t0\tROOT\t_\t_",
            "3\tto\t_\tPART\tTO\t_\t4\tVMOD\t_\t_",
            "4\tsleep\t_\tVERB\tVB\t_\t2\tVMOD\t_\t_",
            "5\t.\t_\tPUNCT\t.\t_\t2\tP\t_\t_\n\n",
        ]
    )


def test_one_of_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rain.mrg").write_text("(NP (NN rain))\n")
    assert run(["convert", "rain.mrg", "--from", "ptb", "--base-np", "-o", "x.conllu"]) == 0
    assert capsys.readouterr().out == (
        "x.conllu: 1 sentence, 1 word in 1 unit, 1 base NP, from 1 file\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bad.mrg", "--from", "ptb"], "bad.mrg:2: the word 'sang' has no tag: write (TAG word)"),
        (["bad.mrg"], "error: Missing option '--from'. Choose from: ptb, auto, sr11\n"),
        (["bad.mrg", "--from", "ptb", "--sections", "x"], "sections must be numbers from 00 to 99"),
        (["bad.mrg", "--from", "ptb", "--sections", "2"], "bad.mrg: the name does not tell"),
        (["none*", "--from", "ptb"], "none*: no file or folder matches this pattern"),
        (["empty", "--from", "auto"], "empty: no file in this folder ends in .auto"),
        (["bad.mrg", "--from", "auto", "--labels", "none"], "--labels goes with --from ptb"),
        (["bad.mrg", "--from", "auto"], "bad.mrg:1: a node (<T … >, a word"),
    ],
)
def test_errors(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.mrg").write_text("( (S (NP (NN rain)) (VP (VBD fell))) )\n(S (NN bird) sang)\n")
    Path("empty").mkdir()
    assert run(["convert", *arguments, "--output", "out.conllu"]) == 2
    assert message in capsys.readouterr().err
    assert not Path("out.conllu").exists()


def test_statistics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ["1\ta\t_\t_\tX\t_\t3\tx\t_\t_", "2\tb\t_\t_\tX\t_\t4\tx\t_\t_"]
    rows += ["3\tc\t_\t_\tX\t_\t0\troot\t_\t_", "4\td\t_\t_\tX\t_\t3\tx\t_\t_"]
    Path("crossed.conllu").write_text("\n".join(rows) + "\n\n")
    assert run(["convert", str(TREES), "--from", "ptb", "--base-np", "-o", "units.conllu"]) == 0
    capsys.readouterr()
    assert run(["stats", "units.conllu", "crossed.conllu"]) == 0
    assert capsys.readouterr().out == TABLE


def test_statistics_of_a_pattern_as_json(tmp_path: Path, capsys: Capture) -> None:
    pattern = str(EXAMPLES / "*.auto")
    assert run(["stats", pattern, "--format", "json"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    both = json.loads(line)
    assert both["name"] == pattern
    counts = []
    for name in ("dev.auto", "train.auto"):
        assert run(["stats", str(EXAMPLES / name), "-f", "json"]) == 0
        counts.append(json.loads(capsys.readouterr().out))
    for key in ("sentences", "words", "units", "arcs"):
        assert both[key] == sum(each[key] for each in counts) > 0
    assert both["longest"] == max(each["longest"] for each in counts)
    assert both["nonprojective_arc_share"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.conllu"], "missing.conllu: cannot read the file"),
        (["no*.conllu"], "no*.conllu: no file matches this pattern"),
        (["a.conllu"], "a.conllu: no sentences to count"),
        (["[de].conllu"], "e.conllu: no sentences to count"),
        (["b.conllu"], "b.conllu:1: a word of a treebank needs a HEAD and a DEPREL"),
        (
            ["?.*"],
            "c.auto: a CCGbank, but a.conllu is a treebank; the files of a corpus are of one kind",
        ),
        ([], "FILE"),
    ],
)
def test_faults_of_statistics(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.conllu", "c.auto", "e.conllu"):
        Path(name).touch()
    Path("d.conllu").write_text("1\ta\t_\t_\tX\t_\t0\troot\t_\t_\n\n")
    Path("b.conllu").write_text("1\ta\t_\t_\tX\t_\t_\tx\t_\t_\n\n")
    assert run(["stats", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_units_are_trained_ordered_and_measured_by_their_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["convert", str(TREES), "--from", "ptb", "--base-np", "-o", "u.conllu"]) == 0
    linear = ["--scorer", "linear", "--epochs", "1", "--beam", "2"]
    assert run(["train", "u.conllu", "u.conllu", "-o", "m.syntagma", *linear]) == 0
    model = ["--model", "./m.syntagma"]
    capsys.readouterr()
    assert run(["order", "--file", "u.conllu", *model, "--beam", "2"]) == 0
    outputs = capsys.readouterr().out.splitlines()
    sentences = read_treebank("u.conllu")
    for output, sentence in zip(outputs, sentences, strict=True):
        assert sorted(output.split()) == sorted(sentence.text.split())
        for unit in sentence.forms:
            assert f" {unit} " in f" {output} "
    report = syntagma.evaluate(syntagma.load("./m.syntagma"), sentences, ["none"], beam=2)
    [figures] = report.figures
    references = [sentence.text for sentence in sentences]
    assert list(report.references) == references
    assert sum(len(each.split()) for each in references) == 16 > sum(map(len, sentences))
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    assert figures.bleu == metric.corpus_score(figures.outputs, [references]).score
