"""Made-up text, n-gram models of it, and what tests ask of a model."""

import math
from functools import cache
from random import Random

import numpy as np
from references.ngrams import log_prob

from syntagma.language_model.backoff import END, START, BackoffModel, NGramOrder
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import word_class
from toys.treebank import SENTENCES


def plain_class(word: str) -> str:
    return "<unk:x>"


def make_text(seed: int, sentences: int = 300, words: int = 30) -> list[list[str]]:
    """Sentences in which each word makes some others likely and some words are rare."""
    rng = Random(seed)
    text = []
    for _ in range(sentences):
        sentence, last = [], 0
        for _ in range(rng.randint(0, 9)):
            step = rng.choice((1, 1, 1, 2, 3, int(rng.expovariate(0.15))))
            last = (last * 2 + step) % words
            sentence.append(f"w{last}")
        text.append(sentence)
    return text


def contexts(model: BackoffModel, rng: Random, count: int) -> list[list[int]]:
    """Contexts as in sentences: `<s>` only at the start, no `</s>`."""
    words = [number for number in range(len(model.words)) if number not in (START, END)]
    return [
        [START] * rng.randint(0, 1) + rng.choices(words, k=rng.randint(0, 4)) for _ in range(count)
    ]


def sums_to_one(model: BackoffModel, seed: int = 0, count: int = 30) -> bool:
    return all(
        math.isclose(
            sum(
                math.exp(log_prob(model, context, word))
                for word in range(len(model.words))
                if word != START
            ),
            1,
            abs_tol=2e-5,
        )
        for context in contexts(model, Random(seed), count)
    )


def make_order(rows: list[tuple[int, int, float, float]]) -> NGramOrder:
    parent, word, log_prob, backoff = zip(*rows, strict=True)
    return NGramOrder(
        np.array(parent, dtype=np.int32),
        np.array(word, dtype=np.int32),
        np.array(log_prob, dtype=np.float32),
        np.array(backoff, dtype=np.float32),
    )


def make_model() -> BackoffModel:
    """Words a (3) and b (4); bigrams <s> a, a b, b </s>; trigram <s> a b."""
    words = ("<unk>", "<s>", "</s>", "a", "b")
    first = make_order(
        [(0, 0, -4, 0), (0, 1, 0, -0.5), (0, 2, -1, 0), (0, 3, -1.5, -0.25), (0, 4, -1.25, -0.125)]
    )
    second = make_order([(1, 3, -0.5, -1), (3, 4, -0.75, 0), (4, 2, -0.5, 0)])
    return BackoffModel(words, (first, second, make_order([(0, 4, -0.1, 0)])))


@cache
def small_model(order: int = 3, seed: int = 1) -> BackoffModel:
    """A model in which classes stand for rare words."""
    text = make_text(seed)
    return estimate(text, order=order, word_class=word_class, min_count=3)


@cache
def model_of_many(count: int = 300) -> BackoffModel:
    """A model in which `a` and `<s> a` have `count` continuations."""
    text = [["a", f"v{i}"] for i in range(count)] + [["b", "a", "b"], ["b", "b"]]
    return estimate(text, order=3, word_class=word_class)


@cache
def large_model() -> BackoffModel:
    """A model with more words than 16 bits can number, also in its n-grams."""
    words = [f"v{i}" for i in range(70_000)]
    return estimate([words, *make_text(1, 50)], order=2, word_class=word_class)


def toy_text() -> list[list[str]]:
    """The words of the sentences of the toy treebank."""
    return [
        [token.rsplit("/", 3)[0] for token in line.split()]
        for line in SENTENCES.strip().splitlines()
    ]
