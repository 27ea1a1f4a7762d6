"""How much two orders of the same words differ in meaning or emphasis, as a number from 0 to 1.

`linearizer/alternatives.py` chooses alternatives by it and by score.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple
from unicodedata import category

from syntagma.errors import ArgumentError, shown
from syntagma.results.linearization import Linearization

# Functions of Universal Dependencies, without subtypes.
SUBJECTS = frozenset({"nsubj", "csubj", "expl"})
OBJECTS = frozenset({"obj", "iobj", "ccomp", "xcomp"})
AUXILIARIES = frozenset({"aux", "cop"})
FUNCTION_WORDS = AUXILIARIES | {"det", "case", "mark", "cc", "clf"}
NO_OPENING = frozenset({"cc", "discourse", "vocative"})  # may precede any clause

READ_ALOUD = "&%@#"  # punctuation by Unicode category, but read aloud as words

FUNCTION_WORD_WEIGHT = 0.25  # of the relation of a function word; that of another is 1


class MainClause(NamedTuple):
    """The choices that the main clause is made of; two main clauses differ if any of them does."""

    roots: tuple[str, ...]
    subjects: tuple[str, ...]
    objects: tuple[tuple[str, str], ...]
    opening: str  # the head of its first constituent
    inverted: bool  # whether a verb or auxiliary precedes the subject, as in a question


@dataclass(frozen=True, slots=True)
class Profile:
    """What a linearization is compared by. Punctuation, tags and capitals are not part of it.

    Words are compared by form or lemma, so identical words are interchangeable. `relations` holds
    the weight of each (word, function, head).
    """

    words: tuple[str, ...]
    relations: Mapping[tuple[str, str, str], float]
    main_clause: MainClause


class _Node(NamedTuple):
    """A word in the tree without punctuation; `head` is empty for the root."""

    word: str
    function: str
    head: str
    depth: int


def difference(one: Linearization, other: Linearization) -> float:
    """How much two orders of the same words differ in meaning or emphasis, from 0 to 1.

    It is the mean of three parts:

    - relations: the weighted Jaccard distance of the arcs. An arc is a word, its function without
      subtype, and its head. It weighs less the deeper it is in the tree, and a quarter of that if
      it attaches a function word.
    - order: the share of pairs of words that are in a different order (Kendall's tau distance).
    - main clause: 1 if the root, the subject, an object, the first constituent or the inversion of
      subject and verb differ, else 0.

    Punctuation, tags and capitals do not count: if nothing else differs, the difference is 0.
    Words are compared by their forms; if these are not the same, as in results of `realize`, by
    their lemmas.

    >>> import syntagma
    >>> english = syntagma.load("en")
    >>> bag = ["can", "you", "help", "me", "tomorrow", "?"]
    >>> question, statement = english.order(bag, n_best=2)
    >>> statement.text
    'you can help me tomorrow ?'
    >>> round(syntagma.difference(question, statement), 2)
    0.37
    """
    for each in (one, other):
        if not isinstance(each, Linearization):
            raise ArgumentError(f"difference compares results of order, not {shown(each)}")
    for lemmas in (False, True):
        first, second = profile(one, lemmas=lemmas), profile(other, lemmas=lemmas)
        if Counter(first.words) == Counter(second.words):
            return profile_difference(first, second)
    raise ArgumentError(
        "difference compares orders of the same words: "
        f"{shown(one.text)} and {shown(other.text)} have different ones"
    )


def profile_difference(one: Profile, other: Profile) -> float:
    """The difference of two linearizations of the same words, given their profiles."""
    if one.words == other.words:
        return 0.0  # a comma may have changed the tree
    # The sum of minima by that of maxima; `fsum` makes it symmetric to the last bit.
    ours, theirs = one.relations, other.relations
    common = fsum(min(weight, theirs[arc]) for arc, weight in ours.items() if arc in theirs)
    everything = fsum(ours.values()) + fsum(theirs.values()) - common
    relations = max(0.0, 1.0 - common / everything) if everything else 0.0
    main_clause = float(one.main_clause != other.main_clause)
    return (relations + _share_of_inversions(one.words, other.words) + main_clause) / 3


def profile(linearization: Linearization, *, lemmas: bool = False) -> Profile:
    """The profile of a linearization: its words, arcs and main clause without punctuation.

    With `lemmas`, words that have one are compared by it, whatever their forms.
    """
    given = linearization.problem.words
    words = [
        ((lemmas and given[token.source - 1].lemma) or token.form).casefold()
        for token in linearization.tokens
    ]
    nodes = _tree_without_punctuation(linearization, words)
    weights: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for node in nodes:
        weight = FUNCTION_WORD_WEIGHT if node.function in FUNCTION_WORDS else 1.0
        weights[node.word, node.function, node.head].append(weight / max(node.depth, 1))
    return Profile(
        tuple(word for word in words if not is_punctuation(word)),
        {arc: fsum(each) for arc, each in weights.items()},
        _main_clause([node for node in nodes if node.depth <= 1]),
    )


def is_punctuation(form: str) -> bool:
    """Whether a form consists of punctuation marks, backquotes included; `&` and `%` are words.

    >>> [form for form in ("...", "``", ":)", "'s", "$", "&") if is_punctuation(form)]
    ['...', '``', ':)']
    """
    return all(
        each not in READ_ALOUD and (category(each)[0] == "P" or category(each) == "Sk")
        for each in form
    )


def _main_clause(nodes: list[_Node]) -> MainClause:
    """The main clause, made of the root and its dependents in order."""
    subjects = [at for at, node in enumerate(nodes) if node.function in SUBJECTS and node.depth]
    verbs = [at for at, node in enumerate(nodes) if not node.depth or node.function in AUXILIARIES]
    objects = [(node.function, node.word) for node in nodes if node.function in OBJECTS]
    openings = [node.word for node in nodes if not node.depth or node.function not in NO_OPENING]
    return MainClause(
        roots=tuple(sorted(node.word for node in nodes if not node.depth)),
        subjects=tuple(sorted(nodes[at].word for at in subjects)),
        objects=tuple(sorted(objects)),
        opening=openings[0] if openings else "",
        inverted=bool(subjects) and verbs[0] < subjects[0],
    )


def _tree_without_punctuation(linearization: Linearization, words: Sequence[str]) -> list[_Node]:
    """The words in order; dependents of a punctuation mark depend on its head."""
    tokens = linearization.tokens
    dependents: dict[int, list[int]] = defaultdict(list)
    for position, token in enumerate(tokens, start=1):
        dependents[token.head].append(position)
    nodes: dict[int, _Node] = {}
    waiting = [(position, "", 0) for position in dependents[0]]
    while waiting:
        position, head, depth = waiting.pop()
        token, word = tokens[position - 1], words[position - 1]
        if not is_punctuation(word):
            function = token.deprel.partition(":")[0]
            nodes[position] = _Node(word, function, head, depth)
            head, depth = word, depth + 1
        waiting += [(dependent, head, depth) for dependent in dependents[position]]
    return [nodes[position] for position in sorted(nodes)]


def _share_of_inversions(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """The share of pairs in a different order; of identical words, the first is the first."""
    places: dict[str, list[int]] = defaultdict(list)
    for place in range(len(other) - 1, -1, -1):
        places[other[place]].append(place)
    passed: list[int] = []
    inversions = 0
    for word in one:
        place = places[word].pop()
        inversions += len(passed) - bisect(passed, place)
        insort(passed, place)
    return 2 * inversions / (len(one) * (len(one) - 1))
