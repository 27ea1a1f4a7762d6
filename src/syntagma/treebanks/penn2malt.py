"""Dependency trees of Penn-style phrase structure trees, as Penn2Malt makes them.

Penn2Malt is the program by which the papers made dependency trees (L15 §4, P16 §4, ZC15 §5). The
head word of a phrase is that of its head child; the head words of the other children depend on it.
So every word but one has a head, and the tree is projective. Punctuation is treated like any other
word: it depends on the head of the phrase that it is in. Heads have not been compared with the
program's on a whole treebank, only by hand, on most sentences of two files; no difference was
found.

The head table is Yamada & Matsumoto's (2003) version of Collins' (1999) rules. It was distributed
with the program as `headrules.txt`; the rows below are those of that file, as Riedel's `thebeast`
lists them, too. Two things are ours: the rows NML and JJP, with NML as a possible head of NP, for
treebanks that are annotated within noun phrases, which the Penn Treebank of the papers is not; and
the default for labels that are not in the table, such as HEADING, the leftmost child.

A row is a label, the side from which children are searched, and groups of categories. The first
group of which a child is a member decides; of several members, the first from that side. If there
is none, the first child from that side is the head. That default skips punctuation, unless there
is nothing else; a category in a group is found whatever it is (`LST` lists the colon).

Labels are the twelve of Penn2Malt, but the rules of `_label` are our own: the program comes without
its source. For an arc from the head of a phrase M to the head of its child D, the first that holds:

    ROOT  the head of the sentence
    P     D is punctuation (`PUNCTUATION`)
    SUB   D has the function tag SBJ
    PRD   D has the function tag PRD
    VC    D is a VP, and the head child of M is a verb or modal: a verb chain
    OBJ   D is an NP without an adverbial function tag, M a VP or SQ
    PMOD  M is a PP
    SBAR  D is a clause or VP, M an SBAR: what the complementizer or relative word introduces
    NMOD  M is nominal: NP, NX, NML, NAC, QP, WHNP
    VMOD  M is verbal: VP, S, SQ, SINV, SBARQ, RRC
    AMOD  M is an adjective or adverb phrase: ADJP, JJP, ADVP, WHADJP, WHADVP
    DEP   anything else

Coordination has no label of its own: conjuncts and conjunctions depend on the head like modifiers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from syntagma.formats.penn import NOUN_PHRASE, Node
from syntagma.problem.word import ROOT_LABEL

Labels = Literal["malt", "none"]
LABELS = ("ROOT", "SUB", "OBJ", "PRD", "PMOD", "VC", "SBAR", "VMOD", "NMOD", "AMOD", "P", "DEP")
UNLABELLED = "dep"  # of all arcs but that of the root, if labels are not wanted

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

# HYPH and NFP are tags of newer treebanks. The Penn Treebank's # and $ are not punctuation.
PUNCTUATION = frozenset((",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"))


def _parsed(row: str) -> tuple[str, tuple[bool, list[frozenset[str]]]]:
    label, side, *rest = row.split(maxsplit=2)
    groups = [frozenset(group.split()) for group in rest[0].split(";")] if rest else []
    return label, (side == "r", groups)


# By label: whether children are searched from the right, and the groups.
HEAD_RULES = dict(map(_parsed, _TABLE.strip().splitlines()))

_VERBS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD", "TO"))
_CLAUSES = frozenset(("S", "SBAR", "SBARQ", "SINV", "SQ", "FRAG", "VP"))
_ADVERBIAL = frozenset(
    ("ADV", "BNF", "DIR", "DTV", "EXT", "LGS", "LOC", "MNR", "PRP", "PUT", "TMP", "VOC")
)
_MODIFIERS = {
    **dict.fromkeys(("NP", "NX", "NML", "NAC", "QP", "WHNP"), "NMOD"),
    **dict.fromkeys(("VP", "S", "SQ", "SINV", "SBARQ", "RRC"), "VMOD"),
    **dict.fromkeys(("ADJP", "JJP", "ADVP", "WHADJP", "WHADVP"), "AMOD"),
}

# Universal tags by Penn tags: the usual table, as far as the tag alone decides.
_UPOS = {
    tag: upos
    for upos, tags in {
        "ADJ": "JJ JJR JJS AFX",
        "ADP": "IN RP",
        "ADV": "RB RBR RBS WRB",
        "AUX": "MD",
        "CCONJ": "CC",
        "DET": "DT PDT WDT",
        "INTJ": "UH",
        "NOUN": f"NN NNS {NOUN_PHRASE}",
        "NUM": "CD",
        "PART": "POS TO",
        "PRON": "EX PRP PRP$ WP WP$",
        "PROPN": "NNP NNPS",
        "PUNCT": " ".join(sorted(PUNCTUATION)),
        "SYM": "# $ SYM",
        "VERB": "VB VBD VBG VBN VBP VBZ",
        "X": "ADD FW GW LS XX",
    }.items()
    for tag in tags.split()
}


@dataclass(frozen=True, slots=True)
class Dependency:
    """A word, or a base noun phrase, with its tag, its head (1-based, 0 for the root) and label."""

    form: str
    tag: str
    head: int
    label: str

    @property
    def upos(self) -> str:
        """The universal tag; `_` where the Penn tag is unknown.

        Tags alone do not tell auxiliaries from verbs, or conjunctions from prepositions.
        """
        return _UPOS.get(self.tag.partition("|")[0], "_")


def dependencies(root: Node, labels: Labels = "malt") -> list[Dependency]:
    """The dependency tree of a phrase structure tree without traces."""
    words: list[Node] = []
    heads: list[int] = []
    names: list[str] = []
    lexical: dict[Node, int] = {}  # the index of the head word of each node
    for node in root.bottom_up():
        if node.word is not None:
            lexical[node] = len(words)
            words.append(node)
            heads.append(0)
            names.append("ROOT")
            continue
        head = node.children[find_head(node.category, [each.category for each in node.children])]
        lexical[node] = lexical[head]
        for child in node.children:
            if child is not head:
                heads[lexical[child]] = lexical[head] + 1
                names[lexical[child]] = _label(node, head, child)
    if labels == "none":
        names = [UNLABELLED if head else ROOT_LABEL for head in heads]
    return [
        Dependency(word.word or "", word.category, head, name)
        for word, head, name in zip(words, heads, names, strict=True)
    ]


def find_head(category: str, children: Sequence[str]) -> int:
    """The index of the head of a phrase, given its category and those of its children.

    Of an ambiguous label such as `PRT|ADVP`, the first part decides.

    >>> find_head("NP", ["DT", "JJ", "NN"]), find_head("VP", ["MD", "RB", "VP"])
    (2, 0)
    """
    from_right, groups = HEAD_RULES.get(category.partition("|")[0], (False, []))
    places = range(len(children))[:: -1 if from_right else 1]
    for group in groups:
        for place in places:
            if children[place] in group:
                return place
    return next((place for place in places if children[place] not in PUNCTUATION), places[0])


def _label(mother: Node, head: Node, child: Node) -> str:
    """The label of the arc from the head of a phrase to the head of another child."""
    category, functions = child.category, child.functions
    if category in PUNCTUATION:
        return "P"
    if "SBJ" in functions:
        return "SUB"
    if "PRD" in functions:
        return "PRD"
    if category == "VP" and head.category in _VERBS:
        return "VC"
    if category == NOUN_PHRASE and mother.category in ("VP", "SQ") and not functions & _ADVERBIAL:
        return "OBJ"
    if mother.category in ("PP", "WHPP"):
        return "PMOD"
    if mother.category == "SBAR" and category in _CLAUSES:
        return "SBAR"
    return _MODIFIERS.get(mother.category, "DEP")


def conllu(words: list[Dependency], id: str) -> str:
    """A sentence as a CoNLL-U block, with its final blank line."""
    lines = [f"# sent_id = {id}", f"# text = {' '.join(word.form for word in words)}"]
    for number, word in enumerate(words, start=1):
        lines.append(
            f"{number}\t{word.form}\t_\t{word.upos}\t{word.tag}\t_\t{word.head}\t{word.label}\t_\t_"
        )
    return "\n".join(lines) + "\n\n"
