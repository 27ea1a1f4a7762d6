"""Streams of problems: read no further than needed, answered in order, errors in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, repeat
from typing import Any

import pytest
from toys.models import model_of, toy_linearizer

from syntagma.errors import FormatError, ProblemError, SyntagmaError
from syntagma.language_model._ngrams import NGramScorer
from syntagma.linear._search import LinearSearch
from syntagma.linear.scorer import LinearScorer
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.model import Model
from syntagma.results.linearization import Linearization
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

    def searches(
        self,
        encodings: Sequence[Encoding],
        widths: Sequence[int],
        ngram_scorers: Sequence[NGramScorer | None],
        *,
        merging: bool = True,
    ) -> Iterator[LinearSearch]:
        self.sizes.append(len(encodings))
        return super().searches(encodings, widths, ngram_scorers, merging=merging)


@pytest.mark.parametrize("threads", [1, 2])
def test_problems_prepared_together_are_answered_as_if_alone(threads: int) -> None:
    model = model_of(TOY)
    assert isinstance(model.scorer, LinearScorer)
    vocabulary = model.vocabulary
    scorer = Batching(
        *(model.scorer.templates, model.scorer.weights),
        *(vocabulary.label_index, vocabulary.label_pool),
    )
    scorer.sizes = []
    batching = Linearizer(Model(model.header, vocabulary, scorer))
    faulty: list[Any] = [["She", "sang"], [], ["fox", "cook", "."], ["w1", "w2"], FormatError("?")]
    problems = [*faulty, ["w3", "fox", "fox"], ["sang"]]
    alone = list(TOY.order_many(problems, n_best=2, beam=4, on_error="yield"))
    found = list(batching.order_many(problems, n_best=2, beam=4, threads=threads, on_error="yield"))
    assert list(map(str, found)) == list(map(str, alone))
    assert sorted(scorer.sizes) == [1, 2, 2]


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
