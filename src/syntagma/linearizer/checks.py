"""What is checked before a search: the words, their number, their forms, an order to be scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from syntagma.errors import ProblemError, name_word
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word

Words = Problem | Iterable[str | Word]


def as_problem(words: Words) -> Problem:
    return words if isinstance(words, Problem) else Problem.of(words)


def check_size(problem: Problem, max_words: int) -> None:
    if len(problem.words) > max_words:
        raise ProblemError(
            f"the bag has {len(problem.words)} words, more than the limit of {max_words}; "
            "raise max_words (--max-words) to order it anyway"
        )


def check_forms(problem: Problem) -> None:
    for index, word in enumerate(problem.words, start=1):
        if not word.form:
            raise ProblemError(
                f"{name_word(problem.words, index)} has a lemma but no form: "
                "give its form, or realize the problem (syntagma realize)"
            )


def check_order(problem: Problem, order: Sequence[str] | Sequence[int]) -> None:
    """An order to be scored must use every word exactly once."""
    words = problem.words
    if isinstance(order, str):
        raise ProblemError("an order is a list of words, not one string: split it into words first")
    if not isinstance(order, Sequence):
        raise ProblemError(f"an order is a list of words, not {order!r}")
    if len({type(item) for item in order}) > 1:
        raise ProblemError("an order is given by forms or by indices, not by both")
    if order and isinstance(order[0], int):
        if sorted(order) != list(range(1, len(words) + 1)):
            raise ProblemError(f"an order by indices must contain each of 1 to {len(words)} once")
        return
    missing = Counter(word.form for word in words)
    missing.subtract(str(form) for form in order)
    for form, count in missing.items():
        if count > 0:
            raise ProblemError(f"the word {form!r} of the bag is missing in the given order")
        if count < 0:
            raise ProblemError(f"the given order uses {form!r} more often than the bag contains it")
