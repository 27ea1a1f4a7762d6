"""Words that may take several forms: the search decides on order and forms together.

The search with a language model but without a choice of forms: language_model/test_ngrams.py. Whole
realizations: linearizer/test_realize.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise, product
from math import fsum, log, prod
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references.brute_force import random_problem, satisfying
from references.transition import SHIFT, Action
from toys.models import bag
from toys.probes import Probe, Results, decode_actions
from toys.searches import (
    TOLERANCE,
    VOCABULARY,
    BothWays,
    Forward,
    Lazy,
    Linear,
    Listener,
    Order,
    Replayed,
    Toy,
    find,
    syntax_of_orders,
    tagged,
    toy_language_model,
    treacherous_problem,
)

from syntagma.language_model._ngrams import NGramScorer
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition.encoding import Encoding, encode

DERIVATIONS = 1_500  # fewer than are looked at for different orders in the end
EVERYTHING = DERIVATIONS  # no step of a search holds more states than there are derivations

# In the vocabulary of the language models, unknown, phrases, and no words at all. No two of them
# are the same in capitals: then each sentence says which forms it is made of.
TEXTS = (
    *(f"w{i}" for i in range(12)),
    *(f"xw{i}" for i in range(6)),
    *(f"the w{i}" for i in range(4)),
    *(",", "?!", "-", "🙂", "…", "( )"),
)

Choice = tuple[Alternative, ...]
Sentence = tuple[str, ...]


class Plain(Replayed):
    """Actions are worth nothing."""

    def __init__(self, rng: Random, encodings: Sequence[Encoding], scale: float = 1) -> None:
        pass

    def search(self, encoding: Encoding, width: int) -> Probe:
        return Probe.plain(encoding.task, width)

    def syntax(self, encoding: Encoding, actions: Sequence[Action]) -> float:
        return 0.0


def draw_choice(rng: Random, texts: Sequence[str]) -> Choice:
    """Alternatives with these texts; as first of a sentence, most are in capitals."""
    shares = [rng.uniform(0.05, 1) for _ in texts]
    alternatives = []
    for text, share in zip(texts, shares, strict=True):
        initial = rng.choice((text, text.upper(), text.upper(), f"the {text.upper()}"))
        alternatives.append(Alternative(text, initial, log(share / sum(shares))))
    return tuple(alternatives)


@dataclass(frozen=True)
class Case:
    """A problem whose words go by their first form, and what else they may become."""

    problem: Problem
    choices: tuple[Choice, ...]  # of each word; the same for words with the same form
    encoding: Encoding

    @classmethod
    def of(cls, problem: Problem, by_lemma: Mapping[str, Choice]) -> Case:
        """Choices are given by the forms of the problem, which become lemmas."""
        lemmas = [word.form for word in problem.words]
        words = (
            replace(word, form=by_lemma[word.form][0].text, lemma=word.form)
            for word in problem.words
        )
        problem = replace(problem, words=tuple(words))
        choices = tuple(by_lemma[lemma] for lemma in lemmas)
        return cls(problem, choices, encode(problem, VOCABULARY, alternatives=choices))

    @classmethod
    def draw(cls, rng: Random, problem: Problem, most: int = 3) -> Case:
        lemmas = sorted({word.form for word in problem.words})
        texts = rng.sample(TEXTS, len(TEXTS))
        by_lemma = {}
        for lemma in lemmas:
            count = rng.randint(1, most)
            by_lemma[lemma] = draw_choice(rng, texts[:count])
            del texts[:count]
        return cls.of(problem, by_lemma)

    def sentence(self, alternatives: Sequence[Alternative]) -> Sentence:
        """What is said: the first that is more than punctuation, and all before it, as initial."""
        words: list[str] = []
        begun = False
        for each in alternatives:
            words.append(each.text if begun else each.initial)
            begun = begun or any(character.isalnum() for character in each.text)
        return tuple(words)

    def expect(self, syntax: dict[Order, float], listener: Listener) -> dict[Sentence, float]:
        """What each sentence is worth, of all orders in all forms."""
        by_form = dict(zip((word.form for word in self.problem.words), self.choices, strict=True))
        found: dict[Sentence, float] = {}
        for order, score in syntax.items():
            for alternatives in product(*(by_form[form] for form in order)):
                shares = fsum(each.log_share for each in alternatives)
                sentence = self.sentence(alternatives)
                worth = score + listener.share(sentence) + listener.weight * shares
                found[sentence] = max(worth, found.get(sentence, worth))
        return found

    def decoded(self, search: Probe, results: Results) -> list[Linearization]:
        return [
            decode_actions(self.encoding, VOCABULARY, score, numbered(actions), search.forms(rank))
            for rank, (score, actions) in enumerate(results)
        ]

    def placed(
        self, search: Probe, rank: int, actions: Sequence[Action]
    ) -> tuple[Alternative, ...]:
        """The alternatives that a result consists of, in its order."""
        sources = [self.encoding.order[word] for kind, word, _, _ in actions if kind == SHIFT]
        forms = search.forms(rank)
        return tuple(
            self.choices[source][form] for source, form in zip(sources, forms, strict=True)
        )


def numbered(actions: Sequence[Action]) -> list[Action]:
    """The actions with some tag and some label where the search left them open."""
    return [(kind, word, max(tag, 0), max(label, 0)) for kind, word, tag, label in actions]


def small_case(rng: Random) -> Case:
    """One with few enough derivations to try all of them."""
    while True:
        problem = tagged(random_problem(rng, 4, "exact"))
        case = Case.draw(rng, problem)
        if len(all_trees(problem)) * prod(map(len, case.choices)) <= DERIVATIONS:
            return case


def all_trees(problem: Problem) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every order and tree, also those in which only words that look alike change places."""
    words = (replace(word, form=f"v{i}") for i, word in enumerate(problem.words))
    return satisfying(replace(problem, words=tuple(words)))


