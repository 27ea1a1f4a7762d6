"""The compiled learner that is guided by best-first search against a slow reference.

Epochs and the choice of a model are tested in test_training.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from references.best_first import LearnedWeights, Learner, Search
from references.cases import Case, ccg_case, ccg_nodes, dependency_case, dependency_nodes, nodes_of
from references.edges import Bag, CcgEdgeGrammar, DependencyGrammar, Node, tree_of
from toys import ccg as toy_ccg
from toys import ccgbank
from toys.edge_problems import RandomForms, RandomWeights, fluent, random_ccg_problem
from toys.models import toy_sentence, toy_vocabulary

from syntagma.best_first._ccg_edges import CcgEdges, CcgRules
from syntagma.best_first._dependency_edges import DependencyEdges
from syntagma.best_first._guided_learning import GuidedSearch
from syntagma.best_first._search import best_first_search
from syntagma.best_first.ccg_grammar import CcgGrammar, LexicalEntry
from syntagma.best_first.settings import BestFirstSettings
from syntagma.best_first.templates import ccg_templates, dependency_templates
from syntagma.best_first.training import extract_grammar
from syntagma.features._sparse import TrainingWeights
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, Word
from syntagma.transition.encoding import form_arrays
from syntagma.transition.training import encode_training, learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.conditions import constrain, draw_condition
from syntagma.treebanks.treebank import Sentence

LIMIT = 60


@dataclass
class Example:
    case: Case
    gold: list[Node]


Draw = Callable[[Random], Example]


@dataclass
class Settings:
    scaled: bool
    margin: bool
    expand_negatives: bool
    first_update: bool = False
    by_size: bool = False

    def __str__(self) -> str:
        return "-".join(name for name, value in vars(self).items() if value) or "plain"


ALL_SETTINGS = [Settings(*flags) for flags in product((True, False), repeat=3)]


# ---- sentences to learn from -----------------------------------------------------------------


def dependency_example(rng: Random, max_words: int = 6) -> Example:
    """A random sentence of known tags and labels, under a random condition."""
    vocabulary = toy_vocabulary()
    while True:
        sentence = toy_sentence(rng, max_words)
        known = set(sentence.deprels) <= {*vocabulary.labels, "root"}
        if known and set(sentence.tags) <= set(vocabulary.tags):
            break
    problem = constrain(sentence, draw_condition(rng, (1, 1, 1, 1, 1)), rng, shuffle=False)
    return example_of(sentence, problem, vocabulary)


def example_of(sentence: Sentence, problem: Problem, vocabulary: Vocabulary) -> Example:
    encoding, reference = encode_training(sentence, problem, vocabulary)
    bag = Bag(encoding, vocabulary)
    options = []
    for word, gold in zip(bag.problem.words, reference.tags.tolist(), strict=True):
        tags = vocabulary.tags_of(word.form, as_unseen=word.form not in vocabulary.forms)
        tags = tuple(dict.fromkeys((*tags, gold))) if word.tag is None else (gold,)
        options.append([(-1, tag) for tag in tags])
    labels = reference.labels.tolist()
    index, pool = vocabulary.label_index, vocabulary.label_pool
    case = Case(
        DependencyGrammar(bag, options, labels),
        lambda: DependencyEdges(encoding.task, dependency_templates(), index, pool, labels),
        lambda again: dependency_case(again, vocabulary),
    )
    return Example(case, dependency_nodes(reference))


def form_example(rng: Random) -> Example:
    """The same with other forms beside those of the sentence, which come first, second or third."""
    vocabulary, forms_of = toy_vocabulary(), RandomForms(rng)
    while True:
        sentence = toy_sentence(rng, 5)
        known = set(sentence.deprels) <= {*vocabulary.labels, "root"}
        if known and set(sentence.tags) <= set(vocabulary.tags):
            break
    problem = constrain(sentence, draw_condition(rng, (1, 1, 1, 1, 1)), rng, shuffle=False)
    listed: list[list[Alternative]] = []
    golds: list[int] = []
    for word in problem.words:
        forms = forms_of(word)
        gold = (len(word.form) + len(golds)) % len(forms)
        forms = [*forms[1 : gold + 1], forms[0], *forms[gold + 1 :]]
        listed.append(forms)
        golds.append(gold)
    problem = problem.with_forms([forms[0].text for forms in listed])
    encoding, reference = encode_training(sentence, problem, vocabulary, listed)
    bag = Bag(encoding, vocabulary)
    order = reference.order.tolist()
    chosen = dict(zip(order, golds, strict=True))
    nodes = dependency_nodes(reference, chosen)
    assert bag.choices is not None
    options = []
    for number, several in enumerate(bag.choices):
        given = bag.problem.words[number].tag
        of_word: list[tuple[int, int]] = []
        for index, form in enumerate(several):
            tags = [*vocabulary.tags_of(form.text, as_unseen=form.text not in vocabulary.forms)]
            for node in nodes:
                same = node[4] >= 0 and bag.leader[node[4]] == number and node[3] == index
                tags += [node[5]] if same and node[5] not in tags else []
            tags = tags if given is None else [vocabulary.tags.index(given)]
            of_word += [(index, tag) for tag in tags]
        options.append(of_word)
    labels = reference.labels.tolist()
    gold_forms = [(node[4], node[3], node[5]) for node in nodes if node[4] >= 0]
    arrays = form_arrays(encoding, vocabulary, gold_forms)
    templates = dependency_templates(forms=True)
    index_, pool = vocabulary.label_index, vocabulary.label_pool
    case = Case(
        DependencyGrammar(bag, options, labels),
        lambda: DependencyEdges(encoding.task, templates, index_, pool, labels, arrays),
        lambda again: dependency_case(again, vocabulary),
    )
    return Example(case, nodes)


def fluent_example(rng: Random) -> Example:
    """An example of either grammar with features of a language model."""
    example = rng.choice((dependency_example, form_example, toy_ccg_example))(rng)
    return Example(fluent(example.case), example.gold)


def toy_ccg_example(rng: Random) -> Example:
    """One of the toy derivations, with tags or without."""
    vocabulary, grammar = toy_ccg.toy_vocabulary(), toy_ccg.toy_grammar()
    each = rng.choice(toy_ccg.toy_sentences())
    sentence = each.sentence
    tagged = rng.random() < 0.5
    problem = Problem.of(
        Word(form, tag if tagged else None)
        for form, tag in zip(sentence.forms, sentence.tags, strict=True)
    )
    encoding, reference = encode_training(sentence, problem, vocabulary)
    case = ccg_case(problem, vocabulary, grammar)
    assert isinstance(case.plain, CcgEdgeGrammar)
    gold = ccg_nodes(each.derivation, reference.order.tolist(), grammar, vocabulary)
    rows = case.plain.rows
    assert all((n[4], n[5], n[3]) in {row[:3] for row in rows} for n in gold if n[4] >= 0)
    rules = CcgRules(grammar)
    leaves = np.array([row[:3] for row in rows], np.int32)
    case.make = lambda: CcgEdges(encoding.task, ccg_templates(), rules, leaves)
    return Example(case, gold)


def random_ccg_example(rng: Random) -> Example:
    """A derivation that a search with random weights finds in a random grammar."""
    while True:
        case = random_ccg_problem(rng, 5)
        weights = RandomWeights(rng)
        goals = Search(case.plain, weights.__getitem__, 30, True).run(1, 60).goals
        if goals and len(goals[0].leaves) > 1:
            return Example(case, nodes_of(goals[0]))


def chained_ccg_example(rng: Random) -> Example:
    """A derivation that needs a chain of unary rules, as in CCGbank."""
    sentences = ccgbank.ccgbank_sentences()
    each = rng.choice([each for each in sentences if ccgbank.SENTENCES[each.id or ""].chains])
    vocabulary = learn_vocabulary([each.sentence])
    grammar = extract_grammar([each.derivation], vocabulary)
    sentence = each.sentence
    problem = Problem.of(map(Word, sentence.forms, sentence.tags))
    _, reference = encode_training(sentence, problem, vocabulary)
    gold = ccg_nodes(each.derivation, reference.order.tolist(), grammar, vocabulary)
    return Example(ccg_case(problem, vocabulary, grammar), gold)


def ambiguous_ccg_example(rng: Random) -> Example:
    """Words in a given order that can be bracketed in any way, so that many edges have the same
    signature."""
    categories = range(2)
    binary = [
        (*pair, rng.choice(categories), rng.randrange(2)) for pair in product(categories, repeat=2)
    ]
    vocabulary = toy_vocabulary()
    leaves: dict[str, tuple[LexicalEntry, ...]] = {
        f"w{i}": ((0, rng.choice(categories)),) for i in range(6)
    }
    grammar = CcgGrammar(
        ["C0", "C1"],
        np.array(binary, np.int32),
        np.array([(0, 1)], np.int32),
        leaves,
        frozenset(),
        [(0,)] * (len(vocabulary.tags) + 1),
    )
    n = rng.randint(4, 6)
    words = [Word(f"w{i}", vocabulary.tags[0]) for i in range(n)]
    case = ccg_case(Problem.of(words, before=pairwise(range(1, n + 1))), vocabulary, grammar)
    weights = RandomWeights(rng)
    return Example(
        case, nodes_of(Search(case.plain, weights.__getitem__, 100, True).run().goals[0])
    )


def repeated_ccg_example(rng: Random) -> Example:
    """The same two words twice, so that two gold edges have the same signature."""
    side = rng.randrange(2)
    vocabulary = toy_vocabulary()
    grammar = CcgGrammar(
        ["C0", "C1"],
        np.array([(0, 0, 1, side), (0, 1, 0, 1), (1, 0, 1, side), (1, 1, 0, 0)], np.int32),
        np.zeros((0, 2), np.int32),
        {"w0": ((0, 0), (0, 1)), "w1": ((0, 0),)},
        frozenset(),
        [(0,)] * (len(vocabulary.tags) + 1),
    )
    words = [Word(form, vocabulary.tags[0]) for form in ("w0", "w1", "w0", "w1")]
    case = ccg_case(Problem.of(words), vocabulary, grammar)
    first = next(w for w, word in enumerate(case.bag.problem.words) if word.form == "w0")
    second = next(w for w, word in enumerate(case.bag.problem.words) if word.form == "w1")
    gold = [
        (-1, -1, 0, 0, first, 0),
        (-1, -1, 0, 0, second, 0),
        (0, 1, 1, 1, -1, -1),
        (-1, -1, 0, 1, first, 0),
        (3, 1, 3, 1, -1, -1),
        (2, 4, 4, 0, -1, -1),
    ]
    return Example(case, gold)


EXAMPLES: dict[str, Draw] = {
    "dependencies": dependency_example,
    "forms": form_example,
    "language model": fluent_example,
    "toy CCG": toy_ccg_example,
    "random CCG": random_ccg_example,
    "chained CCG": chained_ccg_example,
    "ambiguous CCG": ambiguous_ccg_example,
    "repeated CCG": repeated_ccg_example,
}
both_grammars = pytest.mark.parametrize("draw", EXAMPLES.values(), ids=EXAMPLES.keys())


# ---- both learners ---------------------------------------------------------------------------


def plain_learner(
    example: Example, weights: LearnedWeights, chart: int, settings: Settings
) -> Learner:
    return Learner(
        example.case.plain,
        chart,
        settings.scaled,
        weights,
        example.gold,
        settings.margin,
        settings.expand_negatives,
        settings.first_update,
        settings.by_size,
    )


def core_learner(
    example: Example, weights: TrainingWeights, chart: int, settings: Settings
) -> GuidedSearch:
    given = BestFirstSettings(
        chart=chart,
        scaled=settings.scaled,
        update="margin" if settings.margin else "perceptron",
        negatives=settings.expand_negatives,
        first_update=settings.first_update,
        chart_by_size=settings.by_size,
    )
    return GuidedSearch(example.case.make(), weights, example.gold, given)


def exported(
    columns: tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]],
) -> dict[int, float]:
    return dict(zip(columns[0].tolist(), columns[1].tolist(), strict=True))


def assert_same(
    weights: Mapping[int, float], plain: Mapping[int, float] | Mapping[int, np.float32]
) -> None:
    assert weights.keys() == {key for key, value in plain.items() if abs(float(value)) > 1e-9}
    for key, value in weights.items():
        assert abs(value - float(plain[key])) < 1e-4


def visits(draw: Draw, seed: int, count: int) -> Iterator[Example]:
    """Two sentences in random order, with repetitions."""
    rng = Random(seed)
    examples = [draw(rng) for _ in range(2)]
    for _ in range(count):
        yield rng.choice(examples)


def core_weights(start: Mapping[int, float]) -> TrainingWeights:
    """Weights under training, in a small table that must grow."""
    slots = np.zeros(len(start), [("fingerprint", np.uint32), ("weight", np.float32)])
    keys = np.array(list(start), np.uint64)
    slots["fingerprint"] = keys >> np.uint64(32)
    slots["weight"] = list(start.values())
    weights = TrainingWeights()
    capacity = 1 << (10 + 2 * len(start)).bit_length()
    weights.restore(
        {
            "slots": slots.view(np.uint64),
            "keys": keys,
            "sums": np.zeros(len(keys)),
            "capacity_steps": np.array([capacity, 0], np.uint64),
        }
    )
    return weights


class RandomStart(LearnedWeights):
    """Random initial weights, drawn on first use."""

    def __init__(self, rng: Random) -> None:
        super().__init__()
        self.start = RandomWeights(rng, -8192, 8192)

    def weigh(self, key: int) -> float:
        if key not in self.start:
            self.values[key] = np.float32(self.start[key])
        return super().weigh(key)


def assert_same_learning(
    draw: Draw, settings: Settings, seed: int, chart: int
) -> tuple[Learner, ...]:
    """The same updates, and in the end the same weights and averages."""
    core, plain = core_weights({}), LearnedWeights()
    learners = []
    for example in visits(draw, seed, 3):
        core.steps += 1
        plain.steps += 1
        search = core_learner(example, core, chart, settings)
        expected = plain_learner(example, plain, chart, settings)
        assert search.learn(LIMIT) == expected.learn(LIMIT)
        assert search.updates == len(expected.updates)
        assert search.expansions == expected.expansions
        learners.append(expected)
    assert_same(exported(core.final()), plain.values)
    assert_same(exported(core.averaged()), plain.averaged())
    return tuple(learners)


@pytest.mark.slow
@both_grammars
@pytest.mark.parametrize("settings", ALL_SETTINGS, ids=str)
def test_learning_agrees_with_the_reference(draw: Draw, settings: Settings) -> None:
    updates = 0
    for seed in range(3):
        learners = assert_same_learning(draw, settings, seed, chart=100)
        updates += sum(len(learner.updates) for learner in learners)
    assert updates > 5


@both_grammars
def test_a_sentence_ends_with_its_first_update(draw: Draw) -> None:
    """As in Zhang (2013), according to ZC15 §4.4."""
    settings = Settings(scaled=True, margin=True, expand_negatives=False, first_update=True)
    learners = [
        learner for seed in range(4) for learner in assert_same_learning(draw, settings, seed, 100)
    ]
    assert {len(learner.updates) for learner in learners} <= {0, 1}
    assert any(learner.updates for learner in learners)
    assert any(learner.expansions > 1 for learner in learners)


@both_grammars
def test_learning_agrees_with_a_chart_for_each_number_of_words(draw: Draw) -> None:
    """As in the papers before ZC15, according to its §3.4."""
    settings = Settings(scaled=False, margin=False, expand_negatives=False, by_size=True)
    fallen = 0
    for seed, chart in enumerate((2, 1, 3)):
        learners = assert_same_learning(draw, settings, seed, chart)
        fallen += sum(learner.fallen for learner in learners)
        assert all(
            max(Counter(len(edge.leaves) for edge in learner.chart).values(), default=0)
            <= chart + learner.fallen
            for learner in learners
        )
    assert fallen > 0


@pytest.mark.slow
@both_grammars
@pytest.mark.parametrize("settings", ALL_SETTINGS, ids=str)
def test_learning_agrees_with_small_charts(draw: Draw, settings: Settings) -> None:
    """Small charts prune gold edges."""
    fallen = 0
    for seed, chart in enumerate((2, 1, 4)):
        learners = assert_same_learning(draw, settings, seed, chart)
        fallen += sum(learner.fallen for learner in learners)
    assert fallen > 5


@pytest.mark.slow
@both_grammars
@pytest.mark.parametrize("settings", ALL_SETTINGS, ids=str)
def test_learning_agrees_from_random_weights(draw: Draw, settings: Settings) -> None:
    """Random weights rank other edges first, so that gold edges lose to others with the same
    signature."""
    fallen = overtaken = 0
    for seed in range(8):
        rng = Random(seed)
        example, chart = draw(rng), (100, 1, 30, 3)[seed % 4]
        plain = RandomStart(rng)
        expected = plain_learner(example, plain, chart, settings)
        found = expected.learn(LIMIT)
        core = core_weights(plain.start)
        search = core_learner(example, core, chart, settings)
        assert search.learn(LIMIT) == found
        assert search.updates == len(expected.updates)
        assert search.expansions == expected.expansions
        assert_same(exported(core.final()), plain.values)
        fallen += expected.fallen
        overtaken += expected.overtaken
    assert fallen
    if draw is ambiguous_ccg_example and settings.expand_negatives:
        assert overtaken


# ---- single updates --------------------------------------------------------------------------


@pytest.mark.slow
@both_grammars
@pytest.mark.parametrize("settings", ALL_SETTINGS, ids=str)
def test_first_update_is_that_of_the_paper(draw: Draw, settings: Settings) -> None:
    """With a margin, the change is a multiple of the difference of features, after which the gold
    edge leads by 1; without, it is that difference."""
    updates = 0
    for seed in range(4):
        example = draw(Random(seed))
        for limit in range(1, 20):
            plain = plain_learner(example, LearnedWeights(), 100, settings)
            plain.learn(limit)
            if plain.updates:
                break
        else:
            continue
        [(positive, negative)] = plain.updates[:1]
        weights = core_weights({})
        core_learner(example, weights, 100, settings).learn(limit)
        difference: defaultdict[int, float] = defaultdict(float)
        shares = [1 / edge.size if settings.scaled else 1 for edge in (positive, negative)]
        for key in positive.all_keys:
            difference[key] += shares[0]
        for key in negative.all_keys:
            difference[key] -= shares[1]
        learned = exported(weights.final())
        lead = sum(value * learned.get(key, 0.0) for key, value in difference.items())
        squares = sum(value**2 for value in difference.values())
        assert lead == pytest.approx(1.0 if settings.margin else squares, abs=1e-5)
        for key, value in difference.items():
            assert learned.get(key, 0.0) == pytest.approx(value * lead / squares, abs=1e-6)
        updates += 1
    assert updates > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw",
    [dependency_example, form_example, toy_ccg_example, random_ccg_example, ambiguous_ccg_example],
)
def test_repeated_learning_finds_the_sentence(draw: Draw) -> None:
    for seed in range(5):
        example = draw(Random(50 + seed))
        settings, weights = Settings(True, True, True), core_weights({})
        for _ in range(30):
            visit = core_learner(example, weights, 100, settings)
            assert visit.learn(10_000)
            if not visit.updates:
                break
        search = example.case.core_search(exported(weights.final()), 100, True)
        done, [(_, [piece])] = best_first_search(search)
        assert done
        leader = example.case.bag.leader
        gold = [(*n[:4], leader[n[4]] if n[4] >= 0 else -1, n[5]) for n in example.gold]
        assert tree_of(piece) == tree_of(gold)
