"""Conversion of treebanks: files in, one file out, units that are expanded again; CRAFT."""

from __future__ import annotations

import errno
import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from shared_data import CRAFT

from syntagma.errors import ArgumentError, FormatError, OutputError, SyntagmaWarning
from syntagma.files.reading import open_text
from syntagma.formats.auto import parse_auto
from syntagma.formats.penn import PennTree, read_penn, without_traces
from syntagma.problem.trees import find_cycle
from syntagma.treebanks.conversion import (
    Conversion,
    convert,
    join_base_noun_phrases,
    parse_sections,
    section_of,
    treebank_files,
)
from syntagma.treebanks.corpus import read_ccgbank
from syntagma.treebanks.penn2malt import dependencies
from syntagma.treebanks.treebank import read_treebank

BIRDS = "( (S (NP-SBJ (DT The) (NNS birds)) (VP (VBD sang) (NP (-NONE- *T*-1))) (. .)) )\n"
RAIN = "( (S (NP-SBJ (NN Rain)) (VP (VBD fell) (PP (IN on) (NP (NNP Rome)))) (. .)) )\n"
TRACES = "( (S (NP-SBJ (-NONE- *)) (VP (-NONE- *?*))) )\n"

# The old dog saw her in Rome: an NP over a noun, a pronoun, a name raised from N.
DOG = (
    r"(<T S[dcl] 0 2> (<T NP[nb] 1 2> (<L NP[nb]/N DT DT The NP[nb]_1/N_1>) "
    r"(<T N 1 2> (<L N/N JJ JJ old N/N>) (<L N NN NN dog N>) ) ) "
    r"(<T S[dcl]\NP 0 2> (<T S[dcl]\NP 0 2> (<L (S[dcl]\NP)/NP VBD VBD saw (S[dcl]\NP)/NP>) "
    r"(<L NP PRP PRP her NP>) ) (<T (S\NP)\(S\NP) 0 2> (<L ((S\NP)\(S\NP))/NP IN IN in X>) "
    r"(<T NP 0 1> (<L N NNP NNP Rome N>) ) ) ) )"
)


def test_ids_follow_file_and_tree(tmp_path: Path) -> None:
    (tmp_path / "wsj_0002.mrg").write_text(BIRDS + TRACES + RAIN)
    with gzip.open(tmp_path / "wsj_0001.mrg.gz", "wt") as file:
        file.write(RAIN)
    with pytest.warns(SyntagmaWarning, match="1 tree without words"):
        report = convert(tmp_path, tmp_path / "out.conllu")
    sentences = read_treebank(tmp_path / "out.conllu")
    assert [each.id for each in sentences] == ["wsj_0001.1", "wsj_0002.1", "wsj_0002.3"]
    assert (report.files, report.sentences, report.words, report.left_out) == (2, 3, 14, 1)
    assert report.units == report.words
    assert report.base_noun_phrases == 0


@pytest.mark.parametrize(("name", "id"), [("a\n# b c", "a_#_b_c"), ("caf\udce9", "caf_")])
def test_ids_are_text_whatever_the_name_of_the_file(tmp_path: Path, name: str, id: str) -> None:
    (tmp_path / f"{name}.mrg").write_text(RAIN)
    convert(tmp_path, tmp_path / "out.conllu")
    [sentence] = read_treebank(tmp_path / "out.conllu")
    assert (sentence.id, sentence.text) == (f"{id}.1", "Rain fell on Rome .")


