"""Searches for orders that begin with given words find all of them and only them."""

from __future__ import annotations

from random import Random

import pytest
from references.brute_force import random_problem, satisfying
from toys.models import model_of, toy_linearizer
from toys.network import toy_neural_linearizer

from syntagma import Linearizer
from syntagma.errors import SyntagmaError, UnsatisfiableError
from syntagma.problem.problem import Problem
from syntagma.request import Request
from syntagma.results.linearization import Linearization, violations
from syntagma.transition.encoding import encode

WIDE = 1024


def toy_of(kind: str) -> Linearizer:
    if kind == "neural":
        return toy_neural_linearizer()
    return toy_linearizer("p16", arcs="lazy" if kind == "lazy" else "eager")


def orders_after(
    linearizer: Linearizer, problem: Problem, beginning: list[str], n_best: int, beam: int = WIDE
) -> list[Linearization]:
    model = model_of(linearizer)
    encoding = encode(problem, model.vocabulary, beginning)
    [found] = model.strategy().search([encoding], Request(beam=beam), n_best)
    if isinstance(found, SyntagmaError):
        raise found
    return found


def sentences_of(problem: Problem) -> set[tuple[str, ...]]:
    return {
        tuple(problem.words[index - 1].form for index in order) for order, _ in satisfying(problem)
    }


@pytest.mark.parametrize("kind", ["linear", "lazy", "neural"])
def test_all_orders_that_begin_so_and_no_others(kind: str) -> None:
    toy = toy_of(kind)
    rng = Random(kind)
    impossible = 0
    for _ in range(25):
        problem = random_problem(rng, 4, "mixed")
        forms = [word.form for word in problem.words]
        beginning = rng.sample(forms, rng.randint(1, len(forms)))
        expected = {
            each for each in sentences_of(problem) if list(each[: len(beginning)]) == beginning
        }
        if not expected:
            impossible += 1
            with pytest.raises(UnsatisfiableError):
                orders_after(toy, problem, beginning, 1)
            continue
        found = orders_after(toy, problem, beginning, WIDE)
        assert {each.words for each in found} == expected
        assert len(found) == len(expected)
        assert all(violations(each) == [] for each in found)
        if len(beginning) == len(forms):
            assert found[0].score == toy.score(problem, beginning, beam=WIDE).score
    assert impossible


@pytest.mark.parametrize("kind", ["linear", "lazy", "neural"])
def test_scores_are_those_of_the_whole_orders(kind: str) -> None:
    """An order has the same score, whether all, some or none of its words are given, but for a
    better tree of a whole order, which a network also reads from right to left."""
    toy = toy_of(kind)
    rng = Random(f"scores {kind}")
    for _ in range(15):
        problem = random_problem(rng, 4, "exact")
        forms = rng.sample([word.form for word in problem.words], len(problem.words))
        for count in range(1, len(forms)):
            try:
                [found] = orders_after(toy, problem, forms[:count], 1)
            except UnsatisfiableError:
                break
            again = toy.score(problem, found.words, beam=WIDE)
            if kind == "neural":
                assert found.score <= again.score + 1e-6
            else:
                assert found.score == pytest.approx(again.score)


@pytest.mark.parametrize("kind", ["linear", "lazy"])
def test_a_narrow_beam_finds_a_way_out_of_dead_ends(kind: str) -> None:
    """The next given word may not fit what the beam has built so far."""
    toy = toy_of(kind)
    rng = Random("narrow")
    for _ in range(40):
        problem = random_problem(rng, 6, "mixed")
        order, _ = rng.choice(sorted(satisfying(problem)))
        forms = [problem.words[index - 1].form for index in order]
        beginning = forms[: rng.randint(1, len(forms))]
        [found] = orders_after(toy, problem, beginning, 1, beam=1)
        assert list(found.words[: len(beginning)]) == beginning
        assert violations(found) == []
