"""Penn-style bracketed trees: reading them, without traces, with or without base noun phrases.

    ( (S (NP-SBJ (DT The) (NN bird))
         (VP (VBD sang) (NP (-NONE- *T*-1)))
         (. .)) )

A tree may span any number of lines, as in the `.mrg` files of the Penn Treebank, or take one line.
The outermost brackets may lack a label; text outside brackets is a fault, except for the lines of
copyright notices, which begin with `*x*`. Words stay as they are in the treebank: `-LRB-`, `1\\/2`.

What becomes of the trees is decided in `treebanks/penn2malt.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from syntagma.errors import FormatError, shown
from syntagma.files.reading import Lines
from syntagma.problem.limits import MAX_CHARACTERS, MAX_WORDS

NOUN_PHRASE = "NP"

# Other kinds of white space, such as U+200A, are characters of a word.
_TOKEN = re.compile(r"[()]|[^() \t\r\v\f]+")
_TRACE = "-NONE-"
_NOTICE = "*x*"
_MARKS = re.compile(r"[-=]")
_DEEPEST = 4 * MAX_WORDS  # brackets that are open at the same time


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A phrase with its children, or a word with its tag; a base noun phrase is a word with spaces.

    The category of a phrase is its label without function tags and indices: NP of NP-SBJ-1, NP=2.
    That of a word is its tag.
    """

    label: str
    category: str
    children: tuple[Node, ...] = ()
    word: str | None = None

    @property
    def functions(self) -> frozenset[str]:
        """The function tags: SBJ and TMP of NP-SBJ-TMP-1."""
        marks = _MARKS.split(self.label.removeprefix(self.category))
        return frozenset(mark for mark in marks if mark and not mark.isdigit())

    def bottom_up(self) -> Iterator[Node]:
        """This node and all below it, children before parents, from left to right.

        Trees may be deep, so nothing here recurses.
        """
        found, waiting = [], [self]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(node.children)
        return reversed(found)

    @property
    def words(self) -> list[Node]:
        """The words from left to right."""
        return [node for node in self.bottom_up() if node.word is not None]


class PennTree(NamedTuple):
    """A tree of a file, with the line in which it begins."""

    root: Node
    line: int


@dataclass(slots=True)
class _Bracket:
    """An open bracket and what was found in it so far."""

    line: int
    label: str | None = None
    children: list[Node] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def read_penn(lines: Lines, source: str) -> Iterator[PennTree | FormatError]:
    """Read the trees of a file; a faulty one yields a `FormatError` in its place."""
    open_brackets: list[_Bracket] = []
    fault: FormatError | None = None  # the first of a tree
    leaves = begin = next_begin = 0
    for number, line in enumerate(lines, start=1):
        if isinstance(line, FormatError):
            yield line
            continue
        if not open_brackets and line.startswith(_NOTICE):
            continue
        if open_brackets and not next_begin and line.startswith("("):
            next_begin = number
        for token in _TOKEN.findall(line):
            if token == "(":
                if not open_brackets:
                    leaves, begin, next_begin, fault = 0, number, 0, None
                open_brackets.append(_Bracket(number))
            elif not open_brackets:
                if token != ")":
                    yield FormatError(f"text outside brackets: {shown(token)}", source, number)
                    break  # one report per line is enough
                yield FormatError("a closing bracket without an opening one", source, number)
            elif token != ")":
                bracket = open_brackets[-1]
                if len(token) > MAX_CHARACTERS:
                    what = f"of more than {MAX_CHARACTERS} characters, the limit: {shown(token)}"
                    fault = fault or FormatError(f"a word or a label {what}", source, number)
                    token = token[:1]
                if bracket.label is None and not bracket.children:
                    bracket.label = token
                else:
                    bracket.words.append(token)
                    leaves += 1
            else:
                bracket = open_brackets.pop()
                try:
                    node = _close(bracket, top=not open_brackets)
                except FormatError as error:
                    fault = fault or FormatError(error.message, source, bracket.line)
                    node = Node("", "", word="")  # stands in for what is at fault
                if open_brackets:
                    open_brackets[-1].children.append(node)
                elif fault is None and leaves > MAX_WORDS:
                    what = f"the tree has more words than the limit of {MAX_WORDS}"
                    yield FormatError(what, source, begin)
                else:
                    yield fault or PennTree(node, begin)
        if open_brackets and (leaves > MAX_WORDS or len(open_brackets) > _DEEPEST):
            # Whatever is wrong, memory must not grow with the rest of the file.
            what = f"has more than {MAX_WORDS} words, the limit"
            raise _unclosed(begin, next_begin, source, what)
    if open_brackets:
        yield _unclosed(begin, next_begin, source, "is not closed")