def test_units_and_their_words(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text(BIRDS + RAIN)
    report = convert(tmp_path / "a.mrg", tmp_path / "a.conllu", base_np=True, labels="none")
    [birds, rain] = read_treebank(tmp_path / "a.conllu")
    assert birds.forms == ("The birds", "sang", ".")
    assert (birds.tags, birds.heads) == (("NP", "VBD", "."), (2, 0, 2))
    assert (rain.tags, rain.deprels) == (
        ("NP", "VBD", "IN", "NP", "."),
        ("dep", "root", "dep", "dep", "dep"),
    )
    assert (report.words, report.units, report.base_noun_phrases) == (9, 8, 3)


def test_base_noun_phrases_of_a_derivation() -> None:
    joined = join_base_noun_phrases(parse_auto(DOG))
    assert joined.forms == ("The old dog", "saw", "her", "in", "Rome")
    assert joined.tags == ("NP", "VBD", "NP", "IN", "NP")
    assert [leaf.category for leaf in joined.leaves][0::2] == ["NP[nb]", "NP", "NP"]
    assert joined.text == parse_auto(DOG).text
    assert join_base_noun_phrases(joined).forms == joined.forms


def test_an_np_that_contains_another_is_no_unit() -> None:
    line = (
        r"(<T NP 0 2> (<T NP 0 1> (<L N NN NN maps N>) ) (<T NP\NP 0 2> "
        r"(<L (NP\NP)/NP IN IN of (NP\NP)/NP>) (<T NP 0 1> (<L N NNP NNP Rome N>) ) ) )"
    )
    joined = join_base_noun_phrases(parse_auto(line))
    assert joined.forms == ("maps", "of", "Rome")
    assert joined.children[1].category == r"NP\NP"


def test_a_ccgbank_becomes_one_file(tmp_path: Path) -> None:
    for section, name in (("23", "wsj_2300"), ("02", "wsj_0201"), ("02", "wsj_0200")):
        folder = tmp_path / "AUTO" / section
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.auto").write_text(f"ID={name}.7 PARSER=GOLD NUMPARSE=1\n{DOG}\n{DOG}\n")
    report = convert(tmp_path / "AUTO", tmp_path / "x.auto", source="auto", sections="02-21")
    sentences = read_ccgbank(tmp_path / "x.auto")
    assert [each.id for each in sentences] == [
        *("wsj_0200.7", "wsj_0200.2", "wsj_0201.7", "wsj_0201.2")
    ]
    assert {each.derivation.text for each in sentences} == {"The old dog saw her in Rome"}
    assert (report.sentences, report.words) == (4, 28)
    units = convert(tmp_path / "AUTO", tmp_path / "u.auto", source="auto", base_np=True)
    assert (units.words, units.units, units.base_noun_phrases) == (42, 30, 18)
    [joined] = {each.derivation for each in read_ccgbank(tmp_path / "u.auto")}
    assert joined == join_base_noun_phrases(parse_auto(DOG, "file"))
    assert joined.forms[0] == "The old dog"


def test_heads_of_derivations_stay_as_in_the_file(tmp_path: Path) -> None:
    odd = DOG.replace("S[dcl] 0 2", "S[dcl] 1 2")
    (tmp_path / "odd.auto").write_text(f"{DOG}\n{odd}\n")
    for base_np in (False, True):
        convert(tmp_path / "odd.auto", tmp_path / "x.auto", source="auto", base_np=base_np)
        kept = [each.derivation.head_side for each in read_ccgbank(tmp_path / "x.auto")]
        assert kept == [0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BIRDS + "( (S (NP (NN a)))\n", r"bad\.mrg:2: the tree that begins here is not closed"),
        (BIRDS + "\n(S dog)\n(S (X))\n", r"bad\.mrg:4: 'X' alone in its brackets"),
        ("\n", r"bad\.mrg: nothing to convert: there are no trees"),
        (f"\n(NP {'(NN abcd)' * 2001})", r"bad\.mrg:2: a base NP of more than 10000 characters"),
        (TRACES, r"bad\.mrg: nothing to convert: trees consist of traces alone"),
    ],
)
def test_faults_leave_the_output_as_it_was(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "bad.mrg").write_text(content)
    output = tmp_path / "out.conllu"
    output.write_text("as it was")
    with pytest.raises(FormatError, match=message):
        convert(tmp_path / "bad.mrg", output, base_np=True)
    assert output.read_text() == "as it was"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bad.mrg", "out.conllu"]


def test_arguments(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(BIRDS)
    with pytest.raises(ArgumentError, match="source must be ptb or auto, not 'conll'"):
        convert(path, tmp_path / "x", source="conll")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="labels must be malt or none, not 'ud'"):
        convert(path, tmp_path / "x", labels="ud")  # type: ignore[arg-type]
    with pytest.raises(OutputError, match="it is also an input"):
        convert(tmp_path, path)
    with pytest.raises(FormatError, match="cannot read the file"):
        convert(tmp_path / "missing.mrg", tmp_path / "x")


@pytest.mark.slow
@pytest.mark.skipif(not CRAFT.exists(), reason="the trees of CRAFT are not in SYNTAGMA_DATA")
def test_craft_as_a_whole() -> None:
    conversion = Conversion(CRAFT, "ptb")
    units = Conversion(CRAFT, "ptb", base_np=True)
    for tree in read_penn(open_text(CRAFT), "craft"):
        assert isinstance(tree, PennTree)
        words, joined = (
            without_traces(tree.root, base_noun_phrases=each) for each in (False, True)
        )
        assert words is not None
        assert joined is not None
        plain, phrases = dependencies(words), dependencies(joined)
        conversion.report.add([each.form for each in plain], [each.tag for each in plain])
        units.report.add([each.form for each in phrases], [each.tag for each in phrases])
        for found in (plain, phrases):
            heads = [each.head for each in found]
            assert heads.count(0) == 1
            assert not find_cycle(heads)
        assert " ".join(each.form for each in phrases) == " ".join(each.form for each in plain)
    assert conversion.report.sentences == units.report.sentences == 30_830
    assert conversion.report.words == units.report.words == 793_651
    assert units.report.base_noun_phrases == 173_524


