"""Dependency trees of Penn-style phrase structure trees, as Penn2Malt makes them.

The head word of a phrase is that of its head child (`head_rules`); the head words of the other
children depend on it. So every word but one has a head, and the tree is projective. Punctuation is
treated like any other word: it depends on the head of the phrase that it is in.

Labels are the twelve of Penn2Malt, but the rules of `_label` are our own: the program comes without
its source. For an arc from the head of a phrase M to the head of its child D, the first that holds:

    ROOT  the head of the sentence
    P     D is punctuation (`PUNCTUATION` of `head_rules`)
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
Heads have not been compared with the program's on a whole treebank, only by hand, on most sentences
of two files; no difference was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from syntagma.formats.penn import NOUN_PHRASE, Node
from syntagma.problem.word import ROOT_LABEL
from syntagma.treebanks.head_rules import PUNCTUATION, find_head

Labels = Literal["malt", "none"]
LABELS = ("ROOT", "SUB", "OBJ", "PRD", "PMOD", "VC", "SBAR", "VMOD", "NMOD", "AMOD", "P", "DEP")
UNLABELLED = "dep"  # of all arcs but that of the root, if labels are not wanted

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
