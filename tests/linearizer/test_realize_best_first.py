"""Realizing lemmas by best-first search: forms and order are chosen together, without a language
model. The search over forms against references: best_first/test_search.py. The same for beam
search: test_realize.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise, product
from random import Random

import pytest
from references.brute_force import random_problem
from toys.models import relist
from toys.realizer import as_lemmas, lemmas_of, toy_lemma_sentences, toy_realizer, with_forms

from syntagma.best_first.settings import BestFirstSettings
from syntagma.best_first.training import GuidedLearner
from syntagma.errors import ArgumentError
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.model import build_model
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization.letters import capitalised
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import inflect_visit, learn_realizer
from syntagma.results.linearization import violations
from syntagma.results.realization import Realization
from syntagma.treebanks.treebank import Sentence

ENOUGH = 2000


@cache
def linearizer() -> Linearizer:
    return trained(toy_realizer(), toy_lemma_sentences(), epochs=1)


def trained(realizer: Realizer, sentences: Sequence[Sentence], epochs: int) -> Linearizer:
    settings = BestFirstSettings(epochs=epochs, realize=True)
    learner = GuidedLearner(settings, partial(inflect_visit, realizer))
    vocabulary = learner.begin(sentences, ())
    for epoch in range(1, 1 + epochs):
        learner.pass_over(epoch, lambda: None)
    header = {"name": "toy", "tag_column": "xpos", "scorer": "edges", **learner.describe()}
    model = build_model(header, vocabulary, learner.stored())
    return Linearizer(replace(model, realizer=realizer))


def some_lemmas(count: int, words: int = 6) -> list[Problem]:
    rng = Random(count)
    return [as_lemmas(rng, random_problem(rng, words, "mixed")) for _ in range(count)]


def shown(realization: Realization) -> tuple[object, ...]:
    """All of a realization but how its words were listed."""
    found = realization.linearization
    words = [found.problem.words[source - 1] for source in found.order]
    given = [(word.lemma, word.features) for word in words]
    return realization.text, found.words, found.heads, found.tags, found.deprels, given, found.score


def assert_inflected(realization: Realization, problem: Problem) -> None:
    """Every word at most once, in one of its forms; only the first spoken one has a capital."""
    found = realization.linearization
    assert violations(found) == []
    assert len(set(found.order)) == len(found.order)
    assert sorted((*found.order, *found.left_out)) == list(range(1, len(problem.words) + 1))
    assert lemmas_of(found.problem.words) == lemmas_of(problem.words)
    begun = False
    for token in found.tokens:
        word = problem.words[token.source - 1]
        forms = [word.form]
        if not word.form:
            assert word.lemma is not None
            tag = word.tag if toy_realizer().inflector.knows(word.tag) else None
            forms = [
                form.text if begun else capitalised(form.text)
                for form in toy_realizer().inflector.forms(word.lemma, tag, word.features)
            ]
        assert token.form in forms
        assert found.problem.words[token.source - 1].form == token.form
        begun = begun or any(map(str.isalnum, token.form))


def test_every_lemma_comes_out_once_in_one_of_its_forms_and_every_constraint_holds() -> None:
    other_forms = unfinished = 0
    for problem in some_lemmas(40):
        for budget in (3, 40, ENOUGH):
            found = linearizer().realize(problem, n_best=4, expansions=budget)
            assert 1 <= len(found) <= 4
            for each in found:
                assert_inflected(each, problem)
            finished = found[0].linearization.finished
            assert finished or len(found) == 1
            unfinished += not finished
            taken = {form.lower() for form in found[0].words}
            other_forms += not taken <= {word.form.lower() for word in with_forms(problem).words}
    assert unfinished > 20
    assert other_forms > 10


@pytest.mark.parametrize(
    ("lemmas", "text"),
    [
        ("bark a dog", "A dog barked"),
        ("bark a owl", "An owl barked"),
        ("a sleep owl", "An owl slept"),
    ],
)
def test_a_form_is_chosen_by_the_words_beside_it(lemmas: str, text: str) -> None:
    """From eight sentences, without a language model or rules of English."""
    verbs, nouns = {"bark": "barked", "sleep": "slept"}, ("owl", "dog", "cat", "ape")
    sentences = []
    for noun, (verb, past) in product(nouns, verbs.items()):
        article = "An" if noun[0] in "aeiou" else "A"
        sentences.append(
            Sentence(
                forms=(article, noun, past),
                tags=("DT", "NN", "VBD"),
                heads=(2, 3, 0),
                deprels=("det", "nsubj", "root"),
                lemmas=("a", noun, verb),
                features=("", "", ""),
            )
        )
    found = trained(learn_realizer(sentences, "xx"), sentences, epochs=20)
    assert found.realize(lemmas.split(), expansions=ENOUGH).text == text


def test_results_differ_and_are_sorted() -> None:
    several = 0
    for problem in some_lemmas(30, 4):
        found = linearizer().realize(problem, n_best=12, expansions=ENOUGH)
        texts = [each.text for each in found]
        assert len(set(texts)) == len(texts)
        assert all(one.score >= other.score for one, other in pairwise(found))
        assert shown(found[0]) == shown(linearizer().realize(problem, expansions=ENOUGH))
        # Some have the same order and differ in a form.
        orders = {each.linearization.order for each in found}
        several += len(orders) < len(found)
    assert several > 10


def test_the_listing_of_the_lemmas_has_no_influence() -> None:
    rng = Random(0)
    for problem in some_lemmas(25):
        other = relist(problem, rng.sample(range(len(problem.words)), len(problem.words)))
        found, expected = (
            linearizer().realize(each, n_best=3, expansions=200) for each in (other, problem)
        )
        assert list(map(shown, found)) == list(map(shown, expected))


def test_where_all_forms_are_given_to_realize_is_to_order() -> None:
    for seed in range(20):
        problem = random_problem(Random(seed), 6, "mixed")
        [ordered] = linearizer().order(problem, n_best=1, expansions=300)
        [realized] = linearizer().realize(problem, n_best=1, expansions=300)
        assert realized.linearization == ordered


def test_twins_may_take_different_forms() -> None:
    """Equal lemmas are interchangeable, but each of them takes its own form."""
    lemma = Word(lemma="w3", tag="VB", features="Tense=Past")
    found = linearizer().realize([lemma, lemma], n_best=9, expansions=ENOUGH)
    texts = sorted(each.text.lower() for each in found)
    assert texts == ["w3ed w3ed", "w3ed w3t", "w3t w3ed", "w3t w3t"]


@pytest.mark.parametrize("threads", [1, 2])
def test_many_are_realized_as_one_by_one(threads: int) -> None:
    problems = some_lemmas(12)
    alone = [linearizer().realize(problem, expansions=200) for problem in problems]
    many = linearizer().realize_many(problems, expansions=200, threads=threads)
    assert [*many] == alone


def test_budgets_of_the_other_search_are_refused() -> None:
    with pytest.raises(ArgumentError, match="best-first search has no beam"):
        linearizer().realize(["w1"], beam=4)
    with pytest.raises(ArgumentError, match="diverse"):
        linearizer().realize(["w1"], n_best=2, diverse=True)


def test_a_time_limit_ends_the_search() -> None:
    problem = Problem.of([Word(lemma=f"w{i % 12}") for i in range(60)])
    found = linearizer().realize(problem, timeout=0.01)
    assert not found.linearization.finished
    assert_inflected(found, problem)
