"""Slow reference edges and grammars of best-first search (ZC15 §3, §4). The search over them is in
references/best_first.py; problems for it and the compiled search are in references/cases.py.

Unlike in the compiled code, features are read off the whole tree of an edge, and words are counted
instead of marked in bit sets. Sums are added in the same order, so that scores are equal to the
last bit for any weights.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from toys.models import relist

from references.brute_force import interchangeable, without_unknown
from references.features import fold
from references.transition import Given
from syntagma.best_first._ccg_edges import CCG_ATOMS
from syntagma.best_first._dependency_edges import DEPENDENCY_ATOMS
from syntagma.best_first._edges import FLUENCY_ATOMS
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.templates import ccg_templates, dependency_templates, fluency_templates
from syntagma.language_model._ngrams import SENTENCE_END, SENTENCE_START
from syntagma.language_model.packed import LanguageModel
from syntagma.problem.word import Alternative, shape_and_suffix
from syntagma.transition.encoding import Encoding
from syntagma.transition.vocabulary import Vocabulary

NONE = -1
LEAF, HEAD_LEFT, HEAD_RIGHT = 0, 1, 2

Node: TypeAlias = tuple[int, int, int, int, int, int]  # left, right, rule, label, word, tag
Tree: TypeAlias = tuple[object, ...]  # nested: (rule, label, word, tag) or (rule, label, below ...)
Atoms: TypeAlias = dict[str, int]
Weigh: TypeAlias = Callable[[int], float]


class Leaf(NamedTuple):
    word: int  # the first of interchangeable words
    tag: int
    category: int = NONE
    form: int = NONE  # its index, if words may take several forms


@dataclass(eq=False)
class Edge:
    """A phrase with its derivation; words go by their place in the phrase."""

    leaves: tuple[Leaf, ...]
    head: int = 0
    rule: int = LEAF
    label: int = NONE
    left: Edge | None = None
    right: Edge | None = None
    arcs: dict[int, int] = field(default_factory=dict)  # dependent: head
    keys: list[int] = field(default_factory=list)  # own features, without those of its parts
    labelled: int = 0  # how many of these, at the end, name the label
    score: float = 0.0
    version: int = 0

    @property
    def parts(self) -> list[Edge]:
        return [part for part in (self.left, self.right) if part is not None]

    @cached_property
    def size(self) -> int:
        return 1 + sum(part.size for part in self.parts)

    @cached_property
    def words(self) -> Counter[int]:
        return Counter(leaf.word for leaf in self.leaves)

    @cached_property
    def tree(self) -> Tree:
        if self.rule == LEAF:
            return (LEAF, self.label, self.leaves[0].word, self.leaves[0].tag)
        return (self.rule, self.label, *(part.tree for part in self.parts))

    @cached_property
    def all_keys(self) -> list[int]:
        return [*self.keys, *(key for part in self.parts for key in part.all_keys)]

    def at(self, place: int) -> Leaf | None:
        return self.leaves[place] if 0 <= place < len(self.leaves) else None

    def from_end(self, place: int) -> Leaf | None:
        return self.at(len(self.leaves) - 1 - place)

    def dependents(self, head: int) -> tuple[list[int], list[int]]:
        """Places of the dependents before and after a word, from left to right."""
        found = sorted(place for place, above in self.arcs.items() if above == head)
        return [d for d in found if d < head], [d for d in found if d > head]


def tree_of(piece: Sequence[Node]) -> Tree:
    """The tree of a derivation that the compiled search returned."""
    trees: list[Tree] = []
    for left, right, rule, label, word, tag in piece:
        below = tuple(trees[part] for part in (left, right) if part != NONE)
        trees.append((rule, label, *(below or (word, tag))))
    return trees[-1]


# ---- features --------------------------------------------------------------------------------


class Templates:
    """Templates by scope, each as its seed and its atoms in the order in which they are hashed."""

    def __init__(self, texts: Iterable[str], atoms: Sequence[str]) -> None:
        self.scopes: defaultdict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for text in texts:
            scope, _, names = text.partition(": ")
            seed = 0x2545F4914F6CDD1D
            for byte in text.encode():
                seed = fold(seed, byte + 1)
            self.scopes[scope].append((seed, tuple(sorted(names.split(), key=atoms.index))))

    def keys(self, scope: str, atoms: Atoms) -> Iterator[int]:
        """Templates with an atom that is 0 (absent) have no feature."""
        for seed, names in self.scopes[scope]:
            values = tuple([atoms.get(name, 0) for name in names])
            if 0 not in values:
                yield _key(seed, values)


@lru_cache(maxsize=1 << 20)
def _key(seed: int, values: tuple[int, ...]) -> int:
    for value in values:
        seed = fold(seed, value)
    return seed


def norm(number: int) -> int:
    """NORM of Table 2: 1 to 5, (5, 10], (10, 20], (20, 40], 40+."""
    return sum(number > bound for bound in (0, 1, 2, 3, 4, 5, 10, 20, 40))


def interval(gain: float) -> int:
    """Half a nat each from -4 to 8, and one for all below and one for all above."""
    return 1 + sum(gain >= -4 + bound / 2 for bound in range(25))


def total(keys: Iterable[int], weigh: Weigh) -> float:
    """Added one by one: `sum` compensates rounding errors in later versions of Python."""
    result = 0.0
    for key in keys:
        result += weigh(key)
    return result


# ---- grammars --------------------------------------------------------------------------------


class Bag:
    """A problem whose words are numbered as in its encoding."""

    def __init__(self, encoding: Encoding, vocabulary: Vocabulary) -> None:
        listed = relist(encoding.problem, encoding.order)
        self.problem = without_unknown(listed, vocabulary.tags, vocabulary.labels)
        self.vocabulary = vocabulary
        given = Given.of(self.problem)
        self.given_heads = given.head
        self.predecessors = given.predecessors
        self.n = len(given.head)
        self.encoding = encoding
        self.choices = encoding.choices
        self.leader = list(range(self.n))
        for group in interchangeable(self.problem):
            for index in group:
                same = (other for other in group if self.forms_of(other) == self.forms_of(index))
                self.leader[index - 1] = next(same) - 1
        self.copies = Counter(self.leader)

    def fits(self, *edges: Edge) -> bool:
        """Whether no word is used more often than it occurs."""
        used = sum((edge.words for edge in edges), Counter[int]())
        return all(count <= self.copies[word] for word, count in used.items())

    def may_precede(self, left: Edge, right: Edge) -> bool:
        if self.predecessors is None:
            return True
        return not any(
            self.predecessors[first] >> second & 1 for first in left.words for second in right.words
        )

    def word_atom(self, leaf: Leaf | None) -> int:
        """Unknown phrases are represented by their last word, other unknown words by shape and
        suffix."""
        if leaf is None:
            return 0
        form, known = self.text(leaf.word, leaf.form), self.vocabulary.forms
        shape, suffix = shape_and_suffix(form)
        return known.get(form) or known.get(form.split(" ")[-1], 0) or fold(fold(2, shape), suffix)

    def atoms(self, **leaves: Leaf | None) -> Atoms:
        """The atoms w, p and c of words by name; in names, _ stands for - and N for +."""
        found: Atoms = {}
        for name, leaf in leaves.items():
            name = name.replace("_", "-").replace("N", "+")
            found[f"{name}w"] = self.word_atom(leaf)
            found[f"{name}p"] = 0 if leaf is None else 1 + leaf.tag
            found[f"{name}c"] = 0 if leaf is None else 1 + leaf.category
        return found

    def boundary(self, left: Edge, right: Edge) -> Atoms:
        return self.atoms(
            B_2=left.from_end(1), B_1=left.from_end(0), B=right.at(0), BN1=right.at(1)
        )

    def forms_of(self, index: int) -> Sequence[Alternative]:
        """The forms that the word with this 1-based index may take, if there is a choice."""
        return [] if self.choices is None else [*self.choices[index - 1]]

    def text(self, word: int, form: int) -> str:
        return self.problem.words[word].form if form == NONE else self.form(word, form).text

    def form(self, word: int, form: int) -> Alternative:
        assert self.choices is not None
        return self.choices[word][form]

    def forms(self, edges: Iterable[Edge]) -> list[str]:
        """How the words are written, at the start of a sentence and elsewhere."""
        leaves = [leaf for edge in edges for leaf in edge.leaves]
        texts = [self.text(leaf.word, leaf.form) for leaf in leaves]
        if self.choices is None:
            return texts
        return texts + [self.form(leaf.word, leaf.form).initial for leaf in leaves]


class Grammar(ABC):
    """Which edges can be built, and which features they have."""

    templates: Templates
    language_model: LanguageModel | None = None  # whose scores are features, too

    def __init__(self, bag: Bag) -> None:
        self.bag = bag

    def fluency_features(self, edge: Edge) -> list[int]:
        """How much likelier words are beside those of the other phrase than without them, for the
        three words on either side of a junction, and for the ends of a complete sentence."""
        if self.language_model is None or len(edge.parts) == 1:
            return []
        keys = Templates(fluency_templates().texts, FLUENCY_ATOMS).keys
        found: list[int] = []
        if edge.left is not None and edge.right is not None:
            before = self.numbers(edge.left.leaves[-3:])
            gain = self.gain([*chain(*before)], edge.right.leaves[:3], begun=True)
            found += keys("junction", {"gain": interval(gain)})
        if len(edge.leaves) == self.bag.n:
            start = self.gain([SENTENCE_START], edge.leaves[:3], begun=False)
            last = [*chain(*self.numbers(edge.leaves[-3:]))]
            end = self.log_prob(last, SENTENCE_END) - self.log_prob([], SENTENCE_END)
            found += keys("limits", {"start": interval(start), "end": interval(end)})
        return found

    def gain(self, before: Sequence[int], leaves: Sequence[Leaf], *, begun: bool) -> float:
        first = self.numbers(leaves, initial=True)
        context, alone, found = [*before], list[int](), 0.0
        for leaf, as_first, usual in zip(leaves, first, self.numbers(leaves), strict=True):
            for number in usual if begun else as_first:
                found += self.log_prob(context, number)
                context.append(number)
            for number in usual:
                found -= self.log_prob(alone, number)
                alone.append(number)
            begun = begun or leaf.form == NONE or self.bag.form(leaf.word, leaf.form).spoken
        return found

    def numbers(self, leaves: Iterable[Leaf], *, initial: bool = False) -> list[list[int]]:
        """The words of each leaf, as the language model numbers them."""
        assert self.language_model is not None
        found = []
        for leaf in leaves:
            text = self.bag.text(leaf.word, leaf.form)
            if initial and leaf.form != NONE:
                text = self.bag.form(leaf.word, leaf.form).initial
            found.append([self.language_model.number(word) for word in text.split(" ")])
        return found

    def log_prob(self, before: Sequence[int], number: int) -> float:
        assert self.language_model is not None
        return self.language_model.ngrams.log_probs([number], before)[0]

    @abstractmethod
    def leaves(self) -> list[Edge]: ...

    @abstractmethod
    def unary(self, edge: Edge) -> list[Edge]:
        """The edges that can be built from one edge, with their features."""

    @abstractmethod
    def binary(self, left: Edge, right: Edge, weigh: Weigh) -> list[Edge]:
        """The edges that can be built from two adjacent edges whose words fit together."""

    def parts_of_sum(self, edge: Edge) -> list[list[int]]:
        """The features of a proposal, in groups that are summed separately."""
        return [edge.keys]

    def signature(self, edge: Edge) -> object | None:
        return None

    def is_goal(self, edge: Edge) -> bool:
        return len(edge.leaves) == self.bag.n


class DependencyGrammar(Grammar):
    """§4: arcs between heads; right dependents before left ones, from the inside out.

    `options` holds the form (NONE if there is no choice) and the tag of each leaf edge of each
    word. `gold_labels` holds a label for each word that is proposed beside the best one.
    """

    def __init__(
        self,
        bag: Bag,
        options: Sequence[Sequence[tuple[int, int]]],
        gold_labels: Sequence[int] = (),
    ) -> None:
        super().__init__(bag)
        templates = dependency_templates(forms=bag.choices is not None)
        self.templates = Templates(templates.texts, DEPENDENCY_ATOMS)
        self.options = options
        self.gold_labels: defaultdict[int, set[int]] = defaultdict(set)
        for leader, label in zip(bag.leader, gold_labels, strict=False):
            self.gold_labels[leader].add(label)

    def leaves(self) -> list[Edge]:
        edges = [
            Edge((Leaf(word, tag, form=form),), label=form)
            for word in range(self.bag.n)
            if self.bag.leader[word] == word
            for form, tag in self.options[word]
        ]
        for edge in edges:
            if not self.is_open(edge):
                edge.keys = self.phrase_features(edge)
            elif self.bag.n == 1:
                edge.keys = self.form_features(edge)
            edge.keys = [*edge.keys, *self.fluency_features(edge)]
        return edges

    def is_open(self, edge: Edge) -> bool:
        """Whether it is a word in one of several forms, whose features count when it is joined."""
        return len(edge.leaves) == 1 and len(self.bag.forms_of(edge.leaves[0].word + 1)) > 1

    def form_features(self, edge: Edge) -> list[int]:
        """Features of a word, and how large the share of its form is among those of the word."""
        [leaf] = edge.leaves
        log_share = self.bag.form(leaf.word, leaf.form).log_share
        share = 1 + sum(-log_share >= bound for bound in (0.05, 0.2, 0.5, 1, 2, 3, 5))
        atoms = self.phrase_atoms(edge) | {"share": share}
        return [*self.phrase_features(edge), *self.templates.keys("form", atoms)]

    def unary(self, edge: Edge) -> list[Edge]:
        return []

    def binary(self, left: Edge, right: Edge, weigh: Weigh) -> list[Edge]:
        found = []
        if not left.dependents(left.head)[0] and self.may_take(left, right):
            found += self.arcs(left, right, HEAD_LEFT, weigh)
        if self.may_take(right, left):
            found += self.arcs(left, right, HEAD_RIGHT, weigh)
        return found

    def may_take(self, head: Edge, dependent: Edge) -> bool:
        """Whether the given head of the dependent, if any, is this one, and all given dependents of
        the dependent are in its phrase, where they can only be its dependents."""
        bag, word = self.bag, dependent.leaves[dependent.head].word
        if bag.given_heads[word] not in (None, head.leaves[head.head].word):
            return False
        own = Counter(bag.leader[w] for w in range(bag.n) if bag.given_heads[w] == word)
        return own <= dependent.words

    def arcs(self, left: Edge, right: Edge, rule: int, weigh: Weigh) -> list[Edge]:
        """The arc with its given label, or else with the best one and with the gold ones."""
        shift = len(left.leaves)
        heads = left.head, shift + right.head
        head, dependent = heads if rule == HEAD_LEFT else heads[::-1]
        arcs = left.arcs | {d + shift: h + shift for d, h in right.arcs.items()}
        arcs[dependent] = head
        edge = Edge(left.leaves + right.leaves, head, rule, NONE, left, right, arcs)
        phrase = [
            key for part in edge.parts if self.is_open(part) for key in self.form_features(part)
        ]
        phrase += self.phrase_features(edge) + self.fluency_features(edge)
        atoms, tags = self.arc_atoms(edge, dependent)
        phrase += self.arc_features(edge, dependent, atoms, tags)

        def labelled(label: int) -> Edge:
            keys = self.label_features(label, atoms, tags)
            own = [*phrase, *keys]
            return replace(edge, label=label, keys=own, labelled=len(keys))

        word = edge.leaves[dependent].word
        given = self.bag.problem.words[word].deprel
        vocabulary = self.bag.vocabulary
        if given in vocabulary.labels:
            return [labelled(vocabulary.labels.index(given))]
        side = 1 if rule == HEAD_LEFT else 0
        head_tag, tag = edge.leaves[head].tag, edge.leaves[dependent].tag
        start, count = vocabulary.label_index[side, head_tag, tag].tolist()
        tried = [labelled(label) for label in vocabulary.label_pool[start : start + count].tolist()]
        best = max(tried, key=lambda edge: total(edge.keys[len(phrase) :], weigh))
        return [best, *(labelled(label) for label in sorted(self.gold_labels[word] - {best.label}))]

    def parts_of_sum(self, edge: Edge) -> list[list[int]]:
        split = len(edge.keys) - edge.labelled
        return [edge.keys[:split], edge.keys[split:]]

    # Features of Table 2.

    def phrase_features(self, edge: Edge) -> list[int]:
        """Features of any edge, and those of complete sentences."""
        atoms = self.phrase_atoms(edge)
        found = [*self.templates.keys("edge", atoms)]
        if len(edge.leaves) == self.bag.n:
            found += self.completed(edge, edge.head)
            found += self.templates.keys("sentence", self.sentence_atoms(edge))
        return found

    def phrase_atoms(self, edge: Edge) -> Atoms:
        return self.bag.atoms(h=edge.leaves[edge.head]) | {"size": norm(len(edge.leaves))}

    def arc_atoms(self, edge: Edge, dependent: int) -> tuple[Atoms, list[int]]:
        """The atoms of the new arc, and the tags between its words."""
        head, leaves = edge.head, edge.leaves
        right = head < dependent
        towards_head = -1 if right else 1
        siblings = [place for place in edge.dependents(head)[right] if place != dependent]
        siblings = siblings[::towards_head]
        below = edge.dependents(dependent)
        atoms = self.phrase_atoms(edge) | self.bag.atoms(
            m=leaves[dependent],
            s=leaves[siblings[0]] if siblings else None,
            s2=leaves[siblings[1]] if len(siblings) > 1 else None,
            ml=leaves[below[0][0]] if below[0] else None,
            mr=leaves[below[1][-1]] if below[1] else None,
            hn=leaves[head - towards_head],
            mn=leaves[dependent + towards_head],
        )
        distance = norm(abs(dependent - head))
        atoms |= {"dir": 2 if right else 1, "dist": distance + 10 if right else distance}
        between = leaves[min(head, dependent) + 1 : max(head, dependent)]
        return atoms, sorted({leaf.tag for leaf in between})

    def arc_features(self, edge: Edge, dependent: int, atoms: Atoms, tags: list[int]) -> list[int]:
        assert edge.left is not None
        assert edge.right is not None
        found = [*self.templates.keys("arc", atoms)]
        for tag in tags:
            found += self.templates.keys("between", atoms | {"bp": 1 + tag})
        found += self.completed(edge, dependent)
        found += self.templates.keys("boundary", self.bag.boundary(edge.left, edge.right))
        return found

    def label_features(self, label: int, atoms: Atoms, tags: list[int]) -> list[int]:
        """§5.7."""
        atoms = atoms | {"label": 1 + label}
        found = [*self.templates.keys("labelled arc", atoms)]
        for tag in tags:
            found += self.templates.keys("labelled between", atoms | {"bp": 1 + tag})
        return found

    def completed(self, edge: Edge, place: int) -> Iterator[int]:
        left, right = edge.dependents(place)
        atoms = self.bag.atoms(
            c=edge.leaves[place],
            cl=edge.leaves[left[0]] if left else None,
            cr=edge.leaves[right[-1]] if right else None,
        )
        atoms |= {"lval": 1 + len(left), "rval": 1 + len(right)}
        return self.templates.keys("completed", atoms)

    def sentence_atoms(self, edge: Edge) -> Atoms:
        atoms: Atoms = {}
        for place in range(3):
            for name, leaf in ((place, edge.at(place)), (-1 - place, edge.from_end(place))):
                atoms[f"w{name}"] = self.bag.word_atom(leaf)
                atoms[f"p{name}"] = 0 if leaf is None else 1 + leaf.tag
        return atoms

    def is_goal(self, edge: Edge) -> bool:
        root = edge.leaves[edge.head].word
        return super().is_goal(edge) and self.bag.problem.may_be_root[root]


class CcgEdgeGrammar(Grammar):
    """§3: rules over categories; `rows` are the leaf edges: word, tag, category."""

    def __init__(self, bag: Bag, grammar: CcgGrammar, rows: Iterable[Sequence[int]]) -> None:
        super().__init__(bag)
        self.templates = Templates(ccg_templates().texts, CCG_ATOMS)
        self.rows = [Leaf(*row) for row in rows]
        self.binary_rules = [(*rule,) for rule in grammar.binary.tolist()]
        self.unary_rules = [(*rule,) for rule in grammar.unary.tolist()]
        self.chains = grammar.chains

    def leaves(self) -> list[Edge]:
        return [
            self.featured(Edge((leaf,), label=leaf.category))
            for leaf in self.rows
            if self.bag.leader[leaf.word] == leaf.word
        ]

    def unary(self, edge: Edge) -> list[Edge]:
        chain = [edge]
        while len(chain[-1].parts) == 1:
            chain += chain[-1].parts
        if len(chain) > 1 and not self.chains:
            return []
        seen = {each.label for each in chain} if len(chain) > 1 else set[int]()
        return [
            self.featured(Edge(edge.leaves, edge.head, number, result, edge))
            for number, (below, result) in enumerate(self.unary_rules, 1 + len(self.binary_rules))
            if below == edge.label and result not in seen
        ]

    def binary(self, left: Edge, right: Edge, weigh: Weigh) -> list[Edge]:
        return [
            self.featured(
                Edge(
                    left.leaves + right.leaves,
                    len(left.leaves) + right.head if side else left.head,
                    number,
                    result,
                    left,
                    right,
                )
            )
            for number, (a, b, result, side) in enumerate(self.binary_rules, 1)
            if (a, b) == (left.label, right.label)
        ]

    def featured(self, edge: Edge) -> Edge:
        """Table 1."""
        bag, keys = self.bag, self.templates.keys
        atoms = {"c": 1 + edge.label, "size": len(edge.leaves), "rule": edge.rule}
        atoms |= bag.atoms(h=edge.leaves[edge.head])
        edge.keys = [*keys("edge", atoms), *self.fluency_features(edge)]
        if len(edge.leaves) > 1:
            ends = bag.atoms(l=edge.at(0), l2=edge.at(1), r=edge.from_end(0), r2=edge.from_end(1))
            edge.keys += keys("phrase", atoms | ends)
        if edge.left is not None and edge.right is not None:
            on_left = edge.head < len(edge.left.leaves)
            other = edge.right if on_left else edge.left
            atoms |= bag.atoms(n=other.leaves[other.head])
            edge.keys += keys("binary", atoms | bag.boundary(edge.left, edge.right))
        elif edge.left is not None:
            edge.keys += keys("unary", atoms)
        return edge

    def signature(self, edge: Edge) -> object | None:
        """Category, head word, the words, and two words with their tags at either end."""
        ends = [edge.at(0), edge.at(1), edge.from_end(0), edge.from_end(1)]
        tagged = [None if leaf is None else leaf[:2] for leaf in (edge.leaves[edge.head], *ends)]
        return edge.label, tuple(tagged), tuple(sorted(edge.words.items()))
