"""Realizations: what they share with linearizations."""

from dataclasses import replace

from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization, Token
from syntagma.results.realization import Realization
from syntagma.results.spelling import Spelling


def test_a_realization_has_the_text_score_and_mark_of_its_linearization() -> None:
    found = Linearization((Token("dogs", "NNS", 0, "root", 1),), -2.0, Problem.of(["dogs"]))
    result = Realization(found, Spelling((False,)))
    assert (str(result), result.score, result.narrowed) == (result.text, -2.0, False)
    assert Realization(replace(found, narrowed=True), result.spelling).narrowed
