"""Treebanks: what is read, as annotated or lifted; errors name the line of what is missing."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path
from random import Random
from typing import cast

import pytest

from syntagma.errors import FormatError, SyntagmaWarning
from syntagma.formats.conllu import Block
from syntagma.treebanks.conditions import CONDITIONS, constrain
from syntagma.treebanks.corpus import read_sentences
from syntagma.treebanks.treebank import Sentence, read_treebank, tag_pairs, treebank_blocks

CATS = """\
# sent_id = cats
# text = Cats sleep.
1\tCats\tcat\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2-3\tsleep.\t_\t_\t_\t_\t_\t_\t_\t_
2\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t_\t_
2.1\tsoundly\t_\tADV\t_\t_\t_\t_\t_\t_
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_
"""
SONG = """\
1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_
2\tsong\tsong\tNOUN\tNN\t_\t4\tnsubj:pass\t_\t_
3\twas\tbe\tAUX\tVBD\t_\t4\taux:pass\t_\t_
4\tsung\tsing\tVERB\tVBN\t_\t0\troot\t_\t_
5\tabout\tabout\tADP\tIN\t_\t6\tcase\t_\t_
6\train\train\tNOUN\tNN\t_\t2\tnmod\t_\t_
"""


def write(folder: Path, content: str) -> Path:
    path = folder / "treebank.conllu"
    path.write_text(content, encoding="utf-8")
    return path


def test_reads_sentences(tmp_path: Path) -> None:
    cats, song = read_treebank(write(tmp_path, f"{CATS}\n{SONG}\n"))
    assert cats == Sentence(
        ("Cats", "sleep", "."), ("NNS", "VBP", "."), (2, 0, 2), ("nsubj", "root", "punct"), "cats"
    )
    assert len(cats) == 3
    assert cats.text == "Cats sleep ."
    assert song.id is None


def test_the_other_tag_column(tmp_path: Path) -> None:
    (cats,) = read_treebank(write(tmp_path, CATS), "upos")
    assert cats.tags == ("NOUN", "VERB", "PUNCT")


def test_words_without_a_tag(tmp_path: Path) -> None:
    """They are counted in one warning."""
    path = write(tmp_path, f"{CATS}\n{SONG}\n".replace("\tNNS\t", "\t_\t"))
    with pytest.warns(SyntagmaWarning) as found:
        cats, song = read_treebank(path)
    assert cats.tags == ("", "VBP", ".")
    assert "" not in song.tags
    [message] = [str(each.message) for each in found]
    assert message == f"{path}: 1 of 9 words have no XPOS tag and count as untagged"
    problem = constrain(cats, CONDITIONS["labelled"], Random(1))
    assert {word.form: word.tag for word in problem.words} == {
        "Cats": None,
        "sleep": "VBP",
        ".": ".",
    }


def test_a_treebank_without_tags_in_the_column(tmp_path: Path) -> None:
    for column, at, other in (("xpos", 4, "UPOS"), ("upos", 3, "XPOS")):
        rows = [line.split("\t") for line in CATS.splitlines()]
        for row in rows:
            row[at : at + 1] = ["_"] * (len(row) == 10)
        path = write(tmp_path, "\n".join("\t".join(row) for row in rows) + "\n\n")
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            [cats] = read_treebank(path, column)  # type: ignore[arg-type]
        assert cats.tags == ("", "", "")
        if column == "xpos":  # UPOS tags are given to any model
            assert (len(found), cats.upos) == (0, ("NOUN", "VERB", "PUNCT"))
        else:
            assert (len(found), cats.upos) == (1, ())
            assert f"if it has {other} tags, use a model" in str(found[0].message)
        pairs = [pair for block in treebank_blocks(path) for pair in tag_pairs(cast(Block, block))]
        assert len(pairs) == 3
        assert all(bool(xpos) == (column == "upos") for xpos, _ in pairs)
        assert all(bool(upos) == (column == "xpos") for _, upos in pairs)


def test_trees_are_as_annotated_and_lifted_on_demand(tmp_path: Path) -> None:
    path = write(tmp_path, SONG)
    assert read_treebank(path)[0].heads == (2, 4, 4, 0, 6, 2)
    assert read_sentences(path)[0].heads == (2, 4, 4, 0, 6, 2)
    assert read_treebank(path, lift=True)[0].heads == (2, 4, 4, 0, 6, 4)


def test_compressed_treebanks(tmp_path: Path) -> None:
    path = tmp_path / "treebank.conllu.gz"
    path.write_bytes(gzip.compress(CATS.encode()))
    assert len(read_treebank(path)) == 1


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", None, "empty treebank"),
        (CATS.replace("\t2\tnsubj", "\t_\tnsubj"), 3, "needs a HEAD"),
        (CATS.replace("\t2\tnsubj", "\t2\t_"), 3, "needs a HEAD and a DEPREL"),
        (CATS.replace("\t2\tnsubj", "\ttwo\tnsubj"), 3, "HEAD is 'two'"),
        (
            CATS.replace("\t2\tnsubj", "\t0\tnsubj"),
            3,
            "sentence cats: 2 words are given as the root",
        ),
        (CATS.replace("\t0\troot", "\t3\troot"), 3, "cycle"),
        (CATS.replace("\t2\tpunct", "\t7\tpunct"), 3, "out of range"),
        (CATS.replace("3\t.\t.", "4\t.\t."), 7, "ID is '4' where 3 is expected"),
    ],
)
def test_faults_are_named_with_their_line(
    tmp_path: Path, content: str, line: int | None, message: str
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(FormatError, match=message) as caught:
        read_treebank(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(str(path))


def test_a_treebank_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="No such file"):
        read_treebank(tmp_path / "nothing.conllu")


def test_a_lemma_without_a_form_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, CATS.replace("2\tsleep\t", "2\t_\t"))
    with pytest.raises(FormatError, match=r"conllu:5: the word 'sleep' has a lemma but no FORM"):
        read_treebank(path)
