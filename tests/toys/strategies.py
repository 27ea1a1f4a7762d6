"""Hypothesis strategies for heads and problems, shared by the tests of the Python layers."""

from __future__ import annotations

from hypothesis import strategies as st

from syntagma.errors import ProblemError
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word


@st.composite
def trees(draw: st.DrawFn, max_size: int = 8) -> list[int]:
    """The heads of a tree over words in random order, most often not projective."""
    size = draw(st.integers(1, max_size))
    labels = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for position in range(1, size):
        heads[labels[position] - 1] = labels[draw(st.integers(0, position - 1))]
    return heads


@st.composite
def problems(draw: st.DrawFn, max_size: int = 7, forms: str = "ab") -> Problem:
    """Problems with few forms and tags, so that many words look alike, and any constraints."""
    heads = draw(trees(max_size))
    words = [
        Word(
            draw(st.sampled_from(forms)),
            draw(st.sampled_from([None, None, "X"])),
            head if draw(st.booleans()) else None,
            draw(st.sampled_from([None, None, "l"])) if head else None,
        )
        for head in heads
    ]
    size = len(words)
    place = draw(st.permutations(range(size)))
    pairs = [(a, b) for a in range(size) for b in range(size) if place[a] < place[b]]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=5)) if pairs else []
    before = [(a + 1, b + 1) for a, b in chosen]
    first = place.index(0) + 1 if draw(st.booleans()) else None
    for constraints in ({"before": before, "first": first}, {"before": before}):
        try:
            return Problem.of(words, **constraints)
        except ProblemError:  # at odds with the arcs, or no word may be the root
            continue
    return Problem.of([Word(word.form, word.tag) for word in words])


def relist(problem: Problem, listing: list[int]) -> Problem:
    """The same problem with its words listed in another order (0-based indices of the old one)."""
    new = {old + 1: index for index, old in enumerate(listing, start=1)}

    def head(word: Word) -> int | None:
        return new[word.head] if word.head else word.head

    return Problem(
        tuple(
            Word(word.form, word.tag, head(word), word.deprel)
            for word in (problem.words[old] for old in listing)
        ),
        tuple(sorted((new[a], new[b]) for a, b in problem.before)),
        new[problem.first] if problem.first else None,
        new[problem.last] if problem.last else None,
    )
