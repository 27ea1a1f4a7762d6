"""The compiled best-first search against a slow reference and against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest
from references.best_first import Search, all_edges
from references.brute_force import random_problem, satisfying
from references.cases import Case, ccg_case, core_weights, dependency_case, dependency_nodes
from references.ccg_rules import broken_rules
from references.edges import (
    HEAD_LEFT,
    LEAF,
    NONE,
    DependencyGrammar,
    Edge,
    Leaf,
    Node,
    Templates,
    Weigh,
    tree_of,
)
from toys import ccg as toy_ccg
from toys.edge_problems import (
    RandomWeights,
    chained_ccg_problem,
    dependency_problem,
    fluent_problem,
    form_problem,
    random_ccg_problem,
    toy_ccg_problem,
    unchained_ccg_problem,
)
from toys.models import relist, toy_vocabulary
from toys.repetitions import cases

from syntagma.best_first._dependency_edges import DEPENDENCY_ATOMS, DependencyEdges
from syntagma.best_first._search import BestFirst, best_first_search
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.templates import dependency_templates
from syntagma.ccg.derivation import Derivation
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.transition._clock import Clock
from syntagma.transition.encoding import encode
from syntagma.transition.training import Reference, learn_vocabulary
from syntagma.treebanks.treebank import Sentence

UNLIMITED = 10**9
Draw = Callable[[Random, int], Case]
Result = tuple[float, list[list[Node]]]


# ---- problems --------------------------------------------------------------------------------


GRAMMARS: dict[str, Draw] = {
    "dependencies": dependency_problem,
    "forms": form_problem,
    "language model": fluent_problem,
    "toy CCG": toy_ccg_problem,
    "random CCG": random_ccg_problem,
    "chained CCG": chained_ccg_problem,
    "unchained CCG": unchained_ccg_problem,
}
both_grammars = pytest.mark.parametrize("draw", GRAMMARS.values(), ids=GRAMMARS.keys())


@cache
def weights_for_large_problems(draw: Draw) -> RandomWeights:
    """Random weights for the features of small problems, many of which occur in large ones, too."""
    weights = RandomWeights(Random(0))
    for seed in range(cases(60)):
        rng = Random(seed)
        case = draw(rng, 8)
        Search(case.plain, weights.__getitem__, 10, rng.random() < 0.5).run(1, 30)
    return weights


# ---- against the reference -------------------------------------------------------------------


def trees(results: Sequence[Result]) -> list[object]:
    return [(score, [tree_of(piece) for piece in pieces]) for score, pieces in results]


@pytest.mark.slow
@both_grammars
@pytest.mark.parametrize("scaled", [True, False])
def test_search_agrees_with_the_reference(draw: Draw, scaled: bool) -> None:
    """Results, scores and default outputs, for any limits, also with many ties."""
    finished = 0
    for seed in range(60):
        rng = Random(seed)
        case, largest = draw(rng, 12), (128, 128, 1, 0)[seed % 4]
        weights = RandomWeights(rng, -largest, largest)
        chart, limit, wanted = rng.choice((1, 2, 5, 20)), rng.randint(1, 90), rng.choice((1, 1, 3))
        plain = Search(case.plain, weights.__getitem__, chart, scaled).run(wanted, limit)
        search = case.core_search(weights, chart, scaled)
        done, results = best_first_search(search, wanted, limit)
        assert trees(results) == [(s, [e.tree for e in edges]) for s, edges in plain.results()]
        assert search.expansions == plain.expansions
        assert search.exhausted == plain.exhausted
        assert done == bool(plain.goals)
        finished += done
    assert 5 < finished < 55


@pytest.mark.parametrize("draw", [dependency_problem, toy_ccg_problem])
def test_a_search_goes_on_where_it_stopped(draw: Draw) -> None:
    """Stopped several times, it finds what it finds in one go; in between, what it has so far."""
    stopped = 0
    for seed in range(30):
        rng = Random(seed)
        case = draw(rng, 12)
        weights = RandomWeights(rng, -128, 128)
        chart, limits = rng.choice((5, 20)), sorted(rng.sample(range(1, 90), 4))
        search = case.core_search(weights, chart, True)
        for limit in limits:
            done, results = best_first_search(search, 1, limit)
            whole = best_first_search(case.core_search(weights, chart, True), 1, limit)
            assert (done, trees(results)) == (whole[0], trees(whole[1]))
            stopped += not done
            if done:
                break
    assert stopped > 5


def assert_agreement(case: Case, rng: Random, chart: int, limit: int) -> None:
    weights = RandomWeights(rng)
    plain = Search(case.plain, weights.__getitem__, chart, True).run(50, limit)
    results = best_first_search(case.core_search(weights, chart, True), 50, limit)[1]
    assert trees(results) == [(s, [e.tree for e in edges]) for s, edges in plain.results()]


@pytest.mark.slow
def test_long_searches_agree() -> None:
    for seed in range(6):
        rng = Random(seed)
        assert_agreement(dependency_problem(rng, 12), rng, 12, 200)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [dependency_problem, toy_ccg_problem])
def test_problems_of_more_than_64_words_agree(draw: Draw) -> None:
    """Sets of words consist of blocks of 64 bits."""
    large = 0
    for seed in range(24):
        rng = Random(seed)
        case = draw(rng, 150)
        if case.bag.n > 64:
            assert_agreement(case, rng, 10, 40)
            large += 1
    assert large > 5


@pytest.mark.slow
def test_more_than_64_tags_agree() -> None:
    """Sets of tags consist of blocks of 64 bits."""
    rng = Random(0)
    tags = [f"T{i:03}" for i in range(140)]
    vocabulary = learn_vocabulary(
        Sentence((f"w{i}",) * 2, (tag, tag), (0, 1), ("root", "obj")) for i, tag in enumerate(tags)
    )
    for _ in range(10):
        words = [Word(f"w{rng.randrange(140)}", rng.choice(tags[5::32])) for _ in range(8)]
        assert_agreement(dependency_case(Problem.of(words), vocabulary), rng, 12, 60)


def test_models_up_to_0_9_have_tags_modulo_64() -> None:
    tags = [f"T{i:03}" for i in range(140)]
    sentence = Sentence(tuple(tags), tuple(tags), (0, *[1] * 139), ("root", *["obj"] * 139))
    vocabulary = learn_vocabulary([sentence])
    words = [Word("a", "T000", 3), Word("b", "T069", 3), Word("c", "T001", 0)]
    encoding = encode(Problem(tuple(words), before=((1, 2), (2, 3))), vocabulary)
    place = {word: encoding.order.index(i) for i, word in enumerate("abc")}
    templates = dependency_templates()
    table = Templates(templates.texts, DEPENDENCY_ATOMS)
    atoms = {"hp": 1 + 1, "mp": 1 + 0, "dir": 1}
    for tag, wide, counts in ((69, True, 1), (69, False, 0), (5, True, 0), (5, False, 1)):
        [key] = table.keys("between", atoms | {"bp": 1 + tag})
        index, pool = vocabulary.label_index, vocabulary.label_pool
        edges = DependencyEdges(encoding.task, templates, index, pool, None, None, wide)
        edges.use(core_weights({key: 8.0}))
        _, [(score, [nodes])] = best_first_search(BestFirst(edges, 100, False), 1)
        assert [node[4] for node in nodes if node[2] == LEAF] == [place[word] for word in "abc"]
        assert score == 8.0 * counts


# ---- against brute force ---------------------------------------------------------------------


def best_tree(case: Case, weigh: Weigh) -> float | None:
    """The best score of all trees in all orders with all tags that satisfy the problem."""
    grammar = case.plain
    assert isinstance(grammar, DependencyGrammar)
    leaves = {edge.leaves[0]: edge for edge in grammar.leaves()}
    best: float | None = None
    for order, heads in satisfying(case.bag.problem):
        for chosen in product(*grammar.options):
            tags = [tag for _, tag in chosen]
            reference = Reference(
                np.array([word - 1 for word in order], np.int32),
                np.array([head - 1 if head else -2 for head in heads], np.int32),
                np.zeros(len(order), np.int32),
                np.array(tags, np.int32),
                np.ones(len(order), np.bool_),
            )
            edges: list[Edge] = []
            score = 0.0
            for left, right, rule, _, word, tag in dependency_nodes(reference):
                if rule == LEAF:
                    edge = leaves[Leaf(case.bag.leader[word], tag, form=chosen[word][0])]
                else:
                    edge = grammar.arcs(edges[left], edges[right], rule, weigh)[0]
                edges.append(edge)
                score += sum(map(weigh, edge.keys))
            best = score if best is None else max(best, score)
    return best


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "most"), [(dependency_problem, 4), (form_problem, 16)])
def test_best_tree_is_found_if_no_weight_is_positive(draw: Draw, most: int) -> None:
    """Then no edge scores better than its parts, and the search is exact, in forms, too."""
    tried = 0
    for seed in range(cases(60)):
        rng = Random(seed)
        case = draw(rng, 4)
        assert isinstance(case.plain, DependencyGrammar)
        if len([*product(*case.plain.options)]) > most:
            continue
        weights = RandomWeights(rng, -32, 0)
        best = best_tree(case, weights.__getitem__)
        all_edges(case.plain, weights.__getitem__)  # draws the weights of dead ends, too
        done, results = best_first_search(case.core_search(weights, UNLIMITED, False))
        assert (results[0][0] if done else None) == best
        tried += 1
    assert tried > cases(60) // 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "words"), [(toy_ccg_problem, 4), (random_ccg_problem, 3), (chained_ccg_problem, 3)]
)
def test_best_derivation_is_found_if_no_weight_is_positive(draw: Draw, words: int) -> None:
    """Without templates of lexical categories, which are not part of the signature."""
    finished = 0
    for seed in range(cases(60)):
        rng = Random(seed)
        case = draw(rng, words)
        scopes = case.plain.templates.scopes
        scopes["binary"] = [row for row in scopes["binary"] if "Bc" not in row[1]]
        weights = RandomWeights(rng, -32, 0)
        edges = all_edges(case.plain, weights.__getitem__).values()
        best = max((edge.score for edge in edges if case.plain.is_goal(edge)), default=None)
        done, results = best_first_search(case.core_search(weights, UNLIMITED, False))
        assert (results[0][0] if done else None) == best
        finished += done
    assert finished > cases(60) // 4


def heads_of(piece: Sequence[Node]) -> tuple[list[Leaf], list[int]]:
    """The words of a dependency tree from left to right, and the places of their heads, or -1."""
    found: list[tuple[list[Leaf], list[int], int]] = []
    for left, right, rule, label, word, tag in piece:
        if rule == LEAF:
            found.append(([Leaf(word, tag, form=label)], [-1], 0))
            continue
        leaves, heads, head = found[left]
        more, others, other = found[right]
        shift = len(leaves)
        heads = [*heads, *(place + shift if place >= 0 else -1 for place in others)]
        other += shift
        dependent = other if rule == HEAD_LEFT else head
        head = head if rule == HEAD_LEFT else other
        heads[dependent] = head
        found.append(([*leaves, *more], heads, head))
    return found[-1][:2]


@pytest.mark.slow
@pytest.mark.parametrize("forms", [2, 9])
def test_everything_that_satisfies_a_problem_is_found_once(forms: int) -> None:
    """All orders are found, and no edge is built twice: there are as many expansions as edges."""
    for seed in range(cases(50)):
        rng = Random(100 * forms + seed)
        problem = random_problem(rng, 4, rng.choice(("none", "mixed")))
        words = [
            Word(
                f"w{rng.randrange(forms)}",
                word.tag or rng.choice(("NN", "VB")),
                word.head,
                word.deprel,
            )
            for word in problem.words
        ]
        problem = Problem(tuple(words), problem.before, problem.first, problem.last)
        case = dependency_case(problem, toy_vocabulary())
        search = case.core_search({}, UNLIMITED, False)
        _, results = best_first_search(search, UNLIMITED)
        assert search.exhausted
        assert search.expansions == len(all_edges(case.plain, lambda key: 0.0))
        possible = satisfying(case.bag.problem)
        spelled = [word.form for word in case.bag.problem.words]
        orders = {tuple(spelled[word - 1] for word in order) for order, _ in possible}
        found = [
            tuple(spelled[leaf.word] for leaf in heads_of(pieces[0])[0]) for _, pieces in results
        ]
        assert sorted(found) == sorted(orders)


@pytest.mark.slow
def test_every_sentence_in_every_form_is_found_once() -> None:
    """Each word is used once, in one of its forms; results differ in order or in a form."""
    several = 0
    for seed in range(16):
        rng = Random(seed)
        case = form_problem(rng, 3)
        choices = case.bag.choices
        assert choices is not None
        search = case.core_search({}, UNLIMITED, False)
        _, results = best_first_search(search, UNLIMITED)
        assert search.exhausted
        assert search.expansions == len(all_edges(case.plain, lambda key: 0.0))
        expected = {
            tuple((forms[word - 1].text, forms[word - 1].initial) for word in order)
            for order, _ in satisfying(case.bag.problem)
            for forms in product(*choices)
        }
        found = [
            tuple(
                (choices[leaf.word][leaf.form].text, choices[leaf.word][leaf.form].initial)
                for leaf in heads_of(pieces[0])[0]
            )
            for _, pieces in results
        ]
        assert sorted(found) == sorted(expected)
        several += len(expected) > 2
    assert several > 8


def test_each_copy_of_a_word_is_used_once() -> None:
    """n equal words have as many results as there are trees of n words, in one order."""
    for n, trees_of_n in ((1, 1), (2, 2), (3, 7), (4, 30), (5, 143)):
        case = dependency_case(Problem.of([Word("w1", "NN")] * n), toy_vocabulary())
        edges = all_edges(case.plain, lambda key: 0.0).values()
        assert sum(len(edge.leaves) == n for edge in edges) == trees_of_n
        search = case.core_search({}, UNLIMITED, True)
        done, results = best_first_search(search, UNLIMITED)
        assert (done, len(results), search.expansions) == (True, 1, len(edges))


# ---- invariants -------------------------------------------------------------------------------


def assert_satisfied(case: Case, pieces: Sequence[Sequence[Node]], finished: bool) -> None:
    """No word is used too often, and all given tags, arcs, labels and orders are kept."""
    bag, vocabulary = case.bag, case.bag.vocabulary
    leaves: list[Leaf] = []
    for piece in pieces:
        words, heads = heads_of(piece)
        for leaf, head in zip(words, heads, strict=True):
            given = bag.problem.words[leaf.word]
            if given.tag is not None:
                assert leaf.tag == vocabulary.tag_numbers.get(given.tag, len(vocabulary.tags))
            else:
                assert leaf.tag in vocabulary.tags_of(bag.text(leaf.word, leaf.form))
            if isinstance(case.plain, DependencyGrammar) and head >= 0:
                assert given.head in (None, words[head].word + 1)
                assert given.deprel != "root"
        if isinstance(case.plain, DependencyGrammar):
            assert_labels_are_given_ones(case, piece)
        leaves += words
    used = Counter(leaf.word for leaf in leaves)
    assert all(count <= bag.copies[word] for word, count in used.items())
    if finished:
        assert used == bag.copies
        assert len(pieces) == 1
    before = bag.problem.predecessors
    if before is not None:
        for place, leaf in enumerate(leaves):
            assert not any(before[leaf.word] >> later.word & 1 for later in leaves[place:])


def assert_labels_are_given_ones(case: Case, piece: Sequence[Node]) -> None:
    heads: list[int] = []  # the head word of each node
    vocabulary = case.bag.vocabulary
    for left, right, rule, label, word, _ in piece:
        if rule == LEAF:
            heads.append(word)
            continue
        parts = heads[left], heads[right]
        head, dependent = parts if rule == HEAD_LEFT else parts[::-1]
        heads.append(head)
        given = case.bag.problem.words[dependent].deprel
        if given in vocabulary.labels:
            assert label == vocabulary.labels.index(given)
        else:
            assert 0 <= label <= len(vocabulary.labels)


@pytest.mark.slow
@both_grammars
def test_constraints_are_kept_under_any_limits(draw: Draw) -> None:
    weights = weights_for_large_problems(draw)
    outcomes = Counter[bool]()
    for seed in range(cases(150)):
        rng = Random(1000 + seed)
        case = draw(rng, 40)
        search = case.core_search(weights, rng.choice((1, 4, 30, 100)), rng.random() < 0.7)
        done, results = best_first_search(search, rng.choice((1, 3)), rng.randint(1, 300))
        assert results
        for _, pieces in results:
            assert pieces
            if isinstance(case.plain, DependencyGrammar):
                assert_satisfied(case, pieces, done)
        outcomes[done] += 1
    assert outcomes[True]
    assert outcomes[False]


# ---- derivations of the CCG grammar ----------------------------------------------------------


def derivation_of(case: Case, piece: Sequence[Node], grammar: CcgGrammar) -> Derivation:
    bag = case.bag
    names = [*bag.vocabulary.tags, "X"]
    found: list[Derivation] = []
    for left, right, rule, label, word, tag in piece:
        category = grammar.categories[label]
        if rule == LEAF:
            form = bag.problem.words[word].form
            found.append(Derivation(category, form=form, tag=names[tag]))
        else:
            below = tuple(found[part] for part in (left, right) if part >= 0)
            found.append(Derivation(category, below))
    return found[-1]


@pytest.mark.slow
def test_derivations_follow_the_rules() -> None:
    grammar, weights = toy_ccg.toy_grammar(), weights_for_large_problems(toy_ccg_problem)
    for seed in range(cases(100)):
        rng = Random(2000 + seed)
        case = toy_ccg_problem(rng, 20)
        search = case.core_search(weights, rng.choice((5, 50)), rng.random() < 0.7)
        done, results = best_first_search(search, 2, rng.randint(1, 300))
        for _, pieces in results:
            used = Counter[str]()
            for piece in pieces:
                derivation = derivation_of(case, piece, grammar)
                assert broken_rules(derivation, grammar, case.bag.vocabulary) == []
                used += Counter(derivation.forms)
            there = Counter(word.form for word in case.bag.problem.words)
            assert used == there if done else used <= there


def test_derivations_of_the_toy_sentences_are_found() -> None:
    """With all scores equal, the toy sentence is among the results."""
    for sentence in toy_ccg.toy_sentences():
        if len(sentence.derivation.forms) > 6:
            continue
        problem = Problem.of(
            [
                Word(*pair)
                for pair in zip(sentence.derivation.forms, sentence.derivation.tags, strict=True)
            ]
        )
        case = ccg_case(problem, toy_ccg.toy_vocabulary(), toy_ccg.toy_grammar())
        done, results = best_first_search(case.core_search({}, UNLIMITED, True), UNLIMITED)
        texts = {
            derivation_of(case, pieces[0], toy_ccg.toy_grammar()).text for _, pieces in results
        }
        assert done
        assert sentence.derivation.text in texts


# ---- reproducibility --------------------------------------------------------------------------


@pytest.mark.slow
@both_grammars
def test_results_do_not_depend_on_the_listing_of_the_bag(draw: Draw) -> None:
    weights = weights_for_large_problems(draw)

    def outcome(case: Case, chart: int, limit: int) -> object:
        done, results = best_first_search(case.core_search(weights, chart, True), 2, limit)

        def text(node: Node) -> str:
            return case.bag.text(node[4], NONE if case.bag.choices is None else node[3])

        return done, [
            (score, [[text(node) for node in piece if node[2] == LEAF] for piece in pieces])
            for score, pieces in results
        ]

    for seed in range(cases(40)):
        rng = Random(3000 + seed)
        case = draw(rng, 25)
        problem = case.bag.problem
        chart, limit = rng.choice((3, 40)), rng.randint(1, 200)
        expected = outcome(case, chart, limit)
        assert outcome(case, chart, limit) == expected
        listing = rng.sample(range(len(problem.words)), len(problem.words))
        again = case.relisted(relist(problem, listing))
        assert outcome(again, chart, limit) == expected


# ---- limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [40, 80])
@pytest.mark.parametrize("chart", [256, UNLIMITED])
def test_a_time_limit_ends_the_search(n: int, chart: int) -> None:
    """The clock is looked at within each expansion: without time, not one is finished."""
    rng = Random(n)
    problem = Problem.of([f"w{rng.randrange(30)}" for _ in range(n)])
    case = dependency_case(problem, toy_vocabulary())
    weights = weights_for_large_problems(dependency_problem)
    expansions = []
    for seconds in (1e-9, 0.05):
        search = case.core_search(weights, chart, True)
        done, [(_, pieces)] = best_first_search(search, 1, 0, Clock(seconds))
        if not done:
            assert_satisfied(case, pieces, finished=False)
        expansions.append(search.expansions)
    assert expansions[0] <= 1 <= expansions[1]


def test_first_edge_is_always_expanded() -> None:
    case = dependency_case(Problem.of(["w1", "w2"]), toy_vocabulary())
    search = case.core_search({}, 1, True)
    done, [(_, pieces)] = best_first_search(search, 1, 0, Clock(1e-9))
    assert (done, search.expansions, len(pieces)) == (False, 1, 1)


def test_a_chart_holds_at_least_one_edge() -> None:
    case = dependency_case(Problem.of(["w1"]), toy_vocabulary())
    with pytest.raises(ValueError, match="a chart holds at least one edge"):
        case.core_search({}, 0, True)
