"""What callers give to be solved: words, lemmas or an order as problems, and what is checked of
them before a search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Set
from typing import Any

from syntagma.arguments import as_integer
from syntagma.errors import ProblemError, SyntagmaError, SyntagmaWarning, name_word, shown, warn
from syntagma.problem.problem import Problem
from syntagma.problem.validation import check_iterable
from syntagma.problem.word import Word

Words = Problem | Iterable[str | Word]
Order = Iterable[str] | Iterable[int]


def read(reader: Callable[..., Any], value: object, what: str) -> Any:
    """What a reader makes of a value. Whatever goes wrong is the fault of this value alone, even if
    it is a generator that raises."""
    try:
        return reader(value)
    except SyntagmaError:
        raise
    except Exception as error:
        raise ProblemError(f"the {what} cannot be read: {shown(error)}") from error


def as_problem(words: Words) -> Problem:
    return words if isinstance(words, Problem) else Problem.of(words)


def as_lemmas(lemmas: Words) -> Problem:
    """A problem whose plain strings are lemmas."""
    if isinstance(lemmas, Problem):
        return lemmas
    check_iterable(lemmas, "lemmas are given as a list")
    return Problem.of(Word(lemma=each) if isinstance(each, str) else each for each in lemmas)


def as_pair(item: tuple[Words, Order]) -> tuple[Problem, list[Any]]:
    """Words as a problem, and an order of them, not yet compared."""
    try:
        words, order = item
    except (TypeError, ValueError):
        raise ProblemError(f"expected a pair, words and an order, not {shown(item)}") from None
    return read(as_problem, words, "words"), read(_as_list, order, "order")


def warn_of_phrase(words: Words) -> None:
    """A bag of one phrase comes back as it is, which is most often not what was meant."""
    if isinstance(words, (list, tuple)) and len(words) == 1:
        (only,) = words
        if isinstance(only, str) and " " in only:
            message = (
                f"{shown(only)} is one phrase, whose words stay as they are: to order them, give "
                "them one by one, or split raw text first (--tokenize)"
            )
            warn(SyntagmaWarning(message))


def check_size(problem: Problem, max_words: int, most: int) -> None:
    """Refuse a problem with more words than the request allows; a model can order `most`."""
    if len(problem.words) > max_words:
        advice = "raise max_words (--max-words) to order it anyway"
        if max_words == most:
            advice = "which is as many as this model takes"
        raise ProblemError(
            f"the bag has {len(problem.words)} words, more than the limit of {max_words}; {advice}",
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


def _as_list(order: Order) -> list[Any]:
    what = "an order is a list of words"
    if isinstance(order, Set):
        raise ProblemError(f"{what}, not a set, which has no order: {shown(order)}")
    check_iterable(order, what)
    return list(order)


def as_order(problem: Problem, items: list[Any]) -> list[str] | list[int]:
    """An order to be scored, by forms or by indices; it must use every word exactly once."""
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
