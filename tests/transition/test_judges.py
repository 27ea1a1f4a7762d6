"""Judges of finished orders: a new one is a class, its part of the score is in the result, and it
can neither add an order nor break a constraint."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise, permutations
from random import Random

import pytest
from references.brute_force import random_problem
from toys.models import model_of, toy_linearizer
from toys.network import in_many_shapes, toy_neural_linearizer

from syntagma.formats.jsonl import write_jsonl
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization, violations
from syntagma.transition._search import Search
from syntagma.transition.beam import BeamStrategy
from syntagma.transition.encoding import Encoding

LINEARIZERS = {"linear": toy_linearizer, "neural": toy_neural_linearizer}


class Alphabet:
    """Wants words in alphabetical order, as much as its weight says."""

    weight = 1000.0

    def __init__(self, encoding: Encoding) -> None:
        self.forms = encoding.forms

    def judge(self, search: Search) -> None:
        sentences = [[self.forms[number] for number in found.order] for found in search.trees()]
        search.contribute("alphabet", [self.weight * rises(words) for words in sentences])


class Whim(Alphabet):
    """Has an opinion, but no weight."""

    weight = 0.0


def rises(words: list[str]) -> int:
    return sum(first <= second for first, second in pairwise(words))


def judged(linearizer: Linearizer, *judges: type[Alphabet]) -> Linearizer:
    """The linearizer with more judges."""
    model = model_of(linearizer)
    other = Linearizer(model)
    other._strategy = BeamStrategy(model.scorer, model.vocabulary, model.language_model, judges)
    return other


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_a_judge_chooses_among_what_the_search_found(kind: str) -> None:
    linearizer = LINEARIZERS[kind]()
    strict = judged(linearizer, Alphabet)
    words = ["w3", "w1", "w4", "w2"]
    best = strict.order(words, beam=1024, n_best=16)
    assert best[0].words == ("w1", "w2", "w3", "w4")
    for each in best:
        assert dict(each.judged) == {"alphabet": 1000.0 * rises(list(each.words))}
        assert sum(each.parts.values()) == pytest.approx(each.score)
        plain = linearizer.score(words, each.words, beam=1024)
        assert each.syntax <= plain.score + 1e-3
    assert [each.score for each in best] == sorted((each.score for each in best), reverse=True)
    assert {each.words for each in best} <= set(permutations(words))


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_a_judge_without_weight_changes_nothing_but_the_list_of_parts(kind: str) -> None:
    linearizer = LINEARIZERS[kind]()
    silent = judged(linearizer, Whim)
    rng = Random(3)
    for _ in range(15):
        problem = in_many_shapes(rng, random_problem(rng, 7, "exact"))
        expected, found = (each.order(problem, n_best=4) for each in (linearizer, silent))
        assert [replace(each, judged=()) for each in found] == list(expected)
        assert all(list(each.parts) == ["syntax", "alphabet"] for each in found)


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_what_is_given_holds_whatever_a_judge_wants(kind: str) -> None:
    strict = judged(LINEARIZERS[kind](), Alphabet, Whim)
    rng = Random(4)
    for _ in range(25):
        problem = in_many_shapes(rng, random_problem(rng, 7, "exact"))
        for each in strict.order(problem, n_best=3):
            assert violations(each) == []


def test_parts_in_json() -> None:
    words = Problem.of(["w2", "w1"])
    plain, strict = toy_linearizer(), judged(toy_linearizer(), Alphabet)
    assert "parts" not in json.loads(write_jsonl(plain.order(words)))
    result = strict.order(words)
    assert isinstance(result, Linearization)
    assert json.loads(write_jsonl(result))["parts"] == result.parts
    assert list(result.parts) == ["syntax", "alphabet"]


def test_each_order_gets_a_score() -> None:
    class Lazy(Alphabet):
        def judge(self, search: Search) -> None:
            search.contribute("lazy", [])

    with pytest.raises(ValueError, match="0 scores for"):
        judged(toy_linearizer(), Lazy).order(["w1", "w2"])
