"""Conditions: which share of a gold sentence's tags, arcs and labels a problem gives.

Evaluation and training turn gold sentences into problems here. Which condition a sentence has in an
epoch of training is decided in `visits`.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from syntagma.problem.parse import readable_features
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.treebanks.treebank import Sentence


@dataclass(frozen=True, slots=True)
class Condition:
    """The shares of tags and arcs that are given, and whether given arcs have their labels."""

    name: str
    tags: float
    arcs: float
    labelled: bool = False


_SHARES = (0, 50, 100)

# The five main conditions, then the nine of L15 Table 3.
CONDITIONS: dict[str, Condition] = {
    condition.name: condition
    for condition in (
        Condition("none", tags=0, arcs=0),
        Condition("pos", tags=1, arcs=0),
        Condition("half", tags=0.5, arcs=0.5),
        Condition("tree", tags=1, arcs=1),
        Condition("labelled", tags=1, arcs=1, labelled=True),
        *(
            Condition(f"tags{tags}-arcs{arcs}", tags / 100, arcs / 100)
            for tags in _SHARES
            for arcs in _SHARES
        ),
    )
}

MAIN_CONDITIONS = ("none", "pos", "half", "tree", "labelled")


def sentence_rng(seed: int, index: int) -> random.Random:
    """The random number generator for sentence `index` of a treebank."""
    return random.Random(f"{seed}:{index}")


def constrain(
    sentence: Sentence, condition: Condition, rng: random.Random, *, shuffle: bool = True
) -> Problem:
    """Turn a gold sentence into a problem: shuffle its words and give what `condition` says.

    Training does not shuffle: it needs the gold order, and the order in which a problem lists its
    words has no influence on features.

    With the tag of a word, its UPOS tag and its features are given, too.

    The same state of `rng` gives the same shuffle under every condition, and what is given at a
    lower share is also given at a higher one.
    """
    size = len(sentence.forms)
    draws = [(rng.random(), rng.random()) for _ in range(size)]
    places = list(range(size))
    if shuffle:
        rng.shuffle(places)
    index_of = {place: index for index, place in enumerate(places, start=1)}

    features = list(map(readable_features, sentence.features)) if any(sentence.features) else ()
    words = []
    for place in places:
        tag_draw, arc_draw = draws[place]
        tag_given = tag_draw < condition.tags
        upos = sentence.upos[place] if tag_given and sentence.upos else ""
        arc_given = arc_draw < condition.arcs
        head = sentence.heads[place] if arc_given else None
        words.append(
            Word(
                form=sentence.forms[place],
                tag=sentence.tags[place] or None if tag_given else None,
                head=index_of[head - 1] if head else head,
                deprel=sentence.deprels[place] if arc_given and condition.labelled else None,
                features=features[place] if tag_given and features else None,
                upos=upos or None,
            )
        )
    return Problem(tuple(words), id=sentence.id)


def draw_condition(rng: random.Random, shares: Sequence[int]) -> Condition:
    """Draw a condition for one visit of a training sentence.

    `shares` are the relative frequencies of none, pos, in between, tree and labelled. Uniform
    amounts alone would hardly ever give an unconstrained bag of words or a full tree.
    """
    [kind] = rng.choices(("none", "pos", "between", "tree", "labelled"), shares)
    if kind == "between":
        return Condition("between", rng.random(), rng.random(), labelled=rng.random() < 0.5)
    return CONDITIONS[kind]
