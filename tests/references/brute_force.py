"""Ground truth for small problems: every result that satisfies them, found by trying all of them.

Also draws the random problems on which the laws are tested. Nothing here knows of stacks or moves:
the transition system is modelled in references/transition.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, permutations, product
from random import Random
from typing import Literal, TypeAlias

from hypothesis import strategies as st

from syntagma.problem.problem import Problem
from syntagma.problem.word import Word

# (order, heads): word indices (1-based) from left to right, and for each word of the problem in its
# own order the index of its head, 0 for the root.
Result: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


@cache
def projective_trees(n: int) -> tuple[tuple[int, ...], ...]:
    """All projective single-rooted trees over positions 1..n, as heads (0 = root)."""

    def spans(left: int, right: int, head: int) -> Iterator[dict[int, int]]:
        """Trees over left..right whose top hangs on `head`."""
        for top in range(left, right + 1):
            for before in forests(left, top - 1, top):
                for after in forests(top + 1, right, top):
                    yield {top: head, **before, **after}

    def forests(left: int, right: int, head: int) -> Iterator[dict[int, int]]:
        """Sequences of trees over left..right whose tops all hang on `head`."""
        if left > right:
            yield {}
            return
        for end in range(left, right + 1):
            for tree in spans(left, end, head):
                for rest in forests(end + 1, right, head):
                    yield {**tree, **rest}

    return tuple(tuple(tree[i] for i in range(1, n + 1)) for tree in spans(1, n, 0))


@cache
def _trees_with_arc(n: int) -> dict[tuple[int, int], int]:
    """(position, head position) -> bit mask of the trees of `projective_trees(n)` with this arc."""
    masks: dict[tuple[int, int], int] = {}
    for number, heads in enumerate(projective_trees(n)):
        for position, head in enumerate(heads, 1):
            masks[position, head] = masks.get((position, head), 0) | 1 << number
    return masks


def without_unknown(problem: Problem, tags: Sequence[str], labels: Sequence[str]) -> Problem:
    """The problem without tags and labels that a model does not know.

    Where the head is not given, any label says that the word is not the root.
    """
    words = []
    for word in problem.words:
        label = word.deprel
        if label is not None and label not in (*labels, "root"):
            label = "never:seen" if word.head is None else None
        words.append(replace(word, tag=word.tag if word.tag in tags else None, deprel=label))
    return replace(problem, words=tuple(words))


def interchangeable(problem: Problem) -> list[list[int]]:
    """Groups of two or more words (1-based, ascending) that nothing tells apart."""
    named = {word for pair in problem.before for word in pair} | {problem.first, problem.last}
    named |= {word.head for word in problem.words}
    groups: dict[object, list[int]] = {}
    for index, word in enumerate(problem.words, 1):
        if index not in named:
            groups.setdefault((word.form, word.tag, word.head, word.deprel), []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def satisfying(problem: Problem) -> set[Result]:
    """Every result that satisfies the problem; of interchangeable words, only in index order."""
    n = len(problem.words)
    trees, with_arc = projective_trees(n), _trees_with_arc(n)
    groups = interchangeable(problem)
    results: set[Result] = set()
    for order in permutations(range(1, n + 1)):
        place = {word: position for position, word in enumerate(order, 1)}
        if problem.first is not None and order[0] != problem.first:
            continue
        if problem.last is not None and order[-1] != problem.last:
            continue
        if any(place[a] > place[b] for a, b in problem.before):
            continue
        if any(place[a] > place[b] for g in groups for a, b in pairwise(g)):
            continue
        fitting = 0
        for index, may in enumerate(problem.may_be_root, 1):
            if may:
                fitting |= with_arc[place[index], 0]
        for index, word in enumerate(problem.words, 1):
            if word.head is not None:
                head = place[word.head] if word.head else 0
                fitting &= with_arc.get((place[index], head), 0)
        while fitting:
            lowest = fitting & -fitting
            fitting ^= lowest
            heads = trees[lowest.bit_length() - 1]
            by_word = (heads[place[word] - 1] for word in range(1, n + 1))
            results.add((order, tuple(order[h - 1] if h else 0 for h in by_word)))
    return results


# Which order constraints a random problem may have. "exact": only on full trees and on words
# without given arcs, where legality is promised to be exact. "mixed": on anything.
Orders: TypeAlias = Literal["none", "exact", "mixed"]

LABELS = ("nsubj", "obj", "det", "amod")
TAGS = ("NN", "VB", "DT")


def random_problem(rng: Random, max_words: int, orders: Orders = "none") -> Problem:
    """A satisfiable problem: part of what a random tree, read in one of its orders, says."""
    n = rng.randint(1, max_words)
    heads = random_heads(rng, n)
    tagged, labelled = rng.choice((0.0, 0.5, 1.0)), rng.choice((0.0, 0.0, 0.3, 1.0))
    attached = rng.choice((0.0, 0.2, 0.5, 0.5, 0.8, 1.0))
    constrained = orders != "none" and rng.random() < 0.8
    if constrained and orders == "exact":
        attached = rng.choice((0.0, 1.0))
    forms = [f"w{rng.randrange(rng.choice((2, n + 1)))}" for _ in range(n)]
    words = []
    for index, head in enumerate(heads, 1):
        label = rng.choice(LABELS) if head else "root"
        words.append(
            Word(
                form=forms[index - 1],
                tag=rng.choice(TAGS) if rng.random() < tagged else None,
                head=head if rng.random() < attached else None,
                deprel=label if rng.random() < labelled else None,
            )
        )
    if not constrained or n == 1:
        return Problem(words=tuple(words))
    order = random_projective_order(rng, heads)
    before = set()
    for _ in range(rng.randint(0, min(n, 6))):
        a, b = sorted(rng.sample(range(n), 2))
        before.add((order[a], order[b]))
    return Problem(
        words=tuple(words),
        before=tuple(sorted(before)),
        first=order[0] if rng.random() < 0.2 else None,
        last=order[-1] if rng.random() < 0.2 else None,
    )


def problems(max_words: int, orders: Orders = "none") -> st.SearchStrategy[Problem]:
    """The same problems for hypothesis, which can shrink them."""
    return st.builds(
        random_problem, st.randoms(use_true_random=False), st.just(max_words), st.just(orders)
    )


def random_heads(rng: Random, n: int) -> list[int]:
    """A random tree over 1..n: anything from a chain (each word on the last) to a star."""
    placed = rng.sample(range(1, n + 1), n)
    reach = rng.choice((1, 3, n))
    heads = [0] * n
    for i in range(1, n):
        start = rng.choice((0, max(0, i - reach)))
        heads[placed[i] - 1] = placed[rng.randrange(start, min(i, start + reach))]
    return heads


def random_projective_order(rng: Random, heads: list[int]) -> list[int]:
    """An order of the words 1..n in which the tree is projective."""

    def subtree(word: int) -> list[int]:
        units = [subtree(d) for d, head in enumerate(heads, 1) if head == word] + [[word]]
        rng.shuffle(units)
        return [w for unit in units for w in unit]

    return subtree(heads.index(0) + 1)


def all_problems(n: int, *, same_forms: bool) -> list[Problem]:
    """Every problem of n words without order constraints, up to renaming of the words.

    That is: every forest of given arcs, with each choice of the given root or, without one, of the
    tops that may not be the root.
    """
    found: dict[object, Problem] = {}
    for heads in product(*(range(index) for index in range(1, n + 1))):
        tops = [index for index, head in enumerate(heads, 1) if head == 0]
        for status in product(("free", "not root"), repeat=len(tops)):
            if "free" in status:
                _add_problem(found, heads, dict(zip(tops, status, strict=True)), same_forms)
        for root in tops:
            _add_problem(found, heads, dict.fromkeys(tops, "free") | {root: "root"}, same_forms)
    return list(found.values())


def _add_problem(
    found: dict[object, Problem], heads: tuple[int, ...], status: dict[int, str], same_forms: bool
) -> None:
    def shape(word: int) -> tuple[object, ...]:
        below = sorted(shape(d) for d, head in enumerate(heads, 1) if head == word)
        return (status.get(word, ""), tuple(below))

    words = []
    for index, head in enumerate(heads, 1):
        kind = status.get(index)
        given = head or (0 if kind == "root" else None)
        deprel = "obj" if kind == "not root" else None
        words.append(Word("w" if same_forms else f"w{index}", head=given, deprel=deprel))
    key = tuple(sorted(shape(top) for top in status))
    if key in found:
        return
    if len(status) > 1 or "not root" not in status.values():
        found[key] = Problem(words=tuple(words))
