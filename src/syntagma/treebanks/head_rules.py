"""Which child is the head of a phrase of the Penn Treebank: the table of Penn2Malt.

Penn2Malt is the program by which the papers made dependency trees (L15 §4, P16 §4, ZC15 §5). Its
table is Yamada & Matsumoto's (2003) version of Collins' (1999) rules. It was distributed with the
program as `headrules.txt`; the rows below are those of that file, as Riedel's `thebeast` lists
them, too. Two things are ours: the rows NML and JJP, with NML as a possible head of NP, for
treebanks that are annotated within noun phrases, which the Penn Treebank of the papers is not; and
the default for labels that are not in the table, such as HEADING, the leftmost child.

A row is a label, the side from which children are searched, and groups of categories. The first
group of which a child is a member decides; of several members, the first from that side. If there
is none, the first child from that side is the head. That default skips punctuation, unless there
is nothing else; a category in a group is found whatever it is (`LST` lists the colon).
"""

from __future__ import annotations

from collections.abc import Sequence

_TABLE = """
ADJP    r  NNS; QP; NN; $; ADVP; JJ; VBN; VBG; ADJP; JJR; NP; JJS; DT; FW; RBR; RBS; SBAR; RB
ADVP    l  RB; RBR; RBS; FW; ADVP; TO; CD; JJR; JJ; IN; NP; JJS; NN
CONJP   l  CC; RB; IN
FRAG    l
INTJ    r
JJP     r  NNS; QP; NN; $; ADVP; JJ; VBN; VBG; ADJP; JJP; JJR; NP; JJS; DT; FW; RBR; RBS; SBAR; RB
LST     l  LS; :
NAC     r  NN NNS NNP NNPS; NP; NAC; EX; $; CD; QP; PRP; VBG; JJ; JJS; JJR; ADJP; FW
NML     r  POS NN NNP NNPS NNS; NX; NML; JJR; CD; JJ; JJS; RB; QP; NP
NP      r  POS NN NNP NNPS NNS; NX; NML; JJR; CD; JJ; JJS; RB; QP; NP
NX      r  POS NN NNP NNPS NNS; NX; JJR; CD; JJ; JJS; RB; QP; NP
PP      l  IN; TO; VBG; VBN; RP; FW
PRN     r
PRT     l  RP
QP      r  $; IN; NNS; NN; JJ; RB; DT; CD; NCD; QP; JJR; JJS
RRC     l  VP; NP; ADVP; ADJP; PP
S       r  TO; IN; VP; S; SBAR; ADJP; UCP; NP
SBAR    r  WHNP; WHPP; WHADVP; WHADJP; IN; DT; S; SQ; SINV; SBAR; FRAG
SBARQ   r  SQ; S; SINV; SBARQ; FRAG
SINV    r  VBZ; VBD; VBP; VB; MD; VP; S; SINV; ADJP; NP
SQ      r  VBZ; VBD; VBP; VB; MD; VP; SQ
UCP     l
VP      l  VBD; VBN; MD; VBZ; VB; VBG; VBP; VP; ADJP; NN; NNS; NP
WHADJP  r  CC; WRB; JJ; ADJP
WHADVP  l  CC; WRB
WHNP    r  WDT; WP; WP$; WHADJP; WHPP; WHNP
WHPP    l  IN; TO; FW
X       r
"""

# HYPH and NFP are tags of newer treebanks. The Penn Treebank's # and $ are no punctuation.
PUNCTUATION = frozenset((",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"))


class HeadRule:
    """A row of the table."""

    __slots__ = ("from_right", "groups")

    def __init__(self, from_right: bool, groups: Sequence[frozenset[str]]) -> None:
        self.from_right = from_right
        self.groups = tuple(groups)

    def find(self, categories: Sequence[str]) -> int:
        """The index of the head among children with these categories."""
        order = range(len(categories))
        places = order[::-1] if self.from_right else order
        for group in self.groups:
            for place in places:
                if categories[place] in group:
                    return place
        for place in places:
            if categories[place] not in PUNCTUATION:
                return place
        return places[0]


def _parsed(table: str) -> dict[str, HeadRule]:
    rules = {}
    for row in table.strip().splitlines():
        label, side, *rest = row.split(maxsplit=2)
        groups = [frozenset(group.split()) for group in rest[0].split(";")] if rest else []
        rules[label] = HeadRule(side == "r", groups)
    return rules


HEAD_RULES = _parsed(_TABLE)
DEFAULT_RULE = HeadRule(from_right=False, groups=())


def find_head(category: str, children: Sequence[str]) -> int:
    """The index of the head of a phrase, given its category and those of its children.

    Of an ambiguous label such as `PRT|ADVP`, the first part decides.

    >>> find_head("NP", ["DT", "JJ", "NN"]), find_head("VP", ["MD", "RB", "VP"])
    (2, 0)
    """
    return HEAD_RULES.get(category.partition("|")[0], DEFAULT_RULE).find(children)
