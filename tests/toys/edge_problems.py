"""Random weights, problems and grammars for best-first search."""

from __future__ import annotations

from random import Random

import numpy as np
from references.brute_force import random_problem
from references.cases import Case, ccg_case, dependency_case, form_case

from syntagma.best_first._edges import Edges
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.strategy import find_junctions
from syntagma.best_first.templates import fluency_templates
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, Word
from toys import ccg as toy_ccg
from toys.models import toy_vocabulary
from toys.realizer import inflected_language_model


class RandomWeights(dict[int, float]):
    """Drawn on first use. Multiples of 1/64, so that sums are exact in any order, and few enough
    that ties happen."""

    def __init__(self, rng: Random, low: int = -128, high: int = 128) -> None:
        self.rng, self.low, self.high = rng, low, high

    def __missing__(self, key: int) -> float:
        self[key] = self.rng.randint(self.low, self.high) / 64
        return self[key]


def dependency_problem(rng: Random, max_words: int) -> Case:
    problem = random_problem(rng, max_words, rng.choice(("none", "exact", "mixed")))
    return dependency_case(problem, toy_vocabulary())


def form_problem(rng: Random, max_words: int) -> Case:
    """A dependency problem whose words may take several forms, which some of them share."""
    problem = random_problem(rng, max_words, rng.choice(("none", "exact", "mixed")))
    return form_case(problem, toy_vocabulary(), RandomForms(rng))


def fluent(case: Case) -> Case:
    """The same with features of a language model."""
    language_model, make = inflected_language_model(), case.make

    def with_language_model() -> Edges:
        edges = make()
        junctions = find_junctions(language_model, case.bag.encoding)
        edges.use_language_model(junctions, fluency_templates())
        return edges

    case.plain.language_model = language_model
    return Case(case.plain, with_language_model, lambda again: fluent(case.relisted(again)))


def fluent_problem(rng: Random, max_words: int) -> Case:
    """A problem of any of these kinds, with a language model."""
    draw = rng.choice((dependency_problem, form_problem, toy_ccg_problem, random_ccg_problem))
    return fluent(draw(rng, max_words))


class RandomForms:
    """Up to three forms for each word, by that in the problem; some of them are unknown."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.known: dict[str, list[Alternative]] = {}

    def __call__(self, word: Word) -> list[Alternative]:
        if word.form not in self.known:
            rng = self.rng
            others = [f"w{rng.randrange(4)}", f"{word.form}ed", "Unseen"]
            texts = dict.fromkeys([word.form, *rng.sample(others, rng.randrange(3))])
            self.known[word.form] = [
                Alternative(text, rng.choice((text, text.upper())), -rng.choice((0.0, 0.2, 1, 7)))
                for text in texts
            ]
        return self.known[word.form]


def toy_ccg_problem(rng: Random, max_words: int) -> Case:
    """Words of the toy grammar and unknown ones, some with tags or order constraints."""
    n = rng.randint(1, max_words)
    some = rng.sample([*toy_ccg.ENTRIES, "unseen", "Unseen"], rng.randint(1, 12))
    forms = rng.choices(some, k=n)
    tagged = rng.choice((0.0, 0.5))
    words = [
        Word(form, rng.choice(("NOUN", "VERB", "DET", "X")) if rng.random() < tagged else None)
        for form in forms
    ]
    problem = ordered(rng, Problem.of(words))
    return ccg_case(problem, toy_ccg.toy_vocabulary(), toy_ccg.toy_grammar())


def random_ccg_problem(rng: Random, max_words: int) -> Case:
    problem = random_problem(rng, max_words)
    words = [Word(word.form, word.tag) for word in problem.words]
    return ccg_case(ordered(rng, Problem.of(words)), toy_vocabulary(), random_grammar(rng))


def ordered(rng: Random, problem: Problem) -> Problem:
    n = len(problem.words)
    order = rng.sample(range(1, n + 1), n)
    pairs = {tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.choice((0, 0, 2))) if n > 1}
    before = [(order[a], order[b]) for a, b in pairs]
    return Problem(problem.words, tuple(before), order[0] if rng.random() < 0.1 else None)


def chained_ccg_problem(rng: Random, max_words: int) -> Case:
    """A random CCG problem with chains of unary rules, some of which lead back to a category."""
    words = [Word(word.form, word.tag) for word in random_problem(rng, max_words).words]
    return ccg_case(Problem.of(words), toy_vocabulary(), random_grammar(rng, chains=True))


def unchained_ccg_problem(rng: Random, max_words: int) -> Case:
    """The same with a grammar that does not allow chains."""
    words = [Word(word.form, word.tag) for word in random_problem(rng, max_words).words]
    return ccg_case(Problem.of(words), toy_vocabulary(), random_grammar(rng, chains=False))


def random_grammar(rng: Random, *, chains: bool | None = None) -> CcgGrammar:
    """Random rules and lexicon. Unless `chains` is given, no unary rule starts where another ends;
    if it is, it says whether one may be applied to the other's result."""
    vocabulary = toy_vocabulary()
    n = rng.randint(2, 5)
    numbers = range(n)
    binary = {(rng.choice(numbers), rng.choice(numbers), rng.choice(numbers)) for _ in range(2 * n)}
    tops = rng.sample(numbers, n // 2)
    unary = {(rng.choice([c for c in numbers if c not in tops]), top) for top in tops}
    if chains is not None:
        unary |= {(top, rng.choice(numbers)) for top in [*tops, *tops]}
    tags = range(len(vocabulary.tags))
    return CcgGrammar(
        [f"C{number}" for number in numbers],
        np.array(sorted((*rule, rng.randrange(2)) for rule in binary), np.int32),
        np.array(sorted(unary), np.int32).reshape(-1, 2),
        {
            f"w{i}": tuple({(rng.choice(tags), rng.choice(numbers)) for _ in range(2)})
            for i in range(12)
        },
        frozenset(),
        [tuple(rng.sample(numbers, 2)) for _ in range(len(tags) + 1)],
        chains=bool(chains),
    )
