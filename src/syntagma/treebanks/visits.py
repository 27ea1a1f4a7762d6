"""Visits: in which order an epoch of training visits sentences, and which problem each one poses.

Everything drawn depends only on the seed, the epoch and the index of the sentence, so that a run
that was interrupted resumes with the same visits.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative
from syntagma.treebanks.conditions import CONDITIONS, constrain, draw_condition
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence

ALL_TAGS = 0.5  # share of visits that give all of tags, UPOS tags and features
ONLY_TAGS = 0.2  # share of visits that give tags only; the others give some of the three


def shuffled(settings: Settings, epoch: int, count: int) -> list[int]:
    """The order in which an epoch visits `count` sentences."""
    visits = list(range(count))
    random.Random(f"{settings.seed}:epoch:{epoch}").shuffle(visits)
    return visits


def visit(settings: Settings, epoch: int, index: int, sentence: Sentence) -> Problem:
    """The problem that sentence `index` poses in an epoch, its words in their gold order."""
    rng = random.Random(f"{settings.seed}:{epoch}:{index}")
    mixed = settings.condition == "mixed"
    condition = draw_condition(rng, settings.shares) if mixed else CONDITIONS[settings.condition]
    if not settings.labelled:
        condition = replace(condition, labelled=False)
    return constrain(sentence, condition, rng, shuffle=False)


def thin_tags(
    settings: Settings, epoch: int, index: int, sentence: Sentence, inputs: Collection[str]
) -> Sentence:
    """The sentence with all or some of its tags, UPOS tags and features, so that a learner can do
    without any of them; `inputs` names those of the last two that it reads."""
    if not inputs:
        return sentence
    rng = random.Random(f"{settings.seed}:inputs:{epoch}:{index}")
    drawn = rng.random()
    if drawn < ALL_TAGS:
        return sentence
    sizes = range(1, len(inputs) + 1)
    subsets = list(chain(*(combinations(("tags", *inputs), size) for size in sizes)))
    kept = ("tags",) if drawn < ALL_TAGS + ONLY_TAGS else rng.choice(subsets)
    return replace(
        sentence,
        tags=sentence.tags if "tags" in kept else ("",) * len(sentence),
        upos=sentence.upos if "upos" in kept else (),
        features=sentence.features if "features" in kept else (),
    )


def of_lemmas(settings: Settings, epoch: int, index: int) -> bool:
    """Whether an epoch visits sentence `index` with lemmas instead of forms, as in realisation."""
    return random.Random(f"{settings.seed}:lemmas:{epoch}:{index}").random() < settings.lemmas


@dataclass(frozen=True, slots=True)
class InflectedVisit:
    """The problem with each lemma in its likeliest form, the forms that each word may take, and
    the index of the one that it has in the sentence."""

    problem: Problem
    alternatives: Sequence[Sequence[Alternative]]
    chosen: Sequence[int]


# Turns the problem that a sentence poses into one of its lemmas.
InflectVisit = Callable[[Sentence, Problem], InflectedVisit]
