"""What sentences teach about lifting."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from references.brute_force import random_heads

from syntagma.problem.problem import Problem
from syntagma.problem.trees import is_projective, least_lifting, lift
from syntagma.problem.word import Word
from syntagma.treebanks.conditions import Condition, constrain
from syntagma.treebanks.treebank import Sentence

pytest.importorskip("torch")

from syntagma.neural.adaptation import adapt
from syntagma.neural.batches import (
    collate,
    encode_lifted,
    lift_sentence,
    with_lifting,
    without_unreachable,
)
from syntagma.neural.settings import NeuralSettings
from syntagma.neural.training import NeuralLearner
from syntagma.transition.training import learn_vocabulary


def random_sentence(rng: Random, n: int) -> Sentence:
    """A sentence whose tree was lifted when it was read, if it had to be."""
    heads = tuple(random_heads(rng, n))
    lifted = lift(heads)
    return Sentence(
        tuple(f"w{rng.randrange(4)}" for _ in range(n)),
        ("NN",) * n,
        lifted,
        tuple("dep" if head else "root" for head in heads),
        annotated_heads=() if lifted == heads else heads,
    )


SENTENCES = [random_sentence(Random(seed), 2 + seed % 7) for seed in range(60)]
VOCABULARY = learn_vocabulary(SENTENCES).without_forms()


def test_a_lifted_sentence_is_projective_and_the_other_as_annotated() -> None:
    for sentence in SENTENCES:
        _, lifting = with_lifting(sentence)
        annotated, projective = lift_sentence(sentence, lifting)
        assert annotated.heads == (sentence.annotated_heads or sentence.heads)
        assert lifting == least_lifting(annotated.heads)
        assert is_projective(projective.heads)
        assert (projective is annotated) == (not any(lifting))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_derivation_of_a_lifted_problem_has_the_lifted_arcs(share: float) -> None:
    condition = Condition("some", tags=1, arcs=share, labelled=True)
    seen = 0
    for seed, sentence in enumerate(SENTENCES):
        _, lifting = with_lifting(sentence)
        annotated, projective = lift_sentence(sentence, lifting)
        problem = constrain(annotated, condition, Random(seed), shuffle=False)
        given, ordered, reference = encode_lifted(projective, lifting, problem, VOCABULARY)
        assert ordered.given_heads == given.heads
        seen += any(ordered.lifts)
        for number, head in enumerate(ordered.heads):
            if head >= 0:
                assert reference.heads[number] == head
    assert bool(seen) == (share > 0)


def test_arcs_that_must_be_lifted_beyond_what_is_given_are_not_given() -> None:
    words = [Word("a", head=4, deprel="x"), Word("b", head=0), Word("c", head=2), Word("d", head=3)]
    problem = Problem.of(words)
    assert without_unreachable(problem, (2, 0, 0, 0)) == problem
    partly = Problem.of([*words[:2], Word("c"), words[3]])
    assert without_unreachable(partly, (1, 0, 0, 0)) == partly
    dropped = without_unreachable(partly, (2, 0, 0, 0))
    assert dropped.words == (Word("a"), *partly.words[1:])
    # Without the arc of d, a can no longer be lifted either.
    both = without_unreachable(partly, (1, 0, 0, 1))
    assert [word.head for word in both.words] == [None, 0, None, None]


def test_examples_of_non_projective_sentences() -> None:
    settings = NeuralSettings(condition="labelled", realize=False)
    learner = NeuralLearner(adapt(settings, SENTENCES), 1)
    learner.begin(SENTENCES, ())
    kinds = set()
    for index, sentence in enumerate(SENTENCES):
        examples = learner._examples(1, index, *with_lifting(sentence))
        lifting = least_lifting(sentence.annotated_heads or sentence.heads)
        kinds.add(len(examples))
        assert len(examples) == 1 + any(lifting or ())
        last = examples[-1]
        assert sorted(last.steps[last.steps > 0].tolist()) == sorted(
            min(steps, 3) for steps in lifting or () if steps
        )
        if len(examples) == 2:
            ordering, other = examples
            assert not other.traces
            assert (ordering.steps == -1).all()
            assert (ordering.lifts > 0).any()
            assert not other.lifts.any()
        batch = collate(examples)
        assert batch.n_words == len(sentence)
        assert len(batch.mask) == len(examples)
    assert kinds == {1, 2}


def test_a_network_learns_to_lift() -> None:
    """In this language an adjective stands before the verb, its noun after it."""
    rng = Random(1)
    sentences = []
    for _ in range(60):
        noun, verb = rng.choice(("fox", "hen", "cat")), rng.choice(("saw", "hid"))
        adjective = rng.choice(("old", "red"))
        sentence = Sentence(
            ("I", adjective, verb, noun),
            ("PRP", "JJ", "VB", "NN"),
            (3, 4, 0, 3),
            ("nsubj", "amod", "root", "obj"),
        )
        sentences.append(
            replace(sentence, heads=lift(sentence.heads), annotated_heads=(3, 4, 0, 3))
        )
    settings = NeuralSettings(condition="labelled", epochs=4, batch_words=40, realize=False)
    learner = NeuralLearner(adapt(settings, sentences), 1)
    vocabulary = learner.begin(sentences, ())
    for epoch in range(1, 5):
        learner.pass_over(epoch, lambda: None)
    from syntagma.linearizer.linearizer import Linearizer
    from syntagma.models.model import build_model

    header = {"name": "toy", "tag_column": "xpos", "scorer": "neural", **learner.describe()}
    linearizer = Linearizer(build_model(header, vocabulary, learner.stored()))
    assert linearizer.lifts
    words = [
        Word("hen", "NN", 4, "obj"),
        Word("red", "JJ", 1, "amod"),
        Word("I", "PRP", 4, "nsubj"),
        Word("saw", "VB", 0, "root"),
    ]
    result = linearizer.order(words)
    assert (result.text, result.heads) == ("I red saw hen", (3, 4, 0, 3))
    assert linearizer.order(words, projective=True).projective
