"""Learns the margin of acceptable orders: what `fit-margin` does, and `train` and `add-lm` at their
end.

The loss of an order, divided by the number of its adjacent pairs of words, separates the sentences
of a treebank from sentences with two words swapped as well as any combination of loss, length, and
the parts of the score that was tried (docs/lab/acceptance.md). So the margin is one number: the
least that accepts `ACCEPTED` of the development set's own orders, with nothing but the words given.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from syntagma.errors import ModelError, TrainingError
from syntagma.files.locking import locked
from syntagma.files.paths import check_path
from syntagma.files.writing import check_output
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.container import read_container, write_container
from syntagma.models.header import LANGUAGE_MODEL
from syntagma.models.loading import load_model, model_path
from syntagma.models.model import MARGIN, Margin
from syntagma.problem.problem import Problem
from syntagma.treebanks.conditions import sentence_rng
from syntagma.treebanks.treebank import Sentence, as_sentences

ACCEPTED = 0.9  # share of attested orders
MAX_WORDS = 12  # of the sentences that are judged
MIN_SENTENCES = 20  # too few to fit a margin below this
SEED = 1
_STEPS = 100  # the margin is rounded up to a multiple of 1/100

Task = tuple[Sequence[str], Sequence[str]]  # a sentence, and the same with two words swapped


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses of a sentence's own order and of that with two words swapped, per adjacent pair.

    An order that scores better than the best one found, or that is the best one, has loss 0.
    """

    attested: float
    swapped: float


def swap(forms: Sequence[str], rng: random.Random) -> list[str] | None:
    """The words with two different ones swapped at random; None if all are the same."""
    pairs = [(a, b) for b in range(len(forms)) for a in range(b) if forms[a] != forms[b]]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    swapped = list(forms)
    swapped[a], swapped[b] = swapped[b], swapped[a]
    return swapped


def tasks(sentences: Iterable[Sentence]) -> list[Task]:
    """The sentences of at most `MAX_WORDS` words, with their swaps; a swap depends on the place of
    the sentence in the treebank. Sentences with nothing to swap are left out."""
    return [
        (sentence.forms, swapped)
        for index, sentence in enumerate(sentences)
        if len(sentence.forms) <= MAX_WORDS
        and (swapped := swap(sentence.forms, sentence_rng(SEED, index))) is not None
    ]


def measure(linearizer: Linearizer, task: Task) -> Losses:
    """The losses of a sentence and its swap, nothing but the words given."""
    forms, swapped = task
    problem = Problem.of(forms)
    best = linearizer.order(problem)

    def loss(order: Sequence[str]) -> float:
        if tuple(order) == best.words:
            return 0.0
        return max(best.score - linearizer.score(problem, order).score, 0.0) / (len(order) - 1)

    return Losses(loss(forms), loss(swapped))


def fit(losses: Sequence[Losses]) -> Margin:
    """The least margin that accepts `ACCEPTED` of the attested orders.

    The rates that are stated with it are measured on each half of the sentences with the margin
    fitted to the other half.
    """
    halves = losses[::2], losses[1::2]
    rates = [_rates(other, _limit(half)) for half, other in (halves, halves[::-1])]
    attested, swapped = (round(fmean(rate), 3) for rate in zip(*rates, strict=True))
    return Margin(_limit(losses), attested, swapped, len(losses), MAX_WORDS)


def _limit(losses: Sequence[Losses]) -> float:
    """The least limit within which `ACCEPTED` of the attested orders are, rounded up."""
    ordered = sorted(each.attested for each in losses)
    least = ordered[math.ceil(ACCEPTED * len(ordered)) - 1]
    return math.ceil(least * _STEPS) / _STEPS


def _rates(losses: Sequence[Losses], limit: float) -> tuple[float, float]:
    """The shares of accepted orders: attested and swapped."""
    return (
        fmean(each.attested <= limit for each in losses),
        fmean(each.swapped <= limit for each in losses),
    )


def learn_margin(
    linearizer: Linearizer,
    dev: Sequence[Sentence],
    *,
    threads: int = 1,
    on_sentence: Callable[[], None] = lambda: None,
) -> Margin | None:
    """The margin of a model on a development set; None if that has too few short sentences."""
    judged = tasks(dev)
    if len(judged) < MIN_SENTENCES:
        return None
    losses = []
    with ThreadPoolExecutor(threads) as pool:
        for each in pool.map(partial(measure, linearizer), judged):
            losses.append(each)
            on_sentence()
    return fit(losses)


def describe_margin(margin: Margin | None) -> dict[str, Any]:
    """The header field of a margin; nothing if there is none."""
    return {} if margin is None else {MARGIN: margin.to_json()}


def write_margins(
    path: str | Path,
    source: str | Path,
    dev: Sequence[Sentence],
    *,
    threads: int = 1,
    on_sentence: Callable[[], None] = lambda: None,
) -> list[Margin | None]:
    """Write the model at `source` to `path` with the margins learned on `dev`: one without and, if
    it has a language model, one with it."""
    header, arrays = read_container(source)
    margins = []
    for with_lm in (False, True) if LANGUAGE_MODEL in header else (False,):
        linearizer = Linearizer(load_model(source, language_model=with_lm))
        margin = learn_margin(linearizer, dev, threads=threads, on_sentence=on_sentence)
        about = header[LANGUAGE_MODEL] if with_lm else header
        about.pop(MARGIN, None)
        about.update(describe_margin(margin))
        margins.append(margin)
    write_container(path, header, arrays)
    return margins


def fit_margin(
    model: str | Path,
    dev: Sequence[Sentence],
    output: str | Path,
    *,
    threads: int = 1,
    on_sentence: Callable[[], None] = lambda: None,
) -> list[Margin]:
    """Write a model with the margin of acceptable orders, learned on `dev`.

    If the model has a language model, there are two: one for scores without it, one with it.
    """
    dev = as_sentences(dev, "dev")
    check_path(output, "output")
    path = model_path(model)
    check_output(output, [path])
    if load_model(path, search=None).search != "beam":
        raise ModelError(f"{path}: best-first search cannot score orders, so it has no margin")
    if (count := len(tasks(dev))) < MIN_SENTENCES:
        raise TrainingError(
            f"a margin is learned from at least {MIN_SENTENCES} sentences of 2 to {MAX_WORDS} "
            f"words, but dev has {count}"
        )
    with locked(Path(output)):
        margins = write_margins(output, path, dev, threads=threads, on_sentence=on_sentence)
    return [margin for margin in margins if margin is not None]
