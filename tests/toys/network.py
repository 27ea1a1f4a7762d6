"""Small networks with random parameters, made without PyTorch, and problems for them.

The toy lexicon knows some of the words of the random problems of references/brute_force.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import TypeVar, cast

import numpy as np
from references.brute_force import random_problem

from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.header import Header
from syntagma.models.model import Model
from syntagma.neural._action_scorer import CANDIDATE_ADDRESSES, SET_NAMES, STATE_ADDRESSES
from syntagma.neural.adaptation import learn_lexicon
from syntagma.neural.lexicon import Lexicon
from syntagma.neural.parameters import (
    Dimensions,
    Floats,
    SlotTable,
    input_names,
    parameter_shapes,
    table_sizes,
)
from syntagma.neural.scorer import NeuralScorer
from syntagma.neural.stored import StoredNetwork, describe_network
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import Encoding, encode
from syntagma.transition.vocabulary import Vocabulary
from toys.models import toy_sentence, toy_vocabulary

# Sizes differ where they can, so that mixing up two of them fails. Training needs at least 8 heads.
SMALL = Dimensions(
    width=24,
    layers=3,
    heads=8,
    feedforward=20,
    hidden=32,
    arc_hidden=16,
    rank=4,
    label_hidden=12,
    guess_after=1,
)
T = TypeVar("T")
Shown = tuple[str, tuple[int, ...], tuple[str, ...], tuple[str, ...], float]


@cache
def toy_lexicon(seed: int = 0) -> Lexicon:
    """Numbers for some of the words w0 to w11, also in capitals."""
    rng = Random(seed)
    sentences = [toy_sentence(rng) for _ in range(12)]
    return learn_lexicon(
        (replace(each, forms=capitals(rng, each.forms)) for each in sentences), min_count=2
    )


def capitals(rng: Random, forms: Iterable[str]) -> tuple[str, ...]:
    """Some of the forms in capitals."""
    return tuple(form.upper() if rng.random() < 0.4 else form for form in forms)


def in_many_shapes(rng: Random, problem: Problem) -> Problem:
    """The problem with some of its words in capitals, some as phrases, some never seen."""
    forms = [rng.choice((w.form, w.form, f"the {w.form}", f"x{w.form}")) for w in problem.words]
    words = [
        replace(word, form=form)
        for word, form in zip(problem.words, capitals(rng, forms), strict=True)
    ]
    return replace(problem, words=tuple(words))


def problem_of(rng: Random, n: int) -> Problem:
    """A random problem of exactly n words."""
    while len((problem := random_problem(rng, n)).words) < n:
        pass
    return in_many_shapes(rng, problem)


def encodings_of_all_sizes(seed: int, most: int = 40) -> list[Encoding]:
    """Random problems of 1 to `most` words."""
    rng = Random(seed)
    return [encode(problem_of(rng, n), toy_vocabulary()) for n in range(1, most + 1)]


def shown(result: Linearization) -> Shown:
    """What a user sees of a result."""
    return result.text, result.heads, result.tags, result.deprels, result.score


def toy_parameters(
    lexicon: Lexicon,
    vocabulary: Vocabulary,
    seed: int = 0,
    dimensions: Dimensions = SMALL,
    *,
    lifting: bool = False,
) -> dict[str, Floats]:
    """Random parameters, of a size that keeps scores apart by about 1."""
    rng = np.random.default_rng(seed)
    shapes = parameter_shapes(dimensions, table_sizes(lexicon, vocabulary), lifting=lifting)
    parameters = {}
    for name, shape in shapes.items():
        values = rng.standard_normal(shape)
        name_in_scorer = name.removeprefix("backward.")
        if "norm" in name:
            values = 0.3 * values + name.endswith("weight")
        elif name_in_scorer.startswith("slots."):
            values *= 0.3 / np.sqrt(dimensions.width)
        elif name_in_scorer.startswith(("layers.", "pairs.", "guess.")) and "attention" not in name:
            values /= np.sqrt(shape[0])
        parameters[name] = values.astype(np.float32)
    return parameters


@cache
def toy_scorer(seed: int = 0, *, lifting: bool = False) -> NeuralScorer:
    lexicon, vocabulary = toy_lexicon(), toy_vocabulary()
    return NeuralScorer.from_parameters(
        SMALL, lexicon, vocabulary, toy_parameters(lexicon, vocabulary, seed, lifting=lifting)
    )


@cache
def toy_neural_linearizer(seed: int = 0, *, lifting: bool = False) -> Linearizer:
    return Linearizer(
        Model(toy_header(lifting=lifting), toy_vocabulary(), toy_scorer(seed, lifting=lifting))
    )


UPOS = ("ADJ", "NOUN", "PUNCT", "VERB")
FEATURE_VALUES = ("Case=Nom", "Number=Plur", "Number=Sing", "PronType=Int", "PronType=Rel")


@cache
def universal_vocabulary() -> Vocabulary:
    """The toy vocabulary of a model that reads UPOS tags and features, too."""
    return toy_vocabulary().with_inputs(UPOS, FEATURE_VALUES)


@cache
def universal_linearizer(seed: int = 0) -> Linearizer:
    lexicon, vocabulary = toy_lexicon(), universal_vocabulary()
    parameters = toy_parameters(lexicon, vocabulary, seed)
    scorer = NeuralScorer.from_parameters(SMALL, lexicon, vocabulary, parameters)
    return Linearizer(Model(toy_header(input_names(vocabulary)), vocabulary, scorer))


def with_universal_tags(rng: Random, problem: Problem, share: float = 0.6) -> Problem:
    """The problem with UPOS tags and features that the universal toy model knows, for some
    words."""

    def given(known: str | None) -> str | None:
        return known if rng.random() < share else None

    words = [
        replace(
            word,
            upos=given(rng.choice(UPOS)),
            features=given(
                rng.choice(("", "Case=Nom", "Case=Nom|Number=Sing", "PronType=Int,Rel"))
            ),
        )
        for word in problem.words
    ]
    return replace(problem, words=tuple(words))


def toy_header(inputs: Iterable[str] = (), *, lifting: bool = False) -> Header:
    described = describe_network(SMALL, inputs, lifting=lifting)
    fields = {"name": "toy", "tag_column": "xpos", "scorer": "neural", **described}
    return cast(Header, fields)


def toy_stored(seed: int = 0, *, lifting: bool = False) -> StoredNetwork:
    lexicon, vocabulary = toy_lexicon(), toy_vocabulary()
    parameters = toy_parameters(lexicon, vocabulary, seed, lifting=lifting)
    return StoredNetwork.from_parameters(lexicon, parameters)


def random_slots(rng: Random) -> SlotTable:
    """Any slots in any order, with any pairs there can be."""
    seconds = (*STATE_ADDRESSES, *CANDIDATE_ADDRESSES)
    pairs = [(first, second) for first in CANDIDATE_ADDRESSES for second in seconds]
    chosen = rng.sample(pairs, rng.randint(0, 12))
    chosen += some_of(rng, (("A", "family"), ("L", "dependents"), ("L", "unplaced")))
    rng.shuffle(chosen)
    return SlotTable(
        state=tuple(some_of(rng, STATE_ADDRESSES)),
        arc=tuple(some_of(rng, STATE_ADDRESSES)) or ("S0",),
        candidate=tuple(some_of(rng, CANDIDATE_ADDRESSES)),
        sets=tuple(some_of(rng, SET_NAMES)),
        pairs=tuple(chosen),
    )


def some_of(rng: Random, items: Sequence[T]) -> list[T]:
    return rng.sample(items, rng.randint(0, len(items)))
