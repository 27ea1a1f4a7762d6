"""Dependency trees of phrase structure trees: whole sentences, labels, laws over random trees."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from toys.penn import parse, random_tree

from syntagma.formats.penn import Node, without_traces
from syntagma.problem.trees import find_cycle, is_projective
from syntagma.treebanks.penn2malt import LABELS, Dependency, conllu, dependencies
from syntagma.treebanks.treebank import read_treebank

# A sentence with all labels; the last column is the label.
SENTENCE = """\
( (S (S-TPC-1 (NP-SBJ (NP (DT The) (NN bird)) (SBAR (WHNP-2 (WDT that)) (S (NP-SBJ (-NONE- *T*-2))
      (VP (VBD sang) (NP (DT a) (NN song))))))
    (VP (MD will) (VP (VB be) (ADJP-PRD (RB very) (JJ tired)) (NP-TMP (NN tonight)))))
   (, ,) (NP-SBJ (PRP she))
   (VP (VBD said) (PP (TO to) (NP (PRP us))) (: --) (FRAG (RB not) (NP (NNP Bo))))
   (. .)) )
"""
EXPECTED = """\
The 2 NMOD
bird 7 SUB
that 2 NMOD
sang 3 SBAR
a 6 NMOD
song 4 OBJ
will 14 VMOD
be 7 VC
very 10 AMOD
tired 8 PRD
tonight 8 VMOD
, 14 P
she 14 SUB
said 0 ROOT
to 14 VMOD
us 15 PMOD
-- 14 P
not 14 VMOD
Bo 18 DEP
. 14 P
"""


def shown(words: list[Dependency]) -> str:
    return "".join(f"{word.form} {word.head} {word.label}\n" for word in words)


def converted(tree: str, *, base: bool = False) -> list[Dependency]:
    root = without_traces(parse(tree), base_noun_phrases=base)
    assert root is not None
    return dependencies(root)


def test_a_sentence_with_all_labels() -> None:
    words = converted(SENTENCE)
    assert shown(words) == EXPECTED
    assert {word.label for word in words} == set(LABELS)


def test_the_same_sentence_with_base_noun_phrases() -> None:
    words = converted(SENTENCE, base=True)
    assert [(word.form, word.tag, word.head, word.label) for word in words[:5]] == [
        ("The bird", "NP", 5, "SUB"),
        ("that", "WDT", 1, "NMOD"),
        ("sang", "VBD", 2, "SBAR"),
        ("a song", "NP", 3, "OBJ"),
        ("will", "MD", 12, "VMOD"),
    ]


@pytest.mark.parametrize(
    ("tree", "word", "label"),
    [
        ("(VP (VP (VBD sang)) (CC and) (VP (VBD left)))", "left", "VMOD"),
        ("(SQ (VBD did) (NP-SBJ (PRP it)) (VP (VB rain)))", "rain", "VC"),
        ("(VP (VBD gave) (NP (PRP us)) (NP (NN tea)))", "us", "OBJ"),
        ("(VP (VBD slept) (NP-EXT (NN day)))", "day", "VMOD"),
        ("(VP (VBD said) (SBAR (IN that) (S (VP (VBZ rains)))))", "that", "VMOD"),
        ("(SBAR (RB even) (IN if) (S (VP (VBZ rains))))", "even", "DEP"),
        ("(S (S-NOM-SBJ (VP (VBG singing))) (VP (VBZ helps)))", "singing", "SUB"),
        ("(NP (NP (NN tea)) (CC and) (NP (NN milk)))", "tea", "NMOD"),
        ("(NP (DT a) (-LRB- -LRB-) (NN song) (-RRB- -RRB-))", "-LRB-", "P"),
        ("(PP (IN by) (NP-LGS (NNP Ann)))", "Ann", "PMOD"),
    ],
)
def test_labels(tree: str, word: str, label: str) -> None:
    [found] = [each for each in converted(tree) if each.form == word]
    assert found.label == label


def test_without_labels() -> None:
    words = dependencies(parse("(S (NP (NN rain)) (VP (VBD fell)))"), "none")
    assert [word.label for word in words] == ["dep", "root"]


def test_universal_tags() -> None:
    tags = ("NN", "NNP", "VBD", "MD", "PRP$", "-LRB-", "$", "JJ|NN", "NP", "??")
    found = [Dependency("x", tag, 0, "ROOT").upos for tag in tags]
    assert found == [
        *("NOUN", "PROPN", "VERB", "AUX", "PRON"),
        *("PUNCT", "SYM", "ADJ", "NOUN", "_"),
    ]


def spans(root: Node) -> list[tuple[int, int]]:
    """The first and last word of every phrase."""
    found: list[tuple[int, int]] = []
    count = 0
    below: dict[Node, tuple[int, int]] = {}
    for node in root.bottom_up():
        if node.word is not None:
            count += 1
            below[node] = (count, count)
        else:
            below[node] = (below[node.children[0]][0], below[node.children[-1]][1])
            found.append(below[node])
    return found


@pytest.mark.parametrize("seed", range(60))
def test_laws_over_random_trees(seed: int, tmp_path: Path) -> None:
    tree = parse(random_tree(Random(seed)))
    root = without_traces(tree)
    joined = without_traces(tree, base_noun_phrases=True)
    if root is None or joined is None:
        return
    words = dependencies(root)
    heads = [word.head for word in words]
    assert [word.form for word in words] == [word.word for word in root.words]
    assert heads.count(0) == 1
    assert not find_cycle(heads)
    assert is_projective(heads)
    assert {word.label for word in words} <= set(LABELS)
    assert [word.label == "ROOT" for word in words] == [head == 0 for head in heads]
    # Exactly one word of each phrase, its head, depends on a word outside.
    for first, last in spans(root):
        outer = [each for each in heads[first - 1 : last] if not first <= each <= last]
        assert len(outer) == 1

    # A base noun phrase depends on what its head depends on.
    units = dependencies(joined)
    unit_of = [number for number, unit in enumerate(units, start=1) for _ in unit.form.split(" ")]
    for word, unit in zip(words, unit_of, strict=True):
        above = unit_of[word.head - 1] if word.head else 0
        assert above == unit or units[unit - 1].head == above

    path = tmp_path / "random.conllu"
    path.write_text(conllu(words, "one") + conllu(units, "two"))
    for sentence, written in zip(read_treebank(path), (words, units), strict=True):
        assert list(sentence.forms) == [word.form for word in written]
        assert list(sentence.heads) == [word.head for word in written]
        assert list(sentence.tags) == [word.tag for word in written]
        assert sentence.text == sentence.written == " ".join(word.word or "" for word in root.words)
