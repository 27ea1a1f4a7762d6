"""A slow reference for the features of the linear scorer: atoms by name, hashed by templates.

Unlike in the compiled code, atoms are computed from scratch for each action, from the words placed
and the arcs built. Actions and their legality are in references/transition.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from references.transition import LEFTARC, ROOT, SHIFT, Action, Given
from syntagma.linear._search import ATOM_NAMES
from syntagma.problem.problem import Problem
from syntagma.problem.word import shape_and_suffix
from syntagma.transition.vocabulary import Vocabulary

Atoms = dict[str, int]

START = 1 << 30  # before the first word of a sentence, or of a family
MAX_RELATED = 16
_SEED, _FACTOR, _BITS = 0x2545F4914F6CDD1D, 0x9E3779B97F4A7C15, (1 << 64) - 1


def fold(key: int, atom: int) -> int:
    key = (key + atom) * _FACTOR & _BITS
    return key ^ key >> 32


@dataclass
class Configuration:
    """A partial derivation of a problem whose words are numbered as in its encoding."""

    problem: Problem
    vocabulary: Vocabulary
    placed: list[int] = field(default_factory=list)
    stack: list[int] = field(default_factory=list)
    chosen_tags: dict[int, int] = field(default_factory=dict)
    arcs: dict[int, tuple[int, int]] = field(default_factory=dict)  # dependent: (head, label)
    # The forms that each word may take and the intervals of their shares, if forms are chosen.
    choices: list[list[tuple[str, int]]] | None = None
    chosen_forms: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.head = Given.of(self.problem).head

    def apply(self, action: Action) -> None:
        kind, word, tag, label = action
        if kind == SHIFT:
            self.placed.append(word)
            self.stack.append(word)
            self.chosen_forms[word], _, self.chosen_tags[word] = self.reading(word, tag)
        else:
            dependent = self.stack.pop(-2 if kind == LEFTARC else -1)
            self.arcs[dependent] = self.stack[-1], label

    def reading(self, word: int, number: int) -> tuple[str, int, int]:
        """The form, the interval of its share and the tag that SHIFT gives to a word."""
        if self.choices is None:
            return self.problem.words[word].form, 0, number
        form, tag = divmod(number, len(self.vocabulary.tags) + 1)
        return *self.choices[word][form], tag

    # Numbers of a word; 0: unknown.

    def form(self, word: int | None) -> int:
        """The form that the word has or, before it is placed, the likeliest one."""
        if word is None:
            return 0
        return self.number(self.chosen_forms.get(word, self.problem.words[word].form))

    def number(self, form: str) -> int:
        """Unknown phrases are represented by their last word."""
        known = self.vocabulary.forms
        return known.get(form) or known.get(form.split(" ")[-1], 0)

    def tag(self, word: int | None) -> int:
        if word is None:
            return 0
        if word in self.chosen_tags:
            return 1 + self.chosen_tags[word]
        return _number(self.problem.words[word].tag, self.vocabulary.tag_numbers)

    def label(self, word: int) -> int:
        label, labels = self.problem.words[word].deprel, self.vocabulary.labels
        return 1 + len(labels) if label == "root" else _number(label, self.vocabulary.label_numbers)

    # Words around a word.

    def dependents(self, word: int) -> tuple[list[int], list[int]]:
        """Its dependents so far on the left and on the right, both from left to right."""
        place = self.placed.index(word)
        found = [w for w in self.placed if w in self.arcs and self.arcs[w][0] == word]
        left = [w for w in found if self.placed.index(w) < place]
        return left, [w for w in found if self.placed.index(w) > place]

    def given_dependents(self, word: int) -> list[int]:
        return [w for w, head in enumerate(self.head) if head == word]

    def subtree_size(self, word: int) -> int:
        """1 for a leaf, 2 for one dependent, 3 for more."""
        below = self.given_dependents(word)
        return min(3, 1 + len(below) + any(self.given_dependents(w) for w in below))


def _number(name: str | None, numbers: dict[str, int]) -> int:
    return 0 if name is None else 1 + numbers.get(name, -1)


def _bucket(count: int) -> int:
    """0, 1, 2, 3 to 5, more; counted from 1."""
    return 1 + (count if count < 3 else 3 if count <= 5 else 4)


def _item(items: list[int], index: int) -> int | None:
    return items[index] if -len(items) <= index < len(items) else None


# ---- atoms -----------------------------------------------------------------------------------


def state_atoms(c: Configuration) -> Atoms:
    atoms: Atoms = {}
    for name, index in (("S0", -1), ("S1", -2)):
        if (word := _item(c.stack, index)) is None:
            continue
        left, right = c.dependents(word)
        outermost = {"l": (left, 0), "l2": (left, 1), "r": (right, -1), "r2": (right, -2)}
        for side, (words, at) in outermost.items():
            atoms[f"{name}{side}w"] = c.form(_item(words, at))
            atoms[f"{name}{side}p"] = c.tag(_item(words, at))
        atoms[f"{name}w"], atoms[f"{name}p"] = c.form(word), c.tag(word)
        if name == "S0":
            atoms["S0v"] = 1 + 4 * min(len(left), 3) + min(len(right), 3)
            atoms["S0d"] = c.label(word)
    for index, name in ((-1, "0"), (-2, "-1"), (-3, "-2")):
        word = _item(c.placed, index)
        atoms[f"w{name}"] = START if word is None else c.form(word)
        atoms[f"p{name}"] = START if word is None else c.tag(word)
    atoms["rest"] = _bucket(len(c.head) - len(c.placed))
    arcs = sum(head is not None for head in c.head)
    labelled = any(c.label(w) for w, head in enumerate(c.head) if head is not None and head != ROOT)
    atoms["given"] = 1 + (arcs > 0) + (arcs >= max(1, len(c.head) - 1)) + 3 * labelled
    return atoms


def lookahead_atoms(c: Configuration, word: int, name: str) -> Atoms:
    """P16 Table 2: given arcs around L or S0."""
    head = c.head[word]
    parent = head if head is not None and head != ROOT else None
    siblings = [] if parent is None else [w for w in c.given_dependents(parent) if w != word]
    atoms: Atoms = {}
    for relation, words in (("c", c.given_dependents(word)), ("s", siblings)):
        for kind, number in (("l", c.label), ("p", c.tag)):
            shifted = {number(w) for w in words if w in c.placed} - {0}
            unshifted = {number(w) for w in words if w not in c.placed} - {0}
            if shifted or unshifted:  # otherwise nothing is known, which differs from empty
                atoms[f"{name}{relation}{kind}s"] = _set_atom(shifted)
                atoms[f"{name}{relation}{kind}ns"] = _set_atom(unshifted)
    if head == ROOT:
        here = {"ps": 3, "lp": c.label(word), "pp": START, "wp": START}
    elif parent is not None:
        side = 1 if parent in c.placed else 2
        here = {"ps": side, "lp": c.label(word), "pp": c.tag(parent), "wp": c.form(parent)}
    else:
        here = {}
    return atoms | {f"{name}{key}": value for key, value in here.items()}


def _set_atom(numbers: set[int]) -> int:
    """Numbers start at 1. A set is hashed in blocks of 64; the first counts even if it is empty."""
    blocks: dict[int, int] = {0: 0}
    for number in sorted(numbers):
        block, bit = divmod(number - 1, 64)
        blocks[block] = blocks.get(block, 0) | 1 << bit
    key = fold(1, blocks.pop(0))
    for block, bits in blocks.items():
        key = fold(fold(key, block), bits)
    return key | 1


def candidate_atoms(c: Configuration, word: int, reading: int) -> Atoms:
    form, share, tag = c.reading(word, reading)
    shape, suffix = shape_and_suffix(form)
    own = {"Lw": c.number(form), "Lp": 1 + tag, "Lsh": shape, "Lsf": suffix, "Lf": share}
    return own | lookahead_atoms(c, word, "L")


def family_atoms(
    c: Configuration, word: int, candidate: Atoms
) -> Iterator[tuple[Atoms, list[Atoms]]]:
    """For each X that the SHIFT makes the next one of its family: its atoms, and those of each Y.

    The X are the word and its ancestors up to the first whose family has a placed member: the head
    or the top of the stack. At most MAX_RELATED of X, and of Y, are looked at.
    """
    top = _item(c.stack, -1)
    up, begun = word, False
    for _ in range(MAX_RELATED):
        if begun or (head := c.head[up]) is None or head == ROOT:
            return
        after = head in c.placed
        begun = after or (top is not None and c.head[top] == head)
        last = (START, START)
        if after and top == head and (taken := c.dependents(head)[1]):
            last = (1 + c.arcs[taken[-1]][1], c.tag(taken[-1]))
        elif not after and begun and top is not None:
            last = (c.label(top), c.tag(top))
        unplaced = [w for w in c.given_dependents(head) if w not in c.placed and w != up]
        own = {"Xw": c.form(up), "Xp": c.tag(up), "Xl": c.label(up), "Xz": c.subtree_size(up)}
        if up == word:
            own |= {"Xw": candidate["Lw"], "Xp": candidate["Lp"]}
        own["Xs"] = 2 if after else 1
        own |= {"Xhw": c.form(head), "Xhp": c.tag(head), "Xn": _bucket(len(unplaced))}
        own |= {"Xvl": last[0], "Xvp": last[1]}
        yield own, [_plain_atoms(c, w, "Y") for w in unplaced[:MAX_RELATED]]
        up = head


def _plain_atoms(c: Configuration, word: int, name: str) -> Atoms:
    atoms = {"w": c.form(word), "p": c.tag(word), "l": c.label(word), "z": c.subtree_size(word)}
    return {f"{name}{key}": value for key, value in atoms.items()}


# ---- features --------------------------------------------------------------------------------


def features(c: Configuration, action: Action, texts: Iterable[str], atomic: bool) -> list[int]:
    """The keys of the features of an action; `texts` are templates as "scope: atom atom"."""
    kind, word, tag, label = action
    state = state_atoms(c)
    if kind != SHIFT:
        return list(_keys(texts, "state", state, 1 + kind + 4 * (1 + label)))
    if atomic:
        form, share, tag = c.reading(word, tag)
        number = fold(fold(1 + SHIFT, _word_key(c, form)), 1 + tag)
        forms = state | {"Lw": c.number(form), "Lp": 1 + tag, "Lf": share}
        return [*_keys(texts, "state", state, number), *_keys(texts, "candidate", forms)]
    before = state | (lookahead_atoms(c, c.stack[-1], "S") if c.stack else {})
    own = before | candidate_atoms(c, word, tag)
    keys = [*_keys(texts, "state", state, 1), *_keys(texts, "before shift", before, 1)]
    keys += _keys(texts, "candidate", own)
    for member, siblings in family_atoms(c, word, own):
        keys += _keys(texts, "family", own | member)
        for sibling in siblings:
            keys += _keys(texts, "pair", own | member | sibling)
    for child in c.given_dependents(word):
        if child not in c.placed:
            keys += _keys(texts, "child", own | _plain_atoms(c, child, "C"))
    return keys


def _word_key(c: Configuration, form: str) -> int:
    shape, suffix = shape_and_suffix(form)
    return c.number(form) or fold(fold(2, shape), suffix)


def _keys(
    texts: Iterable[str], scope: str, atoms: Atoms, action: int | None = None
) -> Iterator[int]:
    """Templates with an atom that is 0 (absent) have no feature."""
    for text in texts:
        name, _, names = text.partition(": ")
        values = [atoms.get(atom, 0) for atom in sorted(names.split(), key=ATOM_NAMES.index)]
        if name != scope or 0 in values:
            continue
        key = _SEED
        for byte in text.encode():
            key = fold(key, byte + 1)
        for value in values:
            key = fold(key, value)
        yield key if action is None else fold(key, action)