def _unclosed(begin: int, next_begin: int, source: str, what: str) -> FormatError:
    hint = f" before line {next_begin}, where the next one seems to begin" if next_begin else ""
    return FormatError(
        f"the tree that begins here {what}: a closing bracket is missing{hint}", source, begin
    )


def _close(bracket: _Bracket, *, top: bool) -> Node:
    """The node of a bracket that is now complete."""
    label, children, words = bracket.label, tuple(bracket.children), bracket.words
    if children and words:
        raise FormatError(f"the word {shown(words[0])} has no tag: write (TAG word)")
    if label is None:
        if not children:
            raise FormatError("an empty tree" if top else "brackets without content")
        if not top:
            raise FormatError("brackets without a label inside a tree")
        return children[0] if len(children) == 1 else Node("", "", children)
    if len(words) > 1:
        raise FormatError(
            f"{len(words)} words in the brackets of {shown(label)}, where a tag has one word and "
            f"every word a tag: {shown(' '.join(words))}"
        )
    if any(character.isspace() for character in label):
        raise FormatError(f"a label with white space: {shown(label)}")
    if words and words[0].isspace():
        raise FormatError(f"a word of white space alone, with the tag {shown(label)}")
    if words:
        return Node(label, label, word=words[0])
    if not children:
        raise FormatError(
            f"{shown(label)} alone in its brackets: a word without a tag, or a phrase without words"
        )
    return Node(label, _category(label), children)


def _category(label: str) -> str:
    """The label of a phrase without function tags and indices.

    >>> [_category(label) for label in ("NP-SBJ-1", "NP=2", "PRT|ADVP", "-LRB-")]
    ['NP', 'NP', 'PRT|ADVP', '-LRB-']
    """
    return label if label[0] in "-=" else _MARKS.split(label, maxsplit=1)[0]


def without_traces(root: Node, *, base_noun_phrases: bool = False) -> Node | None:
    """The tree without traces and the phrases that they leave empty; None if nothing is left.

    With `base_noun_phrases`, every NP that contains no other NP becomes one word with the category
    NP. Its words, punctuation included, are separated by single spaces. Traces count here:
    `(NP the plan (S (NP-SBJ *) (VP to leave)))` contains an NP, the subject of its clause.
    """
    kept: dict[Node, Node | None] = {}
    holders: set[Node] = set()  # noun phrases, and what contains one
    for node in root.bottom_up():
        if not node.children:
            kept[node] = None if node.label == _TRACE else node
            continue
        recursive = any(child in holders for child in node.children)
        if recursive or node.category == NOUN_PHRASE:
            holders.add(node)
        children = [child for each in node.children if (child := kept[each]) is not None]
        if not children:
            kept[node] = None
        elif base_noun_phrases and node.category == NOUN_PHRASE and not recursive:
            words = [leaf.word or "" for child in children for leaf in child.words]
            kept[node] = Node(node.label, NOUN_PHRASE, word=" ".join(words))
        else:
            kept[node] = Node(node.label, node.category, tuple(children))
    return kept[root]
