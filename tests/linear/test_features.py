"""Feature templates are instantiated as in the slow reference.

`tests/test_paper_templates.py` compares them with the papers' tables.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from references.brute_force import LABELS, random_problem
from references.features import Configuration, features
from references.transition import Action
from toys.models import make_scorer, relist, toy_vocabulary
from toys.repetitions import cases

from syntagma.features._sparse import Weights
from syntagma.linear._perceptron import DerivationWalk
from syntagma.linear._search import LinearParameters, Templates
from syntagma.linear.templates import FEATURE_SETS, templates
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.transition.encoding import Encoding, encode
from syntagma.transition.training import learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence


def test_the_hypothesised_tag_takes_part_in_scoring_shift() -> None:
    vocabulary = toy_vocabulary()
    form = next(form for form, tags in vocabulary.form_tags.items() if len(tags) > 1)
    derivation = DerivationWalk(
        encode(Problem((Word(form),)), vocabulary).task, make_scorer("p16", vocabulary)
    )
    first, second, *_ = (set(derivation.features(action)) for action in derivation.legal())
    assert first - second
    assert second - first


# ---- checks of the table ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([("state", ("S0w", "S9w"))], "unknown atom 'S9w'"),
        ([("state", ("S0w",)), ("state", ("S0w",))], "listed twice"),
        ([("state", ("S0w", "S1w")), ("state", ("S1w", "S0w"))], "listed twice"),
        ([("state", ("S0w", "S0w"))], "repeats an atom"),
        ([("state", ())], "repeats an atom or has too many"),
        ([("state", ("S0w", "S0p", "S1w", "S1p", "w0", "p0", "w-1"))], "too many"),
        ([("stack", ("S0w",))], "unknown template scope 'stack'"),
        ([("state", ("S0w", "Scls"))], "its scope does not have"),
        ([("state", ("S0w", "Lw"))], "its scope does not have"),
        ([("before shift", ("Scls", "Lw"))], "its scope does not have"),
        ([("candidate", ("Lw", "Xw"))], "its scope does not have"),
        ([("family", ("Xw", "Yw"))], "its scope does not have"),
        ([("pair", ("Xw", "Yw", "Cw"))], "its scope does not have"),
        ([("child", ("Cw", "Xw"))], "its scope does not have"),
        ([("child", ("Cw", "Yw"))], "its scope does not have"),
    ],
)
def test_bad_templates_are_rejected(
    rows: list[tuple[str, tuple[str, ...]]], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        Templates(rows, False)


@pytest.mark.parametrize("feature_set", sorted(FEATURE_SETS))
def test_no_template_is_listed_twice_with_its_atoms_in_another_order(feature_set: str) -> None:
    pairs = [text.split(": ") for text in templates(feature_set).texts]
    assert len({(scope, frozenset(names.split())) for scope, names in pairs}) == len(pairs)


# ---- compiled features against the reference -------------------------------------------------


def assert_same_features(
    problem: Problem, vocabulary: Vocabulary, feature_set: str, rng: Random, most_steps: int = 1000
) -> None:
    """At each step of a random walk, for a few of the legal actions."""
    texts, atomic = templates(feature_set).texts, feature_set == "l15"
    encoding = encode(problem, vocabulary)
    derivation = DerivationWalk(encoding.task, make_scorer(feature_set, vocabulary))
    configuration = Configuration(relist(problem, encoding.order), vocabulary)
    steps: list[tuple[Action, dict[Action, list[int]]]] = []
    while not derivation.finished and len(steps) < most_steps:
        legal = derivation.legal()
        expected = {
            action: features(configuration, action, texts, atomic)
            for action in rng.sample(legal, min(len(legal), 4))
        }
        for action, keys in expected.items():
            assert sorted(derivation.features(action)) == sorted(keys), (configuration, action)
        taken = rng.choice(legal)
        steps.append((taken, expected))
        derivation.apply(taken)
        configuration.apply(taken)
    assert_same_scores(encoding, feature_set, vocabulary, steps, rng)


def assert_same_scores(
    encoding: Encoding,
    feature_set: str,
    vocabulary: Vocabulary,
    steps: list[tuple[Action, dict[Action, list[int]]]],
    rng: Random,
) -> None:
    """The same walk with weights for half of its features."""
    keys = sorted({key for _, expected in steps for keys in expected.values() for key in keys})
    weights = {key: rng.randint(-128, 128) / 64 for key in rng.sample(keys, len(keys) // 2)}
    derivation = DerivationWalk(encoding.task, make_scorer(feature_set, vocabulary, weights))
    for taken, expected in steps:
        for action, found in expected.items():
            assert derivation.score(action) == sum(weights.get(key, 0.0) for key in found)
        derivation.apply(taken)


@pytest.mark.slow
@pytest.mark.parametrize("feature_set", sorted(FEATURE_SETS))
@pytest.mark.parametrize(("walks", "max_words"), [(80, 9), (2, 30), (1, 90)])
def test_core_instantiates_and_scores_the_templates_as_they_read(
    feature_set: str, walks: int, max_words: int
) -> None:
    rng = Random(max_words)
    for walk in range(cases(walks)):
        vocabulary = toy_vocabulary(walk, sentences=rng.randint(2, 20))
        assert_same_features(random_problem(rng, max_words), vocabulary, feature_set, rng)


def wide_vocabulary() -> Vocabulary:
    """A hundred tags and a hundred labels."""
    names = [f"{number:02}" for number in range(100)]
    arcs = [
        Sentence(("a", "b"), (f"T{name}", f"T{name}"), (0, 1), ("root", f"l{name}"))
        for name in names
    ]
    vocabulary = learn_vocabulary(arcs)
    assert vocabulary.tags == tuple(f"T{name}" for name in names)
    assert vocabulary.labels == tuple(f"l{name}" for name in names)
    return vocabulary


def test_sets_of_more_than_64_tags_and_labels() -> None:
    vocabulary = wide_vocabulary()
    rng = Random(1)
    for _ in range(6):
        words = [Word("a", "T99", 0)]
        for index in range(1, rng.randint(4, 14)):
            # Few different ones, so that some occur more than once among siblings.
            tag, label = (f"{rng.choice((3, 35, 67, 99)):02}" for _ in range(2))
            given = f"T{tag}" if rng.random() < 0.7 else None
            words.append(Word("b", given, rng.randint(1, index), f"l{label}"))
        assert_same_features(Problem(tuple(words)), vocabulary, "p16", rng, most_steps=12)


@pytest.mark.parametrize("kind", ["labels", "tags"])
def test_sets_with_members_64_apart_are_different_features(kind: str) -> None:
    vocabulary = wide_vocabulary()

    def found(wide: bool, *numbers: int) -> list[int]:
        """The features of shifting a word with dependents that have these labels or tags."""
        words = [Word("a", "T00", 0)]
        for number in numbers:
            tag, label = (number, 0) if kind == "tags" else (0, number)
            words.append(Word("b", f"T{tag:02}", 1, f"l{label:02}"))
        encoding = encode(Problem(tuple(words)), vocabulary)
        scorer = LinearParameters(
            templates("p16"),
            Weights(np.zeros(1, np.uint32), np.zeros(1, np.float32)),
            vocabulary.label_index,
            vocabulary.label_pool,
            wide_sets=wide,
        )
        walk = DerivationWalk(encoding.task, scorer)
        return sorted(walk.features((0, encoding.order.index(0), 0, -1)))

    assert found(True, 3) != found(True, 67)
    assert found(True, 3, 67) != found(True, 3, 3)
    assert found(True, 3, 67) == found(True, 67, 3)
    assert found(False, 3) == found(True, 3)  # as models up to 0.9 have them
    assert found(False, 3) == found(False, 67)


def test_a_family_may_have_more_features_than_the_core_has_room_for_at_once() -> None:
    words = [Word("w0", "NN", 0), *(Word(f"w{i}", "VB", 1, LABELS[i % 4]) for i in range(1, 200))]
    assert_same_features(Problem(tuple(words)), toy_vocabulary(), "p16+", Random(0), most_steps=3)


def test_pairs_are_instantiated_also_without_family_templates() -> None:
    vocabulary = toy_vocabulary()
    rows = [("pair", ("Xs", "Yl"))]
    words = [Word("w0", "NN", 0), *(Word(f"w{i}", "VB", 1, LABELS[0]) for i in range(1, 4))]
    encoding = encode(Problem(tuple(words)), vocabulary)
    derivation = DerivationWalk(encoding.task, make_scorer(Templates(rows, False), vocabulary))
    configuration = Configuration(relist(encoding.problem, encoding.order), vocabulary)
    dependent = next(action for action in derivation.legal() if encoding.order[action[1]] > 0)
    found = derivation.features(dependent)
    assert len(found) == 2
    assert found == features(configuration, dependent, ["pair: Xs Yl"], False)


@pytest.mark.slow
def test_every_template_fires_somewhere() -> None:
    """A template that random problems never instantiate would escape the comparison above."""
    rng = Random(5)
    vocabulary = toy_vocabulary()
    silent = set(templates("p16+").texts)
    scorer = make_scorer("p16+", vocabulary)
    for _ in range(200):
        encoding = encode(random_problem(rng, 9), vocabulary)
        configuration = Configuration(relist(encoding.problem, encoding.order), vocabulary)
        derivation = DerivationWalk(encoding.task, scorer)
        while not derivation.finished:
            action = rng.choice(derivation.legal())
            silent -= {text for text in silent if features(configuration, action, [text], False)}
            derivation.apply(action)
            configuration.apply(action)
    assert not silent