def all_orders(problem: Problem) -> dict[Order, float]:
    """The orders that the constraints allow, each worth nothing."""
    return {
        tuple(problem.words[index - 1].form for index in order): 0.0
        for order, _ in all_trees(problem)
    }


def assert_best(
    found: Sequence[Linearization], expected: dict[Sentence, float], n_best: int
) -> None:
    """The best of all sentences with their scores; those that score the same may change places."""
    scores = [each.score for each in found]
    best = sorted(expected.values(), reverse=True)[:n_best]
    assert scores == pytest.approx(best, abs=TOLERANCE)
    sentences = [each.words for each in found]
    assert len(set(sentences)) == len(sentences)
    assert scores == pytest.approx([expected[each] for each in sentences], abs=TOLERANCE)


def assert_listed(found: Sequence[Linearization], expected: dict[Sentence, float]) -> None:
    """All sentences; each has its score, or that of the one before it if that is lower."""
    assert {each.words for each in found} == expected.keys()
    assert len(found) == len(expected)
    scores = [expected[each.words] for each in found]
    assert [each.score for each in found] == pytest.approx(
        list(accumulate(scores, min)), abs=TOLERANCE
    )


# ---- beams that hold everything --------------------------------------------------------------


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.booleans(), st.sampled_from([1, 7, DERIVATIONS]))
@settings(max_examples=60)
def test_a_wide_beam_finds_the_best_of_all_orders_in_all_forms(
    rng: Random, merging: bool, n_best: int
) -> None:
    case, listener = small_case(rng), Listener.draw(rng)
    search = Probe.plain(case.encoding.task, EVERYTHING)
    results = find(search, n_best, merging=merging, fluency=listener.fluency(case.encoding))
    expected = case.expect(all_orders(case.problem), listener)
    assert_best(case.decoded(search, results), expected, n_best)


@pytest.mark.parametrize("scorer", [Linear, Lazy, Forward, BothWays])
def test_forms_and_orders_are_weighed_against_what_the_scorer_says(scorer: type[Toy]) -> None:
    rng = Random(scorer.__name__)
    changed = 0
    for _ in range(12):
        case, listener = small_case(rng), Listener.draw(rng)
        toy = scorer(rng, [case.encoding], rng.choice((1, 1 / 16)))
        syntax = syntax_of_orders(toy, case.problem)
        assert syntax.keys() == all_orders(case.problem).keys()
        expected = case.expect(syntax, listener)
        # Sentences are reranked among the first 16, the next 16, and so on.
        for n_best in (len(expected),) if scorer is BothWays else (1, 5, len(expected)):
            best = []
            for merging in (False, True):
                search = toy.search(case.encoding, EVERYTHING)
                fluency = listener.fluency(case.encoding)
                results = find(search, n_best, merging=merging, fluency=fluency)
                found = case.decoded(search, results)
                if scorer is BothWays:
                    assert_listed(found, expected)
                else:
                    assert_best(found, expected, n_best)
                assert [violations(each) for each in found] == [[] for _ in found]
                best.append(found[0].score)
            assert best[0] == pytest.approx(best[1], abs=TOLERANCE)
        changed += any(search.forms(0))
    assert changed >= 3, "the form that stands for a word is not always the one it takes"


