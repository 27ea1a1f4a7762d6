"""How training goes through a treebank: in which order, and what is given of each sentence."""

import random

from syntagma.problem.problem import Problem
from syntagma.treebanks.conditions import CONDITIONS, constrain, draw_condition
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence


def shuffled(settings: Settings, epoch: int, count: int) -> list[int]:
    """The order in which an epoch visits `count` sentences."""
    visits = list(range(count))
    random.Random(f"{settings.seed}:epoch:{epoch}").shuffle(visits)
    return visits


LEMMAS = 0.6  # of the visits, where realisation is learned


def of_lemmas(settings: Settings, epoch: int, index: int) -> bool:
    """Whether sentence `index` is seen as it would be realized from its lemmas in an epoch."""
    return random.Random(f"{settings.seed}:lemmas:{epoch}:{index}").random() < LEMMAS


def visit(settings: Settings, epoch: int, index: int, sentence: Sentence) -> Problem:
    """The problem that sentence `index` poses in an epoch, its words in their gold order."""
    rng = random.Random(f"{settings.seed}:{epoch}:{index}")
    mixed = settings.condition == "mixed"
    condition = draw_condition(rng, settings.shares) if mixed else CONDITIONS[settings.condition]
    return constrain(sentence, condition, rng, shuffle=False)
