"""What is checked before a search: the words, their number, their forms, an order to be scored."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Set
from typing import Any

from syntagma.arguments import as_integer, is_collection
from syntagma.errors import (
    ArgumentError,
    ProblemError,
    SyntagmaError,
    SyntagmaWarning,
    name_word,
    shown,
)
from syntagma.problem.problem import Problem
from syntagma.problem.validation import check_iterable
from syntagma.problem.word import Word

Words = Problem | Iterable[str | Word]


def as_problem(words: Words) -> Problem:
    return words if isinstance(words, Problem) else Problem.of(words)


def as_lemmas(lemmas: Words) -> Problem:
    """A problem whose plain strings are lemmas."""
    if isinstance(lemmas, Problem):
        return lemmas
    return Problem.of(
        Word(lemma=each) if isinstance(each, str) else each
        for each in check_iterable(lemmas, "lemmas are given as a list")
    )


def read_item(read: Callable[[Words], Problem], item: Words) -> Problem:
    """One item of a stream as a problem. Whatever goes wrong is the fault of this item alone, even
    if it is a generator that raises."""
    try:
        return read(item)
    except SyntagmaError:
        raise
    except Exception as error:
        raise ProblemError(f"the words cannot be read: {shown(error)}") from error


def check_stream(problems: Iterable[Any]) -> None:
    if not is_collection(problems):
        raise ArgumentError(
            f"problems are given as a list, each a list of words or a Problem, "
            f"not as {shown(problems)}"
        )


def warn_of_phrase(words: Words) -> None:
    """A bag of one phrase comes back as it is, which is most often not what was meant."""
    if isinstance(words, (list, tuple)) and len(words) == 1:
        (only,) = words
        if isinstance(only, str) and " " in only:
            warnings.warn(
                "the bag is one phrase, whose words stay as they are; to order them, give them one "
                "by one",
                SyntagmaWarning,
                stacklevel=3,
            )


def check_projective(projective: bool) -> None:
    if not isinstance(projective, bool):
        raise ArgumentError(f"projective must be True or False, not {shown(projective)}")


def check_size(problem: Problem, max_words: int) -> None:
    if len(problem.words) > max_words:
        raise ProblemError(
            f"the bag has {len(problem.words)} words, more than the limit of {max_words}; "
            "raise max_words (--max-words) to order it anyway",
            field="words",
        )


def check_forms(problem: Problem) -> None:
    for index, word in enumerate(problem.words, start=1):
        if not word.form:
            raise ProblemError(
                f"{name_word(problem.words, index)} has a lemma but no form: "
                "give its form, or realize the problem (syntagma realize)",
                field=f"words[{index - 1}].form",
            )


def read_order(order: Iterable[Any]) -> list[Any]:
    """The items of an order, not yet compared with the words."""
    what = "an order is a list of words"
    if isinstance(order, Set):
        raise ProblemError(f"{what}, not a set, which has no order: {shown(order)}")
    return list(check_iterable(order, what))


def as_order(problem: Problem, order: Iterable[str] | Iterable[int]) -> list[str] | list[int]:
    """An order to be scored, by forms or by indices; it must use every word exactly once."""
    items = read_order(order)
    forms = [str.__str__(item) for item in items if isinstance(item, str)]
    indices = [index for item in items if (index := as_integer(item)) is not None]
    if len(indices) == len(items) > 0:
        count = len(problem.words)
        if sorted(indices) != list(range(1, count + 1)):
            raise ProblemError(
                f"an order by indices must contain each of 1 to {count} once", field="order"
            )
        return indices
    if len(forms) < len(items):
        odd = [item for item in items if not isinstance(item, str) and as_integer(item) is None]
        raise ProblemError(
            "an order is given by forms or by indices, "
            + (f"not by {shown(odd[0])}" if odd else "not by both"),
            field="order",
        )
    missing = Counter(word.form for word in problem.words)
    missing.subtract(forms)
    for form, count in missing.items():
        if count > 0:
            raise ProblemError(
                f"the word {shown(form)} of the bag is missing in the given order", field="order"
            )
        if count < 0:
            raise ProblemError(
                f"the given order uses {shown(form)} more often than the bag contains it",
                field="order",
            )
    return forms
