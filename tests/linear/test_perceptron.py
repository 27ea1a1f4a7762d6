"""The compiled perceptron against a slow reference.

Epochs, resuming a run and the choice of a model are tested with training.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from references.transition import LEFTARC, RIGHTARC, SHIFT, Action, Arcs
from toys.models import few_templates, make_scorer, toy_sentence, toy_vocabulary
from toys.probes import beam_search, decode_actions

from syntagma.linear._perceptron import DerivationWalk, Perceptron, Update
from syntagma.linear._search import LinearSearch
from syntagma.linear.scorer import LinearScorer
from syntagma.linear.templates import templates
from syntagma.models.container import read_container, write_container
from syntagma.transition.encoding import Encoding
from syntagma.transition.training import Reference, encode_training, learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.conditions import CONDITIONS, constrain, draw_condition

NONE = -1
WIDTH = 3
Example = tuple[Encoding, Reference]


def some_examples(seed: int, vocabulary: Vocabulary, count: int = 8) -> list[Example]:
    """Sentences of known tags and labels, under random conditions."""
    rng = Random(seed)
    examples: list[Example] = []
    while len(examples) < count:
        sentence = toy_sentence(rng)
        known = set(sentence.deprels) <= {*vocabulary.labels, "root"}
        if known and set(sentence.tags) <= set(vocabulary.tags):
            problem = constrain(sentence, draw_condition(rng, (1, 1, 1, 1, 1)), rng, shuffle=False)
            examples.append(encode_training(sentence, problem, vocabulary))
    return examples


# ---- a plain perceptron ----------------------------------------------------------------------


def gold_actions(reference: Reference, lazy: bool = False) -> list[Action]:
    """Left subtrees, the word, its left arcs from the inside out, then each right subtree. In the
    lazy order the left arcs come last."""
    order = reference.order.tolist()

    def derive(word: int) -> list[Action]:
        dependents = [w for w in order if reference.heads[w] == word]
        left = [w for w in dependents if order.index(w) < order.index(word)]
        actions = [action for w in left for action in derive(w)]
        actions.append((SHIFT, word, int(reference.tags[word]), NONE))
        left_arcs = [(LEFTARC, NONE, NONE, int(reference.labels[w])) for w in reversed(left)]
        right_part: list[Action] = []
        for w in dependents[len(left) :]:
            right_part += [*derive(w), (RIGHTARC, NONE, NONE, int(reference.labels[w]))]
        return actions + (right_part + left_arcs if lazy else left_arcs + right_part)

    return derive(next(w for w in order if reference.heads[w] < 0))


@dataclass
class Hypothesis:
    score: float
    actions: list[Action]
    gold: bool  # the reference so far, labels apart unless each of them is an action


@dataclass
class PlainPerceptron:
    """A perceptron of dictionaries and lists; only legal actions and feature keys come from the
    compiled code."""

    scorer: LinearScorer
    max_violation: bool
    every_label: bool = False
    weights: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    sums: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    steps: int = 0

    def features(self, example: Example, actions: list[Action]) -> list[int]:
        derivation = DerivationWalk(example[0].task, self.scorer)
        keys: list[int] = []
        for action in actions:
            keys += derivation.features(action)
            derivation.apply(action)
        return keys

    def total(self, keys: list[int]) -> float:
        return sum(self.weights.get(key, 0.0) for key in keys)

    def advance(self, example: Example, beam: list[Hypothesis], gold: Action) -> list[Hypothesis]:
        """One step of the beam; unless `every_label`, only the best label of an arc is kept. Ties
        as in the compiled search."""
        candidates = []
        for parent, hypothesis in enumerate(beam):
            derivation = DerivationWalk(example[0].task, self.scorer)
            for action in hypothesis.actions:
                derivation.apply(action)
            chosen: dict[object, tuple[float, Action]] = {}
            for action in derivation.legal():
                score = self.total(derivation.features(action))
                choice = action if action[0] == SHIFT or self.every_label else action[0]
                if choice not in chosen or score > chosen[choice][0]:
                    chosen[choice] = score, action
            candidates += [
                (-hypothesis.score - score, parent, action) for score, action in chosen.values()
            ]
        return [
            Hypothesis(
                -score,
                [*beam[parent].actions, action],
                beam[parent].gold
                and action[:3] == gold[:3]
                and (action[3] == gold[3] or not self.every_label),
            )
            for score, parent, action in sorted(candidates)[:WIDTH]
        ]

    def violation(self, example: Example) -> tuple[list[Action], list[Action]]:
        """The gold and the best derivation up to the step at which they are compared."""
        gold = gold_actions(example[1], self.scorer.lazy)
        beam, best = [Hypothesis(0.0, [], True)], None
        largest = -np.inf
        for step, action in enumerate(gold, 1):
            beam = self.advance(example, beam, action)
            if self.max_violation:
                lead = beam[0].score - self.total(self.features(example, gold[:step]))
                if not beam[0].gold and lead > largest:
                    best, largest = beam[0].actions, lead
            elif not any(hypothesis.gold for hypothesis in beam):
                best = beam[0].actions
                break
        if best is None or beam[0].gold:
            best = beam[0].actions
        return gold[: len(best)], best

    def step(self, example: Example) -> bool:
        """Learn from one example; True if there was nothing to learn."""
        gold, best = self.violation(example)
        self.steps += 1
        for key, weight in self.weights.items():
            self.sums[key] += weight
        if gold == best:
            return True
        for key in self.features(example, gold):
            self.weights[key] += 1.0
        for key in self.features(example, best):
            self.weights[key] -= 1.0
        return False

    def averaged(self) -> dict[int, float]:
        """The mean of the weights over all steps."""
        return {key: total / self.steps for key, total in self.sums.items() if total}


# ---- the compiled perceptron against it ------------------------------------------------------


def learn(learner: Perceptron, example: Example, max_violation: bool) -> Update:
    encoding, gold = example
    return learner.learn(
        encoding.task, gold.order, gold.heads, gold.labels, gold.tags, WIDTH, max_violation
    )


def new_learner(
    feature_set: str, vocabulary: Vocabulary, arcs: Arcs = "eager", every_label: bool = False
) -> Perceptron:
    return Perceptron(
        templates(feature_set),
        vocabulary.label_index,
        vocabulary.label_pool,
        arcs == "lazy",
        every_label,
    )


def weights_of(learner: Perceptron) -> dict[int, float]:
    state = learner.weights.state()
    weights = state["slots"].view(np.dtype([("fingerprint", np.uint32), ("weight", np.float32)]))
    pairs = zip(state["keys"].tolist(), weights["weight"].tolist(), strict=True)
    return {key: weight for key, weight in pairs if weight}


def averages_of(learner: Perceptron) -> dict[int, float]:
    keys, values = learner.weights.averaged()
    return dict(zip(keys.tolist(), values.tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("max_violation", [False, True])
@pytest.mark.parametrize(
    ("feature_set", "arcs", "every_label"),
    [
        ("l15", "eager", False),
        ("l15", "lazy", True),
        ("p16", "eager", False),
        ("p16", "eager", True),
        ("p16+", "lazy", False),
    ],
)
def test_updates_are_those_of_a_plain_perceptron(
    feature_set: str, arcs: Arcs, every_label: bool, max_violation: bool
) -> None:
    vocabulary = toy_vocabulary(2)
    learner = new_learner(feature_set, vocabulary, arcs, every_label)
    scorer = make_scorer(feature_set, vocabulary, arcs=arcs)
    plain = PlainPerceptron(scorer, max_violation, every_label)
    outcomes = []
    for example in some_examples(1, vocabulary) * 4:
        update = learn(learner, example, max_violation)
        learner.apply(update)
        outcomes.append(update.correct)
        assert update.correct == plain.step(example)
        assert weights_of(learner) == {key: w for key, w in plain.weights.items() if w}
        assert learner.weights.steps == plain.steps
    assert averages_of(learner) == pytest.approx(plain.averaged(), rel=1e-5, abs=1e-7)
    assert True in outcomes
    assert False in outcomes


def test_the_two_kinds_of_update_differ() -> None:
    vocabulary = toy_vocabulary(2)
    learned = []
    for max_violation in (False, True):
        learner = new_learner("p16", vocabulary)
        for example in some_examples(1, vocabulary):
            learner.apply(learn(learner, example, max_violation))
        learned.append(weights_of(learner))
    assert learned[0] != learned[1]


def test_learning_changes_nothing_until_it_is_applied() -> None:
    """So a batch may be searched on threads and applied in order."""
    vocabulary = toy_vocabulary(2)
    learner = new_learner("p16", vocabulary)
    examples = some_examples(1, vocabulary)
    learner.apply(learn(learner, examples[0], True))
    before = weights_of(learner)
    updates = [learn(learner, example, True) for example in examples]
    assert weights_of(learner) == before
    assert learner.weights.steps == 1
    for update in updates:
        learner.apply(update)
    assert learner.weights.steps == 1 + len(examples)
    assert weights_of(learner) != before


@pytest.mark.parametrize("arcs", ["eager", "lazy"])
@pytest.mark.parametrize("max_violation", [False, True])
@pytest.mark.parametrize("condition", ["none", "labelled"])
def test_repetition_learns_the_examples(condition: str, max_violation: bool, arcs: Arcs) -> None:
    """And the search with the weights learned gives the sentences back."""
    rng = Random(3)
    sentences = []
    for number in range(6):
        sentence = toy_sentence(rng)
        forms = tuple(f"s{number}w{place}" for place in range(len(sentence)))
        sentences.append(replace(sentence, forms=forms))
    vocabulary = learn_vocabulary(sentences * 2)
    examples = [
        encode_training(s, constrain(s, CONDITIONS[condition], rng, shuffle=False), vocabulary)
        for s in sentences
    ]
    learner = new_learner("p16+", vocabulary, arcs)
    wrong = len(examples)
    for _ in range(50):
        if wrong == 0:
            break
        wrong = 0
        for example in examples:
            update = learn(learner, example, max_violation)
            learner.apply(update)
            wrong += not update.correct
    assert wrong == 0
    scorer = make_scorer("p16+", vocabulary, weights_of(learner), arcs)
    for sentence, (encoding, _) in zip(sentences, examples, strict=True):
        [(score, actions)] = beam_search(LinearSearch(encoding.task, WIDTH, scorer))
        result = decode_actions(encoding, vocabulary, score, actions)
        assert (result.text, result.heads) == (sentence.text, sentence.heads)
        assert (result.tags, result.deprels) == (sentence.tags, sentence.deprels)


@pytest.mark.parametrize("arcs", ["eager", "lazy"])
def test_the_reference_derivation_is_legal_and_builds_the_sentence(arcs: Arcs) -> None:
    """Also of sentences with twins, whose words may change places."""
    rng = Random(9)
    for seed in range(100):
        sentence = toy_sentence(rng, 9)
        vocabulary = learn_vocabulary([sentence])
        problem = constrain(sentence, draw_condition(rng, (1, 1, 1, 1, 1)), rng, shuffle=False)
        encoding, reference = encode_training(sentence, problem, vocabulary)
        scorer = make_scorer(few_templates(), vocabulary, arcs=arcs)
        derivation = DerivationWalk(encoding.task, scorer)
        actions = gold_actions(reference, scorer.lazy)
        for action in actions:
            assert action[:3] in {legal[:3] for legal in derivation.legal()}, (seed, action)
            derivation.apply(action)
        assert derivation.finished
        result = decode_actions(encoding, vocabulary, 0.0, actions)
        assert (result.text, result.heads) == (sentence.text, sentence.heads)
        assert (result.tags, result.deprels) == (sentence.tags, sentence.deprels)


# ---- stop, resume, grow ----------------------------------------------------------------------


def continued(learner: Perceptron, examples: list[Example]) -> tuple[object, ...]:
    for example in examples:
        learner.apply(learn(learner, example, True))
    return weights_of(learner), averages_of(learner), learner.weights.steps, learner.weights.used


def test_a_restored_learner_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    vocabulary = toy_vocabulary(2)
    examples = some_examples(1, vocabulary, 12)
    learner = new_learner("p16", vocabulary)
    assert continued(learner, examples[:6])[0]
    write_container(tmp_path / "state", {}, learner.weights.state())
    restored = new_learner("p16", vocabulary)
    restored.weights.restore(read_container(tmp_path / "state")[1])
    assert continued(restored, []) == continued(learner, [])
    assert continued(restored, examples[6:]) == continued(learner, examples[6:])


def test_growth_of_the_table_loses_nothing() -> None:
    vocabulary = toy_vocabulary(2)
    examples = some_examples(1, vocabulary, 12)
    roomy, cramped = new_learner("p16+", vocabulary), new_learner("p16+", vocabulary)
    continued(roomy, examples[:2])
    state: dict[str, Any] = dict(roomy.weights.state())
    capacity = 1 << int(roomy.weights.used).bit_length()  # the smallest that leaves a slot empty
    state["capacity_steps"] = np.array([capacity, roomy.weights.steps], np.uint64)
    cramped.weights.restore(state)
    assert continued(cramped, examples[2:]) == continued(roomy, examples[2:])
    assert cramped.weights.state()["capacity_steps"][0] > capacity


def test_a_restored_table_that_wraps_round_can_be_restored_again() -> None:
    """Two keys that belong in the last slot of four: the second one stands in the first slot."""
    vocabulary = toy_vocabulary(2)
    keys = [5 << 32 | 3, 7 << 32 | 3]
    slot = np.dtype([("fingerprint", np.uint32), ("weight", np.float32)])
    learner = new_learner("l15", vocabulary)
    learner.weights.restore(
        {
            "slots": np.array([(key >> 32, 1) for key in keys], slot).view(np.uint64),
            "keys": np.array(keys, np.uint64),
            "sums": np.zeros(2),
            "capacity_steps": np.array([4, 1], np.uint64),
        }
    )
    assert averages_of(learner) == dict.fromkeys(keys, 1.0)
    learner.weights.restore(learner.weights.state())
    assert averages_of(learner) == dict.fromkeys(keys, 1.0)