def test_the_best_of_a_bag_of_four_words_in_many_forms() -> None:
    """Without any arc given, states of many orders and forms are merged."""
    rng = Random(4)
    texts = iter(rng.sample(TEXTS, 10))
    by_lemma = {
        lemma: draw_choice(rng, [next(texts) for _ in range(count)])
        for lemma, count in (("a", 3), ("b", 3), ("c", 2), ("d", 2))
    }
    case = Case.of(tagged(bag(*"abcd")), by_lemma)
    for order, weight in ((2, 1.0), (4, 0.3)):
        listener = Listener(toy_language_model(order), weight)
        expected = case.expect(all_orders(case.problem), listener)
        assert len(expected) == 24 * 36
        search = Probe.plain(case.encoding.task, len(all_trees(case.problem)) * 36)
        results = find(search, 40, merging=True, fluency=listener.fluency(case.encoding))
        assert_best(case.decoded(search, results), expected, 40)


def numbers(model: LanguageModel, unit: str) -> list[int]:
    return [model.number(word) for word in unit.split(" ")]


def test_what_words_are_expected_to_cost_does_not_change_what_forms_are_worth() -> None:
    rng = Random(8)
    for _ in range(10):
        case, listener = small_case(rng), Listener.draw(rng)
        expected = case.expect(all_orders(case.problem), listener)
        model = listener.language_model
        names: dict[tuple[str, str], int] = {}

        def name(form: Alternative, names: dict[tuple[str, str], int] = names) -> int:
            return names.setdefault((form.text, form.initial), len(names))

        choices = [
            [
                (numbers(model, a.text), numbers(model, a.initial), a.log_share, a.spoken, name(a))
                for a in case.choices[at]
            ]
            for at in case.encoding.order
        ]
        units = model.units(case.encoding.forms)
        outlook = [rng.uniform(-9, 9) for _ in range(len(choices) + 1)]
        fluency = NGramScorer(model.ngrams, units, outlook, listener.weight, choices)
        for merging in (False, True):
            search = Probe.plain(case.encoding.task, EVERYTHING)
            results = find(search, 10, merging=merging, fluency=fluency)
            assert_best(case.decoded(search, results), expected, 10)


def test_without_a_language_model_words_take_their_first_form() -> None:
    rng = Random(9)
    for _ in range(10):
        case = small_case(rng)
        search = Probe.plain(case.encoding.task, 4)
        results = find(search, 3)
        for rank, found in enumerate(case.decoded(search, results)):
            assert search.forms(rank) == [0] * len(case.choices)
            assert found.words == case.sentence([case.choices[at - 1][0] for at in found.order])


# ---- the same text from different words ------------------------------------------------------


def alternatives(*texts: str) -> Choice:
    return tuple(Alternative(text, text, log(1 / len(texts))) for text in texts)


def assert_all_sentences(by_lemma: Mapping[str, Choice]) -> None:
    """Each sentence once, whichever words it is made of."""
    case = Case.of(tagged(bag(*by_lemma)), by_lemma)
    listener = Listener(toy_language_model(3), 1.0)
    expected: dict[Sentence, float] = {}
    for order in {order for order, _ in all_trees(case.problem)}:
        for chosen in product(*(case.choices[index - 1] for index in order)):
            sentence = tuple(each.text for each in chosen)
            worth = listener.share(sentence) + fsum(each.log_share for each in chosen)
            expected[sentence] = max(worth, expected.get(sentence, worth))
    for merging in (False, True):
        search = Probe.plain(case.encoding.task, EVERYTHING)
        fluency = listener.fluency(case.encoding)
        results = find(search, DERIVATIONS, merging=merging, fluency=fluency)
        found = case.decoded(search, results)
        assert sorted(each.words for each in found) == sorted(expected)
        assert_best(found, expected, DERIVATIONS)


def test_words_that_share_their_first_form_only_are_not_taken_for_each_other() -> None:
    assert_all_sentences({"a": alternatives("w1", "w2"), "b": alternatives("w1", "w3")})


def test_a_sentence_that_can_be_made_in_two_ways_comes_once() -> None:
    assert_all_sentences({"a": alternatives("w1", "w2"), "b": alternatives("w2", "w1")})


def test_words_with_the_same_forms_make_the_same_sentences_once() -> None:
    assert_all_sentences({"a": alternatives("w1", "w2"), "b": alternatives("w1", "w2")})


