"""What a sentence teaches about lifting: how far its words are lifted, and the tree that results.

Only training imports this module. Liftings are explained in `transition.lifting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from syntagma.problem.problem import Problem
from syntagma.problem.trees import least_lifting, lift_heads
from syntagma.transition.encoding import Encoding
from syntagma.transition.lifting import MOST_STEPS, Lifting, lift_encoding, room_of
from syntagma.transition.training import Reference, encode_training
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence


@dataclass(frozen=True, slots=True)
class Lifted:
    """A sentence as annotated, the lifting that makes it projective, and the sentence after it."""

    annotated: Sentence
    lifting: Lifting
    projective: Sentence


def with_lifting(sentence: Sentence) -> tuple[Sentence, Lifting]:
    """A sentence with the least lifting that makes its tree, as annotated, projective."""
    lifting = least_lifting(sentence.annotated_heads or sentence.heads)
    assert lifting is not None  # of a tree with one root
    return sentence, lifting


def lift_sentence(sentence: Sentence, lifting: Lifting) -> Lifted:
    heads = sentence.annotated_heads or sentence.heads
    if not any(lifting):
        return Lifted(sentence, lifting, sentence)
    lifted = tuple(head or 0 for head in lift_heads(heads, lifting))
    return Lifted(replace(sentence, heads=heads), lifting, replace(sentence, heads=lifted))


def encode_lifted(
    lifted: Lifted, problem: Problem, vocabulary: Vocabulary
) -> tuple[Encoding, Encoding, Reference]:
    """A problem that lists the words of a sentence in order: (as given, lifted, its derivation)."""
    problem = without_unreachable(problem, lifted.lifting)
    encoding, reference = encode_training(lifted.projective, problem, vocabulary)
    lifting = [0] * len(problem.words)
    for number, word, steps in zip(
        reference.order.tolist(), problem.words, lifted.lifting, strict=True
    ):
        if word.head:
            lifting[number] = steps
    return encoding, lift_encoding(encoding, tuple(lifting)), reference


def without_unreachable(problem: Problem, lifting: Sequence[int]) -> Problem:
    """The problem without the arcs of words that must be lifted further than arcs are given: no
    search could order it as the sentence is."""
    words = list(problem.words)
    changed = any(lifting)
    while changed:
        changed = False
        for at, steps in enumerate(lifting):
            head = words[at].head
            for _ in range(steps if head else 0):
                head = words[head - 1].head if head else None
            if words[at].head and not head:
                words[at] = replace(words[at], head=None, deprel=None)
                changed = True
    return problem if tuple(words) == problem.words else replace(problem, words=tuple(words))


def open_steps(heads: Sequence[int], lifting: Sequence[int]) -> npt.NDArray[np.int32]:
    """How far each word is to be lifted, as the network tells it; -1 if it cannot be."""
    room = np.array(room_of(heads), np.int32)
    return np.where(room > 0, np.minimum(np.array(lifting, np.int32), MOST_STEPS), -1)
