"""Penn2Malt's head table: every row by a phrase of our own, its order of search, its default."""

from __future__ import annotations

import pytest
from toys.penn import parse

from syntagma.treebanks.head_rules import HEAD_RULES, PUNCTUATION, find_head
from syntagma.treebanks.penn2malt import dependencies

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
    rule = HEAD_RULES[label]
    groups = [sorted(group) for group in rule.groups]
    for number, group in enumerate(groups):
        later = [each for other in groups[number + 1 :] for each in other]
        assert find_head(label, [*later, group[0], *later, "ZZ"]) == len(later)
        ends = (0, 2 * len(group))
        assert find_head(label, [*group, ",", *group]) == ends[rule.from_right]
    assert find_head(label, [",", "ZZ", ".", "ZZ", "''"]) == (3 if rule.from_right else 1)
    assert find_head(label, [",", "."]) == int(rule.from_right)


def test_labels_that_are_not_in_the_table() -> None:
    assert find_head("HEADING", ["``", "NP", "VP"]) == 1
    assert find_head("", ["S", "."]) == 0
    assert find_head("PRT|ADVP", ["RB", "RP"]) == 1


def test_currency_is_no_punctuation() -> None:
    assert not {"$", "#"} & PUNCTUATION
    assert find_head("FRAG", ["#", "CD"]) == 0