# ---- the first word --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("w1 w2 w3", "W1 w2 w3"),
        (", w1 w2", ", W1 w2"),
        ("( - w1 w2", "( - W1 w2"),
        ("🙂 w1 w2", "🙂 W1 w2"),
        ("w1 , w2", "W1 , w2"),
        ("5 w1", "5 w1"),
        ("本 w1", "本 w1"),
        (", ?!", ", ?!"),
    ],
)
def test_a_word_is_first_until_something_is_spoken(words: str, expected: str) -> None:
    """The language model hears it so, and so it is decoded."""
    forms = words.split()
    order = [(i, i + 1) for i in range(1, len(forms))]
    by_lemma = {form: (Alternative(form, form.upper(), -0.5),) for form in forms}
    case = Case.of(replace(bag(*forms), before=tuple(order)), by_lemma)
    listener = Listener(toy_language_model(3), 2.0)
    search = Probe.plain(case.encoding.task, 100)
    results = find(search, fluency=listener.fluency(case.encoding))
    [found] = case.decoded(search, results)
    assert found.text == expected
    share = listener.share(tuple(expected.split()))
    assert found.score == pytest.approx(share - 2.0 * 0.5 * len(forms), abs=TOLERANCE)


def test_a_word_that_may_be_punctuation_decides_whether_the_next_is_first() -> None:
    text = [["--", "Wug"], ["--", "Wug"], ["So", "wug"]]
    model = LanguageModel.of(estimate(text, order=2, word_class=word_class))
    for log_share, expected in ((0.0, "-- Wug"), (-20.0, "So wug")):
        by_lemma = {
            "a": (Alternative("--", "--", log_share), Alternative("so", "So", -1.0)),
            "b": (Alternative("wug", "Wug"),),
        }
        case = Case.of(replace(bag("a", "b"), first=1), by_lemma)
        search = Probe.plain(case.encoding.task, 100)
        results = find(search, fluency=Listener(model, 1.0).fluency(case.encoding))
        assert case.decoded(search, results)[0].text == expected


def test_the_share_and_the_context_of_a_form_decide_together() -> None:
    text = [["a", "fox", "ran"], ["foxes", "ran"], ["foxes", "run"], ["a", "fox", "ran"]]
    model = LanguageModel.of(estimate(text, order=3, word_class=word_class))
    fox, run = ["fox", "foxes"], ["run", "ran"]
    for words, log_shares, expected in (
        (("a", fox, run), (-0.7, -0.7), "a fox ran"),
        ((fox, run), (-0.7, -0.7), "foxes ran"),
        ((fox, run), (-0.1, -9.0), "fox run"),
    ):
        by_lemma = {
            str(i): tuple(
                Alternative(text, text, log_share)
                for text, log_share in zip(texts, log_shares, strict=False)
            )
            for i, texts in enumerate([[w] if isinstance(w, str) else w for w in words])
        }
        case = Case.of(bag(*by_lemma), by_lemma)
        search = Probe.plain(case.encoding.task, 200)
        results = find(search, merging=True, fluency=Listener(model, 1.0).fluency(case.encoding))
        assert case.decoded(search, results)[0].text == expected


# ---- beams that do not hold everything -------------------------------------------------------


@pytest.mark.parametrize("scorer", [Plain, Linear, Lazy, Forward])
def test_every_result_is_worth_its_actions_its_words_and_the_shares_of_its_forms(
    scorer: type[Replayed],
) -> None:
    """Also the results that had been merged into others, for which no state was left in the end."""
    rng = Random(scorer.__name__)
    changed = 0
    for _ in range(25):
        case = Case.draw(rng, random_problem(rng, 8, "exact"))
        toy, listener = scorer(rng, [case.encoding]), Listener.draw(rng)
        width = rng.choice((1, 4, 16))
        for merging in (False, True):
            search = toy.search(case.encoding, width)
            results = find(search, 30, merging=merging, fluency=listener.fluency(case.encoding))
            found = case.decoded(search, results)
            assert found, "a dead end"
            assert len({each.words for each in found}) == len(found)
            assert all(one.score >= other.score for one, other in pairwise(found))
            for rank, (result, (score, actions)) in enumerate(zip(found, results, strict=True)):
                placed = case.placed(search, rank, actions)
                assert result.words == case.sentence(placed)
                assert violations(result) == []
                share = listener.share(result.words)
                share += listener.weight * fsum(each.log_share for each in placed)
                assert score == pytest.approx(toy.syntax(case.encoding, actions) + share, abs=1e-8)
                changed += any(search.forms(rank))
    assert changed > 100


