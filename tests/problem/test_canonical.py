"""The canonical order of symmetric problems: the same for each listing, and without trying all.

More is in `test_problem.py`.
"""

from __future__ import annotations

from random import Random

import pytest
from toys.strategies import relist

from syntagma.problem.canonical import _Colouring
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word


def ring(size: int, start: int = 1) -> list[tuple[int, int]]:
    """Words that each precede two of as many others, all around a ring."""
    return [
        (start + one, start + size + (one + step) % size) for one in range(size) for step in (0, 1)
    ]


def rings(sizes: list[int], hubs: int) -> Problem:
    """Rings of equal words, which depend on equal hubs in turn."""
    before: list[tuple[int, int]] = []
    heads: list[int | None] = []
    words = 2 * sum(sizes)
    for number, size in enumerate(sizes):
        before += ring(size, len(heads) + 1)
        heads += [words + 1 + number % hubs if hubs else None] * (2 * size)
    return Problem.of([Word("a", head=head) for head in heads + [None] * hubs], before=before)


def canonical_form(problem: Problem) -> Problem:
    relisted = relist(problem, list(problem.canonical()))
    return Problem(relisted.words, tuple(sorted(relisted.before)))


@pytest.mark.parametrize("hubs", [0, 1, 2])
@pytest.mark.parametrize("sizes", [[2, 2, 2], [3, 2, 3, 2], [2, 3, 4, 3], [5]])
def test_rings_in_any_listing(sizes: list[int], hubs: int) -> None:
    problem = rings(sizes, hubs)
    rng = Random(1)
    for _ in range(5):
        listing = rng.sample(range(len(problem.words)), len(problem.words))
        assert canonical_form(problem) == canonical_form(relist(problem, listing))


@pytest.mark.parametrize("hubs", [0, 1, 2])
def test_equal_parts_are_not_tried_against_each_other(
    hubs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []
    trial = _Colouring.trial

    def counting(colours: _Colouring, word: int, limit: int) -> object:
        tried.append(word)
        return trial(colours, word, limit)

    monkeypatch.setattr(_Colouring, "trial", counting)
    problem = rings([3] * 60, hubs)
    assert sorted(problem.canonical()) == list(range(len(problem.words)))
    assert len(tried) <= 4 * len(problem.words)
