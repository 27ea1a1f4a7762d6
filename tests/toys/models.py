"""Toy models with random weights, and walks through the core, for the tests of the compiled core.

Random problems come from brute_force.py, whose words and labels the toy vocabulary knows in part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
from references.brute_force import (
    LABELS,
    TAGS,
    random_heads,
    random_problem,
    random_projective_order,
)
from references.transition import Action, Arcs

from syntagma.errors import ProblemError
from syntagma.features._sparse import Weights, build_columns
from syntagma.linear._perceptron import DerivationWalk
from syntagma.linear._search import Templates
from syntagma.linear.scorer import LinearScorer
from syntagma.linear.templates import templates
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.model import Model
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.transition.encoding import Encoding, encode, form_arrays
from syntagma.transition.training import learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence

# One of the tags and one of the labels of random problems stay unknown to the toy models.
KNOWN_TAGS = (*TAGS[:-1], "JJ")
KNOWN_LABELS = (*LABELS[:-1], "case")
# Enough to prefer something, and quick.
FEW_TEMPLATES = (
    ("state", ("S0p",)),
    ("candidate", ("S0p", "Lp")),
    ("candidate", ("Lw",)),
)


def toy_sentence(rng: Random, max_words: int = 6) -> Sentence:
    """Random words in a random order with a random projective tree."""
    n = rng.randint(1, max_words)
    heads = random_heads(rng, n)
    order = random_projective_order(rng, heads)
    place = {word: position for position, word in enumerate(order, 1)} | {0: 0}
    return Sentence(
        forms=tuple(f"w{rng.randrange(12)}" for _ in order),
        tags=tuple(rng.choice(KNOWN_TAGS) for _ in order),
        heads=tuple(place[heads[word - 1]] for word in order),
        deprels=tuple(rng.choice(KNOWN_LABELS) if heads[word - 1] else "root" for word in order),
    )


@cache
def toy_vocabulary(seed: int = 0, sentences: int = 8) -> Vocabulary:
    """Some forms with one tag and some with several, seen once, often or never."""
    rng = Random(seed)
    return learn_vocabulary(toy_sentence(rng) for _ in range(sentences))


def relist(problem: Problem, order: Sequence[int]) -> Problem:
    """The same problem with its words listed otherwise: first the one with 0-based index order[0].

    Listed in the order of its encoding, the words have the core's numbers.
    """
    number = {at + 1: i for i, at in enumerate(order, 1)} | {0: 0}
    words = [
        replace(word, head=None if word.head is None else number[word.head])
        for word in (problem.words[at] for at in order)
    ]
    return Problem(
        words=tuple(words),
        before=tuple((number[a], number[b]) for a, b in problem.before),
        first=None if problem.first is None else number[problem.first],
        last=None if problem.last is None else number[problem.last],
    )


def clashing_problem(rng: Random, max_words: int) -> Problem:
    """A partial tree with order constraints that know nothing of it, so that they may clash.

    Those that are rejected at first sight are not drawn.
    """
    while True:
        problem = random_problem(rng, max_words)
        n = len(problem.words)
        order = rng.sample(range(1, n + 1), n)
        pairs = {tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.randint(1, 5)) if n > 1}
        try:
            return replace(
                problem,
                before=tuple(sorted((order[a], order[b]) for a, b in pairs)),
                first=order[0] if rng.random() < 0.3 else None,
                last=order[-1] if n > 1 and rng.random() < 0.3 else None,
            )
        except ProblemError:
            continue


def rescored(derivation: DerivationWalk, actions: Sequence[Action]) -> float:
    """What the actions are worth, one after the other, without a search."""
    total = 0.0
    for action in actions:
        assert action in derivation.legal()
        total += derivation.score(action)
        derivation.apply(action)
    assert derivation.finished
    return total


def random_walk(derivation: DerivationWalk, rng: Random) -> Iterator[list[Action]]:
    """The legal actions at each step; a random one is taken between steps."""
    while not derivation.finished:
        legal = derivation.legal()
        yield legal
        derivation.apply(rng.choice(legal))


def make_scorer(
    rows: Templates | str,
    vocabulary: Vocabulary,
    weights: dict[int, float] | None = None,
    arcs: Arcs = "eager",
    *,
    forms: bool = False,
) -> LinearScorer:
    """A scorer with the given weights by feature key; rows are templates or name a set of them.

    With `forms`, it chooses among the forms that words may take.
    """
    weights = weights or {}
    keys, values = np.array(list(weights), np.uint64), np.array(list(weights.values()), np.float32)
    scorer = LinearScorer(
        templates(rows, forms=forms) if isinstance(rows, str) else rows,
        Weights(*build_columns(keys, values)),
        vocabulary.label_index,
        vocabulary.label_pool,
        arcs == "lazy",
    )
    if forms:
        scorer.chooses_forms, scorer.vocabulary = True, vocabulary
    return scorer


def random_weights(
    rng: Random, scorer: LinearScorer, encodings: Iterable[Encoding], walks: int = 1
) -> dict[int, float]:
    """Weights for the features of all actions seen on random walks.

    They are multiples of 1/64, so that sums are exact in whatever order they are taken, and few
    enough that ties happen.
    """
    keys: set[int] = set()
    for encoding in encodings:
        for _ in range(walks):
            forms = form_arrays(encoding, scorer.vocabulary) if scorer.vocabulary else None
            derivation = DerivationWalk(encoding.task, scorer, forms)
            for legal in random_walk(derivation, rng):
                for action in legal:
                    keys.update(derivation.features(action))
    return {key: rng.randint(-128, 128) / 64 for key in sorted(keys)}


def few_templates() -> Templates:
    return Templates(list(FEW_TEMPLATES), False)


@cache
def toy_linearizer(rows: str = "few", seed: int = 0, arcs: Arcs = "eager") -> Linearizer:
    """A linearizer with random weights for the features of small random problems."""
    rng = Random(seed)
    vocabulary = toy_vocabulary(seed)
    drawn = [encode(random_problem(rng, 6), vocabulary) for _ in range(30)]
    features = few_templates() if rows == "few" else rows
    weights = random_weights(rng, make_scorer(features, vocabulary, arcs=arcs), drawn)
    scorer = make_scorer(features, vocabulary, weights, arcs)
    return Linearizer(Model({"name": "toy", "tag_column": "xpos"}, vocabulary, scorer))


def model_of(linearizer: Linearizer) -> Model:
    return linearizer._model


def bag(*forms: str) -> Problem:
    return Problem(tuple(Word(form) for form in forms))
