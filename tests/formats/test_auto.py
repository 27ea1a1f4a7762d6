r"""CCGbank files: what is read and written, and that every fault is named with its line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_data import CCG_DEV
from toys.ccg import DERIVATIONS, chain, derivations, toy_sentences, word

from syntagma.ccg.derivation import Derivation
from syntagma.errors import FormatError
from syntagma.files.reading import open_text
from syntagma.formats.auto import AutoEntry, parse_auto, read_auto, write_auto
from syntagma.treebanks.corpus import CcgSentence, read_ccgbank
from syntagma.treebanks.treebank import Sentence

WE_RAN = r"(<T S 1 2> (<L NP PRON PRON we NP>) (<L S\NP VERB VERB ran S\NP>) )"


def read(*lines: str | FormatError) -> list[AutoEntry | str]:
    """What is read; faults as messages."""
    return [
        str(entry) if isinstance(entry, FormatError) else entry
        for entry in read_auto(lines, "x.auto")
    ]


def test_reads_a_derivation() -> None:
    (entry,) = read("ID=we-1 PARSER=GOLD NUMPARSE=1", WE_RAN)
    assert entry == AutoEntry("we-1", DERIVATIONS["intransitive"], 2)


def test_a_single_word() -> None:
    assert parse_auto("(<L NP PRON PRON we NP>)") == word("we")


def test_unary_nodes() -> None:
    tree = parse_auto("(<T S/(S\\NP) 0 1> (<L NP PRON PRON we NP>) ) ")
    assert tree == Derivation(r"S/(S\NP)", (word("we"),))


def test_the_first_tag_is_taken_and_the_last_field_left_alone() -> None:
    tree = parse_auto("(<L NP/N DT DET the NP_1/N_1>)")
    assert (tree.tag, tree.category) == ("DT", "NP/N")


@pytest.mark.parametrize("form", [")", "(", ">)", "(<L", "<", ">", "|", "\u00a0", "日本"])
def test_forms_of_any_characters(form: str) -> None:
    assert parse_auto(f"(<L NP X X {form} NP>)").form == form


def test_ids() -> None:
    entries = read("ID= PARSER=GOLD", WE_RAN, "", WE_RAN, "ID=a b PARSER=X NUMPARSE=1", WE_RAN)
    entries += read("ID=7", WE_RAN)
    ids = [entry.id for entry in entries if isinstance(entry, AutoEntry)]
    assert ids == [None, None, "a b", "7"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(<T S 1 2> (<L NP A A a NP>) )", "a node S with 1 children where 2 are declared"),
        ("(<T S 1 1> (<L NP A A a NP>) (<L NP A A a NP>) )", "with 2 children where 1"),
        ("(<T S 1 3> (<L NP A A a NP>) )", "a node S with 3 children where 1 or 2 are allowed"),
        ("(<T S 1 > (<L NP A A a NP>) )", "a node S with no children where 1 or 2 are allowed"),
        ("(<T S 2 1> (<L NP A A a NP>) )", "the head of a node S is '2' where 0 or 1 is allowed"),
        ("(<T S 1> (<L NP A A a NP>) )", "not (<T category head children>: (<T S 1> (<L"),
        ("(<T S", "not (<T category head children>: (<T S"),
        ("(<T S 0 1> (<L NP A A a NP>)", "the bracket of the node S is not closed"),
        ("(<T S 0", "not (<T category head children>: (<T S 0"),
        ("(<T S 0 1>  (<T NP 0 1> ", "the bracket of the node NP is not closed"),
        ("(<L NP A A a NP>) )", "text after the end of the derivation: )"),
        ("(<L NP A A a NP>) (<L NP A A a NP>)", "text after the end of the derivation: (<L NP"),
        ("(<L NP A A  NP>)", "not (<L category tag tag form category>): (<L NP A A  NP>)"),
        ("(<L NP A A NP>)", "not (<L category tag tag form category>)"),
        ("(<L NP A A a NP>", "not (<L category tag tag form category>)"),
        ("(<L NP A A new car NP>)", "not (<L category tag tag form category>)"),
        (")", "a node (<T … >, a word (<L … >) or ) expected: )"),
        ("We ran .", "a node (<T … >, a word (<L … >) or ) expected: We ran ."),
        ("word" * 99, "expected: wordwordword"),
    ],
)
def test_faults(line: str, message: str) -> None:
    (found,) = read("ID=a-1 PARSER=GOLD NUMPARSE=1", line)
    assert isinstance(found, str)
    assert found.startswith("x.auto:2: sentence a-1: ")
    assert message in found
    assert len(found) < 160


def test_one_fault_does_not_end_a_file() -> None:
    bad = FormatError("not UTF-8", "x.auto", 3)
    found = read("ID=a", ")", "ID=b", bad, "ID=c", "ID=d", WE_RAN, "ID=e")
    assert found[0] == "x.auto:2: sentence a: a node (<T … >, a word (<L … >) or ) expected: )"
    assert found[1] == "x.auto:3: not UTF-8"
    assert found[2] == "x.auto:5: an ID without a derivation"
    assert isinstance(found[3], AutoEntry)
    assert found[3].id == "d"
    assert found[4:] == ["x.auto:8: an ID without a derivation"]


def test_writes_two_lines() -> None:
    assert write_auto(DERIVATIONS["intransitive"], "we-1") == (
        f"ID=we-1 PARSER=SYNTAGMA NUMPARSE=1\n{WE_RAN}\n"
    )
    assert write_auto(word("we"), None) == (
        "ID= PARSER=SYNTAGMA NUMPARSE=1\n(<L NP PRON PRON we NP>)\n"
    )


def test_a_space_within_a_form() -> None:
    written = write_auto(Derivation("NP", form="New York", tag="PROPN"), "x")
    assert "New\u00a0York" in written
    (entry,) = read(*written.splitlines())
    assert isinstance(entry, AutoEntry)
    assert entry.derivation.form == "New York"


@pytest.mark.slow
@given(derivations(), st.none() | st.from_regex(r"[a-z0-9-]+", fullmatch=True))
def test_what_is_written_is_read_again(derivation: Derivation, id: str | None) -> None:
    lines = write_auto(derivation, id).split("\n")
    assert list(read_auto(lines, "x.auto", "file")) == [AutoEntry(id, derivation, 2)]


def test_deep_trees() -> None:
    deep = chain(3000)
    assert parse_auto(write_auto(deep, None).split("\n")[1]) == deep


def test_a_ccgbank(tmp_path: Path) -> None:
    path = tmp_path / "toy.auto.gz"
    text = "".join(write_auto(each.derivation, each.id) for each in toy_sentences())
    path.write_bytes(gzip.compress(text.encode()))
    assert read_ccgbank(path) == toy_sentences()


def test_a_sentence_like_that_of_a_treebank() -> None:
    assert CcgSentence("a", DERIVATIONS["intransitive"]).sentence == Sentence(
        ("we", "ran"), ("PRON", "VERB"), (2, 0), ("dep", "root"), "a"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "empty CCGbank"), (f"ID=a\n{WE_RAN}\nID=b\n)\n", ":4: sentence b: "), ("ID=a\n", ":1: ")],
)
def test_a_ccgbank_with_a_fault(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.auto"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_ccgbank(path)
    assert message in str(caught.value)


@pytest.mark.slow
@pytest.mark.skipif(
    not CCG_DEV.exists(), reason="the CCG derivations of EWT are not in SYNTAGMA_DATA"
)
def test_a_real_ccgbank_comes_back_but_for_heads() -> None:
    lines = [line for line in open_text(CCG_DEV) if isinstance(line, str)]
    for each, line in zip(read_ccgbank(CCG_DEV), lines[1::2], strict=True):
        written = write_auto(each.derivation, each.id).split("\n")[1]
        head = 0
        for old, new in zip(line.rstrip().split(" "), written.split(" "), strict=True):
            assert old == new or head == 2, each.id
            head = 1 if old == "(<T" else head + 1 if head else 0
            head = head if head < 3 else 0
