"""The format of the first Surface Realisation shared task (SR'11, Belz et al. 2011), shallow track.

A sentence is a line `sentId=N`, then a line for each node of an unordered tree of lemmas:

    label  id  head  lemma  attribute=value …

with white space between the fields and head 0 for the root. After an empty line comes the sentence
as text, which test sets leave out. The words of a name hang from its last word by the labels
NAME_1, NAME_2, …, in their order. Lemma trees are aligned with texts in `realization/alignment.py`.

The task's documentation is no longer public. This is the layout that published code for its data
reads (github.com/diegma/graph-2-text), with the attributes that ZC15 §5.7 names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from syntagma.errors import FormatError, ProblemError, shown
from syntagma.files.reading import Lines, Place, about_sentence
from syntagma.problem.limits import MAX_DIGITS, MAX_LINE, MAX_WORDS
from syntagma.problem.problem import Problem
from syntagma.problem.word import ROOT_LABEL, Word

_SENTENCE = re.compile(r"sentId\s*=\s*(\S*)\s*", re.IGNORECASE)
_NUMBER = re.compile(rf"[0-9]{{1,{MAX_DIGITS}}}")
_NAME_PART = re.compile(r"NAME_([1-9][0-9]{0,5})")
_ATTRIBUTE = re.compile(r"([A-Za-z_]+)=(\S+)")
_TAGS = ("cat", "pos", "cpos")  # names of the attribute that holds the part of speech
_FEATURES = {
    ("num", "sg"): ("Number=Sing",),
    ("num", "pl"): ("Number=Plur",),
    ("tense", "past"): ("Tense=Past", "VerbForm=Fin"),
    ("tense", "pres"): ("Tense=Pres", "VerbForm=Fin"),
    ("partic", "past"): ("Tense=Past", "VerbForm=Part"),
    ("partic", "pres"): ("Tense=Pres", "VerbForm=Part"),
}
# Penn tags of a coarse tag with an attribute. A verb in the present is VBP or VBZ by its subject.
_FINE = {
    ("NN", "num", "pl"): "NNS",
    ("NNP", "num", "pl"): "NNPS",
    ("VB", "tense", "past"): "VBD",
    ("VB", "tense", "pres"): "VERB",
    ("VB", "partic", "past"): "VBN",
    ("VB", "partic", "pres"): "VBG",
}


@dataclass(frozen=True, slots=True)
class LemmaTree:
    """A sentence of SR'11: its tree of lemmas and, if the file has it, its text.

    The order of named entities is stated by order constraints.
    """

    id: str
    problem: Problem
    text: str | None
    place: Place


class _Node(NamedTuple):
    label: str
    id: int
    head: int
    word: Word
    place: Place


def read_sr11(lines: Lines, source: str) -> Iterator[LemmaTree | FormatError]:
    """Read one sentence at a time; a faulty one yields a `FormatError` in its place."""
    for place, id, tree, text in _blocks(lines, source):
        if isinstance(tree, FormatError):
            tree.id = id or None
            yield tree
            continue
        try:
            nodes = [_node(line, Place(source, number)) for number, line in tree]
            yield LemmaTree(id, _problem(nodes, place), text, place)
        except ProblemError as error:
            yield FormatError(about_sentence(id) + str(error), *place, id=id)
        except FormatError as error:
            error.id = id
            yield error


_Tree = list[tuple[int, str]]  # lines with their numbers


def _blocks(
    lines: Lines, source: str
) -> Iterator[tuple[Place, str, _Tree | FormatError, str | None]]:
    """The place, the id, the lines of the tree and the text of each sentence."""
    place, id = Place(source, 1), ""
    tree: _Tree = []
    text: list[str] = []
    error: FormatError | None = None
    begun = ended = False
    size = 0
    for number, line in enumerate(lines, start=1):
        match = None if isinstance(line, FormatError) else _SENTENCE.fullmatch(line.strip())
        if match:
            if begun or error:
                yield place, id, error or tree, " ".join(text) or None
            place, id, tree, text = Place(source, number), match[1], [], []
            error, begun, ended, size = None, True, False, 0
        elif isinstance(line, FormatError):
            error = error or line
        elif error:
            continue
        elif not line.strip():
            ended = ended or bool(tree)
        elif not begun:
            error = FormatError("a sentence begins with a line sentId=…", source, number)
        elif (size := size + len(line)) > MAX_LINE:
            what = f"a sentence of more than {MAX_LINE >> 20} MiB, the limit"
            error = FormatError(what, source, number)
        elif ended:
            text.append(line.strip())
        elif len(tree) == MAX_WORDS:
            what = f"the sentence has more words than the limit of {MAX_WORDS}"
            error = FormatError(what, source, number)
        else:
            tree.append((number, line.strip()))
    if begun or error:
        yield place, id, error or tree, " ".join(text) or None


def _node(line: str, place: Place) -> _Node:
    fields = line.split()
    if len(fields) < 3 or not all(map(_NUMBER.fullmatch, fields[1:3])):
        what = "label, id, head, lemma and attributes, as in 'SBJ 2 1 dog num=pl'"
        raise FormatError(f"a node is a line with {what}", *place)
    if len(fields) == 3:
        hint = "if this is the deep track, whose nodes may have several heads, use the shallow one"
        raise FormatError(f"node {fields[1]} has no lemma: {hint}", *place)
    label, id, head, lemma, *rest = fields
    attributes = {}
    for text in rest:
        match = _ATTRIBUTE.fullmatch(text)
        if match is None:
            raise FormatError(f"attribute {shown(text)} is not written as name=value", *place)
        attributes[match[1].lower()] = match[2]
    return _Node(label, int(id), int(head), _word(lemma, attributes), place)


def _word(lemma: str, attributes: dict[str, str]) -> Word:
    pairs = [(name, value.lower()) for name, value in attributes.items()]
    features = sorted({part for pair in pairs for part in _FEATURES.get(pair, ())})
    coarse = next((attributes[name].upper() for name in _TAGS if name in attributes), None)
    tag = coarse
    for name, value in pairs:
        tag = _FINE.get((coarse or "", name, value), tag)
    return Word(lemma=lemma, tag=tag, features="|".join(features))


def _problem(nodes: Sequence[_Node], place: Place) -> Problem:
    index: dict[int, int] = {}
    for number, node in enumerate(nodes, start=1):
        if node.id in index or node.id == 0:
            reason = "is used twice" if node.id else "is 0, which stands for the root"
            raise FormatError(f"id {node.id} {reason}", *node.place)
        index[node.id] = number
    words = []
    for label, _, above, word, own_place in nodes:
        if above and above not in index:
            raise FormatError(f"head {above} is not the id of a node", *own_place)
        head = index.get(above, 0)
        words.append(replace(word, head=head, deprel=label if head else ROOT_LABEL))
    return Problem(tuple(words), before=tuple(_name_order(nodes, index)), origin=place)


def _name_order(nodes: Sequence[_Node], index: dict[int, int]) -> Iterator[tuple[int, int]]:
    """The order of the words of each name: NAME_1, NAME_2, …, then their head."""
    names: dict[int, list[tuple[int, int]]] = {}
    for number, node in enumerate(nodes, start=1):
        match = _NAME_PART.fullmatch(node.label)
        if match and node.head:
            names.setdefault(index[node.head], []).append((int(match[1]), number))
    for head, parts in names.items():
        order = [number for _, number in sorted(parts)] + [head]
        yield from pairwise(order)
