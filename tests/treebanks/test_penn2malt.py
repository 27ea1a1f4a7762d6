"""Dependency trees of phrase structure trees: whole sentences, labels, laws over random trees."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from toys.penn import parse, random_tree

from syntagma.formats.penn import Node, without_traces
from syntagma.problem.trees import find_cycle, is_projective
from syntagma.treebanks.penn2malt import (
    HEAD_RULES,
    LABELS,
    PUNCTUATION,
    Dependency,
    conllu,
    dependencies,
    find_head,
)
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


# Penn2Malt's head table: every row by a phrase of our own, its order of search, its default.

# The head word of each phrase. By row: two that differ in the member that decides, the side from
# which it is found, and, where the row is the default alone, its skipping of punctuation.
ROWS = {
    "ADJP": [
        ("(ADJP (NP (CD six) (NNS years)) (JJ old))", "old"),
        ("(ADJP (JJ wet) (CC and) (JJ cold))", "cold"),
        ("(ADJP (QP (CD two) (CD thirds)) (JJ full))", "thirds"),
        ("(ADJP (RB virtually) (DT all))", "all"),
    ],
    "ADVP": [
        ("(ADVP (NP (CD two) (NNS days)) (IN ago))", "ago"),
        ("(ADVP (RBR more) (RB slowly) (PP (IN than) (NP (NNS snails))))", "slowly"),
        ("(ADVP (RB up) (CC and) (RB down))", "up"),
    ],
    "CONJP": [("(CONJP (RB as) (RB well) (IN as))", "as"), ("(CONJP (RB not) (CC but))", "but")],
    "FRAG": [("(FRAG (: --) (NP (NN rain)) (NP (NN snow)))", "rain")],
    "INTJ": [("(INTJ (UH oh) (UH well) (. !))", "well")],
    "JJP": [("(JJP (JJ dark) (JJ blue))", "blue")],
    "LST": [("(LST (: -) (LS b) (LS c))", "b"), ("(LST (NN part) (: :))", ":")],
    "NAC": [
        ("(NAC (NNP Ghent) (, ,) (NNP Belgium) (, ,))", "Belgium"),
        ("(NAC (NP (NN art)) (CD two))", "art"),
    ],
    "NML": [("(NML (NN rain) (NN coat))", "coat")],
    "NP": [
        ("(NP (DT the) (JJ wet) (NN coat) (CD two))", "coat"),
        ("(NP (NP (NNP Ann)) (, ,) (NP (PRP$ my) (NN aunt)) (, ,))", "aunt"),
        ("(NP (NNP Ann) (POS 's))", "'s"),
        ("(NP (DT the) (JJ early) (CD 1950s))", "1950s"),
        ("(NP (QP ($ $) (CD 5) (CD million)) (PP (IN of) (NP (NN rain))))", "$"),
        ("(NP (DT those) (SBAR (WHNP (WP who)) (S (VP (VBP sing)))) (, ,))", "who"),
        ("(NP (PRP it) ('' ''))", "it"),
    ],
    "NX": [("(NX (JJ hot) (NN tea) (PP (IN with) (NP (NN milk))))", "tea")],
    "PP": [
        ("(PP (JJ such) (IN as) (NP (NN rain)))", "as"),
        ("(PP (VBG according) (PP (TO to) (NP (PRP us))))", "according"),
        ("(PP (IN from) (CC and) (TO to) (NP (NNP Rome)))", "from"),
    ],
    "PRN": [
        ("(PRN (-LRB- -LRB-) (NP (NNP Ann)) (-RRB- -RRB-))", "Ann"),
        ("(PRN (, ,) (S (NP (PRP she)) (VP (VBD said))) (, ,))", "said"),
    ],
    "PRT": [("(PRT (RB right) (RP up))", "up")],
    "QP": [
        ("(QP (RBR more) (IN than) (CD 30))", "than"),
        ("(QP (CD 9.8) (CD billion))", "billion"),
        ("(QP (IN about) ($ $) (CD 5))", "$"),
    ],
    "RRC": [("(RRC (ADVP (RB once)) (VP (VBN used)))", "used")],
    "S": [
        ("(S (S (NP (PRP it)) (VP (VBD rained))) (, ,) (NP (PRP she)) (VP (VBD said)))", "said"),
        ("(S (S (VP (VB go))) (CC and) (S (VP (VB see))))", "see"),
        ("(S (NP (NN rain)) (NP (DT all) (NN day)))", "day"),
    ],
    "SBAR": [
        ("(SBAR (RB even) (IN if) (S (NP (PRP it)) (VP (VBZ rains))))", "if"),
        ("(SBAR (WHNP (WDT that)) (S (VP (VBZ rains))))", "that"),
        ("(SBAR (S (NP (PRP it)) (VP (VBZ rains))))", "rains"),
    ],
    "SBARQ": [
        ("(SBARQ (WHNP (WP who)) (SQ (VP (VBD sang))) (. ?))", "sang"),
        ("(SBARQ (WHNP (WP who)) (S (VP (VBD sang))))", "sang"),
    ],
    "SINV": [
        ("(SINV (ADVP (RB so)) (VBZ does) (NP (NNP Ann)))", "does"),
        ("(SINV (VP (VBN gone)) (VP (VBZ is)) (NP (NN rain)))", "is"),
    ],
    "SQ": [
        ("(SQ (VBD did) (NP (PRP it)) (VP (VB rain)))", "did"),
        ("(SQ (MD can) (NP (PRP it)) (VP (VB rain)))", "can"),
    ],
    "UCP": [("(UCP (ADJP (JJ old)) (CC and) (NP (DT a) (NN bore)))", "old")],
    "VP": [
        ("(VP (MD will) (RB not) (VP (VB sing)))", "will"),
        ("(VP (TO to) (VP (VB sing)))", "sing"),
        ("(VP (VBZ sings) (CC and) (VBD sang) (CC and) (VBD hummed))", "sang"),
        ("(VP (VP (VBD sang)) (CC and) (VP (VBD left)))", "sang"),
        ("(VP (ADVP (RB so)) (NP (DT a) (NN song)))", "song"),
    ],
    "WHADJP": [("(WHADJP (WRB how) (JJ old))", "how")],
    "WHADVP": [("(WHADVP (WRB when) (CC and) (WRB where))", "and")],
    "WHNP": [
        ("(WHNP (WDT which) (NN song))", "which"),
        ("(WHNP (WP$ whose) (NN song))", "whose"),
        ("(WHNP (DT none) (WHPP (IN of) (WHNP (WDT which))))", "of"),
    ],
    "WHPP": [("(WHPP (IN to) (WHNP (WDT which)))", "to")],
    "X": [("(X (DT the) (JJR more) (, ,))", "more")],
}  # fmt: skip


def test_every_row_has_an_example() -> None:
    assert ROWS.keys() == HEAD_RULES.keys()


@pytest.mark.parametrize(("tree", "head"), [case for cases in ROWS.values() for case in cases])
def test_the_head_of_a_phrase(tree: str, head: str) -> None:
    [root] = [word for word in dependencies(parse(tree)) if word.head == 0]
    assert root.form == head


@pytest.mark.parametrize("label", sorted(HEAD_RULES))
def test_earlier_groups_win_and_the_side_breaks_ties(label: str) -> None:
    from_right, members = HEAD_RULES[label]
    groups = [sorted(group) for group in members]
    for number, group in enumerate(groups):
        later = [each for other in groups[number + 1 :] for each in other]
        assert find_head(label, [*later, group[0], *later, "ZZ"]) == len(later)
        ends = (0, 2 * len(group))
        assert find_head(label, [*group, ",", *group]) == ends[from_right]
    assert find_head(label, [",", "ZZ", ".", "ZZ", "''"]) == (3 if from_right else 1)
    assert find_head(label, [",", "."]) == int(from_right)


def test_labels_that_are_not_in_the_table() -> None:
    assert find_head("HEADING", ["``", "NP", "VP"]) == 1
    assert find_head("", ["S", "."]) == 0
    assert find_head("PRT|ADVP", ["RB", "RP"]) == 1


def test_currency_is_no_punctuation() -> None:
    assert not {"$", "#"} & PUNCTUATION
    assert find_head("FRAG", ["#", "CD"]) == 0
