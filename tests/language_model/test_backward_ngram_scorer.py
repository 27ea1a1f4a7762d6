"""The n-gram scorer of a search from right to left: costs come in another order."""

from __future__ import annotations

from random import Random

import pytest
from toys.models import bag
from toys.searches import EVERYTHING, TOLERANCE, VOCABULARY, Listener, small_problem, tagged

from syntagma.language_model._ngrams import BackwardNGramScorer, NGramScorer
from syntagma.transition._search import Search, beam_search
from syntagma.transition.encoding import Encoding, encode

MANY = 1000  # orders of a bag of five words, and more


def fluencies(
    encoding: Encoding, scorer: NGramScorer, *, mirrored: bool = False
) -> dict[tuple[str, ...], tuple[float, float | None]]:
    """Score and language model score of every order; without a scorer of actions."""
    task = encoding.task.mirrored() if mirrored else encoding.task
    search = Search(task, EVERYTHING, ngram_scorer=scorer, merging=True, mirrored=mirrored)
    return {
        tuple(encoding.forms[word] for word in found.order): (found.score, found.fluency)
        for found in beam_search(search, MANY)
    }


@pytest.mark.parametrize("given", ["nothing", "arcs"])
def test_each_order_is_worth_what_it_is_from_left_to_right(given: str) -> None:
    """Phrases and words that occur twice included; by models of any order."""
    rng = Random(given)
    phrases = 0
    for _ in range(12):
        problem = small_problem(rng)
        if given == "nothing":
            problem = tagged(bag(*(word.form for word in problem.words[:4])))
        phrases += any(" " in word.form for word in problem.words)
        encoding, listener = encode(problem, VOCABULARY), Listener.draw(rng)
        forward = listener.fluency(encoding)
        expected = fluencies(encoding, forward)
        found = fluencies(encoding, BackwardNGramScorer(forward), mirrored=True)
        assert found.keys() == expected.keys()
        for order, values in found.items():
            assert values == pytest.approx(expected[order], abs=TOLERANCE)
            assert values[1] == pytest.approx(listener.share(order), abs=TOLERANCE)
    assert phrases > 2


def test_what_words_are_expected_to_cost_decides_only_what_a_beam_keeps() -> None:
    rng = Random(2)
    problem = tagged(bag("w1", "w2", "w2 w3", "w7"))
    encoding, listener = encode(problem, VOCABULARY), Listener.draw(rng)
    model = listener.language_model
    units = model.units(encoding.forms)
    expected = fluencies(encoding, listener.fluency(encoding))
    for costs in ([0.0] * 5, [rng.uniform(-9, 9) for _ in range(5)]):
        scorer = BackwardNGramScorer(NGramScorer(model.ngrams, units, costs, listener.weight))
        found = fluencies(encoding, scorer, mirrored=True)
        assert found.keys() == expected.keys()
        for order, values in found.items():
            assert values == pytest.approx(expected[order], abs=TOLERANCE)


def test_a_scorer_that_was_used_leaves_nothing_behind() -> None:
    """Costs that a scorer remembers are those of its own direction."""
    encoding = encode(tagged(bag("w1", "w2", "w3")), VOCABULARY)
    scorer = Listener.draw(Random(3)).fluency(encoding)
    expected = fluencies(encoding, scorer)
    found = fluencies(encoding, BackwardNGramScorer(scorer), mirrored=True)
    assert found == {order: pytest.approx(values) for order, values in expected.items()}


def test_forms_are_not_chosen_from_right_to_left() -> None:
    """They depend on what stands first in the sentence."""
    model = Listener.draw(Random(4)).language_model
    forms = [((1,), (1,), 0.0, True, 0), ((2,), (2,), 0.0, True, 1)]
    scorer = NGramScorer(model.ngrams, [(1,)], [0.0, 0.0], 1.0, [forms])
    with pytest.raises(ValueError, match="one form each"):
        BackwardNGramScorer(scorer)


def test_one_word() -> None:
    encoding = encode(tagged(bag("w1")), VOCABULARY)
    scorer = Listener.draw(Random(5)).fluency(encoding)
    expected = fluencies(encoding, scorer)
    assert fluencies(encoding, BackwardNGramScorer(scorer), mirrored=True) == {
        order: pytest.approx(values) for order, values in expected.items()
    }
