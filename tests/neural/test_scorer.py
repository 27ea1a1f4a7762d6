"""The neural scorer in a linearizer: what its results satisfy, and what they do not depend on.

The scores of actions are tested in test_search.py, the encoder in test_encoder.py.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from references.brute_force import Orders, random_problem, satisfying
from toys.models import clashing_problem, relist, toy_vocabulary
from toys.network import (
    SMALL,
    encodings_of_all_sizes,
    in_many_shapes,
    problem_of,
    shown,
    toy_header,
    toy_lexicon,
    toy_neural_linearizer,
    toy_parameters,
    toy_scorer,
    toy_stored,
)
from toys.probes import beam_search, derivations

from syntagma.errors import UnsatisfiableError
from syntagma.models.model import save_model
from syntagma.neural._search import NeuralSearch
from syntagma.neural.scorer import NO_ROLE, NeuralScorer, RerankedSearch, role_of
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition._search import beam_search as run_beam_search
from syntagma.transition.training import learn_vocabulary
from syntagma.treebanks.treebank import Sentence


def test_labels_are_those_that_score_best() -> None:
    """The label of every arc, by itself, if it has no role that another arc may have; none is
    chosen if all are given."""
    scorer, vocabulary = toy_scorer(), toy_vocabulary()
    w = toy_parameters(toy_lexicon(), vocabulary)
    kinds = set()
    for encoding in encodings_of_all_sizes(4, 12):
        search = next(scorer.searches([encoding], [4], [None]))
        [found] = run_beam_search(search)
        vectors = search.words.vectors
        assert found.tags == search.words.tags.tolist()
        all_given = all(word.deprel is not None for word in encoding.problem.words)
        kinds.add(all_given)
        for dependent, (head, label) in enumerate(zip(found.heads, found.labels, strict=True)):
            if head < 0 or all_given:
                assert label == -1
                continue
            hidden = vectors[head] @ w["labels.head"] + w["labels.bias"]
            hidden = np.maximum(hidden + vectors[dependent] @ w["labels.dependent"], 0)
            scores = hidden @ w["labels.out.weight"] + w["labels.out.bias"]
            if role_of(vocabulary.labels[scores.argmax()]) == NO_ROLE:
                assert scores[label] == pytest.approx(scores.max(), abs=1e-5)
    assert kinds == {False, True}
    assert scorer.label(np.zeros((1, SMALL.width), np.float32), []) == []


# ---- what the output does not depend on ------------------------------------------------------


@pytest.mark.parametrize("beam", [1, 4, 64])
def test_output_does_not_depend_on_how_the_bag_is_listed(beam: int) -> None:
    rng = Random(beam)
    linearizer = toy_neural_linearizer()
    for _ in range(40):
        problem = in_many_shapes(rng, random_problem(rng, 12, "exact"))
        shuffled = relist(problem, rng.sample(range(len(problem.words)), len(problem.words)))
        expected = [shown(result) for result in linearizer.order(problem, beam=beam, n_best=3)]
        again = linearizer.order(shuffled, beam=beam, n_best=3)
        assert [shown(result) for result in again] == expected


@pytest.mark.slow
def test_output_does_not_depend_on_threads_or_batches() -> None:
    rng = Random(7)
    problems = [in_many_shapes(rng, random_problem(rng, 30, "exact")) for _ in range(90)]
    linearizer = toy_neural_linearizer()
    alone = [shown(linearizer.order(problem, beam=4)) for problem in problems]
    for threads in (1, 2, 3):
        results = linearizer.order_many(problems, beam=4, threads=threads)
        found = [shown(result) for result in results if isinstance(result, Linearization)]
        assert found == alone


# ---- what is guaranteed ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("beam", [1, 4, 16])
@pytest.mark.parametrize("orders", ["none", "exact", "mixed"])
def test_every_output_satisfies_its_problem(beam: int, orders: Orders) -> None:
    rng = Random(f"{beam}:{orders}")
    linearizer = toy_neural_linearizer(beam)
    most = 9 if orders == "mixed" else 40  # there search may give up, where it is long
    problems = [in_many_shapes(rng, random_problem(rng, most, orders)) for _ in range(60)]
    for problem, result in zip(problems, linearizer.order_many(problems, beam=beam), strict=True):
        assert isinstance(result, Linearization)
        assert violations(result) == [], problem
        assert result.score <= 0


def test_where_the_beam_ends_search_goes_on_or_says_that_there_is_nothing() -> None:
    rng = Random(8)
    linearizer = toy_neural_linearizer()
    rejected = 0
    for _ in range(300):
        problem = clashing_problem(rng, 5)
        try:
            result = linearizer.order(problem, beam=1)
        except UnsatisfiableError:
            assert not satisfying(problem)
            rejected += 1
        else:
            assert violations(result) == []
    assert rejected, "the problems drawn should clash now and then"


def test_n_best_are_distinct_and_sorted() -> None:
    rng = Random(31)
    linearizer = toy_neural_linearizer()
    for _ in range(20):
        problem = random_problem(rng, 8, "exact")
        results = linearizer.order(problem, n_best=10)
        assert len({result.words for result in results}) == len(results) <= 10
        assert all(one.score >= other.score for one, other in pairwise(results))
        assert shown(results[0]) == shown(linearizer.order(problem))


def test_an_order_that_is_asked_for_has_the_score_that_the_search_gives_it() -> None:
    """Also where the order leaves no choice: its words compete with those of all other orders."""
    linearizer = toy_neural_linearizer()
    rng = Random(31)
    for size in (2, 3, 4):
        problem = problem_of(rng, size)
        for rank, found in enumerate(linearizer.order(problem, n_best=24, beam=1024)):
            asked = linearizer.score(problem, found.order, beam=1024)
            assert asked.order == found.order
            if rank < 16 or asked.score < found.score:
                assert asked.score == pytest.approx(found.score, abs=1e-4)
            assert found.score <= linearizer.order(problem, beam=1024).score
    problem = Problem.of(["w1", "w2", "w3"])
    scores = [
        linearizer.score(problem, order, beam=1024).score for order in permutations((1, 2, 3))
    ]
    assert len(set(scores)) == len(scores)
    assert sum(map(math.exp, scores)) <= 1


def test_results_have_been_read_in_both_directions() -> None:
    changed = 0
    for encoding in encodings_of_all_sizes(6, 9):
        search, plain = (
            next(toy_scorer().searches([encoding], [8], [None], merging=False)) for _ in range(2)
        )
        search.opposite = plain.opposite = None
        found = beam_search(search, 8)
        judges, plain.judges = plain.judges, ()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(RerankedSearch, "results", NeuralSearch.results)
            forward = beam_search(plain, 8)
        judges[0].judge(plain)
        assert found == derivations(plain, NeuralSearch.results(plain, 8))
        changed += found[0][1] != forward[0][1]
    assert changed > 3, "the reranker changes results"


def test_unknown_words_tags_and_labels_come_out_as_they_went_in() -> None:
    words = (
        Word("naïve café", tag="X-ODD", head=2, deprel="odd:label"),
        Word("🦊", tag="X-ODD"),
        Word("w1 of w2", head=2, deprel="nsubj"),
        Word("w3", tag="NN", deprel="strange"),
        Word("שלום", head=0, deprel="ROOT!"),
    )
    result = toy_neural_linearizer().order(Problem(words))
    assert violations(result) == []
    given_words = {token.source: token for token in result.tokens}
    for index, word in enumerate(words, 1):
        assert given_words[index].form == word.form
        assert word.tag in (None, given_words[index].tag)
        assert word.deprel in (None, given_words[index].deprel)


# ---- PyTorch is not needed -------------------------------------------------------------------


def run_without_torch(arguments: Sequence[str], script: str) -> None:
    ending = "assert 'torch' not in sys.modules"
    subprocess.run(
        [sys.executable, "-c", f"import sys\n{script}\n{ending}", *arguments], check=True
    )


def test_ordering_with_a_neural_model_does_not_import_pytorch(tmp_path: Path) -> None:
    path = tmp_path / "toy"
    save_model(path, toy_header(), toy_vocabulary(), toy_stored())
    script = (
        "import syntagma\n"
        "model = syntagma.load(sys.argv[1])\n"
        "assert sorted(model.order(['w2', 'W1', 'w3']).words) == ['W1', 'w2', 'w3']\n"
        "assert len(list(model.order_many([['w1', 'w2']] * 40, threads=2))) == 40"
    )
    run_without_torch([str(path)], script)


def test_a_head_has_one_subject_and_one_object() -> None:
    """If several words would be, the one whose next best label is worst has the role."""
    scorer, labels = toy_scorer(), toy_vocabulary().labels
    rng = np.random.default_rng(1)
    changed = 0
    for _ in range(300):
        vectors = rng.normal(size=(5, SMALL.width)).astype(np.float32)
        arcs = [(int(rng.choice([0, 0, 4])), word) for word in (1, 2, 3)]
        chosen = [labels[each] for each in scorer.label(vectors, arcs)]
        alone = [labels[scorer.label(vectors, [arc])[0]] for arc in arcs]
        wanted, had = (
            Counter(
                (head, role_of(label))
                for (head, _), label in zip(arcs, each, strict=True)
                if role_of(label) != NO_ROLE
            )
            for each in (alone, chosen)
        )
        assert set(had.values()) <= {1}
        assert set(wanted) <= set(had)  # a role that several would have is not left to none
        assert (chosen == alone) == (max(wanted.values(), default=1) == 1)
        changed += chosen != alone
    assert changed > 30
    assert [role_of(each) for each in ("nsubj:pass", "csubj", "nsubj:outer", "obj", "det")] == [
        *(role_of("nsubj"), role_of("nsubj"), NO_ROLE),
        *(role_of("obj"), NO_ROLE),
    ]


def test_only_roles_as_labels_are_no_endless_search() -> None:
    sentence = Sentence(("a", "b", "c"), ("X", "X", "X"), (2, 0, 2), ("nsubj", "root", "obj"))
    lexicon, vocabulary = toy_lexicon(), learn_vocabulary([sentence])
    parameters = toy_parameters(lexicon, vocabulary)
    scorer = NeuralScorer.from_parameters(SMALL, lexicon, vocabulary, parameters)
    vectors = np.ones((4, SMALL.width), np.float32)
    assert len(set(scorer.label(vectors, [(0, 1), (0, 2), (0, 3)]))) == 1