# Files of a treebank by sections, and how sections are written.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        *("wsj/02/wsj_0201.mrg", "wsj/02/wsj_0202.MRG.gz", "wsj/21/wsj_2199.mrg.xz"),
        *("wsj/22/wsj_2200.mrg", "wsj/22/notes.txt", "wsj/22/.wsj_2201.mrg", "wsj/00/wsj_0001.prd"),
        *("extra/one.mrg", "wsj/README"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def names(files: list[Path]) -> list[str]:
    return [file.name for file in files]


def test_folders_are_searched_at_all_depths(folder: Path) -> None:
    found = treebank_files(folder, (".mrg",))
    wsj = ["wsj_0201.mrg", "wsj_0202.MRG.gz", "wsj_2199.mrg.xz", "wsj_2200.mrg"]
    assert names(found) == ["one.mrg", *wsj]


def test_sections_choose_by_name(folder: Path) -> None:
    def of(sections: str, *paths: Path) -> list[str]:
        return names(treebank_files(list(paths), (".mrg",), parse_sections(sections)))

    assert of("02-21", folder) == ["wsj_0201.mrg", "wsj_0202.MRG.gz", "wsj_2199.mrg.xz"]
    assert of("22", folder / "wsj" / "*") == ["wsj_2200.mrg"]
    assert of("2, 22", folder, folder / "wsj") == [
        *("wsj_0201.mrg", "wsj_0202.MRG.gz", "wsj_2200.mrg")
    ]
    assert of("0", folder / "wsj/00/wsj_0001.prd") == ["wsj_0001.prd"]
    with pytest.raises(FormatError, match="no file here belongs to these sections"):
        of("23", folder)
    with pytest.raises(FormatError, match=r"one\.mrg: the name does not tell its section"):
        of("02", folder / "extra" / "one.mrg")


def test_nothing_to_read(folder: Path) -> None:
    with pytest.raises(FormatError, match=r"00: no file in this folder ends in \.mrg or \.trees"):
        treebank_files(folder / "wsj" / "00", (".mrg", ".trees"))
    with pytest.raises(FormatError, match=r"00: no file here ends in \.mrg"):
        treebank_files(str(folder / "wsj" / "0[01]"), (".mrg",))
    with pytest.raises(ArgumentError, match="at least one file or folder"):
        treebank_files([], (".mrg",))


def test_links_are_followed_once_and_hidden_folders_left_alone(folder: Path) -> None:
    (folder / "extra" / "zz").symlink_to(folder / "wsj" / "02")
    (folder / "wsj" / "02" / "again").symlink_to(folder)
    hidden = folder / "wsj" / "22" / ".checkpoints"
    hidden.mkdir()
    (hidden / "wsj_2202.mrg").touch()
    found = treebank_files(folder / "extra", (".mrg",))
    assert sorted(names(found)) == [
        *("one.mrg", "wsj_0201.mrg", "wsj_0202.MRG.gz", "wsj_2199.mrg.xz", "wsj_2200.mrg")
    ]


def test_a_folder_that_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def refuse(path: str) -> Any:  # permissions would not stop an administrator
        if os.path.basename(path) == "21":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(FormatError, match=r"21: cannot read the folder: Permission denied"):
        treebank_files(folder, (".mrg",))


def test_sections_as_written() -> None:
    assert parse_sections("02-21") == set(range(2, 22))
    assert parse_sections("0,22-24, 7") == {0, 22, 23, 24, 7}
    for odd in ("", "02-", "a", "2-100", "1;2", "-3", "02..21"):
        with pytest.raises(ArgumentError, match="sections must be numbers"):
            parse_sections(odd)
    with pytest.raises(ArgumentError, match="as in 02-21,23, not 23"):
        parse_sections(23)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="21-02 runs backwards"):
        parse_sections("21-02")


def test_the_section_of_a_file() -> None:
    assert section_of("a/wsj_2301.mrg") == 23
    assert section_of("WSJ_0001.auto.gz") == 0
    assert section_of("wsj_230.mrg") is section_of("my_wsj_2301.mrg") is None
    assert section_of("wsj_23011.mrg") is None
