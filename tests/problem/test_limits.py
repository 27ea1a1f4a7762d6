"""Limits of problems: checked first, each refused in one line that names the limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from syntagma.errors import ProblemError
from syntagma.problem import limits
from syntagma.problem.limits import (
    MAX_CHARACTERS,
    MAX_CONSTRAINTS,
    MAX_ORDERED_WORDS,
    MAX_WORDS,
)
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word

LONG = "x" * (MAX_CHARACTERS + 1)


def chain(size: int) -> list[tuple[int, int]]:
    return [(word, word + 1) for word in range(1, size)]


def endless_pairs() -> Iterator[tuple[int, int]]:
    while True:
        yield 1, 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Problem.of(["a"] * 20_000, before=chain(20_000)), "has 20000 words"),
        (
            lambda: Problem.of([Word("a")] + [Word("b", head=1)] * MAX_ORDERED_WORDS, first=1),
            f"given heads has {MAX_ORDERED_WORDS + 1} words",
        ),
        (lambda: Problem.of(["a", "b"], before=endless_pairs()), "`before` has more pairs"),
        (lambda: Problem.of(["a", LONG]), "the form of word 2 has 10001 characters"),
        (lambda: Problem.of(["x " * 100_000]), "the form of word 1 has 200000 characters"),
        (lambda: Problem.of([Word(lemma=LONG)]), "the lemma of word 1 has"),
        (lambda: Problem.of([Word("a", tag=LONG)]), "the tag of word 1 'a' has"),
        (lambda: Problem.of([Word("a", deprel=LONG)]), "the deprel of word 1 'a' has"),
        (
            lambda: Problem.of([Word("a", features="|".join(f"K{i}=v" for i in range(100_000)))]),
            "features of word 1 'a' has 888889 characters",
        ),
        (lambda: Problem.of(["a"], id=LONG), "the id of the problem has"),
    ],
)
def test_what_is_too_large_is_refused(
    build: Callable[[], Problem], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(*_: Any) -> None:
        raise AssertionError("work before limits")

    monkeypatch.setattr("syntagma.problem.problem.predecessors", too_late)
    with pytest.raises(ProblemError, match=re.escape(message)) as caught:
        build()
    assert "limit" in str(caught.value)
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


def test_what_is_just_within_the_limits_is_taken() -> None:
    assert len(Problem.of(["a"] * MAX_WORDS, before=chain(MAX_WORDS)).words) == MAX_WORDS
    features = "|".join(f"K{i}=v" for i in range(1_000))
    word = Word(LONG[1:], LONG[1:], None, LONG[1:], LONG[1:], features)
    assert Problem.of([word, "b"], id=LONG[1:]).words[0] == word


def test_many_constraints_are_taken() -> None:
    size = 450
    pairs = [(a, b) for a in range(1, size + 1) for b in range(a + 1, size + 1)]
    assert 100_000 < len(pairs) < MAX_CONSTRAINTS
    problem = Problem.of([f"w{i}" for i in range(size)], before=pairs)
    assert problem.predecessors == tuple((1 << word) - 1 for word in range(size))


def test_the_docs_state_the_limits() -> None:
    page = Path(__file__).parents[2] / "docs" / "guide" / "formats.md"
    section = page.read_text(encoding="utf-8").partition("## Limits")[2].partition("\n## ")[0]
    for name, value in vars(limits).items():
        if name.startswith("MAX_"):
            text = f"{value >> 20} MiB" if name == "MAX_LINE" else f"{value:,}"
            assert text in section, name
