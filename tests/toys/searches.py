"""Toy searches with a language model, by each scorer, and the best of all orders by brute force."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import permutations
from math import fsum
from random import Random
from typing import ClassVar

from references.brute_force import random_problem, satisfying, without_unknown
from references.transition import SHIFT, Action, Arcs

from syntagma.language_model._ngrams import NGramScorer
from syntagma.language_model.backoff import BackoffModel
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.linear._perceptron import DerivationWalk
from syntagma.linear._search import LinearSearch
from syntagma.linear.templates import FEATURE_SETS
from syntagma.neural._search import NeuralSearch
from syntagma.neural.parameters import SLOTS
from syntagma.problem.problem import Problem
from syntagma.transition._search import Search
from syntagma.transition.encoding import Encoding, encode
from toys.models import (
    clashing_problem,
    make_scorer,
    random_weights,
    rescored,
    toy_vocabulary,
)
from toys.network import in_many_shapes, random_slots, toy_scorer
from toys.probes import Probe, Results
from toys.random_network import RandomNetwork

TOLERANCE = 1e-9


EVERYTHING = 20_000  # wider than any step on a bag of 5 tagged words


ONE_ORDER = 500  # the same, if one order is asked for


VOCABULARY = toy_vocabulary()


Order = tuple[str, ...]  # the forms of the units


def make_text(seed: int, sentences: int) -> list[list[str]]:
    """Sentences in which each word makes some others likely; some are rare, some in capitals."""
    rng = Random(seed)
    text = []
    for _ in range(sentences):
        sentence, last = [], 0
        for _ in range(rng.randint(0, 7)):
            last = (2 * last + rng.choice((1, 1, 2, rng.randrange(12)))) % 12
            sentence += rng.choice(([], [], ["the"], ["THE"]))
            sentence.append(rng.choice(("w{}", "w{}", "w{}", "W{}", "xw{}")).format(last))
        text.append(sentence)
    return text


@cache
def toy_model(order: int, sentences: int = 60) -> BackoffModel:
    text = make_text(order, sentences)
    return estimate(text, order=order, word_class=word_class, min_count=2)


@cache
def toy_language_model(order: int) -> LanguageModel:
    return LanguageModel.of(toy_model(order))


class Toy(ABC):
    """Opens searches over these problems."""

    @abstractmethod
    def __init__(self, rng: Random, encodings: Sequence[Encoding], scale: float = 1) -> None: ...

    @abstractmethod
    def search(self, encoding: Encoding, width: int) -> Probe: ...


class Replayed(Toy):
    """One whose scores can be worked out from the actions."""

    @abstractmethod
    def syntax(self, encoding: Encoding, actions: Sequence[Action]) -> float:
        """What the actions are worth, one after the other, without a search."""


class Linear(Replayed):
    """Random weights for the features of the problems."""

    ARCS: ClassVar[Arcs] = "eager"

    def __init__(self, rng: Random, encodings: Sequence[Encoding], scale: float = 1) -> None:
        feature_set = rng.choice(sorted(FEATURE_SETS))
        unweighted = make_scorer(feature_set, VOCABULARY, arcs=self.ARCS)
        # Walks end early where order constraints clash with arcs.
        walked = [
            encode(replace(each.problem, before=(), first=None, last=None), VOCABULARY)
            for each in encodings
        ]
        weights = random_weights(rng, unweighted, walked, walks=10)
        weights = {key: scale * weight for key, weight in weights.items()}
        self.scorer = make_scorer(feature_set, VOCABULARY, weights, self.ARCS)

    def search(self, encoding: Encoding, width: int) -> Probe:
        return Probe(partial(LinearSearch, encoding.task, width, self.scorer))

    def syntax(self, encoding: Encoding, actions: Sequence[Action]) -> float:
        return rescored(DerivationWalk(encoding.task, self.scorer), actions)


class Lazy(Linear):
    """The same with the lazy order of arcs."""

    ARCS = "lazy"


class Forward(Replayed):
    """A random network that reads from left to right only."""

    def __init__(self, rng: Random, encodings: Sequence[Encoding], scale: float = 1) -> None:
        slots = SLOTS if rng.random() < 0.5 else random_slots(rng)
        self.network = RandomNetwork(rng, slots, scale)
        self.inputs = {each.problem: self.network.read(each) for each in encodings}

    def search(self, encoding: Encoding, width: int) -> Probe:
        source = self.inputs[encoding.problem]
        network = self.network.scorer
        return Probe(
            partial(NeuralSearch, encoding.task, width, network, source.slot_rows(), source.pairs)
        )

    def syntax(self, encoding: Encoding, actions: Sequence[Action]) -> float:
        search, total = self.search(encoding, 1).open(), 0.0
        assert isinstance(search, NeuralSearch)
        for action in actions:
            total += dict(search.scored_actions())[action]
            search.move(action)
        assert search.scored_actions() == []
        return total


class BothWays(Toy):
    """A network whose results are reranked from right to left. The search from right to left is
    left out: it finds other trees of the same orders."""

    def __init__(self, rng: Random, encodings: Sequence[Encoding], scale: float = 1) -> None:
        self.scorer = toy_scorer(rng.randrange(3))

    def search(self, encoding: Encoding, width: int) -> Probe:
        def open_search(*, ngram_scorer: NGramScorer | None, merging: bool) -> Search:
            searches = self.scorer.searches([encoding], [width], [ngram_scorer], merging=merging)
            search = next(searches)
            search.opposite = None
            return search

        return Probe(open_search)


def tagged(problem: Problem) -> Problem:
    """All tags of all words would be too many."""
    words = (replace(word, tag=word.tag or "NN") for word in problem.words)
    return replace(problem, words=tuple(words))


def small_problem(rng: Random) -> Problem:
    """With phrases, with words that occur twice; with some orders, but few enough derivations to
    try all of them."""
    while True:
        problem = random_problem(rng, 5, "exact")
        problem = without_unknown(problem, VOCABULARY.tags, VOCABULARY.labels)
        problem = tagged(in_many_shapes(rng, problem))
        results = satisfying(problem)
        if len({order for order, _ in results}) >= 6 and len(results) <= DERIVATIONS:
            return problem


def order_of(encoding: Encoding, actions: Sequence[Action]) -> Order:
    words = [encoding.order[word] for kind, word, _, _ in actions if kind == SHIFT]
    return tuple(encoding.problem.words[at].form for at in words)


def syntax_of_orders(toy: Toy, problem: Problem) -> dict[Order, float]:
    """What the scorer alone gives to each order that is possible: they are asked for one by one."""
    found = {}
    for order in sorted(set(permutations(word.form for word in problem.words))):
        encoding = encode(problem, VOCABULARY, order)
        for score, actions in toy.search(encoding, ONE_ORDER).run():
            assert order_of(encoding, actions) == order
            found[order] = score
    return found


@dataclass(frozen=True)
class Listener:
    """A language model and its weight."""

    language_model: LanguageModel
    weight: float

    @classmethod
    def draw(cls, rng: Random) -> Listener:
        return cls(toy_language_model(rng.randint(1, 5)), rng.choice((0.2, 1.0, 3.0, 10.0)))

    def share(self, order: Order) -> float:
        words = [word for unit in order for word in unit.split(" ")]
        return self.weight * fsum(self.language_model.score(words))

    def fluency(self, encoding: Encoding) -> NGramScorer:
        return self.language_model.ngram_scorer(encoding.forms, self.weight, encoding.choices)


def expect(syntax: dict[Order, float], listener: Listener | None) -> dict[Order, float]:
    if listener is None:
        return syntax
    return {order: score + listener.share(order) for order, score in syntax.items()}


def find(
    search: Probe, n_best: int = 1, *, merging: bool = False, fluency: NGramScorer | None = None
) -> Results:
    return search.run(n_best, merging=merging, ngram_scorer=fluency)


def treacherous_problem(rng: Random) -> Problem:
    """One in which a search can come to a dead end, but need not."""
    while True:
        problem = in_many_shapes(rng, clashing_problem(rng, 9))
        search = Probe.plain(encode(problem, VOCABULARY).task, 1)
        if not search.run() and search.depth_first(2000)[0]:
            return problem


DERIVATIONS = 1_500  # fewer than are looked at for different orders in the end
