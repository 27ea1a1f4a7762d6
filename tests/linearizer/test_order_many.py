"""Streams of problems: read no further than needed, answered in order, errors in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, repeat
from typing import Any, cast

import numpy as np
import pytest
from toys.models import bag, model_of, toy_linearizer

from syntagma.errors import ArgumentError, FormatError, ProblemError, SyntagmaError
from syntagma.language_model._ngrams import NGramScorer
from syntagma.linear._search import LinearSearch
from syntagma.linear.scorer import LinearScorer
from syntagma.linearizer.linearizer import Linearizer
from syntagma.linearizer.streams import Stored
from syntagma.models.model import Model
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization
from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition.encoding import Encoding

TOY = toy_linearizer()


def counted(items: Iterator[Any], seen: list[Any]) -> Iterator[Any]:
    for item in items:
        seen.append(item)
        yield item


@pytest.mark.parametrize(("threads", "window"), [(1, 1), (2, 8), (3, 12)])
def test_an_endless_stream_is_read_no_further_than_needed(threads: int, window: int) -> None:
    seen: list[Any] = []
    results = TOY.order_many(counted(repeat(["sang", "She"]), seen), threads=threads, beam=2)
    assert seen == []
    for number, found in enumerate(islice(results, 20)):
        assert isinstance(found, Linearization)
        assert number < len(seen) <= number + window


@pytest.mark.parametrize("n_best", [None, 2])
def test_threads_keep_the_order(n_best: int | None) -> None:
    """Long bags among short ones, so that results are ready in another order than asked for."""
    bags = [["fox"] * 60 + ["cook", "."] if i % 5 == 0 else ["fox", f"w{i}"] for i in range(30)]
    alone = list(TOY.order_many(bags, n_best=n_best, beam=4))
    assert list(TOY.order_many(bags, n_best=n_best, beam=4, threads=3)) == alone
    single = [
        TOY.order(bag, beam=4) if n_best is None else TOY.order(bag, n_best=2, beam=4)
        for bag in bags
    ]
    assert alone == single


class Batching(LinearScorer):
    """Prepares three problems together and keeps count."""

    batch = 3
    sizes: list[int]
    opened = 0

    def searches(
        self,
        encodings: Sequence[Encoding],
        widths: Sequence[int],
        ngram_scorers: Sequence[NGramScorer | None],
        clock: Clock = NO_LIMIT,
        *,
        merging: bool = True,
    ) -> Iterator[LinearSearch]:
        self.sizes.append(len(encodings))
        for search in super().searches(encodings, widths, ngram_scorers, clock, merging=merging):
            self.opened += 1
            yield search


def batching_linearizer() -> tuple[Linearizer, Batching]:
    model = model_of(TOY)
    assert isinstance(model.scorer, LinearScorer)
    vocabulary = model.vocabulary
    scorer = Batching(
        *(model.scorer.templates, model.scorer.weights),
        *(vocabulary.label_index, vocabulary.label_pool),
    )
    scorer.sizes = []
    return Linearizer(Model(model.header, vocabulary, scorer)), scorer


@pytest.mark.parametrize("threads", [1, 2])
def test_problems_prepared_together_are_answered_as_if_alone(threads: int) -> None:
    batching, scorer = batching_linearizer()
    faulty: list[Any] = [["She", "sang"], [], ["fox", "cook", "."], ["w1", "w2"], FormatError("?")]
    problems = [*faulty, ["w3", "fox", "fox"], ["sang"]]
    alone = list(TOY.order_many(problems, n_best=2, beam=4, on_error="yield"))
    found = list(batching.order_many(problems, n_best=2, beam=4, threads=threads, on_error="yield"))
    assert list(map(str, found)) == list(map(str, alone))
    assert sorted(scorer.sizes) == [1, 2, 2]


def test_problems_of_a_file_are_read_ahead_but_answered_one_by_one() -> None:
    batching, scorer = batching_linearizer()
    seen: list[Any] = []
    problems = [["sang", "She"], ["fox", "w1"], ["cook"], ["w2", "w3"]]
    results = batching.order_many(Stored(counted(iter(problems), seen)), beam=2)
    for number, (read, problem) in enumerate(zip((3, 3, 3, 4), problems, strict=True), start=1):
        assert next(results) == TOY.order(problem, beam=2)
        assert (len(seen), scorer.opened) == (read, number)
    assert scorer.sizes == [3, 1]


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_are_raised_in_their_place(threads: int) -> None:
    results = TOY.order_many([["She"], [], ["sang"]], threads=threads)
    assert isinstance(next(results), Linearization)
    with pytest.raises(ProblemError, match="empty bag"):
        next(results)


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_take_the_place_of_results(threads: int) -> None:
    passed_on = FormatError("bad line", "bags.txt", 3)
    stream: list[Any] = [["She"], [], passed_on, "one string", ["sang"]]
    results = list(TOY.order_many(stream, threads=threads, on_error="yield"))
    assert results[2] is passed_on
    assert [isinstance(found, SyntagmaError) for found in results] == [False, *[True] * 3, False]
    with pytest.raises(FormatError, match=r"bags\.txt:3: bad line"):
        list(TOY.order_many([passed_on], threads=threads))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_fault_of_the_stream_itself_is_not_swallowed(threads: int) -> None:
    def broken() -> Iterator[list[str]]:
        yield ["She"]
        raise RuntimeError("the line went dead")

    with pytest.raises(RuntimeError, match="the line went dead"):
        list(TOY.order_many(broken(), threads=threads, on_error="yield"))


def test_errors_cannot_be_skipped_by_the_library() -> None:
    """Only the caller knows how to report what was left out."""
    with pytest.raises(ValueError, match="on_error must be 'raise' or 'yield', not 'skip'"):
        list(TOY.order_many([["She"]], on_error="skip"))  # type: ignore[arg-type]


def raising(error: Exception) -> Iterator[str]:
    yield "She"
    raise error


class NoRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def odd_items() -> list[Any]:
    return [
        None,
        3,
        2.5,
        object(),
        NoRepr(),
        ValueError("not one of ours"),
        b"She sang",
        "She sang",
        {"words": ["She"]},
        Word("She"),
        [],
        [None],
        ["She", 3],
        [["She"]],
        ["\ud800"],
        [Word(None)],  # type: ignore[arg-type]
        [Word("She", tag=7)],  # type: ignore[arg-type]
        [Word("She", head=0.0)],  # type: ignore[arg-type]
        [Word(NoRepr())],  # type: ignore[arg-type]
        [Word(lemma="she"), "sang"],
        raising(RuntimeError("of the item\nitself")),
        raising(ProblemError("of ours")),
        map(str.lower, cast("list[str]", [3])),
    ]


@pytest.mark.parametrize("threads", [1, 2])
def test_any_bad_item_becomes_an_error_in_its_place(threads: int) -> None:
    stream = [each for item in odd_items() for each in (item, ["sang", "She"])]
    found = list(TOY.order_many(stream, threads=threads, beam=2, on_error="yield"))
    assert len(found) == len(stream)
    for bad, good in zip(found[::2], found[1::2], strict=True):
        assert isinstance(good, Linearization)
        assert isinstance(bad, ProblemError)
        assert str(bad)
        assert str(bad).isprintable()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("error", [RuntimeError("dead"), ProblemError("dead")])
def test_a_fault_of_the_stream_comes_after_what_was_read(threads: int, error: Exception) -> None:
    def broken() -> Iterator[list[str]]:
        yield from ([f"w{i}", "She"] for i in range(5))
        raise error

    results = TOY.order_many(broken(), threads=threads, beam=2, on_error="yield")
    assert len(list(islice(results, 5))) == 5
    with pytest.raises(type(error), match="dead"):
        next(results)


@pytest.mark.parametrize(
    "problems", [None, 3, "She sang", b"She", {"words": ["She"]}, Word("She"), bag("She")]
)
def test_a_stream_is_a_collection_of_problems(problems: Any) -> None:
    with pytest.raises(ArgumentError, match="problems are given as a list"):
        TOY.order_many(problems, on_error="yield")


def test_numpy_integers_are_integers() -> None:
    two: Any = np.int64(2)
    bags = [["She", "sang"], ["fox", "cook", "."]]
    options: dict[str, Any] = {"n_best": two, "beam": two, "max_words": np.uint8(9)}
    found = list(TOY.order_many(bags, threads=two, **options))
    assert found == [TOY.order(each, **options) for each in bags]
    assert found == [TOY.order(each, n_best=2, beam=2, max_words=9) for each in bags]
    indices: Any = np.array([2, 1])
    assert TOY.score(bags[0], indices) == TOY.score(bags[0], [2, 1])


@pytest.mark.parametrize(
    "options",
    [{"n_best": 2.0}, {"beam": 2.0}, {"max_words": "9"}, {"threads": 1.0}, {"beam": True}],
)
def test_floats_are_no_integers(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ArgumentError, match=f"{name} must be an integer, not"):
        TOY.order_many([["She"]], **options)


@pytest.mark.parametrize("order", [[2.0, 1.0], [True, 2], ["She", 1], [None, None], 3, {"She": 1}])
def test_an_order_by_something_else(order: Any) -> None:
    with pytest.raises(ProblemError, match="an order is"):
        TOY.score(["She", "sang"], order)
