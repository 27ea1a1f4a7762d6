"""Results in the columns of CoNLL-U: what comes from the result, and what from its source."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from syntagma.errors import ArgumentError
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn, Word
from syntagma.results.linearization import Linearization, Token
from syntagma.results.spelling import Contraction, Range, Row, Spelling


def result(problem: Problem) -> Linearization:
    """The words in the order of their listing, below the first, tagged `T`."""
    tokens = tuple(
        Token(word.form, "T", int(place > 1), "dep" if place > 1 else "root", place)
        for place, word in enumerate(problem.words, start=1)
    )
    return Linearization(tokens, -1.0, problem)


def rows(
    result: Linearization, spelling: Spelling | None = None, tag_column: TagColumn = "xpos"
) -> list[Row]:
    return result._columns(tag_column, spelling).rows


def dogs(**fields: Any) -> Problem:
    """A problem of one word, read from a parse, without its tag."""
    return Problem.from_conllu([{"form": "dogs", **fields}], tags=False)


def test_a_tag_that_was_not_given_is_that_of_the_source() -> None:
    [row] = rows(result(dogs(xpos="NNS", upos="NOUN")))
    assert (row.xpos, row.upos) == ("NNS", "NOUN")


def test_a_tag_that_the_source_lacks_is_that_of_the_result() -> None:
    [row] = rows(result(dogs(upos="NOUN")))
    assert (row.xpos, row.upos) == ("T", "NOUN")


def test_the_column_of_the_source_goes_before_the_one_asked_for() -> None:
    problem = Problem.from_conllu([{"form": "dogs"}], tag_column="upos")
    [row] = rows(result(problem))
    assert (row.xpos, row.upos) == ("_", "T")
    [row] = rows(result(Problem.of(["dogs"])), None, "upos")
    assert (row.xpos, row.upos) == ("_", "T")


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(ArgumentError, match="tag_column must be upos or xpos, not 'deprel'"):
        rows(result(dogs()), None, "deprel")  # type: ignore[arg-type]


def test_lemma_and_features_of_a_realized_word_are_those_of_the_problem() -> None:
    problem = Problem.of([Word(lemma="dog"), Word("bark")]).with_forms(["dogs", "bark"])
    first, second = rows(result(problem))
    assert first == Row("dogs", "dog", "_", "T", "_", 0, "root", "_")
    assert second == Row("bark", "_", "_", "T", "_", 1, "dep", "_")


def test_spaces_follow_the_spelling_and_not_the_source() -> None:
    problem = Problem.from_conllu(
        [{"form": form, "misc": {"SpaceAfter": "No", "Gloss": form}} for form in "abcd"]
    )
    contraction = Contraction(2, 3, "x")
    spelling = Spelling((False, False, False, False), (contraction,))
    assert [row.misc for row in rows(result(problem), spelling)] == [
        "Gloss=a|SpaceAfter=No",
        "Gloss=b",
        "Gloss=c",
        "Gloss=d",
    ]
    assert result(problem)._columns("xpos", spelling).ranges == {
        2: Range(2, 3, "x", "SpaceAfter=No")
    }
    assert [row.misc for row in rows(result(problem))] == [f"Gloss={form}" for form in "abcd"]
    assert result(problem)._columns("xpos").ranges == {}


def test_comments_of_the_source_are_kept_and_those_on_the_result_are_new() -> None:
    class Tokens(list[Any]):
        def __init__(self) -> None:
            super().__init__([{"form": "dogs"}])
            self.metadata = {"score": "3", "text": "dogs", "sent_id": "s1", "note": "x"}

    found = result(Problem.from_conllu(Tokens()))
    spelling = Spelling((False,), (Contraction(1, 1, "Dogs"),))
    assert found._columns("xpos", spelling).comments == [
        "# score = -1.0000",
        "# text = Dogs",
        "# sent_id = s1",
        "# note = x",
    ]
    pieces = replace(found, tokens=(), finished=False, narrowed=True)
    comments = pieces._columns("xpos").comments
    assert comments[-2:] == ["# unfinished = 1 words left out", "# narrowed = yes"]