@pytest.mark.parametrize("merging", [False, True])
@pytest.mark.parametrize("scorer", [Plain, Linear, Lazy, Forward, BothWays])
def test_one_form_a_word_is_no_choice(scorer: type[Toy], merging: bool) -> None:
    """Bit for bit, whatever the width, the same as where forms are given."""
    rng = Random(scorer.__name__)
    for _ in range(20):
        problem = random_problem(rng, 8, "exact")
        forms = {word.form: rng.choice(TEXTS) for word in problem.words}
        words = tuple(replace(word, form=forms[word.form]) for word in problem.words)
        problem = replace(problem, words=words)
        given = encode(problem, VOCABULARY)
        chosen = replace(
            given, alternatives=[(Alternative(word.form, word.form),) for word in words]
        )
        toy, listener = scorer(rng, [given]), Listener.draw(rng)
        width = rng.choice((1, 3, 32))
        expected = find(
            toy.search(given, width), 20, merging=merging, fluency=listener.fluency(given)
        )
        search = toy.search(chosen, width)
        found = find(search, 20, merging=merging, fluency=listener.fluency(chosen))
        assert found == expected
        assert [search.forms(rank) for rank in range(len(found))] == [[0] * len(words)] * len(found)


@pytest.mark.parametrize("scorer", [Linear, Lazy, Forward])
def test_a_search_depth_first_takes_the_forms_that_a_beam_of_one_takes(scorer: type[Toy]) -> None:
    rng = Random(scorer.__name__)
    changed = 0
    for _ in range(30):
        case = Case.draw(rng, random_problem(rng, 8, "exact"))
        toy, listener = scorer(rng, [case.encoding]), Listener.draw(rng)
        search = toy.search(case.encoding, 1)
        [(score, actions)], _ = search.depth_first(1000, listener.fluency(case.encoding))
        of_one = toy.search(case.encoding, 1)
        [(expected, the_same)] = find(of_one, fluency=listener.fluency(case.encoding))
        assert (actions, search.forms(0)) == (the_same, of_one.forms(0))
        assert score == pytest.approx(expected, abs=TOLERANCE)
        changed += any(search.forms(0))
    assert changed >= 10


@pytest.mark.slow
@pytest.mark.parametrize("scorer", [Linear, Lazy, Forward])
def test_a_search_depth_first_that_turns_back_scores_the_forms_it_ends_with(
    scorer: type[Replayed],
) -> None:
    rng = Random(scorer.__name__)
    turned_back = changed = 0
    for _ in range(40):
        case = Case.draw(rng, treacherous_problem(rng))
        toy, listener = scorer(rng, [case.encoding]), Listener.draw(rng)
        search = toy.search(case.encoding, 1)
        [(score, actions)], _ = search.depth_first(100_000, listener.fluency(case.encoding))
        [found] = case.decoded(search, [(score, actions)])
        placed = case.placed(search, 0, actions)
        assert found.words == case.sentence(placed)
        assert violations(found) == []
        share = listener.share(found.words)
        share += listener.weight * fsum(each.log_share for each in placed)
        assert score == pytest.approx(toy.syntax(case.encoding, actions) + share, abs=TOLERANCE)
        fluency = listener.fluency(case.encoding)
        turned_back += not find(toy.search(case.encoding, 1), fluency=fluency)
        changed += any(search.forms(0))
    assert turned_back >= 4
    assert changed >= 5


def test_forms_do_not_multiply_the_work_of_a_search_without_a_way_out() -> None:
    """What is legal does not depend on forms: of each word one is tried."""
    around_root = (Word("a"), Word("b", head=1), Word("c"), Word("d"), Word("e", head=0))
    problem = Problem(around_root, before=((1, 5), (4, 2), (5, 2)), first=4)

    def work(count: int) -> int:
        """The least limit that the search does not reach."""
        texts = iter(TEXTS)
        by_lemma = {lemma: alternatives(*islice(texts, count)) for lemma in "abcde"}
        case = Case.of(problem, by_lemma)
        fluency = Listener(toy_language_model(2), 1.0).fluency(case.encoding)
        for limit in range(1, 1000):
            search = Probe.plain(case.encoding.task, 1)
            found, exhausted = search.depth_first(limit, fluency)
            assert found == []
            if exhausted:
                return limit
        raise AssertionError("no end")

    assert work(3) == work(1) > 2
